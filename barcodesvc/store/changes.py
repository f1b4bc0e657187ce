"""Short changes of the database: those that wait for the writer are made together, with one commit.

A commit waits for the disk, and a trip to the writer's thread takes longer than most changes. So whatever has come
while one group was made is the next group. A change that is refused before it has changed anything leaves the others
alone; where one fails later, the group is undone, and made again without that one, which is tried by itself. (A
savepoint for each would be paid by all: every statement lets go of the interpreter, and under load waits for it.)

Rules: nobody is told of a change before it is committed. And a change belongs to nobody who waits for it: one whose
client goes away is made all the same.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from typing import Any, Generic, TypeVar, cast

from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.connection import Connection
from barcodesvc.store.current_file import CurrentFile
from barcodesvc.store.failures import NOTHING_CHANGED, is_fault
from barcodesvc.store.own_tasks import OwnTasks
from barcodesvc.store.progress import Progress
from barcodesvc.store.statements import FailedStatementError, Statements
from barcodesvc.store.write_turns import WriteTurns, waited_too_long
from barcodesvc.worker_threads import died

T = TypeVar("T")
Work = Callable[[Statements], T]
"""What a change does, in the writer's thread."""

MOST_TOGETHER = 64
"""Changes of one group: what all of them wait for, and what a fault of one can cost the others."""
LONGEST_GROUP = 1.0
"""Seconds after which a group takes no further change: those behind it go with the next one."""


class Changes:
    """The changes that wait, and the one task that makes them."""

    def __init__(self, file: CurrentFile, turns: WriteTurns, tasks: OwnTasks, progress: Progress) -> None:
        self._file = file
        self._turns = turns
        self._tasks = tasks
        self._progress = progress
        self._waiting: deque[_Change[Any]] = deque()
        self._making: asyncio.Task[None] | None = None

    async def make(self, work: Work[T]) -> T:
        """Make a change and return what `work` returns, once it is committed.

        Raises what `work` raises, DatabaseFailure if it cannot be made, and DatabaseOverload if too many wait already,
        or this one has waited too long.
        """
        self._turns.require_place()
        change = _Change(work)
        self._turns.count(change.outcome)
        self._waiting.append(change)
        self._let_wait(change)
        if self._making is None or self._making.done():
            self._making = self._tasks.start(self._make_all())
            self._making.add_done_callback(self._end)
        return cast("T", await asyncio.shield(change.outcome))

    def _let_wait(self, change: _Change[Any]) -> None:
        due = change.since + self._turns.bounds.write_wait
        change.patience = asyncio.get_running_loop().call_at(due, self._give_up, change)

    def _give_up(self, change: _Change[Any]) -> None:
        self._waiting.remove(change)
        change.fail(waited_too_long())

    async def _make_all(self) -> None:
        while self._waiting:
            await self._make_next()

    def _end(self, making: asyncio.Task[None]) -> None:
        while self._waiting and making.cancelled():  # by the end of the event loop
            _cancel(self._group())

    async def _make_next(self) -> None:
        """Make the changes that wait, up to a bound, once it is their turn."""
        group: list[_Change[Any]] = []
        try:
            await self._file.present()
            async with self._turns.next():
                group = self._group()
                if group:  # what fails all of them is logged as the first one's
                    await asyncio.create_task(self._transact(group), context=group[0].context.copy())
        except asyncio.CancelledError:
            _cancel(group)
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait are told
            for change in group or self._group():
                change.fail(_one_more(error))

    def _group(self) -> list[_Change[Any]]:
        """Take those who wait off the queue, up to the bounds; those who were locked out fail at once."""
        group: list[_Change[Any]] = []
        while self._waiting and len(group) < MOST_TOGETHER:
            if group and (group[-1].is_alone or self._waiting[0].is_alone):
                break
            change = self._waiting.popleft()
            change.begin()
            if self._turns.is_locked_out(change.since):
                change.fail(DatabaseFailure(NOTHING_CHANGED))
            else:
                group.append(change)
        return group

    async def _transact(self, group: Sequence[_Change[Any]]) -> None:
        async with self._file.writer() as writer:
            ended = await writer.together(partial(_made, group), self._progress.anew())
            for change in group[:ended]:
                change.context.run(change.settle, writer)
            self._put_back(group[ended:], writer)

    def _put_back(self, changes: Sequence[_Change[Any]], writer: Connection) -> None:
        """Let changes that have no outcome yet be the next, if they may still wait; a fault is told now."""
        late = asyncio.get_running_loop().time() - self._turns.bounds.write_wait
        for change in reversed(changes):
            change.context.run(change.tell_fault, writer)
            if change.since <= late:
                change.fail(waited_too_long())
            else:
                self._waiting.appendleft(change)
                self._let_wait(change)


class _Change(Generic[T]):
    """One change, from its queue to its outcome."""

    def __init__(self, work: Work[T]) -> None:
        loop = asyncio.get_running_loop()
        self._work = work
        self._result: T | None = None
        self._error: BaseException | None = None
        self.outcome: asyncio.Future[T | None] = loop.create_future()
        self.context = copy_context()
        self.since = loop.time()
        self.patience: asyncio.TimerHandle | None = None
        self.is_alone = False
        """Whether it has failed halfway and cost others their transaction; so it gets one of its own."""

    def begin(self) -> None:
        """Wait no longer: the change is being made."""
        if self.patience is not None:
            self.patience.cancel()

    def is_made(self, statements: Statements) -> bool:
        """Run the work in the writer's thread, and tell whether what is there of it may be committed."""
        statements.context, before = self.context, statements.changed_rows
        self._error = None
        try:
            self._result = self._work(statements)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is this change's own
            self._error = error
        self.is_alone = self._error is not None and (statements.changed_rows != before or not statements.is_open)
        return not self.is_alone

    def tell_fault(self, writer: Connection) -> None:
        """Tell a fault of disk or file, which may not come again."""
        if isinstance(self._error, FailedStatementError) and self._error.__cause__ and is_fault(self._error.__cause__):
            writer.failure(self._error)

    def settle(self, writer: Connection) -> None:
        """Tell the outcome of a change whose group is committed."""
        if isinstance(self._error, FailedStatementError):
            self.fail(writer.failure(self._error))
        elif self._error is not None:
            self.fail(self._error)
        elif not self.outcome.done():
            self.outcome.set_result(self._result)

    def fail(self, error: BaseException) -> None:
        """Tell why the change was not made."""
        if self.outcome.done():
            return
        if isinstance(error, StopIteration) or not isinstance(error, Exception):
            error = died(error)
        self.outcome.set_exception(error)


def _made(group: Sequence[_Change[Any]], statements: Statements) -> int:
    """Make the changes in one transaction, in the writer's thread, and return how many of them have an outcome."""
    statements.begin()
    try:
        for made, change in enumerate(group):
            if made and statements.seconds > LONGEST_GROUP:
                statements.commit()
                return made
            if not change.is_made(statements):
                statements.roll_back()
                return len(group) == 1
        statements.commit()
    except BaseException:
        statements.roll_back()
        raise
    return len(group)


def _cancel(group: Sequence[_Change[Any]]) -> None:
    """Let nobody wait for an outcome that nobody will tell."""
    for change in group:
        change.outcome.cancel()


def _one_more(error: Exception) -> Exception:
    """Return the same failure for one more who waits: what is raised twice would gather the places of both."""
    if not isinstance(error, DatabaseFailure):
        return error
    another = type(error)(error.message, headers=error.headers)
    another.__cause__ = error.__cause__
    return another
