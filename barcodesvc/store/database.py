"""The embedded database: one writer, some readers, one thread trip a statement.

Each aiosqlite connection owns a thread, and each call into it costs a trip there and back, many times the cost of
the statement itself. So a read is one statement in one trip on a read-only connection; a write is a transaction
on the only writing connection, behind a lock, because two tasks on one connection would share its transaction.

Rule: a transaction belongs to nobody. It runs in a task of its own, which the caller awaits shielded: a client that
goes away leaves it committed or rolled back, never half done.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import aiosqlite

from barcodesvc.errors import DatabaseFailure, ExportOverload, StartError
from barcodesvc.store.commit_watch import CommitWatch, watching_commits
from barcodesvc.store.migrations import migrate
from barcodesvc.store.queries import QUERIES, Query
from barcodesvc.store.query_times import Observe, unobserved, warning_of_slow
from barcodesvc.worker_threads import to_its_end

_LOG = logging.getLogger(__name__)

T = TypeVar("T")
Row = tuple[Any, ...]

READERS = 3
"""Connections that only read; the first one is kept for scans."""
SNAPSHOTS = 4
WRITE_WAIT = 60.0
"""Seconds that a write waits for those before it."""
SNAPSHOT_WAIT = 10.0
"""Seconds that an export waits for a place."""
BUSY_TIMEOUT = 15.0
"""Seconds that a statement waits for another process to unlock the file."""
_SWITCH_PAUSE = 0.01
_LEAST_SQLITE = (3, 35, 0)
_TEXT_INDEX = "fts5"


class Connection:
    """One connection that runs named queries, timed; sqlite3's errors come out as DatabaseFailure."""

    def __init__(self, connection: aiosqlite.Connection, observe: Observe) -> None:
        self._connection = connection
        self._observe = observe

    async def rows(self, query: Query, **parameters: Any) -> list[Row]:
        """Run the query and return all of its rows."""
        with self._observed(query.name):
            return list(await self._connection.execute_fetchall(query.sql, parameters))  # type: ignore[arg-type]  # aiosqlite types parameters as a sequence; sqlite3 takes a mapping as well

    async def row(self, query: Query, **parameters: Any) -> Row | None:
        """Run the query and return its first row, or None."""
        found = await self.rows(query, **parameters)
        return found[0] if found else None

    async def each(self, query: Query, parameters: Iterable[dict[str, Any]]) -> None:
        """Run a query that gives no rows back once for each set of parameters, in one trip.

        RETURNING is not possible here: executemany does not fetch, and from Python 3.13 on that is an error.
        """
        with self._observed(query.name):
            await self._connection.executemany(query.sql, parameters)

    async def change(self, query: Query, **parameters: Any) -> int:
        """Run a query that gives no rows back and return how many rows it has changed."""
        with self._observed(query.name):
            async with self._connection.execute(query.sql, parameters) as cursor:
                return cursor.rowcount

    async def attach(self, path: Path) -> None:
        """Open another database file as `staged`, to be read only; outside of transactions, as `detach`."""
        with _translated("ATTACH"):
            uri = f"{_file_uri(path)}?mode=ro"
            await self._connection.execute_fetchall("ATTACH DATABASE :uri AS staged", {"uri": uri})

    async def detach(self) -> None:
        """Close what `attach` has opened; a failure is only logged, for what was committed stays committed."""
        try:
            await self._connection.execute_fetchall("DETACH DATABASE staged")
        except sqlite3.Error:
            _LOG.exception("a staged file stays attached")

    async def control(self, statement: str) -> None:
        """Run BEGIN or COMMIT."""
        with _translated(statement):
            await self._connection.execute_fetchall(statement)

    async def roll_back(self) -> None:
        """Undo the open transaction; nothing happens where none is open."""
        with _translated("ROLLBACK"):
            await self._connection.rollback()

    @contextlib.contextmanager
    def _observed(self, name: str) -> Iterator[None]:
        begun = perf_counter()
        try:
            with _translated(name):
                yield
        finally:
            self._observe(name, perf_counter() - begun)


