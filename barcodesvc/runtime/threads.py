"""Threads for work that would hold the event loop up: the standard executor, behind a semaphore.

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

        It runs in the context of who asks for it, so that what it logs is told of the same request.

        Raises what it raises, WorkDiedError for what is no Exception, and RuntimeError where the system has no thread.
        """
        await self._idle.acquire()
        in_context = partial(contextvars.copy_context().run, _with_exceptions_only, work, *arguments)
        try:
            running = asyncio.get_running_loop().run_in_executor(self._executor, in_context)
        except BaseException:
            self._idle.release()
            raise
        self.busy += 1
        running.add_done_callback(self._rest)
        return await asyncio.shield(running)

    async def close(self) -> None:
        """Wait for the work under way, as long as that may take, and end the threads."""
        for _ in range(self._threads):
            await self._idle.acquire()
        self._executor.shutdown()
        for _ in range(self._threads):
            self._idle.release()

    def _rest(self, _: asyncio.Future[Any]) -> None:
        self.busy -= 1
        self._idle.release()


def _with_exceptions_only(work: Callable[..., T], *arguments: Any) -> T:
    """Do the work; raises WorkDiedError for what no future takes, or no event loop survives."""
    try:
        return work(*arguments)
    except StopIteration as error:
        raise _died(error) from error
    except Exception:
        raise
    except BaseException as error:
        raise _died(error) from error


def _died(cause: BaseException) -> WorkDiedError:
    return WorkDiedError(f"the work ended with {type(cause).__name__}")


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
