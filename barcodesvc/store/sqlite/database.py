"""The embedded database: one connection that writes, some that read, in SQLite's write-ahead log.

    writer        makes changes, those that wait together (group_commit.py)
    scan reader   kept for scans, and for the question whether the service is well
    readers       all other reads, by turns: without a second one every list would wait for the longest

Rule: a full, locked or read-only disk fails what meets it, and the next one tries again. A file that is broken, moved
or replaced stays a failure, and `is_well` says so, until the service is started again.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sqlite3
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from barcodesvc.clock import Clock
from barcodesvc.errors import DatabaseFailure, DatabaseOverload, StartError
from barcodesvc.runtime.threads import to_its_end
from barcodesvc.store.background import repeated
from barcodesvc.store.bounds import Bounds
from barcodesvc.store.database import Database, Staging
from barcodesvc.store.queries import Query
from barcodesvc.store.query_times import Observe, unobserved, warning_of_slow
from barcodesvc.store.script import Begin, Row, run
from barcodesvc.store.snapshots import SnapshotSlots
from barcodesvc.store.sqlite.connection import Connection, DatabaseFile, file_uri
from barcodesvc.store.sqlite.data_version import DataVersion
from barcodesvc.store.sqlite.failures import FailureLog, MovedFileError
from barcodesvc.store.sqlite.group_commit import Writer
from barcodesvc.store.sqlite.openable import why_not_opened
from barcodesvc.store.sqlite.opening import open_log, prepare, require_sqlite, set_up_writer
from barcodesvc.store.sqlite.queries import QUERIES
from barcodesvc.store.sqlite.staging_file import staging_file

T = TypeVar("T")

READERS = 3
"""Connections that only read; the first one is kept for scans."""
REOPEN_PAUSE = 1.0
"""Seconds between two times that all connections are opened anew while the file is read-only."""
CLOSE_WAIT = 2.0
"""Seconds that the end waits for connections to close; one that hangs is left."""


class SqliteDatabase:
    """The open database; made by `open_database`."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file
        self._readers = [Connection(file, "ro", open_log) for _ in range(READERS)]
        self._turns = itertools.cycle(self._readers[1:])
        self._writing = Connection(file, "rw", set_up_writer)
        self._writer = Writer(self._writing, file)
        self._data_version = DataVersion(f"{file_uri(file.path)}?mode=ro", file.queries)
        self._snapshots = SnapshotSlots()
        self._ending = asyncio.Event()
        self._reopened = float("-inf")

    async def open(self) -> None:
        """Open all connections: later there may be no file descriptor left for them. Raises DatabaseFailure."""
        for reader in self._readers:
            await reader.row("ping")
        await self._writer.takes_changes()

    @property
    def staging(self) -> Staging:
        """How rows are put aside: in a database file."""
        return staging_file

    @property
    def is_shared(self) -> bool:
        """Whether other replicas may serve this database: a file is one service's."""
        return False

    @property
    def writes_under_way(self) -> int:
        """How many changes run or wait for those before them."""
        return self._writer.under_way

    def version(self) -> int | None:
        """Return a number that every commit changes, whoever commits; None, which equals nothing, if it is unknown."""
        return self._data_version.number()

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Read all rows of the query."""
        return await next(self._turns).rows(name, **parameters)

    async def row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None."""
        return await next(self._turns).row(name, **parameters)

    async def scan_row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None, on the connection that is kept for scans."""
        return await self._readers[0].row(name, **parameters)

    async def change(self, begin: Begin[T]) -> T:
        """Make a short change, together with others that wait."""
        return await self._writer.change(begin)

    async def change_long(self, begin: Begin[T], *, staged: Path | None = None) -> T:
        """Make a long change in a transaction of its own."""
        return await self._writer.change_long(begin, staged)

    def repeat(self, begin: Begin[bool]) -> None:
        """Make a short change in the background until it returns False."""
        self._writer.start(repeated(self.change, begin, self._ending))

    @contextlib.asynccontextmanager
    async def snapshot(self, *, staged: Path | None = None) -> AsyncIterator[Connection]:
        """Open a connection that sees the database as it is now, whatever is written meanwhile."""
        async with self._snapshots.taken():
            reader = Connection(self._file, "ro", open_log)
            try:
                if staged:
                    await reader.attach(staged)
                await reader.answer(run("begin_reading"))
                await reader.row("ping")  # its first read settles what a snapshot sees, not BEGIN
                yield reader
            finally:
                reader.close()

    async def is_well(self) -> bool:
        """Read for real, and try a change if none is under way."""
        await self.scan_row("ping")
        broken = self._file.log.file_is_broken or any(reader.is_stuck for reader in self._readers)
        if await self._writer.takes_changes():
            return not broken
        if self._writer.is_read_only:
            self._open_anew()
        return False

    async def finish(self) -> None:
        """Wait for the changes under way, and repeat none."""
        self._ending.set()
        await self._writer.finish()

    async def close(self) -> None:
        """Close the connections after `finish`, the writer last and alone: it takes the log with it."""
        self._data_version.close()
        for connections in (self._readers, [self._writing]):
            for connection in connections:
                connection.close()
            if self._file.closing:
                await asyncio.wait(self._file.closing, timeout=CLOSE_WAIT)

    def _open_anew(self) -> None:
        """Leave all connections: the index of the log, once opened read-only, stays so as long as one has it open.

        Without it a service that was started on a read-only disk would need a restart once the disk can be written.
        After any other fault readers stay: they read on where no other one could be opened.
        """
        now = asyncio.get_running_loop().time()
        if now - self._reopened < REOPEN_PAUSE or self._writer.under_way:
            return
        self._reopened = now
        self._data_version.close()
        for connection in (*self._readers, self._writing):
            connection.leave()


@contextlib.asynccontextmanager
async def open_database(  # noqa: PLR0913 - each with a default
    path: Path,
    *,
    observe: Observe = unobserved,
    slow_query: float = 0.0,
    bounds: Bounds | None = None,
    clock: Clock | None = None,
    queries: Mapping[str, Query] = QUERIES,
) -> AsyncIterator[SqliteDatabase]:
    """Open the database, made and migrated if need be; at the end finish what is under way and close it.

    `observe` is called with the time of each named query; those over `slow_query` seconds are logged, unless that is 0.

    Raises StartError if the file cannot be used.
    """
    require_sqlite()
    log = FailureLog((clock or Clock()).steady)
    file = DatabaseFile(path, queries, bounds or Bounds(), warning_of_slow(observe, slow_query), log)
    try:
        await prepare(file)
        database = SqliteDatabase(file)
        await database.open()
    except (sqlite3.Error, OSError, MovedFileError) as error:
        cause = why_not_opened(path)  # nobody is served yet whom it could hold up
        raise StartError(f"the database {path} cannot be used: {error}{cause and f'; {cause}'}") from error
    except (DatabaseFailure, DatabaseOverload) as error:
        raise StartError(f"the database {path} cannot be used; the log says why") from error
    try:
        yield database
        await database.finish()
    finally:
        await to_its_end(asyncio.create_task(database.close()))


if TYPE_CHECKING:
    _: type[Database] = SqliteDatabase
