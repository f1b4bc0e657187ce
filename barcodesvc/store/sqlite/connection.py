"""A database connection with its own thread, which opens it at its first use, and again after a fatal error.

Each piece of work is one trip to the thread and back, which costs many times as much as most statements: so a trip runs
any number of statements, and a group of changes needs only one. A trip has a time limit, and a connection a limit of
waiting requests: without them a slow disk would fill the memory with requests.

Rules: sqlite3's errors leave this module as DatabaseFailure. A trip that was given up runs no further statement. The
thread names each statement before it checks whether it may run, so the event loop knows, when it gives a trip up,
whether the commit has begun: if not, it never will.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Any, TypeVar

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.store import limits
from barcodesvc.store.database import Snapshot
from barcodesvc.store.limits import NOTHING_CHANGED, DatabaseLimits, FailureLog, Observe
from barcodesvc.store.queries import Query, load_queries
from barcodesvc.store.script import Result, Row, Statement, rows, run
from barcodesvc.store.sqlite.failures import COMMIT, ROLLBACK, StatementError, StatementTimeoutError, is_fatal
from barcodesvc.store.sqlite.files import file_uri

T = TypeVar("T")

QUERIES = load_queries("sqlite")
"""The queries of this engine: those of sql/queries, and those of sql/sqlite for SQLite alone."""
CLOSE_WAIT = 2.0
"""Seconds to wait for a connection to close; one that hangs is left to the end of the process."""
_OPENING = "opening a connection"


@dataclass(frozen=True, slots=True)
class DatabaseFile:
    """What all connections to one file share: path, queries, limits, the observer of times, the log of failures."""

    path: Path
    queries: Mapping[str, Query]
    limits: DatabaseLimits
    observe: Observe
    log: FailureLog


class Statements:
    """The statements of one trip; `running` is the name of the last one, `times` are those of each in seconds.

    The `connection` is there once the thread has begun.

    Each method that runs one raises StatementError if it fails.
    """

    connection: sqlite3.Connection

    def __init__(self, queries: Mapping[str, Query]) -> None:
        self._queries = queries
        self._is_given_up = False
        self.has_ended = False
        self.running = ""
        self.times: list[tuple[str, float]] = []

    def connect(self, opened: Callable[[], sqlite3.Connection]) -> None:
        """Run the statements that follow on this connection."""
        self.connection = self.do(_OPENING, opened)

    def result(self, statement: Statement) -> Any:
        """Run a statement of a script and return its result."""
        begun = perf_counter()
        try:
            return self.do(statement.name, partial(self._result, statement))
        finally:
            self.times.append((statement.name, perf_counter() - begun))

    def open_cursor(self, statement: Statement) -> sqlite3.Cursor:
        """Begin a statement whose rows are fetched later."""
        query = self._queries[statement.name]
        return self.do(statement.name, partial(self.connection.execute, query.sql, statement.parameters))

    def next_rows(self, statement: Statement, cursor: sqlite3.Cursor, rows: int) -> list[Row]:
        """Return at most `rows` of the next rows."""
        return self.do(statement.name, partial(cursor.fetchmany, rows))

    def begin(self) -> None:
        """Begin a transaction for changes, waiting for another process's to end."""
        self.do("begin_change", partial(self._result, run("begin_change")))

    def commit(self) -> None:
        """Commit the transaction."""
        self.do(COMMIT, self.connection.commit)

    def roll_back(self) -> None:
        """Roll the transaction back, if one is open, even in a trip that was given up."""
        try:
            self.connection.rollback()
        except sqlite3.Error as error:
            raise StatementError(ROLLBACK, error) from error

    def give_up(self) -> str:
        """Let no further statement run, and return the name of the last one; "" if the trip has not begun."""
        self._is_given_up = True
        return self.running

    def do(self, name: str, call: Callable[[], T]) -> T:
        """Call what runs a statement, or is as likely to fail or hang, under this name."""
        self.running = name
        if self._is_given_up:
            raise StatementError(name, StatementTimeoutError("given up"))
        try:
            return call()
        except (sqlite3.Error, OSError, RuntimeError, ValueError, OverflowError, MemoryError) as error:
            raise StatementError(name, error) from error

    def _result(self, statement: Statement) -> Any:
        sql = self._queries[statement.name].sql
        cursor = self.connection.execute(sql, statement.parameters)
        if statement.result is Result.COUNT:
            return cursor.rowcount
        found = cursor.fetchall()
        if statement.result is Result.ROWS:
            return found
        return found[0] if found else None


