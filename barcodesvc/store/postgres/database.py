"""The database server: two pools of connections to PostgreSQL, on which any number of replicas make changes.

    scans     a pool for scans alone, so that no long search or list delays them
    others    all other reads, snapshots, and changes, each in a transaction

A change is a READ COMMITTED transaction that locks the rows on which it depends as it reads them. After a conflict with
another change it is begun again; after a commit without a confirmation it is not, because it may have been made.

Rule: nothing that was read is cached, because another replica may change it at any time.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import asyncpg

from barcodesvc.addresses import ServerAddress
from barcodesvc.clock import Clock
from barcodesvc.errors import StartError
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.threads import to_its_end
from barcodesvc.store.database import Database
from barcodesvc.store.limits import (
    HEALTH_WAIT,
    SNAPSHOT_WAIT,
    SNAPSHOTS,
    DatabaseLimits,
    FailureLog,
    Observe,
    held,
    shielded,
    too_many_snapshots,
    too_many_waiting,
    unobserved,
    waited_for_long_change,
    warning_of_slow,
)
from barcodesvc.store.postgres.addresses import usable
from barcodesvc.store.postgres.failures import failure_of
from barcodesvc.store.postgres.migrations import migrate
from barcodesvc.store.postgres.pool import Pool, PostgresSnapshot, Statements, open_pool
from barcodesvc.store.postgres.queries import QUERIES, NumberedQuery
from barcodesvc.store.postgres.staging import staging_file
from barcodesvc.store.script import Begin, Row, Statement, one, run

T = TypeVar("T")

SCAN_CONNECTIONS = 2
LONG_PAUSES = (0.1, 0.5, 2.0)
"""Seconds before a long change is made again after a conflict: it costs more than a short one."""


class PostgresDatabase(Database):
    """The open database; made by `open_database`."""

    staging = staticmethod(staging_file)
    is_shared = True

    def __init__(self, pool: Pool, scans: Pool, limits: DatabaseLimits) -> None:
        self._pool = pool
        self._scans = scans
        self._long_wait = limits.write_wait
        self._changes = Capacity(limits.write_queue, too_many_waiting)
        self._long = asyncio.Lock()
        self._snapshots = asyncio.Semaphore(SNAPSHOTS)
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def writes_under_way(self) -> int:
        """The number of changes that run or wait."""
        return self._changes.used

    def version(self) -> int | None:
        """Return None, because another replica may commit at any time."""
        return None

    async def result(self, statement: Statement) -> Any:
        """Run one statement that reads."""
        return await self._pool.read(statement)

    async def scan_row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None, on a connection that is kept for scans."""
        found: Row | None = await self._scans.read(one(name, **parameters))
        return found

    async def change(self, begin: Begin[T]) -> T:
        """Make a short change in its own transaction."""
        return await self._to_its_end(partial(self._pool.change, "a change", begin))

    async def change_long(self, begin: Begin[T], *, staged: Path | None = None) -> T:
        """Make a long change in its own transaction; those of one process take turns."""
        return await self._to_its_end(partial(self._changed_in_turn, begin, staged))

    @contextlib.asynccontextmanager
    async def snapshot(self) -> AsyncIterator[PostgresSnapshot]:
        """Hold a connection that sees the database as it is now, in spite of later changes."""
        slot = held(self._snapshots, SNAPSHOT_WAIT, too_many_snapshots)
        async with slot, self._pool.snapshot() as snapshot:
            yield snapshot

    async def is_well(self) -> bool:
        """Read for real, and begin a change, without a retry."""
        try:
            async with asyncio.timeout(HEALTH_WAIT):
                await self._scans.read(one("ping"), pauses=())
                await self._scans.read(run("require_writable"), pauses=())
        except TimeoutError:
            return False
        return True

    async def finish(self) -> None:
        """Wait for the changes under way."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _changed_in_turn(self, begin: Begin[T], staged: Path | None) -> T:
        async with held(self._long, self._long_wait, waited_for_long_change):
            return await self._pool.change("a long change", begin, staged, LONG_PAUSES)

    async def _to_its_end(self, change: Callable[[], Awaitable[T]]) -> T:
        """Make a change in a task that continues after its caller is gone."""

        async def counted() -> T:
            with self._changes.held():
                return await change()

        task = asyncio.create_task(counted())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await shielded(task)


@contextlib.asynccontextmanager
async def open_database(  # noqa: PLR0913 - each with a default
    address: ServerAddress,
    *,
    observe: Observe = unobserved,
    slow_query: float = 0.0,
    limits: DatabaseLimits | None = None,
    clock: Clock | None = None,
    queries: Mapping[str, NumberedQuery] = QUERIES,
) -> AsyncIterator[PostgresDatabase]:
    """Open the database of this address, migrated if needed; at the end finish the changes under way and close it.

    `observe` is called with the time of each named query; those over `slow_query` seconds are logged, unless that is 0.

    Raises StartError if it cannot be used.
    """
    limits = limits or DatabaseLimits()
    log = FailureLog((clock or Clock()).steady, failure_of)
    statements = Statements(queries, warning_of_slow(observe, slow_query), log)
    async with contextlib.AsyncExitStack() as opened:
        with usable(address, "BARCODESVC_DATABASE: ", StartError) as url:
            await _migrated(url, limits)
            pool = await opened.enter_async_context(open_pool(url, limits.connections, limits, statements, _set_up))
            scans = open_pool(url, SCAN_CONNECTIONS, limits, statements, _set_up_for_scans)
            database = PostgresDatabase(pool, await opened.enter_async_context(scans), limits)
        try:
            yield database
        finally:
            await to_its_end(asyncio.create_task(database.finish()))


async def _set_up(connection: asyncpg.Connection) -> None:
    await connection.execute(QUERIES["compile_nothing"].sql)


async def _set_up_for_scans(connection: asyncpg.Connection) -> None:
    await _set_up(connection)
    await connection.execute(QUERIES["plan_once"].sql)


async def _migrated(url: str, limits: DatabaseLimits) -> None:
    connection = await asyncpg.connect(url, timeout=limits.busy_timeout)
    try:
        await migrate(connection)
    finally:
        await connection.close()
