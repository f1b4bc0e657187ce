"""Finds out whether a fault of disk or file is over: nothing but this tells that it is.

Whoever asks for the state of the service sets a check going, of which there is one at a time. Rule: a check costs the
file nothing that stays, and tries what failed: it reads every page where one was broken, and writes more than a change
usually does where none could be committed.
"""

from __future__ import annotations

import asyncio
import contextlib

from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.condition import Condition
from barcodesvc.store.connection import Connection
from barcodesvc.store.current_file import CurrentFile
from barcodesvc.store.lane import Attempts
from barcodesvc.store.long_changes import LongChanges
from barcodesvc.store.own_tasks import OwnTasks
from barcodesvc.store.queries import QUERIES

CHECK_WAIT = 0.5
"""Seconds that the question whether the service is well waits for a check that is under way."""
CHECK_LOOK = 0.1
"""Seconds after which a check of the whole file looks whether it should end."""
CHECK_BOUND = 3600.0
"""Seconds after which a check of the whole file is begun anew."""
TRIED = 256 * 1024
"""Bytes that a check writes: some ten times as many as a usual change, so that one that follows finds room as well."""


class FaultCheck:
    """The check that is under way, if one is."""

    def __init__(self, file: CurrentFile, changes: LongChanges, condition: Condition, tasks: OwnTasks) -> None:
        self._file = file
        self._changes = changes
        self._condition = condition
        self._tasks = tasks
        self._checking: asyncio.Task[None] | None = None
        self._attempts = Attempts()

    async def look(self) -> None:
        """Begin a check, if none is under way, and wait for it a moment; what it finds, the condition tells."""
        if self._checking is None or (self._checking.done() and self._attempts.may_begin()):
            self._checking = self._tasks.start(self._checked())
        await asyncio.wait([self._checking], timeout=CHECK_WAIT)

    async def _checked(self) -> None:
        with contextlib.suppress(DatabaseFailure):
            if not (self._condition.reads and self._condition.is_whole):
                await self._read_all()
            if self._condition.is_whole and not self._condition.writes:
                await self._changes.transact(_try_to_write)
                await self._changes.transact(_forget_try)
                self._condition.written()

    async def _read_all(self) -> None:
        # a connection of its own, which remembers no page; opening it reads, which shows what no broken page explains
        async with self._file.reader_apart() as reader:
            try:
                if self._condition.is_whole or await self._finds_whole(reader):
                    self._condition.read()
            finally:
                reader.leave()

    async def _finds_whole(self, reader: Connection) -> bool:
        """Check the whole file, as long as that takes: the database is not well meanwhile.

        It is broken off when the file has moved or is closed, and after CHECK_BOUND, should the disk hang.
        """
        checking = asyncio.create_task(reader.is_whole())
        begun, identity = _now(), self._file.identity
        while not checking.done():
            await asyncio.wait([checking], timeout=CHECK_LOOK)
            if self._tasks.ending.is_set() or identity.is_moved or _now() - begun > CHECK_BOUND:
                await reader.interrupt()
                checking.cancel()
                return False
        return await checking


async def _try_to_write(connection: Connection) -> None:
    await connection.rows(QUERIES["try_to_write"], text="x" * TRIED)


async def _forget_try(connection: Connection) -> None:
    await connection.rows(QUERIES["forget_try"])


def _now() -> float:
    return asyncio.get_running_loop().time()
