"""The embedded database: one writer, some readers, one thread trip a statement.

A read is one statement in one trip on a read-only connection; a write is a transaction on the only writing
connection, behind a lock, because two tasks on one connection would share its transaction.

Rules: a transaction belongs to nobody. It runs in a task of its own, which the caller awaits shielded: a client that
goes away leaves it committed or rolled back, never half done. And nothing waits for ever: neither for its turn, nor for
another process, nor for a disk; and no fault of theirs needs a restart once it is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from barcodesvc.clock import Clock
from barcodesvc.errors import DatabaseFailure, DatabaseOverload, ExportOverload, StartError
from barcodesvc.store.condition import Condition
from barcodesvc.store.connection import Bounds, Connection, Leaving, Row, Terms, connect
from barcodesvc.store.failures import NOTHING_CHANGED, FailureLog, StuckError, code_of
from barcodesvc.store.file_identity import FileIdentity
from barcodesvc.store.lane import Attempts
from barcodesvc.store.opened_file import LEAVE_WAIT, OpenedFile, open_file, open_log, require_sqlite
from barcodesvc.store.queries import QUERIES, Query
from barcodesvc.store.query_times import Observe, unobserved, warning_of_slow
from barcodesvc.worker_threads import to_its_end

_LOG = logging.getLogger(__name__)

T = TypeVar("T")

SNAPSHOTS = 4
SNAPSHOT_WAIT = 10.0
"""Seconds that an export waits for a place."""
HELD_UP = 0.5
"""Seconds after which a change that another process keeps waiting makes the service unwell."""
COMMIT_WAIT = 0.9
"""Seconds after which a commit that the disk has not answered makes the service unwell; statements may take longer."""
CHECK_WAIT = 0.5
"""Seconds that the question whether the service is well waits for a check that is under way."""
CHECK_LOOK = 0.1
"""Seconds after which a check of the whole file looks whether it should end."""
CHECK_BOUND = 3600.0
"""Seconds after which a check of the whole file is begun anew."""
REOPEN_PAUSE = 0.4
"""Seconds between two openings of a file that cannot be written."""
TRIED = 256 * 1024
"""Bytes that a check writes: some ten times as many as a usual change, so that one that follows finds room as well."""
REPEAT_PAUSE = 5.0
"""Seconds after which work in the background that has failed is tried again."""
_GENERATION = 2**33
"""More than any number of SQLite's for the commits of one file."""


