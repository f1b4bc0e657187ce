"""Group commit: short changes that wait for the writer are made in one transaction, in one trip to its thread.

A commit waits for the disk, and a trip takes longer than most changes. So the changes that arrive while one group is
made are the next group: without groups, 32 clients at once would get a fraction of the changes a second. A change that
is refused before it has changed anything does not affect the others. If one fails later, the group is rolled back and
the others are made again, in the same trip.

Long changes, such as imports, take turns with the groups, each in its own transaction.

Rules: a change is confirmed only after its commit. It is not tied to its client: it completes even if the client
disconnects.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.store.limits import HEALTH_WAIT, held, shielded, too_many_waiting, waited_for_long_change
from barcodesvc.store.script import Begin, Script, play, play_waiting, run
from barcodesvc.store.sqlite.connection import Connection, DatabaseFile, Statements
from barcodesvc.store.sqlite.failures import StatementError, is_fault

T = TypeVar("T")

LARGEST_GROUP = 64
"""Changes in a group, which wait for each other and are reported together."""
WRITE_TEST = "x" * 256 * 1024
"""Written to test the disk after a fault: a smaller text may fit on a disk that is still full."""
_BEGIN = run("begin_change")
"""Begins a transaction for changes, waiting for another process's to end."""


class Writer:
    """Makes all changes on the one connection that writes; `is_failing` says whether the last one met a fault."""

    def __init__(self, connection: Connection, file: DatabaseFile) -> None:
        self._connection = connection
        self._file = file
        self._served = file.path.stat()
        self._writing_lock = asyncio.Lock()
        self._waiting: deque[_Change[Any]] = deque()
        self._group: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._changes = Capacity(file.limits.write_queue, too_many_waiting)
        self.is_failing = False

    @property
    def under_way(self) -> int:
        """The number of changes that run or wait."""
        return self._changes.used

    async def change(self, begin: Begin[T]) -> T:
        """Make a short change together with those that wait; see `database.Database`."""
        self._changes.acquire_for(None)
        change = _Change(begin)
        change.outcome.add_done_callback(lambda _: self._changes.release_of(None))
        change.timer = asyncio.get_running_loop().call_later(self._file.limits.write_wait, self._refuse, change)
        self._waiting.append(change)
        if self._group is None or self._group.done():
            self._group = asyncio.create_task(self._commit_group(), context=change.context.copy())
        return cast("T", await shielded(change.outcome))

    async def change_long(self, begin: Begin[T], staged: Path | None = None) -> T:
        """Make a change with a trip for each statement; see `database.Database`."""
        return await shielded(self.start(self._change_alone(begin, staged)))

    async def takes_changes(self) -> bool:
        """Try a change, unless one is under way, and return whether the last one met no fault.

        Normally the trial change is empty; after a fault it writes WRITE_TEST. Waiting for another process's lock is no
        fault until it times out.
        """
        if not self.under_way:
            with suppress(TimeoutError, DatabaseFailure, DatabaseOverload):
                async with asyncio.timeout(HEALTH_WAIT):
                    await self.change(_write if self.is_failing else _nothing)
        return not self.is_failing

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin a task that continues after its caller is gone."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self) -> None:
        """Wait for all changes and tasks."""
        while running := [task for task in (*self._tasks, self._group) if task is not None and not task.done()]:
            await asyncio.wait(running)

    def _refuse(self, change: _Change[Any]) -> None:
        self._waiting.remove(change)
        change.fail(waited_for_long_change())

    async def _commit_group(self) -> None:
        """Make the changes that wait, and begin the next group, in the context of its first one, which the log shows.

        Those whose time is up are no longer there.
        """
        async with self._writing_lock:
            changes = [self._waiting.popleft() for _ in range(min(len(self._waiting), LARGEST_GROUP))]
            for change in changes:
                change.timer.cancel()
            try:
                if changes:
                    await self._connection.run_in_thread(partial(self._make, changes))
            except Exception as error:  # noqa: BLE001 - every change of the group fails with it
                self._note_fault(error)
                for change in changes:
                    change.fail(error)
            else:
                self.is_failing = self.is_failing and not any(change.has_written for change in changes)
            for change in changes:
                change.context.run(change.settle, self._file)
        if self._waiting:
            self._group = asyncio.create_task(self._commit_group(), context=self._waiting[0].context.copy())

    def _make(self, changes: Sequence[_Change[Any]], statements: Statements) -> None:
        """Make changes in one transaction in the writer's thread, without those that fail midway.

        If it raises, no change is made.
        """
        wanted = list(changes)
        try:
            self._require_same_file(statements)
            while wanted:
                statements.result(_BEGIN)
                failed = next((change for change in wanted if not change.is_made(statements)), None)
                if failed is None:
                    statements.commit()
                    return
                statements.roll_back()
                wanted.remove(failed)
        except BaseException:
            statements.roll_back()
            raise

    def _require_same_file(self, statements: Statements) -> None:
        """Refuse changes while another file, or none, is at the path: they would be lost."""
        with statements.named("a change"):
            if not os.path.samestat(self._file.path.stat(), self._served):
                raise OSError("another file is at the path of the database")

    async def _change_alone(self, begin: Begin[T], staged: Path | None) -> T:
        """Make a change in its own transaction, which is rolled back with the connection if that is all that helps."""
        lock = held(self._writing_lock, self._file.limits.write_wait, waited_for_long_change)
        with self._changes.held():
            async with lock:
                try:
                    if staged is not None:
                        await self._connection.attach(staged)
                    await self._connection.run_in_thread(self._begin)
                    result = await play_waiting(begin(), self._connection.result)
                    await self._connection.run_in_thread(Statements.commit)
                except BaseException as error:
                    self._note_fault(error)
                    try:
                        await self._connection.run_in_thread(Statements.roll_back)
                    except (DatabaseFailure, DatabaseOverload):
                        self._connection.leave()
                    raise
                finally:
                    if staged is not None:
                        self._connection.leave()
        return result

    def _begin(self, statements: Statements) -> None:
        self._require_same_file(statements)
        statements.result(_BEGIN)

    def _note_fault(self, error: BaseException) -> None:
        if isinstance(error, DatabaseFailure) and error.__cause__ is not None and is_fault(error.__cause__):
            self.is_failing = True


