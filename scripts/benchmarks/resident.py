"""The peak of a server's resident memory while it works, sampled from outside."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from scripts.benchmarks.servers import Server

MB = 1_000_000
INTERVAL = 0.01

T = TypeVar("T")


async def peak_during(server: Server, sending: Coroutine[Any, Any, T]) -> tuple[int, T]:
    """Return the maximum of the bytes resident in the server's processes during the sending, and its result."""
    task = asyncio.create_task(sending)
    peak = 0
    while not task.done():
        peak = max(peak, server.resident_bytes())
        await asyncio.sleep(INTERVAL)
    return peak, await task
