"""Thread pools for work that would block the event loop: a ThreadPoolExecutor behind a semaphore.

A thread gets its next work from the event loop, never from the executor's queue: threads that never pause starve the
loop of the interpreter lock.

A thread cannot be stopped. Work that hangs in a library occupies its thread until the process ends; work on untrusted
files belongs in `processes`.

Rule: an error of the work reaches the caller as an Exception, because a SystemExit would end the event loop and a
StopIteration would never arrive.
"""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class WorkDiedError(Exception):
    """The work raised a BaseException that is not an Exception, such as a SystemExit; it is the cause."""


class WorkerThreads:
    """Up to `threads` threads, named after the pool."""

    def __init__(self, name: str, threads: int) -> None:
        self.size = threads
        self._idle = asyncio.Semaphore(threads)
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self.busy = 0
        """How many threads are working now."""

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run the work in a thread and return its result; it completes even if the caller is cancelled.

        It runs in the caller's context, so that its log lines name the same request.

        Raises what the work raises, WorkDiedError (see there), and RuntimeError if the system starts no thread.
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
        """Give the work to an idle thread and return the future of its result, which must be awaited shielded.

        For batches of renders, which ask only while one is idle. Raises RuntimeError if the system starts no
        thread; the work is not done then.
        """
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()

        def do() -> None:
            if result.cancelled():
                return
            try:
                settle = partial(result.set_result, work(*arguments))
            except BaseException as error:  # noqa: BLE001 - passed to the caller
                settle = partial(result.set_exception, as_exception(error))
            loop.call_soon_threadsafe(self._end, result, settle)  # the executor ignores a closed loop

        try:
            self._executor.submit(contextvars.copy_context().run, do)
        except BaseException:
            result.cancel()  # the executor has queued it and would run it with the next work
            raise
        self.busy += 1
        return result

    async def close(self) -> None:
        """Wait for running work without a time limit, and end the threads."""
        for _ in range(self.size):
            await self._idle.acquire()
        self._executor.shutdown()
        for _ in range(self.size):
            self._idle.release()

    def _end(self, result: asyncio.Future[Any], settle: Callable[[], None]) -> None:
        if not result.cancelled():
            self.busy -= 1
            settle()


def as_exception(error: BaseException) -> Exception:
    """Return an error that a future accepts and the event loop survives: the error itself, or WorkDiedError."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    died = WorkDiedError(f"the work ended with {type(error).__name__}")
    died.__cause__ = error
    return died


async def run_to_end(threads: WorkerThreads, work: Callable[..., T], *arguments: Any) -> T:
    """Run the work in the pool and return its result; a cancelled caller still waits for its end.

    Thus no file is closed while a thread uses it.
    """
    return await to_its_end(asyncio.ensure_future(threads.run(work, *arguments)))


async def to_its_end(running: asyncio.Future[T]) -> T:
    """Return the result of a future; a cancelled caller still waits for its end."""
    try:
        return await asyncio.shield(running)
    finally:
        await asyncio.wait([running])
