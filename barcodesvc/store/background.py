"""Background work: a short change that is made again and again until there is nothing left to do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store.script import Begin

REPEAT_PAUSE = 5.0
"""Seconds after which what has failed is tried again."""


async def repeated(change: Callable[[Begin[bool]], Awaitable[bool]], begin: Begin[bool], ending: asyncio.Event) -> None:
    """Make a change until its script returns False, or the database is ending."""
    while not ending.is_set():
        try:
            if not await change(begin):
                return
        except (DatabaseFailure, DatabaseOverload):
            with suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), REPEAT_PAUSE)
