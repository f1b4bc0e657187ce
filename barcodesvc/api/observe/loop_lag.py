"""Event loop lag: how late the loop is, which is what a request waits for that asks for nothing.

A timer that rings late shows by how much something has held the loop up: a long computation on it, or threads that
keep the interpreter. Asked four times a second, it costs nothing that can be measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

PAUSE = 0.25
"""Seconds between two looks."""


@asynccontextmanager
async def lag_measured(observe: Callable[[float], None], steady: Callable[[], float]) -> AsyncIterator[None]:
    """Give `observe`, inside of the block, the seconds by which the loop is late."""
    measuring = asyncio.create_task(_measure(observe, steady))
    try:
        yield
    finally:
        measuring.cancel()
        with suppress(asyncio.CancelledError):
            await measuring


async def _measure(observe: Callable[[float], None], steady: Callable[[], float]) -> None:
    while True:
        begun = steady()
        await asyncio.sleep(PAUSE)
        observe(max(0.0, steady() - begun - PAUSE))
