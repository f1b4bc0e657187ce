"""The thread that parses large bodies, so that the event loop stays free: one body at a time, with a rest after it.

Without it, a client's largest body would delay all other requests for as long as it is parsed. A parser holds Python's
global lock until it ends, so the thread rests after a very large body: others need several turns of the event loop.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Any, TypeVar

from barcodesvc.errors import InvalidInput
from barcodesvc.runtime.threads import WorkerThreads

T = TypeVar("T")

_VERY_LARGE_BODY = 256 * 1024
"""The thread rests after a body of more bytes."""
REST = 0.02
"""Seconds for which it rests."""


class BodyThread:
    """The thread; work on a body waits until that on earlier ones is done."""

    def __init__(self) -> None:
        self._threads = WorkerThreads("bodies", 1)
        self._lock = asyncio.Lock()

    async def run(self, size: int, work: Callable[..., T], *arguments: Any) -> T:
        """Return the result of work on a body of `size` bytes; the next work waits for the rest after it."""
        await self._lock.acquire()
        try:
            return await self._threads.run(_without_collection, work, *arguments)
        finally:
            asyncio.get_running_loop().call_later(REST if size > _VERY_LARGE_BODY else 0, self._lock.release)

    async def close(self) -> None:
        """End the thread after the work that has begun."""
        await self._threads.close()


def _without_collection(work: Callable[..., T], *arguments: Any) -> T:
    """Return the result of work during which no garbage is collected.

    Parsing a body into very many lists would start collections that look at each of them, which blocks all requests. So
    that those after it do not, a refusal comes without the values that it was made from.
    """
    gc.disable()
    try:
        return work(*arguments)
    except InvalidInput as refusal:
        refusal.__context__ = None
        raise refusal.with_traceback(None) from None
    finally:
        gc.enable()
