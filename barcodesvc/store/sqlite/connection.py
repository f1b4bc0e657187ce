"""A connection of aiosqlite, which owns its thread, opened at its first use and again after a fatal error.

Each call of aiosqlite is one trip to the thread and back, which costs many times as much as most statements: so a trip
runs any number of statements, and a group of changes needs only one. For that, aiosqlite opens a connection of the
class `Trips`, whose `executescript` calls a function instead of running SQL: aiosqlite does so in the thread.

A trip has a time limit, and a connection a limit of waiting requests: without them a slow disk would fill the memory
with requests. A connection whose trip was given up closes once that ends, and only then is another one opened: so each
has at most one thread that hangs.

Rules: sqlite3's errors leave this module as DatabaseFailure. A trip that was given up runs no further statement. The
thread names each statement before it checks whether it may run, so the event loop knows, when it gives up a trip,
whether the commit has begun: if not, it never will.
"""

import asyncio
import operator
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import aiosqlite

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
Opening = asyncio.Task[tuple[aiosqlite.Connection, sqlite3.Connection]]
"""What all trips of a connection wait for, and the first one begins: its thread, and what that works on."""
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
    """The statements of one trip on the `connection`; `running` is the name of the last one.

    `times` has the seconds of each one that has a result. Each method raises StatementError if its statement fails.
    """

    connection: sqlite3.Connection

    def __init__(self, queries: Mapping[str, Query]) -> None:
        self._queries = queries
        self._is_given_up = False
        self.running = ""
        self.times: list[tuple[str, float]] = []

    def result(self, statement: Statement) -> Any:
        """Run a statement of a script and return its result."""
        begun, query = perf_counter(), self._queries[statement.name]
        try:
            with self.named(statement.name):
                cursor = self.connection.execute(query.sql, statement.parameters)
                if statement.result is Result.COUNT:
                    return cursor.rowcount
                found = cursor.fetchall()
        finally:
            self.times.append((statement.name, perf_counter() - begun))
        if statement.result is Result.ROWS:
            return found
        return found[0] if found else None

    def open_cursor(self, statement: Statement) -> sqlite3.Cursor:
        """Begin a statement whose rows are fetched later."""
        query = self._queries[statement.name]
        with self.named(statement.name):
            return self.connection.execute(query.sql, statement.parameters)

    def next_rows(self, statement: Statement, cursor: sqlite3.Cursor, rows: int) -> list[Row]:
        """Return at most `rows` of the next rows."""
        with self.named(statement.name):
            return cursor.fetchmany(rows)

    def commit(self) -> None:
        """Commit the transaction."""
        with self.named(COMMIT):
            self.connection.commit()

    def roll_back(self) -> None:
        """Roll the transaction back, if one is open, even in a trip that was given up."""
        try:
            self.connection.rollback()
        except sqlite3.Error as error:
            raise StatementError(ROLLBACK, error) from error

    @contextmanager
    def named(self, name: str) -> Iterator[None]:
        """Run what is a statement, or is as likely to fail or hang, under this name, unless the trip was given up."""
        self.running = name
        if self._is_given_up:
            raise StatementError(name, StatementTimeoutError("given up"))
        try:
            yield
        except (sqlite3.Error, OSError, RuntimeError, ValueError, OverflowError, MemoryError) as error:
            raise StatementError(name, error) from error

    def give_up(self) -> str:
        """Let no further statement run, and return the name of the last one; "" if the trip has not begun."""
        self._is_given_up = True
        return self.running


class Trips(sqlite3.Connection):
    """A connection whose scripts are functions; see the head of this module."""

    executescript: Any = operator.call  # takes a function, not SQL


