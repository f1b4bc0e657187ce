"""A database connection with its own thread, opened at its first use, and again after a fatal error.

Each call is one trip to the thread and back, which costs many times as much as most statements. A trip has a time
limit, and a connection a limit of waiting requests: without them a slow disk would fill the memory with requests.

Rule: sqlite3's errors leave this module as DatabaseFailure. `_run_in_thread` is the only code of the service that uses
private attributes of aiosqlite, `_execute` and `_conn`: its public methods make one trip for each statement.
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
from barcodesvc.store import limits
from barcodesvc.store.limits import (
    NOTHING_CHANGED,
    DatabaseLimits,
    FailureLog,
    Observe,
    too_many_waiting,
    waited_too_long,
)
from barcodesvc.store.queries import Query
from barcodesvc.store.script import Row, Script, Statement, one, play_waiting, rows, run
from barcodesvc.store.sqlite.failures import (
    ROLLBACK,
    MovedFileError,
    StatementError,
    StatementTimeoutError,
    is_fatal,
)
from barcodesvc.store.sqlite.files import file_uri
from barcodesvc.store.sqlite.statements import Statements

T = TypeVar("T")

RETRY_PAUSE = 0.2
"""Seconds between attempts to open a connection: without it each request would try a lost disk."""


@dataclass(frozen=True, slots=True)
class DatabaseFile:
    """What all connections to one file share: path, queries, limits, the observer of times, the log of failures."""

    path: Path
    queries: Mapping[str, Query]
    limits: DatabaseLimits
    observe: Observe
    log: FailureLog
    closing: set[asyncio.Task[None]] = field(default_factory=set)
    """Tasks that close abandoned connections."""

    def identity(self) -> tuple[int, int]:
        """Return what identifies the file at the path now; raises MovedFileError without one."""
        try:
            found = self.path.stat()
        except OSError as error:
            raise MovedFileError(f"the database file cannot be found: {error.strerror}") from error
        return found.st_dev, found.st_ino


SetUp = Callable[[aiosqlite.Connection], Awaitable[None]]
"""Prepares a new connection."""


class Connection:
    """One connection in SQLite's mode `ro` or `rw`."""

    def __init__(self, file: DatabaseFile, mode: str, set_up: SetUp) -> None:
        self._file = file
        self._mode = mode
        self._set_up = set_up
        self._open: aiosqlite.Connection | None = None
        self._opening = asyncio.Lock()
        self._next_attempt = float("-inf")
        self._waiting = Capacity(file.limits.read_queue, too_many_waiting)
        self._is_closed = False
        self.is_stuck = False
        """Whether an abandoned statement has not ended yet."""

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run the query and return all of its rows."""
        found: list[Row] = await self.result(rows(name, **parameters))
        return found

    async def row(self, name: str, /, **parameters: Any) -> Row | None:
        """Run the query and return its first row, or None."""
        found: Row | None = await self.result(one(name, **parameters))
        return found

    async def result(self, statement: Statement) -> Any:
        """Run one statement of a script in its own trip; the time reported includes the wait."""
        return await self.run_in_thread(lambda statements: statements.result(statement), statement.name)

    async def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[Row]]:
        """Yield all rows of the query from a cursor in batches, each in its own trip.

        The cursor is dropped with the generator: a trip to close it would wait for a disk that hangs.
        """
        statement = rows(name, **parameters)
        cursor: sqlite3.Cursor | None = None

        def next_rows(statements: Statements) -> list[Row]:
            nonlocal cursor
            cursor = cursor or statements.open_cursor(statement)
            return statements.next_rows(statement, cursor, limits.BATCH)

        while found := await self.run_in_thread(next_rows, name):
            yield found

    async def play(self, script: Script[T]) -> T:
        """Play a script with a trip for each statement, between which others run."""
        return await play_waiting(script, self.result)

    async def run_in_thread(self, work: Callable[[Statements], T], name: str = "") -> T:
        """Run work in the connection's thread; its time, the wait included, is reported under the name of a query.

        Raises what `work` raises, DatabaseFailure for what SQLite raises and for a statement that does not end, and
        DatabaseOverload if too many requests wait, or this one has waited too long.
        """
        begun = perf_counter()
        try:
            with self._waiting.held():
                return await self._run_in_thread(await self._opened(), work)
        finally:
            if name:
                self._file.observe(name, perf_counter() - begun)

    async def attach(self, path: Path) -> None:
        """Open another database file as `staged`, read-only; outside of transactions, as `detach`."""
        await self.run_in_thread(
            lambda statements: statements.result(run("attach_staged", uri=f"{file_uri(path)}?mode=ro"))
        )

    async def detach(self) -> None:
        """Close what `attach` has opened; a connection that cannot is abandoned: committed changes stay committed."""
        try:
            await self.run_in_thread(lambda statements: statements.result(run("detach_staged")))
        except (DatabaseFailure, DatabaseOverload):
            self.leave()

    def leave(self) -> None:
        """Close the connection in the background, after its work has ended; the next use opens another."""
        if self._open is not None:
            _in_background(_close(self._open), self._file.closing)
            self._open = None

    def close(self) -> None:
        """Close the connection for good; see `leave`."""
        self._is_closed = True
        self.leave()

    async def _run_in_thread(self, connection: aiosqlite.Connection, work: Callable[[Statements], T]) -> T:
        statements: Statements | None = None
        is_abandoned = False

        def in_thread() -> T | None:
            nonlocal statements
            if is_abandoned:
                return None
            statements = Statements(connection._conn, self._file.queries)  # noqa: SLF001 - see above
            try:
                return work(statements)
            finally:
                self.is_stuck = False

        try:
            async with asyncio.timeout(self._file.limits.result_wait):
                return await connection._execute(in_thread)  # type: ignore[no-any-return,no-untyped-call]  # noqa: SLF001 - see above
        except TimeoutError:
            is_abandoned = True
            if statements is None:
                raise waited_too_long() from None
            self.is_stuck = True
            what = statements.abandon()
            await connection.interrupt()
            raise self._failed(what, self._stuck()) from None
        except StatementError as failed:
            raise self._failed(failed.statement, failed.cause) from failed.cause
        except MovedFileError as error:
            raise self._failed("a change", error) from error
        except ValueError as error:  # from aiosqlite
            raise self._failed("a closed connection", error) from error

    def _failed(self, what: str, error: BaseException) -> DatabaseFailure:
        if is_fatal(error) or what == ROLLBACK:  # what cannot be rolled back ends with its connection
            self.leave()
        return self._file.log.failed(what, error)

    def _stuck(self) -> StatementTimeoutError:
        return StatementTimeoutError(f"no end within {self._file.limits.result_wait:g} s")

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
        # the opening continues after a cancellation: a thread that is not closed would keep the process alive
        opening = asyncio.create_task(self._set_up_anew())
        try:
            async with asyncio.timeout(self._file.limits.result_wait):
                return await asyncio.shield(opening)
        except (asyncio.CancelledError, TimeoutError) as error:
            _in_background(_close_opened(opening), self._file.closing)
            if isinstance(error, TimeoutError):
                raise self._failed("opening a connection", self._stuck()) from error
            raise
        except (sqlite3.Error, OSError, RuntimeError, MemoryError) as error:
            raise self._failed("opening a connection", error) from error

    async def _set_up_anew(self) -> aiosqlite.Connection:
        connection = await connect(self._file.path, self._mode, self._file.limits.busy_timeout)
        try:
            await self._set_up(connection)
        except BaseException:
            await _close(connection)
            raise
        return connection


async def connect(path: Path, mode: str, busy_timeout: float) -> aiosqlite.Connection:
    """Open the file in SQLite's mode `ro`, `rw` or `rwc`; raises sqlite3.Error, without leaving a thread."""
    threads: list[threading.Thread] = []

    def made(*arguments: Any, **options: Any) -> sqlite3.Connection:
        threads.append(threading.current_thread())
        return sqlite3.Connection(*arguments, **options)

    uri = f"{file_uri(path)}?mode={mode}"
    connection = aiosqlite.connect(uri, uri=True, timeout=busy_timeout, isolation_level=None, factory=made)
    try:
        return await connection
    except BaseException:
        for thread in threads:  # else its last message finds the event loop closed
            thread.join()
        raise


async def _close(connection: aiosqlite.Connection) -> None:
    with suppress(sqlite3.Error, ValueError):  # a connection that cannot be closed is broken already
        await connection.close()


async def _close_opened(opening: asyncio.Task[aiosqlite.Connection]) -> None:
    with suppress(sqlite3.Error, OSError, RuntimeError, MemoryError):
        await _close(await opening)


def _in_background(closing: Any, kept: set[asyncio.Task[None]]) -> None:
    task = asyncio.create_task(closing)
    kept.add(task)
    task.add_done_callback(kept.discard)