class Database:
    """The open database; made by `open_database`."""

    def __init__(
        self, path: Path, observe: Observe, writer: Connection, readers: list[Connection], watch: CommitWatch
    ) -> None:
        self._path = path
        self._observe = observe
        self._watch = watch
        self._writer = writer
        self._scan_reader, *others = readers
        self._next_reader = itertools.cycle(others)
        self._write_lock = asyncio.Lock()
        self._snapshots = asyncio.Semaphore(SNAPSHOTS)
        self._under_way: set[asyncio.Task[Any]] = set()
        self._closing = False

    def version(self) -> int | None:
        """Return a number that every commit changes, whoever commits; None, which equals nothing, if it cannot be told.

        What was read after one call is what a read would give now, if now a call gives the same number.
        """
        return self._watch.version()

    async def rows(self, query: Query, **parameters: Any) -> list[Row]:
        """Read all rows of the query."""
        return await next(self._next_reader).rows(query, **parameters)

    async def scan_row(self, query: Query, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None, on the connection that is kept for scans."""
        return await self._scan_reader.row(query, **parameters)

    async def row(self, query: Query, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None."""
        return await next(self._next_reader).row(query, **parameters)

    async def write(self, work: Callable[[Connection], Awaitable[T]], *, staged: Path | None = None) -> T:
        """Run `work` in one transaction: all of it is committed, or, if it raises, none.

        The file `staged` can be read in it under that name.

        Raises what `work` raises, and DatabaseFailure if the transaction cannot begin or be committed.
        """
        return await asyncio.shield(self._started(self._transact(work, staged)))

    def repeat(self, step: Callable[[Connection], Awaitable[bool]]) -> None:
        """Run `step` in the background, each time in a transaction of its own, until it returns False.

        A failure ends it, and so does closing the database.
        """
        self._started(self._repeated(step))

    @contextlib.asynccontextmanager
    async def snapshot(self, *, staged: Path | None = None) -> AsyncIterator[Connection]:
        """Open a connection that sees the database as it is now, whatever is written meanwhile.

        The file `staged` can be read on it under that name.

        Raises ExportOverload if all places stay taken, and DatabaseFailure.
        """
        await self._take_snapshot_place()
        try:
            async with contextlib.AsyncExitStack() as stack:
                with _translated("opening a snapshot"):
                    connection = await stack.enter_async_context(_connected(self._path, "ro"))
                reader = Connection(connection, self._observe)
                if staged:
                    await reader.attach(staged)
                await reader.control("BEGIN")
                await reader.rows(QUERIES["ping"])  # what a snapshot sees is settled by its first read, not by BEGIN
                yield reader
        finally:
            self._snapshots.release()

    async def finish(self) -> None:
        """Wait for the transactions under way, and repeat none."""
        self._closing = True
        while self._under_way:
            await asyncio.wait(self._under_way)

    def _started(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    async def _repeated(self, step: Callable[[Connection], Awaitable[bool]]) -> None:
        with contextlib.suppress(DatabaseFailure):  # nobody waits for what is done here
            while not self._closing and await self.write(step):
                pass

    async def _transact(self, work: Callable[[Connection], Awaitable[T]], staged: Path | None) -> T:
        await self._lock_writer()
        try:
            if staged is None:
                return await self._committed(work)
            await self._writer.attach(staged)
            try:
                return await self._committed(work)
            finally:
                await self._writer.detach()
        finally:
            self._write_lock.release()

    async def _committed(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        try:
            await self._writer.control("BEGIN IMMEDIATE")
            result = await work(self._writer)
            await self._writer.control("COMMIT")
        except BaseException:
            await self._writer.roll_back()
            raise
        else:
            return result

    async def _lock_writer(self) -> None:
        try:
            async with asyncio.timeout(WRITE_WAIT):
                await self._write_lock.acquire()
        except TimeoutError:
            raise DatabaseFailure("the database is busy with a long change; try again later") from None

    async def _take_snapshot_place(self) -> None:
        try:
            async with asyncio.timeout(SNAPSHOT_WAIT):
                await self._snapshots.acquire()
        except TimeoutError:
            raise ExportOverload(
                "too many exports are under way; try again in a moment", headers={"Retry-After": "10"}
            ) from None


@contextlib.asynccontextmanager
async def open_database(
    path: Path, *, observe: Observe = unobserved, slow_query: float = 0.0
) -> AsyncIterator[Database]:
    """Open the database, made and migrated if need be; at the end finish what is under way and close it.

    `observe` is told the time of each named query; those over `slow_query` seconds are logged, none if that is 0.

    Raises StartError if the file cannot be used.
    """
    if sqlite3.sqlite_version_info < _LEAST_SQLITE:
        raise StartError(f"SQLite {sqlite3.sqlite_version} is too old; 3.35 or newer is needed")
    async with contextlib.AsyncExitStack() as stack:
        try:
            writer = await stack.enter_async_context(_connected(path, "rwc"))
            await _require_text_index(writer)
            await _prepare(writer)
            readers = [await stack.enter_async_context(_connected(path, "ro")) for _ in range(READERS)]
            watch = stack.enter_context(watching_commits(f"{_file_uri(path)}?mode=ro"))
        except (sqlite3.Error, OSError) as error:
            raise StartError(f"the database {path} cannot be used: {error}") from error
        observe = warning_of_slow(observe, slow_query)
        writing, *reading = [Connection(connection, observe) for connection in (writer, *readers)]
        database = Database(path, observe, writing, reading, watch)
        stack.push_async_callback(database.finish)
        yield database


@contextlib.asynccontextmanager
async def _connected(path: Path, mode: str) -> AsyncIterator[aiosqlite.Connection]:
    uri = f"{_file_uri(path)}?mode={mode}"
    connection = aiosqlite.connect(uri, uri=True, timeout=BUSY_TIMEOUT, isolation_level=None)
    opening = asyncio.create_task(_open(connection))
    try:
        await asyncio.shield(opening)
        yield connection
    finally:
        await to_its_end(asyncio.create_task(_close(connection, opening)))


def _file_uri(path: Path) -> str:
    return path.absolute().as_uri()


async def _open(connection: aiosqlite.Connection) -> None:
    try:
        await connection
    except BaseException:
        # aiosqlite leaves this thread to itself, and its last message would find the event loop closed
        connection._thread.join()  # noqa: SLF001 - nothing public waits for the thread of a file that did not open
        raise


async def _close(connection: aiosqlite.Connection, opening: asyncio.Task[None]) -> None:
    # a connection left half open or half closed keeps its thread, and with it the process
    await asyncio.wait([opening])
    await connection.close()


async def _require_text_index(connection: aiosqlite.Connection) -> None:
    if not await connection.execute_fetchall("SELECT 1 FROM pragma_module_list WHERE name = ?", (_TEXT_INDEX,)):
        raise StartError(
            f"SQLite {sqlite3.sqlite_version} was built without its module {_TEXT_INDEX}, which searching needs; "
            "start with a Python whose sqlite3 has it"
        )


async def _prepare(writer: aiosqlite.Connection) -> None:
    await writer.execute_fetchall("PRAGMA synchronous = FULL")
    await writer.execute_fetchall("PRAGMA foreign_keys = ON")
    # KiB: an import touches nine trees at random, and the 2 MiB that SQLite keeps by itself would spill them
    await writer.execute_fetchall("PRAGMA cache_size = -32768")
    # bytes: the log of an import is cut when it is begun anew, instead of keeping its size for ever
    await writer.execute_fetchall("PRAGMA journal_size_limit = 16777216")
    await migrate(writer)
    # the journal mode stands in the file: it is set only once the file is known to be ours
    if await _log_ahead(writer) != "wal":
        raise StartError("the database cannot use write-ahead logging here; name a file on a local disk")


async def _log_ahead(writer: aiosqlite.Connection) -> str:
    """Switch to the write-ahead log; SQLite itself does not wait while another process is just doing so."""
    waited = 0.0
    while True:
        try:
            [(mode,)] = await writer.execute_fetchall("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or waited >= BUSY_TIMEOUT:
                raise
            await asyncio.sleep(_SWITCH_PAUSE)
            waited += _SWITCH_PAUSE
        else:
            return str(mode)


@contextlib.contextmanager
def _translated(what: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, ValueError, OverflowError) as error:
        _LOG.exception("database failure in %s", what)
        raise DatabaseFailure("the database did not carry out the operation; nothing was changed") from error
