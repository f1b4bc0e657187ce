"""The database server: pools of connections to PostgreSQL, on which any number of replicas make changes.

    scans     a pool of its own, so that no long search or list is in the way of a scan
    others    all other reads, snapshots, and changes, each in a transaction

A change is a transaction of READ COMMITTED: what it starts from is locked by the statement that reads it. One that
meets another change is begun anew. A commit whose answer is lost is not: it may have been made.

Rule: nothing that was read is remembered, because another replica may change it at any time.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import asyncpg

from barcodesvc.clock import Clock
from barcodesvc.errors import DatabaseOverload, StartError
from barcodesvc.runtime.threads import to_its_end
from barcodesvc.store.background import repeated
from barcodesvc.store.bounds import Bounds
from barcodesvc.store.database import Database, Staging
from barcodesvc.store.postgres.failures import ERRORS, FailureLog, unreadable, unusable
from barcodesvc.store.postgres.migrations import migrate
from barcodesvc.store.postgres.options import client_url
from barcodesvc.store.postgres.pool import Pool, commit, open_pool
from barcodesvc.store.postgres.queries import QUERIES, NumberedQuery
from barcodesvc.store.postgres.session import Session, SnapshotSession, Use
from barcodesvc.store.postgres.staging_file import load, staging_file
from barcodesvc.store.query_times import Observe, unobserved, warning_of_slow
from barcodesvc.store.script import Begin, Row, one, rows, run
from barcodesvc.store.snapshots import SnapshotSlots

T = TypeVar("T")

SCAN_CONNECTIONS = 2
TRY_WAIT = 1.0
"""Seconds that the question whether the database is well waits for an answer."""
LONG_PAUSES = (0.1, 0.5, 2.0)
"""Seconds before a long change that met another one is made again: it costs more than a short one."""


class PostgresDatabase:
    """The open database; made by `open_database`."""

    def __init__(self, pool: Pool, scans: Pool, bounds: Bounds) -> None:
        self._pool = pool
        self._scans = scans
        self._changes = pool.with_queue(bounds.write_queue)
        self._bounds = bounds
        self._long = asyncio.Lock()
        self._snapshots = SnapshotSlots()
        self._ending = asyncio.Event()
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
        """How many changes run or wait for those before them."""
        return self._changes.under_way

    def version(self) -> int | None:
        """Return that it is unknown: another replica may commit at any time."""
        return None

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Read all rows of the query."""
        found: list[Row] = await self._pool.do(name, lambda _, session: session.answer(rows(name, **parameters)))
        return found

    async def row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None."""
        found: Row | None = await self._pool.do(name, lambda _, session: session.answer(one(name, **parameters)))
        return found

    async def scan_row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None, on a connection that is kept for scans."""
        found: Row | None = await self._scans.do(name, lambda _, session: session.answer(one(name, **parameters)))
        return found

    async def change(self, begin: Begin[T]) -> T:
        """Make a short change in a transaction of its own."""

        async def work(connection: asyncpg.Connection, session: Session) -> T:
            return await _committed(connection, session, begin)

        return await asyncio.shield(self._start(self._changes.do("a change", work)))

    async def change_long(self, begin: Begin[T], *, staged: Path | None = None) -> T:
        """Make a long change in a transaction of its own; those of one process take turns."""

        async def work(connection: asyncpg.Connection, session: Session) -> T:
            return await _committed(connection, session, begin, staged)

        async def in_turn() -> T:
            async with self._turn():
                return await self._changes.do("a long change", work, LONG_PAUSES)

        return await asyncio.shield(self._start(in_turn()))

    def repeat(self, begin: Begin[bool]) -> None:
        """Make a short change in the background until it returns False."""
        self._start(repeated(self.change, begin, self._ending))

    @contextlib.asynccontextmanager
    async def snapshot(self, *, staged: Path | None = None) -> AsyncIterator[SnapshotSession]:
        """Hold a connection that sees the database as it is now, whatever is written meanwhile."""

        async def begin(connection: asyncpg.Connection) -> Any:
            transaction = connection.transaction(isolation="repeatable_read", readonly=staged is None)
            await transaction.start()
            if staged:
                await load(connection, staged)
            return transaction

        async with self._snapshots.taken(), self._pool.snapshot(begin) as session:
            yield session

    async def is_well(self) -> bool:
        """Read for real, and begin a change."""
        try:
            async with asyncio.timeout(TRY_WAIT):
                await self._scans.do("health", _try, pauses=())
        except TimeoutError:
            return False
        return True

    async def finish(self) -> None:
        """Wait for the changes under way, and repeat none."""
        self._ending.set()
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin a task that goes on when its caller has gone."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._bounds.write_wait):
                await self._long.acquire()
        except TimeoutError:
            message = "the database is busy with a long change; try again later"
            raise DatabaseOverload(message, retry_after=10) from None
        try:
            yield
        finally:
            self._long.release()


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
        with contextlib.suppress(*ERRORS):  # a connection that cannot undo it has gone, and the transaction with it
            await transaction.rollback()
        raise
    await commit(transaction)
    return result


async def _try(_: asyncpg.Connection, session: Session) -> None:
    await session.answer(one("ping"))
    await session.answer(run("begin_change"))


@contextlib.asynccontextmanager
async def open_database(  # noqa: PLR0913 - each with a default
    address: str,
    *,
    observe: Observe = unobserved,
    slow_query: float = 0.0,
    bounds: Bounds | None = None,
    clock: Clock | None = None,
    queries: Mapping[str, NumberedQuery] = QUERIES,
) -> AsyncIterator[PostgresDatabase]:
    """Open the database of this address, migrated if need be; at the end finish what is under way and close it.

    `observe` is called with the time of each named query; those over `slow_query` seconds are logged, unless that is 0.

    Raises StartError if it cannot be used.
    """
    bounds = bounds or Bounds()
    use = Use(queries, warning_of_slow(observe, slow_query), FailureLog((clock or Clock()).steady))
    async with contextlib.AsyncExitStack() as opened:
        try:
            url = client_url(address)
            await _migrated(url, bounds)
            pool = await opened.enter_async_context(open_pool(url, bounds.connections, bounds, use, _set_up))
            scan_pool = open_pool(url, SCAN_CONNECTIONS, bounds, use, _set_up_for_scans)
            scans = await opened.enter_async_context(scan_pool)
        except ERRORS as error:
            raise StartError(f"BARCODESVC_DATABASE: {unusable(address, error)}") from error
        except ValueError:  # of a part of the address, which it repeats
            raise StartError(f"BARCODESVC_DATABASE: {unreadable(address)}") from None
        database = PostgresDatabase(pool, scans, bounds)
        yield database
        await to_its_end(asyncio.create_task(database.finish()))


async def _set_up(connection: asyncpg.Connection) -> None:
    await connection.execute(QUERIES["compile_nothing"].sql)


async def _set_up_for_scans(connection: asyncpg.Connection) -> None:
    await _set_up(connection)
    await connection.execute(QUERIES["plan_once"].sql)


async def _migrated(address: str, bounds: Bounds) -> None:
    connection = await asyncpg.connect(address, timeout=bounds.busy_timeout)
    try:
        await migrate(connection)
    finally:
        await connection.close()


if TYPE_CHECKING:
    _: type[Database] = PostgresDatabase
