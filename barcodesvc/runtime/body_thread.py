"""The thread that works on large bodies: one at a time, then a pause as long as the work, and no garbage collection.

Without it, /health and scans would wait for a client's largest bodies. A parser holds Python's global lock until it
ends, up to 50 ms, and a response needs several turns of the event loop: with bodies one after the other, 300 ms.
"""

import asyncio
import gc
from collections.abc import Callable
from typing import Any, TypeVar

from barcodesvc.errors import InvalidInput
from barcodesvc.runtime.threads import WorkerThreads

T = TypeVar("T")


class BodyThread:
    """The thread; work on a body waits until the work on earlier ones, and the pause after it, are over."""

    def __init__(self, steady: Callable[[], float]) -> None:
        self._threads = WorkerThreads("bodies", 1)
        self._lock = asyncio.Lock()
        self._steady = steady

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return the result of work on a body."""
        await self._lock.acquire()
        begun = self._steady()
        try:
            return await self._threads.run(_without_collection, work, *arguments)
        finally:
            asyncio.get_running_loop().call_later(self._steady() - begun, self._lock.release)

    async def close(self) -> None:
        """End the thread after the work that has begun."""
        await self._threads.close()


def _without_collection(work: Callable[..., T], *arguments: Any) -> T:
    """Return the result of work during which no garbage is collected.

    Parsing a body into half a million lists would start collections that look at each of them: up to 0.7 s, in which
    all requests wait. A refusal leaves out the values that it was made from, so that later collections do not look at
    them.
    """
    gc.disable()
    try:
        return work(*arguments)
    except InvalidInput as refusal:
        refusal.__context__ = None
        raise refusal.with_traceback(None) from None
    finally:
        gc.enable()
