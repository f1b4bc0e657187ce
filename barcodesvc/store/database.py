"""The embedded database: one writer, some readers, as few trips to their threads as can be.

A read is one statement in one trip on a read-only connection; short changes go to the only writing connection together,
all that wait in one trip and one transaction; a long one has its own, and sends its statements one by one.

Rule: nothing waits for ever, neither for its turn, nor for another process, nor for a disk; and no fault of theirs
needs a restart once it is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypeVar

from barcodesvc.clock import Clock
from barcodesvc.errors import DatabaseFailure, ExportOverload, StartError
from barcodesvc.store.changes import Changes, Work
from barcodesvc.store.condition import Condition
from barcodesvc.store.connection import Bounds, Connection, Leaving, Terms
from barcodesvc.store.current_file import CurrentFile
from barcodesvc.store.failures import FailureLog
from barcodesvc.store.fault_check import FaultCheck
from barcodesvc.store.file_identity import FileIdentity
from barcodesvc.store.long_changes import LongChanges, LongWork
from barcodesvc.store.openable import why_not_opened
from barcodesvc.store.opened_file import LEAVE_WAIT, OpenedFile, open_file, require_sqlite
from barcodesvc.store.own_tasks import OwnTasks
from barcodesvc.store.progress import Progress
from barcodesvc.store.queries import QUERIES, Query, Row
from barcodesvc.store.query_times import Observe, unobserved, warning_of_slow
from barcodesvc.store.write_turns import WriteTurns
from barcodesvc.worker_threads import to_its_end

T = TypeVar("T")

SNAPSHOTS = 4
SNAPSHOT_WAIT = 10.0
"""Seconds that an export waits for a place."""
REPEAT_PAUSE = 5.0
"""Seconds after which work in the background that has failed is tried again."""


class Database:
    """The open database; made by `open_database`."""

    def __init__(self, opened: OpenedFile, condition: Condition) -> None:
        self._condition = condition
        self._tasks = OwnTasks()
        self._turns = WriteTurns(opened.terms.bounds)
        self._file = CurrentFile(opened, condition, self._turns, self._tasks)
        self._progress = Progress()
        self._changes = Changes(self._file, self._turns, self._tasks, self._progress)
        self._long_changes = LongChanges(self._file, self._turns, self._tasks, self._progress)
        self._snapshots = asyncio.Semaphore(SNAPSHOTS)
        self._check = FaultCheck(self._file, self._long_changes, condition, self._tasks)

    def version(self) -> int | None:
        """Return a number that every commit changes, whoever commits; None, which equals nothing, if it cannot be told.

        What was read after one call is what a read would give now, if now a call gives the same number. It cannot be
        told unless something was read a moment ago, from a file that was in its place.
        """
        return self._file.version()

    @property
    def writes_under_way(self) -> int:
        """How many changes run or wait for those before them."""
        return self._turns.under_way

    async def rows(self, query: Query, **parameters: Any) -> list[Row]:
        """Read all rows of the query."""
        return await (await next((await self._file.present()).readers).connection()).rows(query, **parameters)

    async def scan_row(self, query: Query, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None, on the connection that is kept for scans."""
        return await (await (await self._file.present()).scan_reader.connection()).row(query, **parameters)

    async def row(self, query: Query, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None."""
        return await (await next((await self._file.present()).readers).connection()).row(query, **parameters)

    async def write(self, work: Work[T]) -> T:
        """Make a short change, in the writer's thread: all of it is committed, or, if `work` raises, none.

        Raises what `work` raises, DatabaseFailure if it cannot be made, and DatabaseOverload if too many wait already,
        or this one has waited too long.
        """
        return await self._changes.make(work)

    async def write_long(self, work: LongWork[T], *, staged: Path | None = None) -> T:
        """Make a change in steps, between which others can be told of it, in a transaction of its own.

        The file `staged` can be read in it under that name. Raises the same as `write`.
        """
        return await self._long_changes.make(work, staged)

    def repeat(self, step: Work[bool]) -> None:
        """Make a short change in the background, again and again, until it returns False.

        One that fails is tried again later; closing the database ends it.
        """
        self._tasks.start(self._repeated(step))

    @contextlib.asynccontextmanager
    async def snapshot(self, *, staged: Path | None = None) -> AsyncIterator[Connection]:
        """Open a connection that sees the database as it is now, whatever is written meanwhile.

        The file `staged` can be read on it under that name.

        Raises ExportOverload if all places stay taken, and DatabaseFailure.
        """
        await self._take_snapshot_place()
        try:
            async with self._file.reader_apart() as reader:
                try:
                    if staged:
                        await reader.attach(staged)
                    await reader.control(QUERIES["begin_reading"].sql)
                    await reader.rows(QUERIES["ping"])  # its first read settles what a snapshot sees, not BEGIN
                    yield reader
                finally:
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
            await self._check.look()
        return self._condition.is_sound and not self._progress.is_held_up()

    async def finish(self) -> None:
        """Wait for the transactions under way, and repeat none."""
        await self._tasks.finish()

    async def close(self) -> None:
        """Close the file after `finish`; a connection that hangs is left to itself."""
        await self._file.close()

    async def _repeated(self, step: Work[bool]) -> None:
        while not self._tasks.ending.is_set():
            try:
                if not await self.write(step):
                    return
            except DatabaseFailure:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._tasks.ending.wait(), REPEAT_PAUSE)

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
        cause = why_not_opened(path)  # nobody is served yet whom it could hold up
        raise StartError(f"the database {path} cannot be used: {error}{cause and f'; {cause}'}") from error
    except DatabaseFailure as error:
        raise StartError(f"the database {path} cannot be used; the log says why") from error