class Connection(Snapshot):
    """One connection in SQLite's mode `ro` or `rw`; `set_up` prepares it in the thread whenever it is opened."""

    def __init__(self, file: DatabaseFile, mode: str, set_up: Callable[[sqlite3.Connection], None]) -> None:
        self._file = file
        self._mode = mode
        self._set_up = set_up
        self._opening: Opening | None = None
        self._closing: asyncio.Task[None] | None = None
        self._waiting = Capacity(file.limits.read_queue, limits.too_many_waiting)
        self._is_closed = False

    @property
    def is_stuck(self) -> bool:
        """Whether the connection was left, as after a statement that was given up, and has not closed yet."""
        return self._closing is not None and not self._closing.done()

    async def result(self, statement: Statement) -> Any:
        """Run one statement of a script in its own trip, between which others run; its time includes the wait."""
        return await self._returned(lambda statements: statements.result(statement), statement.name)

    async def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[Row]]:
        """Yield all rows of the query from a cursor in batches, each in its own trip.

        The cursor is dropped with the generator: a trip to close it would wait for a disk that hangs.
        """
        statement = rows(name, **parameters)
        cursor = await self._returned(lambda statements: statements.open_cursor(statement), name)
        while found := await self._returned(
            lambda statements: statements.next_rows(statement, cursor, limits.BATCH), name
        ):
            yield found

    async def run_in_thread(self, work: Callable[[Statements], object], name: str = "") -> None:
        """Run work in the connection's thread; its time, the wait included, is reported under the name of a query.

        Raises what `work` raises, DatabaseFailure for what SQLite raises and for a statement that does not end, and
        DatabaseOverload if too many requests wait, or this one has waited too long.
        """
        if self._is_closed:
            raise DatabaseFailure(NOTHING_CHANGED)
        begun, statements = perf_counter(), Statements(self._file.queries)
        try:
            with self._waiting.held():
                opening = self._opening = self._opening or self._begin_opening(statements)
                async with asyncio.timeout(self._file.limits.result_wait):
                    thread, statements.connection = await asyncio.shield(opening)
                    if opening is not self._opening:  # it was left meanwhile
                        raise DatabaseFailure(NOTHING_CHANGED)
                    await thread.executescript(partial(work, statements))
        except TimeoutError:
            error = self._given_up_error(opening, statements)
            raise error from error.__cause__
        except StatementError as failed:
            if is_fatal(failed.cause) or failed.statement in (_OPENING, ROLLBACK):
                self._leave(opening)  # which ends its transaction
            raise self._file.log.failed(failed.statement, failed.cause) from failed.cause
        finally:
            if name:
                self._file.observe(name, perf_counter() - begun)

    async def attach(self, path: Path) -> None:
        """Open another database file as `staged` until the connection is closed."""
        await self.result(run("attach_staged", uri=file_uri(path, "rw")))

    def leave(self) -> None:
        """Close the connection after the work that waits, which rolls back; the next use opens another."""
        if self._opening is not None:
            self._leave(self._opening)

    async def close(self) -> None:
        """Close the connection for good, after the work that waits; do not wait longer than CLOSE_WAIT."""
        self._is_closed = True
        self.leave()
        if self._closing is not None:
            await asyncio.wait([self._closing], timeout=CLOSE_WAIT)

    def _leave(self, opening: Opening) -> None:
        if opening is self._opening:
            self._closing = asyncio.create_task(_close(opening))
            self._opening = None

    async def _returned(self, work: Callable[[Statements], T], name: str) -> T:
        results: list[T] = []
        await self.run_in_thread(lambda statements: results.append(work(statements)), name)
        return results[0]

    def _begin_opening(self, statements: Statements) -> Opening:
        """Begin what all who need the connection wait for; it goes on when they give up."""
        if not self.is_stuck:
            statements.running = _OPENING
        return asyncio.create_task(self._opened(self._closing))

    async def _opened(self, former: asyncio.Task[None] | None) -> tuple[aiosqlite.Connection, sqlite3.Connection]:
        """Open the connection once the former one is closed."""
        made: list[sqlite3.Connection] = []

        def in_thread(*arguments: Any, **options: Any) -> sqlite3.Connection:
            made.append(Trips(*arguments, **options))
            try:
                self._set_up(made[0])
            except BaseException:
                made[0].close()
                raise
            return made[0]

        if former is not None:
            await asyncio.wait([former])
        uri, timeout = file_uri(self._file.path, self._mode), self._file.limits.busy_timeout
        try:
            thread = await aiosqlite.connect(uri, uri=True, timeout=timeout, isolation_level=None, factory=in_thread)
        except (sqlite3.Error, OSError, RuntimeError, MemoryError) as error:
            raise StatementError(_OPENING, error) from error
        return thread, made[0]

    def _given_up_error(self, opening: Opening, statements: Statements) -> DatabaseFailure | DatabaseOverload:
        what = statements.give_up()
        if not what:
            return limits.waited_too_long()
        if what != _OPENING:
            with suppress(sqlite3.ProgrammingError):  # it has just been closed
                statements.connection.interrupt()
        self._leave(opening)
        return self._file.log.failed(what, StatementTimeoutError(f"no end within {self._file.limits.result_wait:g} s"))


async def _close(opening: Opening) -> None:
    with suppress(StatementError):  # it could not be opened
        thread, _ = await opening
        if stopped := thread.stop():
            await stopped


def connect(path: Path, mode: str, busy_timeout: float = 15.0) -> sqlite3.Connection:
    """Open the file in SQLite's mode `ro`, `rw` or `rwc`, without implicit transactions; raises sqlite3.Error.

    Its statements wait `busy_timeout` seconds for a lock.
    """
    return sqlite3.connect(file_uri(path, mode), uri=True, timeout=busy_timeout, isolation_level=None)
