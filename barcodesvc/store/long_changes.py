"""Transactions whose statements are sent one by one, for what takes long: others are told of it and end it in between.

Rule: a transaction belongs to nobody. It runs in a task of its own, which the caller awaits shielded: a client that
goes away leaves it committed or rolled back, never half done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from barcodesvc.store.connection import Connection
from barcodesvc.store.current_file import CurrentFile
from barcodesvc.store.own_tasks import OwnTasks
from barcodesvc.store.progress import BEGIN, COMMIT, Progress, Running
from barcodesvc.store.queries import QUERIES
from barcodesvc.store.write_turns import WriteTurns

T = TypeVar("T")
LongWork = Callable[[Connection], Awaitable[T]]
"""What is done in a long transaction."""


class LongChanges:
    """Runs long changes, one at a time."""

    def __init__(self, file: CurrentFile, turns: WriteTurns, tasks: OwnTasks, progress: Progress) -> None:
        self._file = file
        self._turns = turns
        self._tasks = tasks
        self._progress = progress

    async def make(self, work: LongWork[T], staged: Path | None = None) -> T:
        """Run `work` in a transaction, in which the file `staged` can be read under that name.

        Raises what `work` raises, DatabaseFailure if it cannot begin or be committed, and DatabaseOverload if too many
        wait already, or this one has waited too long.
        """
        self._turns.require_place()
        transaction = self._tasks.start(self.transact(work, staged))
        self._turns.count(transaction)
        return await asyncio.shield(transaction)

    async def transact(self, work: LongWork[T], staged: Path | None = None) -> T:
        """Do the same in the task of the caller, who has to see to its end, and however many wait."""
        await self._file.present()
        async with self._turns.one(), self._file.writer() as writer:
            return await self._beside(writer, work, staged)

    async def _beside(self, writer: Connection, work: LongWork[T], staged: Path | None) -> T:
        if staged is None:
            return await self._committed(writer, work)
        await writer.attach(staged)
        try:
            return await self._committed(writer, work)
        finally:
            await writer.detach()

    async def _committed(self, writer: Connection, work: LongWork[T]) -> T:
        running = self._progress.anew()
        try:
            await _watched(running, BEGIN, writer.control(QUERIES["begin_change"].sql))
            result = await work(writer)
            await _watched(running, COMMIT, writer.commit())
        except BaseException:
            await writer.roll_back()
            raise
        return result


async def _watched(running: Running, statement: str, call: Awaitable[None]) -> None:
    running.begin(statement)
    try:
        await call
    finally:
        running.end()
