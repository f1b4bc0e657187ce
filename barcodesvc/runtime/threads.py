"""Threads for work that would hold the event loop up, and what becomes of work that never ends.

A thread cannot be stopped. So work that is not over in its time is given up: who waits for it gets WorkHungError with
the place where it hangs, and a new thread takes the place of its thread. Of these a pool bears a bounded number; then
it refuses work until one of them comes back.

A thread gets its next work from the event loop, never from a queue of the pool's: threads that go on without a pause
keep the interpreter from the loop, and a cached code then waits 20 times longer (measured under saturation).

Rule: the threads are daemons, so that the process ends without those that hang; and whatever a library raises reaches
the caller as an Exception, because a SystemExit would end the event loop and a StopIteration never arrive.
"""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import logging
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from barcodesvc.errors import RenderOverload

_LOG = logging.getLogger(__name__)

T = TypeVar("T")

MOST_HUNG = 8
"""Threads of a pool that may hang before it refuses work."""
_END_WAIT = 1.0
"""Seconds that a pool which is closed waits for an idle thread to end."""


class WorkHungError(Exception):
    """Work was not over in its time and was given up; the message tells where its thread stands."""


class WorkDiedError(Exception):
    """Work ended with something that is no Exception, such as a SystemExit; that is the cause."""


class WorkerThreads:
    """Up to `threads` threads, named after the pool, whose work may take `most_seconds` each time."""

    def __init__(self, name: str, threads: int, most_seconds: float) -> None:
        self._name = name
        self._threads = threads
        self._most_seconds = most_seconds
        self._places = asyncio.Semaphore(threads)
        self._idle: list[_Thread] = []
        self._hung: set[_Thread] = set()
        self._numbers = itertools.count()
        self._closing = False
        self._busy = 0

    @property
    def busy(self) -> int:
        """How many threads are at work at this moment, without those that hang."""
        return self._busy

    @property
    def hung(self) -> int:
        """How many threads hang at this moment."""
        return len(self._hung)

    @property
    def is_exhausted(self) -> bool:
        """Whether so many threads hang that work is refused."""
        return len(self._hung) >= MOST_HUNG

    async def run(self, work: Callable[..., T], *arguments: Any, most_seconds: float | None = None) -> T:
        """Run the work in a thread and return its result; who is cancelled leaves the work to its end.

        It runs in the context of who asks for it, so that what it logs is told of the same request.

        Raises what it raises; WorkDiedError and WorkHungError; RenderOverload where too many threads hang.
        """
        await self._places.acquire()
        in_context = partial(contextvars.copy_context().run, work, *arguments)
        return await self._begun(in_context, most_seconds or self._most_seconds)

    async def close(self) -> None:
        """Wait for the work under way, as long as that may take, and end the threads; nothing begins behind a hang."""
        self._closing = True
        taken = 0
        try:
            for _ in range(self._threads):
                await self._places.acquire()
                taken += 1
            while self._idle:
                self._idle.pop().end()
        finally:
            for _ in range(taken):
                self._places.release()

    def _begun(self, work: Callable[[], T], seconds: float) -> asyncio.Future[T]:
        """Hand the work, for which a place is held, to a thread."""
        try:
            self._require_room()
            thread = self._idle.pop() if self._idle else _Thread(f"{self._name}_{next(self._numbers)}")
        except BaseException:
            self._places.release()
            raise
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[T] = loop.create_future()
        timer = loop.call_later(seconds, self._give_up, thread, outcome, seconds)

        def end(settle: Callable[[], None]) -> None:
            timer.cancel()
            self._take_back(thread)
            if not outcome.done():
                settle()

        def run() -> None:
            settle = _settling(outcome, work)
            with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
                loop.call_soon_threadsafe(end, settle)

        self._busy += 1
        thread.begin(run)
        return outcome

    def _require_room(self) -> None:
        if self._closing and self._hung:
            raise RenderOverload("the service is shutting down", retry_after=5)
        if self.is_exhausted:
            raise RenderOverload("too much of this work hangs; the log says where", retry_after=60)

    def _give_up(self, thread: _Thread, outcome: asyncio.Future[Any], seconds: float) -> None:
        self._hung.add(thread)
        self._free_place()
        hung = WorkHungError(f"{thread.name} hangs; it was given up after {seconds:g} seconds in\n{thread.stack()}")
        if outcome.done():
            _LOG.error("%s", hung)
        else:
            outcome.set_exception(hung)
        if self.is_exhausted:
            _LOG.critical("%d threads %s hang; work for them is refused until one returns", len(self._hung), self._name)

    def _take_back(self, thread: _Thread) -> None:
        if thread in self._hung:
            self._hung.discard(thread)
            thread.end()
            _LOG.warning("%s has come back; %d threads %s hang", thread.name, len(self._hung), self._name)
        else:
            self._idle.append(thread)
            self._free_place()

    def _free_place(self) -> None:
        self._busy -= 1
        self._places.release()


class _Thread:
    """A thread that does one piece of work after the other, as they are handed to it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def begin(self, work: Callable[[], None]) -> None:
        """Do this next; the work raises nothing."""
        self._work.put(work)

    def end(self) -> None:
        """End the thread, which has nothing to do."""
        self._work.put(None)
        self._thread.join(_END_WAIT)

    def stack(self) -> str:
        """Return the place where the thread stands, outermost call first, without reading source files."""
        frame = sys._current_frames().get(self._thread.ident or 0)  # noqa: SLF001 - documented, in spite of its name
        calls = reversed(list(traceback.walk_stack(frame)))
        return "\n".join(f'  File "{f.f_code.co_filename}", line {line}, in {f.f_code.co_name}' for f, line in calls)

    def _run(self) -> None:
        while work := self._work.get():
            work()
            del work  # it holds what came of it


def _settling(outcome: asyncio.Future[T], work: Callable[[], T]) -> Callable[[], None]:
    """Do the work, and return what tells its outcome."""
    try:
        return partial(outcome.set_result, work())
    except StopIteration as error:
        return partial(outcome.set_exception, died(error))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is for the caller to judge
        return partial(outcome.set_exception, error)
    except BaseException as error:  # noqa: BLE001 - as above
        return partial(outcome.set_exception, died(error))


def died(cause: BaseException) -> WorkDiedError:
    """Return what is told of work that ended with no Exception, or with one that no future takes."""
    error = WorkDiedError(f"the work ended with {type(cause).__name__}")
    error.__cause__ = cause
    return error


async def run_to_end(
    threads: WorkerThreads, work: Callable[..., T], *arguments: Any, most_seconds: float | None = None
) -> T:
    """Run the work in the pool and return its result; who is cancelled meanwhile still waits for its end.

    So a file is not closed while a thread still uses it; `in_use` takes care of one whose thread hangs.
    """
    return await to_its_end(asyncio.ensure_future(threads.run(work, *arguments, most_seconds=most_seconds)))


async def to_its_end(running: asyncio.Future[T]) -> T:
    """Return the result of what runs; who is cancelled meanwhile still waits for its end."""
    try:
        return await asyncio.shield(running)
    finally:
        await asyncio.wait([running])


@contextmanager
def in_use(resource: AbstractContextManager[T]) -> Iterator[T]:
    """Enter a resource that threads of a pool use, and leave it at the end, as `with` does.

    Work that hangs may hold its lock, for which the event loop must not wait: then a thread of its own does.
    """
    with ExitStack() as stack:
        entered = stack.enter_context(resource)
        try:
            yield entered
        except WorkHungError:
            threading.Thread(target=stack.pop_all().close, name="in-use", daemon=True).start()
            raise
