"""Transactions on the only writing connection: all of one is committed, or none of it.

Rule: a transaction belongs to nobody. It runs in a task of its own, which the caller awaits shielded: a client that
goes away leaves it committed or rolled back, never half done.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.connection import Connection
from barcodesvc.store.current_file import CurrentFile
from barcodesvc.store.failures import code_of
from barcodesvc.store.own_tasks import OwnTasks
from barcodesvc.store.write_turns import WriteTurns

HELD_UP = 0.5
"""Seconds after which a change that another process keeps waiting makes the service unwell."""
COMMIT_WAIT = 0.9
"""Seconds after which a commit that the disk has not answered makes the service unwell; statements may take longer."""

T = TypeVar("T")
Work = Callable[[Connection], Awaitable[T]]
"""What is done in a transaction."""


class Transactions:
    """Runs changes, one at a time."""

    def __init__(self, file: CurrentFile, turns: WriteTurns, tasks: OwnTasks) -> None:
        self._file = file
        self._turns = turns
        self._tasks = tasks
        self._begun: float | None = None
        self._committing: float | None = None

    async def run(self, work: Work[T], staged: Path | None = None) -> T:
        """Run `work` in a transaction, in which the file `staged` can be read under that name.

        Raises what `work` raises, DatabaseFailure if it cannot begin or be committed, and DatabaseOverload if too many
        wait already, or this one has waited too long.
        """
        self._turns.enter()
        transaction = self._tasks.start(self.transact(work, staged))
        transaction.add_done_callback(self._leave_turns)
        return await asyncio.shield(transaction)

    async def transact(self, work: Work[T], staged: Path | None = None) -> T:
        """Do the same in the task of the caller, who has to see to its end, and however many wait."""
        await self._file.present()
        async with self._turns.one():
            lane = self._file.writer  # of the file that is open now, which may be another one than before the turn
            try:
                return await self._beside(await lane.connection(), work, staged)
            except DatabaseFailure as failure:
                self._file.met(failure)
                raise
            finally:
                lane.leave_unsound()

    def are_held_up(self) -> bool:
        """Tell whether another process, or the disk, keeps one waiting for longer than it should."""
        begun, committing, now = self._begun, self._committing, _now()
        if begun is not None and now - begun > HELD_UP:
            return True
        return committing is not None and now - committing > COMMIT_WAIT

    def _leave_turns(self, _: asyncio.Task[Any]) -> None:
        self._turns.leave()

    async def _beside(self, writer: Connection, work: Work[T], staged: Path | None) -> T:
        if staged is None:
            return await self._committed(writer, work)
        await writer.attach(staged)
        try:
            return await self._committed(writer, work)
        finally:
            await writer.detach()

    async def _committed(self, writer: Connection, work: Work[T]) -> T:
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
                self._turns.lock_out()
            raise
        finally:
            self._begun = None

    async def _commit(self, writer: Connection) -> None:
        self._committing = _now()
        try:
            await writer.commit()
        finally:
            self._committing = None


def _now() -> float:
    return asyncio.get_running_loop().time()
