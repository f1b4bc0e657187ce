"""Thread pools for work that would hold the event loop up: the standard executor, behind a semaphore.

A thread gets its next work from the event loop, never from the executor's queue: threads that go on without a pause
keep the interpreter from the loop, and a cached code then waits 20 times longer (measured under saturation).

A thread cannot be stopped. Work that hangs in a library costs its thread until the process ends, which does not wait
for it longer than its hard end allows; work on strangers' files belongs into `processes`.

Rule: whatever a library raises reaches the caller as an Exception, because a SystemExit would end the event loop and a
StopIteration never arrive.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class WorkDiedError(Exception):
    """Work ended with something that is no Exception, such as a SystemExit; that is the cause."""


class WorkerThreads:
    """Up to `threads` threads, named after the pool."""

    def __init__(self, name: str, threads: int) -> None:
        self._threads = threads
        self._idle = asyncio.Semaphore(threads)
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self.busy = 0
        """How many threads are at work at this moment."""

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run the work in a thread and return its result; who is cancelled leaves the work to its end.

        It runs in the context of who asks for it, so that what it logs names the same request.

        Raises what it raises, WorkDiedError for what is no Exception, and RuntimeError where the system has no thread.
        """
        await self._idle.acquire()
        try:
            running = self.start(work, *arguments)
        except BaseException:
            self._idle.release()
            raise
        running.add_done_callback(lambda _: self._idle.release())
        return await asyncio.shield(running)

    def start(self, work: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:
        """Hand the work to an idle thread and return the future of its result, which is only awaited shielded.

        For the renderer, which limits its own work to the number of threads. Raises RuntimeError where the system has
        no thread; the work is not done then.
        """
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()

        def do() -> None:
            if result.cancelled():
                return
            settle = _settling(result, work, *arguments)
            loop.call_soon_threadsafe(self._end, result, settle)  # the executor keeps quiet if the loop is closed

        try:
            self._executor.submit(contextvars.copy_context().run, do)
        except BaseException:
            result.cancel()  # the executor keeps work for which it got no thread, and would do it with the next one
            raise
        self.busy += 1
        return result

    async def close(self) -> None:
        """Wait for the work under way, as long as that may take, and end the threads."""
        for _ in range(self._threads):
            await self._idle.acquire()
        self._executor.shutdown()
        for _ in range(self._threads):
            self._idle.release()

    def _end(self, result: asyncio.Future[Any], settle: Callable[[], None]) -> None:
        if not result.cancelled():
            self.busy -= 1
            settle()


def _settling(result: asyncio.Future[T], work: Callable[..., T], *arguments: Any) -> Callable[[], None]:
    """Do the work and return what sets the result, to what it returns or raises."""
    try:
        return partial(result.set_result, work(*arguments))
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is for the caller to judge
        return partial(result.set_exception, _as_exception(error))


def _as_exception(error: BaseException) -> Exception:
    """Return what a future takes and an event loop survives: the error itself or WorkDiedError."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    died = WorkDiedError(f"the work ended with {type(error).__name__}")
    died.__cause__ = error
    return died


async def run_to_end(threads: WorkerThreads, work: Callable[..., T], *arguments: Any) -> T:
    """Run the work in the pool and return its result; who is cancelled meanwhile still waits for its end.

    So a file is not closed while a thread still uses it.
    """
    return await to_its_end(asyncio.ensure_future(threads.run(work, *arguments)))


async def to_its_end(running: asyncio.Future[T]) -> T:
    """Return the result of what runs; who is cancelled meanwhile still waits for its end."""
    try:
        return await asyncio.shield(running)
    finally:
        await asyncio.wait([running])