class Connection(Snapshot):
    """One connection in SQLite's mode `ro` or `rw`; `set_up` prepares it whenever it is opened."""

    def __init__(self, file: DatabaseFile, mode: str, set_up: Callable[[sqlite3.Connection], None]) -> None:
        self._file = file
        self._mode = mode
        self._set_up = set_up
        self._open: sqlite3.Connection | None = None  # opened and closed by the thread
        self._thread: Thread | None = None
        self._work: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._waiting = Capacity(file.limits.read_queue, limits.too_many_waiting)
        self._given_up: Statements | None = None
        self._is_closed = False

    @property
    def is_stuck(self) -> bool:
        """Whether a statement that was given up has not ended yet."""
        return self._given_up is not None and not self._given_up.has_ended

    async def result(self, statement: Statement) -> Any:
        """Run one statement of a script in its own trip, between which others run; its time includes the wait."""
        return await self.run_in_thread(lambda statements: statements.result(statement), statement.name)

    async def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[Row]]:
        """Yield all rows of the query from a cursor in batches, each in its own trip.

        The cursor is dropped with the generator: a trip to close it would wait for a disk that hangs.
        """
        statement = rows(name, **parameters)
        cursor = await self.run_in_thread(lambda statements: statements.open_cursor(statement), name)
        while found := await self.run_in_thread(
            lambda statements: statements.next_rows(statement, cursor, limits.BATCH), name
        ):
            yield found

    async def run_in_thread(self, work: Callable[[Statements], T], name: str = "") -> T:
        """Run work in the connection's thread; its time, the wait included, is reported under the name of a query.

        Raises what `work` raises, DatabaseFailure for what SQLite raises and for a statement that does not end, and
        DatabaseOverload if too many requests wait, or this one has waited too long.
        """
        if self._is_closed:
            raise DatabaseFailure(NOTHING_CHANGED)
        begun, statements = perf_counter(), Statements(self._file.queries)
        try:
            with self._waiting.held():
                async with asyncio.timeout(self._file.limits.result_wait):
                    return await self._result_of(partial(self._trip, work, statements))
        except TimeoutError:
            error = self._given_up_error(statements)
            raise error from error.__cause__
        except StatementError as failed:
            raise self._file.log.failed(failed.statement, failed.cause) from failed.cause
        finally:
            if name:
                self._file.observe(name, perf_counter() - begun)

    async def attach(self, path: Path) -> None:
        """Open another database file as `staged`, read-only, until the connection is closed."""
        await self.result(run("attach_staged", uri=f"{file_uri(path)}?mode=ro"))

    def leave(self) -> None:
        """Close the connection after the work that waits, which rolls back; the next use opens another."""
        self._work.put(self._close)

    async def close(self) -> None:
        """Close the connection for good, after the work that waits; do not wait longer than CLOSE_WAIT."""
        self._is_closed = True
        if self._thread is not None:
            closing = self._result_of(self._close)
            self._work.put(None)
            await asyncio.wait([closing], timeout=CLOSE_WAIT)

    def _result_of(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Give work to the thread, and return the future of its result."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()

        def do() -> None:
            try:
                settle = partial(result.set_result, work())
            except BaseException as error:  # noqa: BLE001 - passed to the caller
                settle = partial(result.set_exception, error)
            with suppress(RuntimeError):  # the loop has ended before work that hung
                loop.call_soon_threadsafe(_unless_cancelled, result, settle)

        if self._thread is None:
            self._thread = _started(self._work)
        self._work.put(do)
        return result

    def _trip(self, work: Callable[[Statements], T], statements: Statements) -> T:
        try:
            statements.connect(self._opened)
            return work(statements)
        except StatementError as failed:
            if is_fatal(failed.cause) or failed.statement == ROLLBACK:  # its transaction ends with the connection
                self._close()
            raise
        finally:
            statements.has_ended = True

    def _opened(self) -> sqlite3.Connection:
        if self._open is None:
            connection = connect(self._file.path, self._mode, self._file.limits.busy_timeout)
            try:
                self._set_up(connection)
            except BaseException:
                connection.close()
                raise
            self._open = connection
        return self._open

    def _close(self) -> None:
        if self._open is not None:
            with suppress(sqlite3.Error):  # a connection that cannot be closed is broken already
                self._open.close()
            self._open = None

    def _given_up_error(self, statements: Statements) -> DatabaseFailure | DatabaseOverload:
        what = statements.give_up()
        if not what:
            return limits.waited_too_long()
        self._given_up, connection = statements, self._open
        if connection is not None and self.is_stuck:
            with suppress(sqlite3.ProgrammingError):  # it is being closed
                connection.interrupt()
        return self._file.log.failed(what, StatementTimeoutError(f"no end within {self._file.limits.result_wait:g} s"))


def connect(path: Path, mode: str, busy_timeout: float) -> sqlite3.Connection:
    """Open the file in SQLite's mode `ro`, `rw` or `rwc`, without implicit transactions; raises sqlite3.Error."""
    return sqlite3.connect(f"{file_uri(path)}?mode={mode}", uri=True, timeout=busy_timeout, isolation_level=None)


def _started(work: SimpleQueue[Callable[[], object] | None]) -> Thread:
    """Start a thread that does the work one after another until None; it keeps no process alive that ends."""

    def serve() -> None:
        while (do := work.get()) is not None:
            do()

    thread = Thread(target=serve, name="database", daemon=True)
    try:
        thread.start()
    except RuntimeError as error:
        raise StatementError(_OPENING, error) from error
    return thread


def _unless_cancelled(result: asyncio.Future[Any], settle: Callable[[], None]) -> None:
    if not result.cancelled():
        settle()
