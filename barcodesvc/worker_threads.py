"""Work in a thread pool that is never left alone: a file must not be closed while a thread still uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


async def run_to_end(threads: ThreadPoolExecutor, work: Callable[..., T], *arguments: Any) -> T:
    """Run the work in the pool and return its result; who is cancelled meanwhile still waits for its end."""
    return await to_its_end(asyncio.get_running_loop().run_in_executor(threads, work, *arguments))


async def to_its_end(running: asyncio.Future[T]) -> T:
    """Return the result of what runs; who is cancelled meanwhile still waits for its end."""
    try:
        return await asyncio.shield(running)
    finally:
        await asyncio.wait([running])
