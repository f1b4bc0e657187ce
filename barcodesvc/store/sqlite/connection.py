"""A database connection in a thread of its own, opened at its first use, and anew after a fatal error.

Each call is one trip to the thread and back, which costs many times as much as most statements. A trip has a bound of
time, and a connection a bound of those that wait for it: without them a slow disk would fill the memory with requests.

Rule: sqlite3's errors come out as DatabaseFailure. `_trip` is the only code of the service that uses private
attributes of aiosqlite, `_execute` and `_conn`: its public methods make one trip for each statement.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import aiosqlite

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.store import snapshots
from barcodesvc.store.bounds import Bounds
from barcodesvc.store.failure_log import NOTHING_CHANGED
from barcodesvc.store.queries import Query
from barcodesvc.store.query_times import Observe
from barcodesvc.store.script import Row, Script, Statement, one, play_waiting, rows, run
from barcodesvc.store.sqlite.failures import (
    ROLLBACK,
    FailureLog,
    MovedFileError,
    StatementError,
    StuckError,
    is_fatal,
)
from barcodesvc.store.sqlite.statements import Statements

T = TypeVar("T")

RETRY_PAUSE = 0.2
"""Seconds after an attempt to open a connection has failed: without it each request would try a disk that is gone."""


@dataclass(frozen=True, slots=True)
class DatabaseFile:
    """What all connections to one file share: which file, its queries and bounds, who hears of times and failures."""

    path: Path
    queries: Mapping[str, Query]
    bounds: Bounds
    observe: Observe
    log: FailureLog
    closing: set[asyncio.Task[None]] = field(default_factory=set)
    """Connections that were left, until they are closed."""

    def identity(self) -> tuple[int, int]:
        """Return what distinguishes the file that stands at the path now; raises MovedFileError if none does."""
        try:
            found = self.path.stat()
        except OSError as error:
            raise MovedFileError(f"the database file cannot be found: {error.strerror}") from error
        return found.st_dev, found.st_ino


SetUp = Callable[[aiosqlite.Connection], Awaitable[None]]
"""What is done on a connection before anything else."""


class Connection:
    """One connection in SQLite's mode `ro` or `rw`."""

    def __init__(self, file: DatabaseFile, mode: str, set_up: SetUp) -> None:
        self._file = file
        self._mode = mode
        self._set_up = set_up
        self._open: aiosqlite.Connection | None = None
        self._opening = asyncio.Lock()
        self._next_attempt = float("-inf")
        self._waiting = Capacity(file.bounds.read_queue, _too_many_waiting)
        self._is_closed = False
        self.is_stuck = False
        """Whether a statement that was given up has not ended yet."""

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run the query and return all of its rows."""
        found: list[Row] = await self.answer(rows(name, **parameters))
        return found

    async def row(self, name: str, /, **parameters: Any) -> Row | None:
        """Run the query and return its first row, or None."""
        found: Row | None = await self.answer(one(name, **parameters))
        return found

    async def answer(self, statement: Statement) -> Any:
        """Run one statement of a script in a trip of its own; its time is that of its caller, the wait included."""
        return await self._timed_trip(statement, lambda statements: statements.answer(statement))

    async def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[Row]]:
        """Yield all rows of the query from a cursor, some at a time, each time in a trip of its own.

        The cursor ends with the generator: a trip to close it would keep whoever leaves waiting for a disk that hangs.
        """
        statement = rows(name, **parameters)
        cursor: sqlite3.Cursor | None = None

        def next_rows(statements: Statements) -> list[Row]:
            nonlocal cursor
            cursor = cursor or statements.open_cursor(statement)
            return statements.next_rows(statement, cursor, snapshots.BATCH)

        while found := await self._timed_trip(statement, next_rows):
            yield found

    async def play(self, script: Script[T]) -> T:
        """Play a script with a trip for each statement, between which others go on."""
        return await play_waiting(script, self.answer)

    async def trip(self, work: Callable[[Statements], T]) -> T:
        """Run work in the connection's thread.

        Raises what `work` raises, DatabaseFailure for what SQLite raises and for a statement that does not end, and
        DatabaseOverload where too many wait, or others did for too long.
        """
        self._waiting.take()
        try:
            return await self._trip(await self._opened(), work)
        finally:
            self._waiting.give_back()

    async def attach(self, path: Path) -> None:
        """Open another database file as `staged`, to be read only; outside of transactions, as `detach`."""
        await self.trip(lambda statements: statements.answer(run("attach_staged", uri=f"{file_uri(path)}?mode=ro")))

    async def detach(self) -> None:
        """Close what `attach` has opened; a connection that cannot is left, for what was committed stays committed."""
        try:
            await self.trip(lambda statements: statements.answer(run("detach_staged")))
        except (DatabaseFailure, DatabaseOverload):
            self.leave()

    def leave(self) -> None:
        """Close the connection in the background, once what was begun on it has ended; the next use opens another."""
        if self._open is not None:
            _in_background(_close(self._open), self._file.closing)
            self._open = None

    def close(self) -> None:
        """Do the same, and open no other one."""
        self._is_closed = True
        self.leave()

    async def _timed_trip(self, statement: Statement, work: Callable[[Statements], T]) -> T:
        begun = perf_counter()
        try:
            return await self.trip(work)
        finally:
            self._file.observe(statement.name, perf_counter() - begun)

    async def _trip(self, connection: aiosqlite.Connection, work: Callable[[Statements], T]) -> T:
        statements: Statements | None = None
        given_up = False

        def in_thread() -> T | None:
            nonlocal statements
            if given_up:
                return None
            statements = Statements(connection._conn, self._file.queries)  # noqa: SLF001 - see above
            try:
                return work(statements)
            finally:
                self.is_stuck = False

        try:
            async with asyncio.timeout(self._file.bounds.answer_wait):
                return await connection._execute(in_thread)  # type: ignore[no-any-return,no-untyped-call]  # noqa: SLF001 - see above
        except TimeoutError:
            given_up = True
            if statements is None:
                raise DatabaseOverload("the database is busy; try again later", retry_after=10) from None
            self.is_stuck = True
            what = statements.give_up()
            await connection.interrupt()
            raise self._failed(what, self._stuck()) from None
        except StatementError as failed:
            raise self._failed(failed.statement, failed.cause) from failed.cause
        except MovedFileError as error:
            raise self._failed("a change", error) from error
        except ValueError as error:  # from aiosqlite
            raise self._failed("a closed connection", error) from error

    def _failed(self, what: str, error: BaseException) -> DatabaseFailure:
        if is_fatal(error) or what == ROLLBACK:  # what cannot be undone is undone by the end of its connection
            self.leave()
        return self._file.log.failed(what, error)

    def _stuck(self) -> StuckError:
        return StuckError(f"no end within {self._file.bounds.answer_wait:g} s")

    async def _opened(self) -> aiosqlite.Connection:
        if self._open is not None:
            return self._open
        async with self._opening:
            if self._open is None:
                self._require_pause()
                self._open = await self._opened_anew()
                self._next_attempt = float("-inf")
            return self._open

    def _require_pause(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._is_closed or now < self._next_attempt:
            raise DatabaseFailure(NOTHING_CHANGED)
        self._next_attempt = now + RETRY_PAUSE

    async def _opened_anew(self) -> aiosqlite.Connection:
        # who is cancelled leaves the opening to its end: a thread that nobody ends would keep the process
        opening = asyncio.create_task(self._set_up_anew())
        try:
            async with asyncio.timeout(self._file.bounds.answer_wait):
                return await asyncio.shield(opening)
        except (asyncio.CancelledError, TimeoutError) as error:
            _in_background(_close_opened(opening), self._file.closing)
            if isinstance(error, TimeoutError):
                raise self._failed("opening a connection", self._stuck()) from error
            raise
        except (sqlite3.Error, OSError, RuntimeError, MemoryError) as error:
            raise self._failed("opening a connection", error) from error

    async def _set_up_anew(self) -> aiosqlite.Connection:
        connection = await connect(self._file.path, self._mode, self._file.bounds.busy_timeout)
        try:
            await self._set_up(connection)
        except BaseException:
            await _close(connection)
            raise
        return connection


def _too_many_waiting() -> DatabaseOverload:
    return DatabaseOverload("too many requests wait for the database")


async def connect(path: Path, mode: str, busy_timeout: float) -> aiosqlite.Connection:
    """Open the file in SQLite's mode `ro`, `rw` or `rwc`; raises sqlite3.Error and leaves no thread behind then."""
    threads: list[threading.Thread] = []

    def made(*arguments: Any, **options: Any) -> sqlite3.Connection:
        threads.append(threading.current_thread())
        return sqlite3.Connection(*arguments, **options)

    uri = f"{file_uri(path)}?mode={mode}"
    connection = aiosqlite.connect(uri, uri=True, timeout=busy_timeout, isolation_level=None, factory=made)
    try:
        return await connection
    except BaseException:
        for thread in threads:  # its last message would find the event loop closed
            thread.join()
        raise


def file_uri(path: Path) -> str:
    """Return the URI of a file, in which no character of its name means anything else."""
    return path.absolute().as_uri()


async def _close(connection: aiosqlite.Connection) -> None:
    with suppress(sqlite3.Error, ValueError):  # what cannot be closed properly is broken already
        await connection.close()


async def _close_opened(opening: asyncio.Task[aiosqlite.Connection]) -> None:
    with suppress(sqlite3.Error, OSError, RuntimeError, MemoryError):
        await _close(await opening)


def _in_background(closing: Any, kept: set[asyncio.Task[None]]) -> None:
    task = asyncio.create_task(closing)
    kept.add(task)
    task.add_done_callback(kept.discard)
