"""The database server: two pools of connections to PostgreSQL, on which any number of replicas make changes.

    scans     a pool for scans alone, so that no long search or list delays them
    others    all other reads, snapshots, and changes, each in a transaction

A change is a READ COMMITTED transaction that locks the rows on which it depends as it reads them. After a conflict with
another change it is begun again; after a commit without a confirmation it is not, because it may have been made.

Rule: nothing that was read is cached, because another replica may change it at any time.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import asyncpg

from barcodesvc.clock import Clock
from barcodesvc.errors import StartError
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.threads import to_its_end
from barcodesvc.store.database import Database, Staging
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
from barcodesvc.store.postgres.addresses import client_url, unreadable, unusable
from barcodesvc.store.postgres.failures import ERRORS, failure_of
from barcodesvc.store.postgres.migrations import migrate
from barcodesvc.store.postgres.pool import PAUSES, Pool, commit, open_pool
from barcodesvc.store.postgres.queries import QUERIES, NumberedQuery
from barcodesvc.store.postgres.session import EngineContext, Session, SnapshotSession
from barcodesvc.store.postgres.staging_file import load, staging_file
from barcodesvc.store.script import Begin, Row, Statement, one, rows, run

T = TypeVar("T")

SCAN_CONNECTIONS = 2
LONG_PAUSES = (0.1, 0.5, 2.0)
"""Seconds before a long change is made again after a conflict: it costs more than a short one."""


class PostgresDatabase:
    """The open database; made by `open_database`."""

    def __init__(self, pool: Pool, scans: Pool, limits: DatabaseLimits) -> None:
        self._pool = pool
        self._scans = scans
        self._limits = limits
        self._reads = Capacity(limits.read_queue, too_many_waiting)
        self._scan_reads = Capacity(limits.read_queue, too_many_waiting)
        self._changes = Capacity(limits.write_queue, too_many_waiting)
        self._long = asyncio.Lock()
        self._snapshots = asyncio.Semaphore(SNAPSHOTS)
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def staging(self) -> Staging:
        """How rows are put aside: in a file for COPY."""
        return staging_file

    @property
    def is_shared(self) -> bool:
        """Whether other replicas may serve this database: any number may."""
        return True

    @property
    def writes_under_way(self) -> int:
        """The number of changes that run or wait."""
        return self._changes.used

    def version(self) -> int | None:
        """Return None, because another replica may commit at any time."""
        return None

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Read all rows of the query."""
        found: list[Row] = await _read(self._pool, self._reads, rows(name, **parameters))
        return found

    async def row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None."""
        found: Row | None = await _read(self._pool, self._reads, one(name, **parameters))
        return found

    async def scan_row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None, on a connection that is kept for scans."""
        found: Row | None = await _read(self._scans, self._scan_reads, one(name, **parameters))
        return found

    async def change(self, begin: Begin[T]) -> T:
        """Make a short change in its own transaction."""

        async def work(connection: asyncpg.Connection, session: Session) -> T:
            return await _committed(connection, session, begin)

        return await shielded(self._start(self._make("a change", work)))

    async def change_long(self, begin: Begin[T], *, staged: Path | None = None) -> T:
        """Make a long change in its own transaction; those of one process take turns."""

        async def work(connection: asyncpg.Connection, session: Session) -> T:
            return await _committed(connection, session, begin, staged)

        async def in_turn() -> T:
            async with held(self._long, self._limits.write_wait, waited_for_long_change):
                return await self._make("a long change", work, LONG_PAUSES)

        return await shielded(self._start(in_turn()))

    @contextlib.asynccontextmanager
    async def snapshot(self, *, staged: Path | None = None) -> AsyncIterator[SnapshotSession]:
        """Hold a connection that sees the database as it is now, in spite of later changes."""

        async def begin(connection: asyncpg.Connection) -> Any:
            transaction = connection.transaction(isolation="repeatable_read", readonly=staged is None)
            await transaction.start()
            if staged:
                await load(connection, staged)
            return transaction

        slot = held(self._snapshots, SNAPSHOT_WAIT, too_many_snapshots)
        async with slot, self._pool.snapshot(begin) as session:
            yield session

    async def is_well(self) -> bool:
        """Read for real, and begin a change."""
        try:
            async with asyncio.timeout(HEALTH_WAIT):
                with self._scan_reads.held():
                    await self._scans.do("health", _try, pauses=())
        except TimeoutError:
            return False
        return True

    async def finish(self) -> None:
        """Wait for the changes under way."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _make(
        self, what: str, work: Callable[[asyncpg.Connection, Session], Awaitable[T]], pauses: Sequence[float] = PAUSES
    ) -> T:
        with self._changes.held():
            return await self._pool.do(what, work, pauses)

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin a task that continues after its caller is gone."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _read(pool: Pool, capacity: Capacity, statement: Statement) -> Any:
    begun = perf_counter()
    with capacity.held():
        return await pool.do(statement.name, lambda _, session: session.result(statement, begun))


async def _committed(
    connection: asyncpg.Connection, session: Session, begin: Begin[T], staged: Path | None = None
) -> T:
    """Play a script in a transaction, and return what it returns once that is committed."""
    transaction = connection.transaction(isolation="read_committed")  # whatever the server's default is
    await transaction.start()
    try:
        if staged:
            await load(connection, staged)
        result = await session.play(begin())
    except BaseException:
        with contextlib.suppress(*ERRORS):  # a transaction ends with its connection
            await transaction.rollback()
        raise
    await commit(transaction)
    return result


async def _try(_: asyncpg.Connection, session: Session) -> None:
    await session.result(one("ping"))
    await session.result(run("require_writable"))


@contextlib.asynccontextmanager
async def open_database(  # noqa: PLR0913 - each with a default
    address: str,
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
    context = EngineContext(queries, warning_of_slow(observe, slow_query), log)
    async with contextlib.AsyncExitStack() as opened:
        try:
            url = client_url(address)
            await _migrated(url, limits)
            pool = await opened.enter_async_context(open_pool(url, limits.connections, limits, context, _set_up))
            scan_pool = open_pool(url, SCAN_CONNECTIONS, limits, context, _set_up_for_scans)
            scans = await opened.enter_async_context(scan_pool)
        except ERRORS as error:
            raise StartError(f"BARCODESVC_DATABASE: {unusable(address, error)}") from error
        except ValueError:  # its message repeats a part of the address
            raise StartError(f"BARCODESVC_DATABASE: {unreadable(address)}") from None
        database = PostgresDatabase(pool, scans, limits)
        try:
            yield database
        finally:
            await to_its_end(asyncio.create_task(database.finish()))


async def _set_up(connection: asyncpg.Connection) -> None:
    await connection.execute(QUERIES["compile_nothing"].sql)


async def _set_up_for_scans(connection: asyncpg.Connection) -> None:
    await _set_up(connection)
    await connection.execute(QUERIES["plan_once"].sql)


async def _migrated(address: str, limits: DatabaseLimits) -> None:
    connection = await asyncpg.connect(address, timeout=limits.busy_timeout)
    try:
        await migrate(connection)
    finally:
        await connection.close()


if TYPE_CHECKING:
    _: type[Database] = PostgresDatabase
