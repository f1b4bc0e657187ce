"""One connection to the database, in a thread of its own: named queries, timed, each of which comes to an end.

Each call costs a trip to the thread and back, many times the cost of most statements; `together` has many of them in
one trip. A call that does not end in its time, because the disk hangs or the statement runs away, is given up together
with the connection: its thread cannot be ended, only left to itself.

Rule: sqlite3's errors come out as DatabaseFailure, and their cause goes to whoever made the connection.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import aiosqlite

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store.failures import NOTHING_CHANGED, StuckError, failure_of, outlives
from barcodesvc.store.file_identity import FileIdentity, LookingConnection
from barcodesvc.store.progress import COMMIT, Running
from barcodesvc.store.queries import QUERIES, Query, Row
from barcodesvc.store.query_times import Observe
from barcodesvc.store.statements import FailedStatementError, Statements

_LOG = logging.getLogger(__name__)

T = TypeVar("T")
Call = Callable[..., Awaitable[Any]]
Failed = Callable[[str, BaseException], None]
"""Is called with what failed and why."""

MOST_LEAVING = 16
"""Connections that may be left to threads that hang before no further one is opened."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """For how many seconds, and how many, wait for the database before they are told so."""

    busy_timeout: float = 15.0
    statement_timeout: float = 60.0
    write_wait: float = 60.0
    write_queue: int = 1000
    read_queue: int = 1000

    @property
    def answer_wait(self) -> float:
        """Seconds after which a statement that has not ended is given up."""
        return self.busy_timeout + self.statement_timeout


class Leaving:
    """Connections that nobody uses any more, until they are closed; a thread that hangs keeps its own here."""

    def __init__(self) -> None:
        self._closing: set[asyncio.Task[None]] = set()

    def add(self, closing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Close a connection in a task of its own."""
        task = asyncio.create_task(_without_failure(closing))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        return task

    @property
    def is_full(self) -> bool:
        """Whether so many hang that no more may be opened."""
        return len(self._closing) >= MOST_LEAVING

    async def are_gone(self, seconds: float) -> bool:
        """Wait at most so long for all of them to be closed, and tell whether they are."""
        if self._closing:
            await asyncio.wait(self._closing, timeout=seconds)
        return not self._closing


@dataclass(frozen=True, slots=True)
class Terms:
    """What all connections to one file share: which file, which bounds, who hears of times and failures."""

    identity: FileIdentity
    bounds: Bounds
    observe: Observe
    failed: Failed
    leaving: Leaving


class Connection:
    """One connection that runs named queries; `is_sound` says whether it can be used on."""

    def __init__(self, connection: aiosqlite.Connection, terms: Terms) -> None:
        self._connection = connection
        self._terms = terms
        self._under_way = 0
        self._last_end = 0.0
        self.is_sound = True

    async def rows(self, query: Query, **parameters: Any) -> list[Row]:
        """Run the query and return all of its rows."""
        return list(await self._observed(query.name, self._connection.execute_fetchall, query.sql, parameters))

    async def row(self, query: Query, **parameters: Any) -> Row | None:
        """Run the query and return its first row, or None."""
        found = await self.rows(query, **parameters)
        return found[0] if found else None

    async def change(self, query: Query, **parameters: Any) -> int:
        """Run a query that gives no rows back and return how many rows it has changed."""
        return await self.together(lambda statements: statements.change(query, **parameters), Running())

    async def together(self, work: Callable[[Statements], T], running: Running) -> T:
        """Run work that consists of statements in the connection's thread; `running` tells which of them runs.

        Raises what `work` raises, and DatabaseFailure for a statement that has failed.
        """
        connection = self._connection
        statements = Statements(connection._conn, running)  # noqa: SLF001 - aiosqlite has no public trip of this kind
        try:
            result: T = await self._ended(statements.abandon, connection._execute, work, statements)  # noqa: SLF001 - as above
        except FailedStatementError as failed:
            raise self.failure(failed) from failed.__cause__
        except asyncio.CancelledError:
            statements.abandon()
            raise
        finally:
            self.is_sound = self.is_sound and statements.is_sound
            statements.tell_times(self._terms.observe)
        return result

    def failure(self, failed: FailedStatementError) -> DatabaseFailure:
        """Return what a caller is told of a statement that has failed; the cause goes to the log."""
        failure = self._failed(failed.statement, failed.__cause__ or failed)
        failure.__cause__ = failed.__cause__
        return failure

    async def attach(self, path: Path) -> None:
        """Open another database file as `staged`, to be read only; outside of transactions, as `detach`."""
        attach = partial(self._connection.execute_fetchall, QUERIES["attach_staged"].sql)
        await self._ended(lambda: "ATTACH", attach, {"uri": f"{file_uri(path)}?mode=ro"})

    async def detach(self) -> None:
        """Close what `attach` has opened; a connection that cannot is left, for what was committed stays committed."""
        if not self.is_sound:
            return
        try:
            await self.control(QUERIES["detach_staged"].sql)
        except DatabaseFailure:
            _LOG.error("a staged file stays attached")
            self.is_sound = False

    async def is_whole(self) -> bool:
        """Read every page of the file, however long that takes, and tell whether nothing is wrong with any.

        Whoever asks sees to it that it ends: `interrupt` breaks it off, which is a DatabaseFailure.
        """
        call = self._connection.execute_fetchall(QUERIES["broken_pages"].sql)
        try:
            return list(await call) == [("ok",)]
        except (sqlite3.Error, ValueError, MemoryError) as error:
            raise self._failed("quick_check", error) from error

    async def interrupt(self) -> None:
        """Break off the statement that runs."""
        with suppress(ValueError):  # it may be closed already
            await self._connection.interrupt()

    async def control(self, statement: str) -> None:
        """Run a statement that stands for itself, such as BEGIN."""
        await self._ended(lambda: statement, self._connection.execute_fetchall, statement)

    async def commit(self) -> None:
        """Commit the open transaction."""
        await self._ended(lambda: COMMIT, self._connection.commit)

    async def roll_back(self) -> None:
        """Undo the open transaction, if one is open; a connection that cannot is unsound, and its end undoes it."""
        if not self.is_sound:
            return
        try:
            await self._ended(lambda: "ROLLBACK", self._connection.rollback)
        except DatabaseFailure:
            self.is_sound = False

    def leave(self) -> None:
        """Close the connection in the background, once what was begun on it has ended."""
        self._terms.leaving.add(self._connection.close())

    async def close(self) -> None:
        """Close the connection once what was begun on it has ended; who is cancelled leaves that to itself."""
        await asyncio.shield(self._terms.leaving.add(self._connection.close()))

    async def _observed(self, name: str, call: Call, *arguments: Any) -> Any:
        begun = perf_counter()
        try:
            return await self._ended(lambda: name, call, *arguments)
        finally:
            self._terms.observe(name, perf_counter() - begun)

    async def _ended(self, what: Callable[[], str], call: Call, *arguments: Any) -> Any:
        if self._under_way >= self._terms.bounds.read_queue:
            raise DatabaseOverload("too many requests wait for the database", headers={"Retry-After": "1"})
        begun = perf_counter()
        self._under_way += 1
        try:
            async with asyncio.timeout(self._terms.bounds.answer_wait):
                return await call(*arguments)
        except TimeoutError:
            raise await self._too_late(what(), begun) from None
        except (sqlite3.Error, ValueError, OverflowError, MemoryError) as error:
            raise self._failed(what(), error) from error
        finally:
            self._under_way -= 1
            self._last_end = perf_counter()

    def _failed(self, what: str, error: BaseException) -> DatabaseFailure:
        if not outlives(error):
            self.is_sound = False
        self._terms.failed(what, error)
        return failure_of(what, error)

    async def _too_late(self, what: str, begun: float) -> DatabaseFailure:
        if self._last_end > begun:
            # others have ended meanwhile: the connection works, only too many use it
            return DatabaseOverload("the database is busy; try again later", headers={"Retry-After": "10"})
        await self.interrupt()
        return self._failed(what, StuckError(f"no end within {self._terms.bounds.answer_wait:g} s"))


