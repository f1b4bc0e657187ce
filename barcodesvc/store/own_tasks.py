"""Tasks that belong to nobody who waits for them: they go on when a client goes away, and the end waits for all."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class OwnTasks:
    """The tasks under way."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[Any]] = set()
        self.ending = asyncio.Event()
        """Tells those that would go on for long to end."""

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin a task."""
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    async def finish(self) -> None:
        """Wait for all of them, and for those that they begin."""
        self.ending.set()
        while self._under_way:
            await asyncio.wait(self._under_way)
