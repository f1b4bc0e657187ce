"""The database file that is open at present, and how it is opened anew when another one stands at its path.

All of it is closed before anything is opened: a log stands beside one file, and is known by its name alone.

Rule: the one opening that is under way belongs to nobody who waits for it, and whoever waits is bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from barcodesvc.errors import DatabaseFailure, StartError
from barcodesvc.store.condition import Condition
from barcodesvc.store.connection import Connection, connect
from barcodesvc.store.failures import NOTHING_CHANGED, StuckError, code_of
from barcodesvc.store.file_identity import LAST_STATEMENT, FileIdentity
from barcodesvc.store.lane import Attempts
from barcodesvc.store.opened_file import LEAVE_WAIT, OpenedFile, open_file, open_log
from barcodesvc.store.own_tasks import OwnTasks
from barcodesvc.store.queries import QUERIES
from barcodesvc.store.write_turns import WriteTurns

_LOG = logging.getLogger(__name__)

REOPEN_PAUSE = 0.4
"""Seconds between two looks whether a file that could not be written can be by now."""
_GENERATION = 2**33
"""More than any number of SQLite's for the commits of one file."""


class CurrentFile:
    """The open file; `present` is for whoever is about to use it."""

    def __init__(self, opened: OpenedFile, condition: Condition, turns: WriteTurns, tasks: OwnTasks) -> None:
        self._opened = opened
        self._condition = condition
        self._turns = turns
        self._tasks = tasks
        self._attempts = Attempts()
        self._generation = 0
        self._reopening: asyncio.Task[None] | None = None
        self._vouching: asyncio.Task[None] | None = None
        self._looked_for_write = float("-inf")
        self._readers_apart = 0

    @property
    def identity(self) -> FileIdentity:
        """The identity of the open file."""
        return self._opened.terms.identity

    @contextlib.asynccontextmanager
    async def writer(self) -> AsyncIterator[Connection]:
        """Give the writing connection, for a block that has its turn; what the block meets is looked at.

        It is that of the file that is open now, which may be another one than before the turn. Raises DatabaseFailure.
        """
        lane = self._opened.writer
        try:
            yield await lane.connection()
        except DatabaseFailure as failure:
            self._turns.note(failure)
            self.met(failure)
            raise
        finally:
            lane.leave_unsound()

    def version(self) -> int | None:
        """Return a number that every commit to any file changes, None if it cannot be told; see `Database.version`.

        Whoever asks again and again lets a read go ahead from time to time, for it cannot be told long without one.
        """
        if self.identity.is_due() and (self._vouching is None or self._vouching.done()):
            self._vouching = self._tasks.start(self._vouch())
        if not self.identity.is_trusted:
            return None
        version = self._opened.watch.version()
        return None if version is None else self._generation * _GENERATION + version

    async def present(self) -> OpenedFile:
        """Return the open file, opened anew if another one, or one put back, stands at its path.

        Raises DatabaseFailure where that fails or takes too long.
        """
        if self.identity.is_moved:
            await self._opened_anew()
        return self._opened

    @contextlib.asynccontextmanager
    async def reader_apart(self) -> AsyncIterator[Connection]:
        """Open a connection that the block has to itself, and has to close; nothing is opened anew beside it."""
        reader = await connect((await self.present()).terms, "ro", open_log)
        self._readers_apart += 1
        try:
            yield reader
        finally:
            self._readers_apart -= 1

    def met(self, failure: DatabaseFailure) -> None:
        """Let all be opened anew after a change met a file that could not be written, as soon as it can be.

        The index of the log is shared by all connections of a process, and stays read-only as long as one is open.
        """
        now = asyncio.get_running_loop().time()
        read_only = failure.__cause__ and code_of(failure.__cause__) == sqlite3.SQLITE_READONLY
        if read_only and now - self._looked_for_write > REOPEN_PAUSE:
            self._looked_for_write = now
            self._tasks.start(self._give_up_if_writable())

    async def close(self) -> None:
        """Close the file; a connection that hangs is left to itself."""
        await self._opened.leave(LEAVE_WAIT)

    async def _vouch(self) -> None:
        with contextlib.suppress(DatabaseFailure):
            await (await (await self.present()).scan_reader.connection()).rows(QUERIES["ping"])

    async def _give_up_if_writable(self) -> None:
        identity = self.identity
        with contextlib.suppress(TimeoutError):
            if await self._looked(identity.can_be_written):
                identity.give_up()

    async def _opened_anew(self) -> None:
        if self._reopening is None or self._reopening.done():
            self._reopening = self._tasks.start(self._reopen())
        try:
            async with asyncio.timeout(self._opened.terms.bounds.answer_wait):
                await asyncio.shield(self._reopening)
        except TimeoutError:
            raise DatabaseFailure(NOTHING_CHANGED) from None

    async def _reopen(self) -> None:
        with self._attempts.one():
            async with self._turns.one():
                self._opened = await self._another()
        self._generation += 1
        _LOG.warning("the database is opened anew")

    async def _another(self) -> OpenedFile:
        terms = replace(self._opened.terms, identity=self.identity.anew())
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
        """
        former = self._opened
        if self._readers_apart or not await former.leave_reading(LEAVE_WAIT):
            raise sqlite3.OperationalError("the former file is still read")
        with contextlib.suppress(DatabaseFailure):
            await (await former.writer.connection()).control(LAST_STATEMENT)
        if not await former.leave(LEAVE_WAIT):
            raise sqlite3.OperationalError("the former file cannot be closed")
        if await self._looked(self.identity.leaves_a_log):
            raise sqlite3.OperationalError("a log that belongs to the former file stands beside the database")

    async def _looked(self, look: Callable[[], bool]) -> bool:
        """Look at the files in a thread; raises TimeoutError where the disk hangs."""
        return await asyncio.wait_for(asyncio.to_thread(look), self._opened.terms.bounds.answer_wait)
