"""The embedded database: one connection that writes and some that read, in SQLite's write-ahead log.

    writer        makes changes, those that wait in groups (group_commit.py)
    scan reader   kept for scans and health checks
    readers       all other reads, in rotation: with only one, every list would wait for the longest

Rule: a full, locked or read-only disk fails the requests that meet it, and the next change tries again. A broken, moved
or replaced file remains a failure, and `is_well` reports it, until the service is restarted.
"""

import asyncio
import contextlib
import itertools
import sqlite3
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from barcodesvc.clock import Clock
from barcodesvc.errors import DatabaseFailure, DatabaseOverload, StartError
from barcodesvc.runtime.threads import to_its_end
from barcodesvc.store import limits as waits
from barcodesvc.store.database import Database
from barcodesvc.store.limits import HEALTH_WAIT, DatabaseLimits, FailureLog, Observe, unobserved, warning_of_slow
from barcodesvc.store.queries import Query
from barcodesvc.store.script import Begin, Row, Statement, run
from barcodesvc.store.sqlite.connection import QUERIES, Connection, DatabaseFile, connect
from barcodesvc.store.sqlite.failures import failure_of
from barcodesvc.store.sqlite.files import why_not_opened
from barcodesvc.store.sqlite.group_commit import Writer
from barcodesvc.store.sqlite.staging import staging_file
from barcodesvc.store.sqlite.startup import open_log, prepare, require_sqlite, set_up_writer
from barcodesvc.store.sqlite.text_index import TextIndex

T = TypeVar("T")

READERS = 3
"""Connections that only read; the first one is kept for scans."""


class SqliteDatabase(Database):
    """The open database; made by `open_database`."""

    staging = staticmethod(staging_file)
    is_shared = False

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file
        self._readers = [Connection(file, "ro", open_log) for _ in range(READERS)]
        self._rotation = itertools.cycle(self._readers[1:])
        self._writing = Connection(file, "rw", set_up_writer)
        self._writer = Writer(self._writing, file)
        self._commits = _Commits(file.path)
        self._snapshots = asyncio.Semaphore(waits.SNAPSHOTS)
        self._texts = TextIndex(self._writer.change)

    async def open(self) -> None:
        """Open all connections: later there may be no file descriptors left. Raises StartError."""
        try:
            for reader in self._readers:
                await reader.row("ping")
            await self._writer.takes_changes()
        except (DatabaseFailure, DatabaseOverload) as error:
            raise StartError(f"the database {self._file.path} cannot be used; the log says why") from error
        self._writer.start(self._texts.keep_filled())
        self._texts.look()

    @property
    def writes_under_way(self) -> int:
        """The number of changes that run or wait."""
        return self._writer.under_way

    def version(self) -> int | None:
        """Return a number that changes with every commit of any process; None if it is unknown."""
        return self._commits.version()

    async def result(self, statement: Statement) -> Any:
        """Run one statement that reads."""
        return await next(self._rotation).result(statement)

    async def scan_row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None, on the connection that is kept for scans."""
        return await self._readers[0].row(name, **parameters)

    async def change(self, begin: Begin[T]) -> T:
        """Make a short change, together with others that wait."""
        try:
            return await self._writer.change(begin)
        finally:
            self._texts.look()

    async def change_long(self, begin: Begin[T], *, staged: Path | None = None) -> T:
        """Make a long change in its own transaction."""
        try:
            return await self._writer.change_long(begin, staged)
        finally:
            self._texts.look()

    @contextlib.asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Connection]:
        """Open a connection that sees the database as it is now, in spite of later changes."""
        async with waits.held(self._snapshots, waits.SNAPSHOT_WAIT, waits.too_many_snapshots):
            reader = Connection(self._file, "ro", open_log)
            try:
                await reader.result(run("begin_reading"))
                await reader.row("ping")  # a snapshot begins with the first read, not with BEGIN
                yield reader
            finally:
                await reader.close()

    async def is_well(self) -> bool:
        """Read for real, and try a change if none is under way."""
        try:
            async with asyncio.timeout(HEALTH_WAIT):
                await self.scan_row("ping")
        except TimeoutError:
            return False
        is_broken = self._file.log.is_broken or any(reader.is_stuck for reader in self._readers)
        return await self._writer.takes_changes() and not is_broken

    async def finish(self) -> None:
        """Wait for the changes under way."""
        self._texts.end()
        await self._writer.finish()

    async def close(self) -> None:
        """Close the connections after `finish`, the writer last and alone: it takes the log with it."""
        self._commits.close()
        await asyncio.gather(*(reader.close() for reader in self._readers))
        await self._writing.close()


class _Commits:
    """Counts commits, so that a cached scan is as fresh as a new one; without this it would cost as much.

    `PRAGMA data_version` returns another number after every commit of another connection, in this process or any other
    (https://www.sqlite.org/pragma.html#pragma_data_version). A connection that never writes runs it, in the event
    loop's thread: a trip to another thread would cost far more, and the pragma never waits, because with a write-ahead
    log a reader takes no lock that a writer holds.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._opened = 0

    def version(self) -> int | None:
        """Return the number; another connection, after a failure, returns other numbers."""
        try:
            if self._connection is None:
                self._connection = connect(self._path, "ro", 0.0)
                self._opened += 1
            [commits] = self._connection.execute(QUERIES["commits_seen"].sql).fetchone()
        except sqlite3.Error:
            self.close()
            return None
        return (self._opened << 33) + int(commits)  # more than the commits that one connection can see

    def close(self) -> None:
        """Close the connection; the next call opens another one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@contextlib.asynccontextmanager
async def open_database(  # noqa: PLR0913 - each with a default
    path: Path,
    *,
    observe: Observe = unobserved,
    slow_query: float = 0.0,
    limits: DatabaseLimits | None = None,
    clock: Clock | None = None,
    queries: Mapping[str, Query] = QUERIES,
) -> AsyncIterator[SqliteDatabase]:
    """Open the database, created and migrated if needed; at the end finish the changes under way and close it.

    `observe` is called with the time of each named query; those over `slow_query` seconds are logged, unless that is 0.

    Raises StartError if the file cannot be used.
    """
    require_sqlite()
    log = FailureLog((clock or Clock()).steady, failure_of)
    file = DatabaseFile(path, queries, limits or DatabaseLimits(), warning_of_slow(observe, slow_query), log)
    database = _prepared(file)
    async with contextlib.AsyncExitStack() as ending:
        ending.push_async_callback(lambda: to_its_end(asyncio.create_task(database.close())))
        ending.push_async_callback(database.finish)
        await database.open()
        yield database


def _prepared(file: DatabaseFile) -> SqliteDatabase:
    """Return a database whose file is created and migrated; blocks the event loop, which serves nothing yet."""
    try:
        prepare(file.path, file.limits.busy_timeout)
        return SqliteDatabase(file)
    except (sqlite3.Error, OSError) as error:
        is_foreign = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB
        foreign = "restore a backup, or name another file in BARCODESVC_DATABASE"
        cause = foreign if is_foreign else why_not_opened(file.path)
        raise StartError(f"the database {file.path} cannot be used: {error}{cause and f'; {cause}'}") from error
