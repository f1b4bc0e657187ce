"""How late the event loop is: what a request waits for that asks for nothing.

A timer that should have rung earlier tells by how much something has held the loop up: a long computation on it, or
threads that keep the interpreter. Asked four times a second, it costs nothing that can be measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from barcodesvc.api.observe.tally import Durations

PAUSE = 0.25
"""Seconds between two looks."""


@asynccontextmanager
async def lag_watched(lag: Durations, steady: Callable[[], float]) -> AsyncIterator[None]:
    """Count into `lag`, inside of the block, how late the loop is."""
    watching = asyncio.create_task(_watch(lag, steady))
    try:
        yield
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


async def _watch(lag: Durations, steady: Callable[[], float]) -> None:
    while True:
        begun = steady()
        await asyncio.sleep(PAUSE)
        lag.add(max(0.0, steady() - begun - PAUSE))