class Database:
    """The open database; made by `open_database`."""

    def __init__(self, opened: OpenedFile, condition: Condition) -> None:
        self._file = opened
        self._condition = condition
        self._terms = opened.terms
        self._generation = 0
        self._reopening: asyncio.Task[None] | None = None
        self._attempts = Attempts()
        self._write_lock = asyncio.Lock()
        self._writes = 0
        self._begun: float | None = None
        self._committing: float | None = None
        self._locked_out = self._reopened = float("-inf")
        self._snapshots = asyncio.Semaphore(SNAPSHOTS)
        self._open_snapshots = 0
        self._under_way: set[asyncio.Task[Any]] = set()
        self._checking: asyncio.Task[None] | None = None
        self._checks = Attempts()
        self._closing = asyncio.Event()

    def version(self) -> int | None:
        """Return a number that every commit changes, whoever commits; None, which equals nothing, if it cannot be told.

        What was read after one call is what a read would give now, if now a call gives the same number. It cannot be
        told unless something was read a moment ago, from a file that was in its place.
        """
        if not self._file.terms.identity.is_trusted:
            return None
        version = self._file.watch.version()
        return None if version is None else self._generation * _GENERATION + version

    @property
    def writes_under_way(self) -> int:
        """How many changes run or wait for those before them."""
        return self._writes

    async def rows(self, query: Query, **parameters: Any) -> list[Row]:
        """Read all rows of the query."""
        return await (await next((await self._present()).readers).connection()).rows(query, **parameters)

    async def scan_row(self, query: Query, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None, on the connection that is kept for scans."""
        return await (await (await self._present()).scan_reader.connection()).row(query, **parameters)

    async def row(self, query: Query, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None."""
        return await (await next((await self._present()).readers).connection()).row(query, **parameters)

    async def write(self, work: Callable[[Connection], Awaitable[T]], *, staged: Path | None = None) -> T:
        """Run `work` in one transaction: all of it is committed, or, if it raises, none.

        The file `staged` can be read in it under that name.

        Raises what `work` raises, DatabaseFailure if the transaction cannot begin or be committed, and
        DatabaseOverload if too many wait already, or this one has waited too long.
        """
        if self._writes >= self._terms.bounds.write_queue:
            raise DatabaseOverload("too many changes wait already; try again later", headers={"Retry-After": "1"})
        self._writes += 1
        transaction = self._started(self._transact(work, staged))
        transaction.add_done_callback(self._count_down)
        return await asyncio.shield(transaction)

    def repeat(self, step: Callable[[Connection], Awaitable[bool]]) -> None:
        """Run `step` in the background, each time in a transaction of its own, until it returns False.

        One that fails is tried again later; closing the database ends it.
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
            reader = await connect((await self._present()).terms, "ro", open_log)
            self._open_snapshots += 1
            try:
                if staged:
                    await reader.attach(staged)
                await reader.control("BEGIN")
                await reader.rows(QUERIES["ping"])  # what a snapshot sees is settled by its first read, not by BEGIN
                yield reader
            finally:
                self._open_snapshots -= 1
                await reader.close()
        finally:
            self._snapshots.release()

    async def is_well(self) -> bool:
        """Tell whether the database can be read and, as far as is known, changed; raises DatabaseFailure if not read.

        It costs one trip while all is well. After a fault, whoever asks sets a check going that finds out whether it is
        over; nobody waits behind a change that is only long.
        """
        await self.scan_row(QUERIES["ping"])
        if not self._condition.is_sound:
            await self._check()
        return self._condition.is_sound and not self._is_held_up()

    async def finish(self) -> None:
        """Wait for the transactions under way, and repeat none."""
        self._closing.set()
        while self._under_way:
            await asyncio.wait(self._under_way)

    async def close(self) -> None:
        """Close the file after `finish`; a connection that hangs is left to itself."""
        await self._file.leave(LEAVE_WAIT)

    def _started(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    def _count_down(self, _: asyncio.Task[Any]) -> None:
        self._writes -= 1

    async def _repeated(self, step: Callable[[Connection], Awaitable[bool]]) -> None:
        while not self._closing.is_set():
            try:
                if not await self.write(step):
                    return
            except DatabaseFailure:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._closing.wait(), REPEAT_PAUSE)

    async def _transact(self, work: Callable[[Connection], Awaitable[T]], staged: Path | None) -> T:
        await self._present()
        await self._lock_writer()
        lane = self._file.writer
        try:
            writer = await lane.connection()
            return await self._beside(writer, work, staged)
        except DatabaseFailure as failure:
            self._leave_read_only(failure)
            raise
        finally:
            lane.leave_unsound()
            self._write_lock.release()

    async def _beside(self, writer: Connection, work: Callable[[Connection], Awaitable[T]], staged: Path | None) -> T:
        if staged is None:
            return await self._committed(writer, work)
        await writer.attach(staged)
        try:
            return await self._committed(writer, work)
        finally:
            await writer.detach()

    async def _committed(self, writer: Connection, work: Callable[[Connection], Awaitable[T]]) -> T:
        try:
            await self._begin(writer)
            result = await work(writer)
            await self._commit(writer)
        except BaseException:
            await writer.roll_back()
            raise
        return result

    async def _begin(self, writer: Connection) -> None:
        self._begun = _now()
        try:
            await writer.control("BEGIN IMMEDIATE")
        except DatabaseFailure as failure:
            if failure.__cause__ and code_of(failure.__cause__) == sqlite3.SQLITE_BUSY:
                self._locked_out = _now()
            raise
        finally:
            self._begun = None

    async def _commit(self, writer: Connection) -> None:
        self._committing = _now()
        try:
            await writer.commit()
        finally:
            self._committing = None

    def _leave_read_only(self, failure: DatabaseFailure) -> None:
        """Let all be opened anew after a change met a file that was opened where nothing could be written.

        The index of the log is shared by all connections of a process, and stays read-only as long as one is open.
        """
        read_only = failure.__cause__ and code_of(failure.__cause__) == sqlite3.SQLITE_READONLY
        if read_only and _now() - self._reopened > REOPEN_PAUSE:
            self._reopened = _now()
            self._file.terms.identity.give_up()

    async def _lock_writer(self) -> None:
        """Wait for the turn of this change; what another process has locked out is not tried once for each that waits.

        Raises DatabaseOverload after the bound, and DatabaseFailure where it has waited in vain already.
        """
        begun, bounds = _now(), self._terms.bounds
        try:
            async with asyncio.timeout(bounds.write_wait):
                await self._write_lock.acquire()
        except TimeoutError:
            raise DatabaseOverload(
                "the database is busy with a long change; try again later", headers={"Retry-After": "10"}
            ) from None
        if self._locked_out > begun and _now() - begun >= bounds.busy_timeout:
            self._write_lock.release()
            raise DatabaseFailure(NOTHING_CHANGED)

    async def _take_snapshot_place(self) -> None:
        try:
            async with asyncio.timeout(SNAPSHOT_WAIT):
                await self._snapshots.acquire()
        except TimeoutError:
            raise ExportOverload(
                "too many exports are under way; try again in a moment", headers={"Retry-After": "10"}
            ) from None

    async def _present(self) -> OpenedFile:
        """Return the open file, opened anew if another one, or one put back, stands at its path."""
        if self._file.terms.identity.is_moved:
            await self._opened_anew()
        return self._file

    async def _opened_anew(self) -> None:
        """Wait for the one opening, which belongs to nobody who waits; raises DatabaseFailure."""
        if self._reopening is None or self._reopening.done():
            self._reopening = self._started(self._reopen())
        try:
            async with asyncio.timeout(self._terms.bounds.answer_wait):
                await asyncio.shield(self._reopening)
        except TimeoutError:
            raise DatabaseFailure(NOTHING_CHANGED) from None

    async def _reopen(self) -> None:
        with self._attempts.one():
            await self._lock_writer()
            try:
                self._file = await self._file_anew()
            finally:
                self._write_lock.release()
        self._generation += 1
        _LOG.warning("the database is opened anew")

    async def _file_anew(self) -> OpenedFile:
        terms = replace(self._terms, identity=self._file.terms.identity.anew())
        try:
            await self._leave_moved()
            async with asyncio.timeout(terms.bounds.answer_wait):
                return await open_file(terms, self._condition, "rw")
        except TimeoutError:
            cause: Exception = StuckError(f"no end within {terms.bounds.answer_wait:g} s")
        except (StartError, sqlite3.Error, OSError) as error:
            cause = error
        self._condition.read_failed("opening the database anew", cause)
        raise DatabaseFailure(NOTHING_CHANGED) from cause

    async def _leave_moved(self) -> None:
        """Close what is open of a file that has moved, with its log emptied into it.

        Raises OperationalError, and TimeoutError where the disk hangs.

        All of it has to be closed before anything is opened: a log stands beside one file, and is known by its name.
        """
        former = self._file
        if self._open_snapshots or not await former.leave_reading(LEAVE_WAIT):
            raise sqlite3.OperationalError("the former file is still read")
        with contextlib.suppress(DatabaseFailure):
            await (await former.writer.connection()).control("PRAGMA wal_checkpoint(TRUNCATE)")
        if not await former.leave(LEAVE_WAIT):
            raise sqlite3.OperationalError("the former file cannot be closed")
        looking = asyncio.to_thread(former.terms.identity.leaves_a_log)
        if await asyncio.wait_for(looking, self._terms.bounds.answer_wait):
            raise sqlite3.OperationalError("a log that belongs to the former file stands beside the database")

    def _is_held_up(self) -> bool:
        began, committing = self._begun, self._committing
        if began is not None and _now() - began > HELD_UP:
            return True
        return committing is not None and _now() - committing > COMMIT_WAIT

    async def _check(self) -> None:
        """Let one check at a time find out whether the fault is over, and wait for it a moment."""
        if self._checking is None or (self._checking.done() and self._checks.may_begin()):
            self._checking = self._started(self._checked())
        await asyncio.wait([self._checking], timeout=CHECK_WAIT)

    async def _checked(self) -> None:
        with contextlib.suppress(DatabaseFailure):
            if not (self._condition.reads and self._condition.is_whole):
                await self._read_all()
            if self._condition.is_whole and not self._condition.writes:
                await self._transact(_try_to_write, None)
                await self._transact(_forget_try, None)
                self._condition.written()

    async def _read_all(self) -> None:
        # a connection of its own, which remembers no page; opening it reads, which shows what no broken page explains
        reader = await connect((await self._present()).terms, "ro", open_log)
        self._open_snapshots += 1
        try:
            if self._condition.is_whole or await self._finds_whole(reader):
                self._condition.read()
        finally:
            self._open_snapshots -= 1
            reader.leave()

    async def _finds_whole(self, reader: Connection) -> bool:
        """Check the whole file, as long as that takes: the database is not well meanwhile.

        It is broken off when the file has moved or is closed, and after CHECK_BOUND, should the disk hang.
        """
        checking = asyncio.create_task(reader.is_whole())
        begun, identity = _now(), self._file.terms.identity
        while not checking.done():
            await asyncio.wait([checking], timeout=CHECK_LOOK)
            if self._closing.is_set() or identity.is_moved or _now() - begun > CHECK_BOUND:
                await reader.interrupt()
                checking.cancel()
                return False
        return await checking


@contextlib.asynccontextmanager
async def open_database(
    path: Path,
    *,
    observe: Observe = unobserved,
    slow_query: float = 0.0,
    bounds: Bounds | None = None,
    clock: Clock | None = None,
) -> AsyncIterator[Database]:
    """Open the database, made and migrated if need be; at the end finish what is under way and close it.

    `observe` is told the time of each named query; those over `slow_query` seconds are logged, none if that is 0.

    Raises StartError if the file cannot be used.
    """
    require_sqlite()
    steady = (clock or Clock()).steady
    condition = Condition(FailureLog(steady))
    identity = FileIdentity(path, steady)
    observe = warning_of_slow(observe, slow_query)
    terms = Terms(identity, bounds or Bounds(), observe, condition.read_failed, Leaving())
    try:
        opened = await _opened(terms, condition)
    finally:
        await terms.leaving.are_gone(LEAVE_WAIT)
    database = Database(opened, condition)
    try:
        yield database
        await database.finish()
    finally:
        await to_its_end(asyncio.create_task(database.close()))


async def _opened(terms: Terms, condition: Condition) -> OpenedFile:
    path = terms.identity.path
    try:
        return await open_file(terms, condition, "rwc")
    except (sqlite3.Error, OSError) as error:
        raise StartError(f"the database {path} cannot be used: {error}") from error
    except DatabaseFailure as error:
        raise StartError(f"the database {path} cannot be used; the log says why") from error


async def _try_to_write(connection: Connection) -> None:
    await connection.rows(QUERIES["try_to_write"], text="x" * TRIED)


async def _forget_try(connection: Connection) -> None:
    await connection.rows(QUERIES["forget_try"])


def _now() -> float:
    return asyncio.get_running_loop().time()
