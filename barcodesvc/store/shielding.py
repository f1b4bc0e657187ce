"""Waits for a change that completes even if its client disconnects."""

from __future__ import annotations

import asyncio
from typing import TypeVar

T = TypeVar("T")


async def shielded(change: asyncio.Future[T]) -> T:
    """Return the result of a change; if the caller is cancelled, the change goes on, and its exception is dropped.

    `asyncio.shield` alone lets asyncio log such an exception, whenever the change is garbage.
    """
    change.add_done_callback(_retrieve)
    return await asyncio.shield(change)


def _retrieve(change: asyncio.Future[T]) -> None:
    if not change.cancelled():
        change.exception()