async def _without_failure(closing: Coroutine[Any, Any, None]) -> None:
    with suppress(sqlite3.Error, ValueError):  # what cannot be closed properly is broken already
        await closing


SetUp = Callable[[aiosqlite.Connection], Awaitable[None]]
"""What is done on a connection before anything else."""


async def connect(terms: Terms, mode: str, set_up: SetUp) -> Connection:
    """Open the file in SQLite's mode `ro`, `rw` or `rwc`; raises DatabaseFailure."""
    if terms.leaving.is_full or terms.identity.is_moved:
        raise DatabaseFailure(NOTHING_CHANGED)
    try:
        async with asyncio.timeout(terms.bounds.answer_wait):
            return Connection(await _connected(terms, mode, set_up), terms)
    except TimeoutError:
        terms.failed("opening a connection", StuckError(f"no end within {terms.bounds.answer_wait:g} s"))
    except (sqlite3.Error, OSError, RuntimeError, MemoryError) as error:
        terms.failed("opening a connection", error)
    raise DatabaseFailure(NOTHING_CHANGED)


async def _connected(terms: Terms, mode: str, set_up: SetUp) -> aiosqlite.Connection:
    connection = await connect_raw(terms, mode)
    try:
        await set_up(connection)
    except BaseException:
        terms.leaving.add(connection.close())
        raise
    return connection


async def connect_raw(terms: Terms, mode: str) -> aiosqlite.Connection:
    """Open the file, and leave nothing behind where that fails or is cancelled; raises sqlite3.Error."""
    connection = aiosqlite.connect(
        f"{file_uri(terms.identity.path)}?mode={mode}",
        uri=True,
        timeout=terms.bounds.busy_timeout,
        isolation_level=None,
        factory=partial(LookingConnection, identity=terms.identity),
    )
    # one that hangs in the disk cannot be ended, and must not keep the process
    connection._thread.daemon = True  # noqa: SLF001 - aiosqlite says nothing in public about its thread
    opening = asyncio.create_task(_open(connection))
    try:
        await asyncio.shield(opening)
    except asyncio.CancelledError:
        terms.leaving.add(_close_opened(connection, opening))
        raise
    return connection


def file_uri(path: Path) -> str:
    """Return the URI of a file, in which no character of its name means anything else."""
    return path.absolute().as_uri()


async def _open(connection: aiosqlite.Connection) -> None:
    try:
        await connection
    except BaseException:
        # aiosqlite leaves this thread to itself, and its last message would find the event loop closed
        connection._thread.join()  # noqa: SLF001 - nothing public waits for the thread of a file that did not open
        raise


async def _close_opened(connection: aiosqlite.Connection, opening: asyncio.Task[None]) -> None:
    await asyncio.wait([opening])
    if not opening.exception():
        await connection.close()