class _Change(Generic[T]):
    """One change, from its queue to its outcome; `timer` refuses it when it has waited too long.

    `has_written` says whether it was made, and wrote something.
    """

    timer: asyncio.TimerHandle
    has_written = False

    def __init__(self, begin: Begin[T]) -> None:
        self._begin = begin
        self._result: T | None = None
        self._error: Exception | None = None
        self._times: Sequence[tuple[str, float]] = ()
        self.outcome: asyncio.Future[T | None] = asyncio.get_running_loop().create_future()
        self.context = copy_context()

    def is_made(self, statements: Statements) -> bool:
        """Play the script in the writer's thread; return False if it fails after it has changed something.

        Raises faults of the disk or the file, which are not the fault of this change.
        """
        connection, run_before = statements.connection, len(statements.times)
        written = connection.total_changes
        self._error = None
        try:
            self._result = play(self._begin(), statements.result)
        except Exception as error:
            if isinstance(error, StatementError) and is_fault(error.cause):
                raise
            self._error = error
        self._times = statements.times[run_before:]
        has_changed_something = connection.total_changes > written
        self.has_written = has_changed_something and self._error is None
        return self._error is None or (not has_changed_something and connection.in_transaction)

    def settle(self, file: DatabaseFile) -> None:
        """Report the times of the statements, and the outcome unless the whole group has failed."""
        for name, seconds in self._times:
            file.observe(name, seconds)
        if self.outcome.done():
            return
        if self._error is None:
            self.outcome.set_result(self._result)
        elif isinstance(self._error, StatementError):
            self.outcome.set_exception(file.log.failed(self._error.statement, self._error.cause))
        else:
            self.outcome.set_exception(self._error)

    def fail(self, error: Exception) -> None:
        """Report this error as the outcome, unless there is one."""
        if not self.outcome.done():
            self.outcome.set_exception(error)


def _nothing() -> Script[None]:
    yield from ()


def _write() -> Script[None]:
    yield run("try_to_change", text=WRITE_TEST)
