"""From key to rendering: cache, then the render already under way, then the thread pool.

Rule: what is under way belongs to nobody. Each render is a task of the renderer's own, which its callers await
shielded; a caller that goes away takes nothing from the others, and a failure is never kept.

A render that hangs is given up after its time, with one failure for all who wait for it; see `worker_threads`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass, field

from barcodesvc.errors import GenerationFailure, RenderOverload, ServiceError
from barcodesvc.render.cache import RenderCache
from barcodesvc.render.rendering import Rendering, RenderKey
from barcodesvc.worker_threads import WorkerThreads

_LOG = logging.getLogger(__name__)

RETRY_AFTER = {"Retry-After": "1"}
LONGEST_RENDER = 30.0
"""Seconds after which a render counts as hung, unless told otherwise: a thousand times those of the largest image."""


@dataclass(slots=True)
class RenderCounts:
    """What a renderer has done since its start.

    hits and misses of the cache, one for each time a code was asked for; renders by outcome: done, refused (content
    that cannot be drawn), failed, overload (no place in the queue).
    """

    hits: int = 0
    misses: int = 0
    renders: Counter[str] = field(default_factory=Counter)


class Renderer:
    """Renders codes in `threads` threads named `render`; at most `queue` renders wait or run at a time.

    A render may take `most_seconds` once it has begun.
    """

    def __init__(self, *, threads: int, queue: int, cache_bytes: int, most_seconds: float = LONGEST_RENDER) -> None:
        self.threads = WorkerThreads("render", threads, most_seconds)
        self._queue = queue
        self._cache = RenderCache(cache_bytes)
        self._under_way: dict[RenderKey, asyncio.Task[Rendering]] = {}
        self._closing = False
        self.counts = RenderCounts()

    @property
    def under_way(self) -> int:
        """How many renders wait or run."""
        return len(self._under_way)

    @property
    def cache(self) -> RenderCache:
        """The renderings at hand."""
        return self._cache

    def cached(self, key: RenderKey) -> Rendering | None:
        """Return the rendering if it is at hand."""
        found = self._cache.get(key)
        if found is not None:
            self.counts.hits += 1
        return found

    async def render(self, key: RenderKey) -> Rendering:
        """Return the rendering of the key.

        Raises InvalidContent for input that cannot be drawn, RenderOverload when the queue is full or the service
        is shutting down, GenerationFailure for anything else.
        """
        found = self.cached(key)
        if found is not None:
            return found
        self.counts.misses += 1
        task = self._under_way.get(key) or self._start(key)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Refuse new renders, finish those under way and end the threads."""
        self._closing = True
        if self._under_way:
            await asyncio.wait(self._under_way.values())
        await self.threads.close()

    def _start(self, key: RenderKey) -> asyncio.Task[Rendering]:
        if self._closing:
            raise RenderOverload("the service is shutting down", headers=RETRY_AFTER)
        if len(self._under_way) >= self._queue:
            self.counts.renders["overload"] += 1
            raise RenderOverload(
                "too many codes are waiting to be rendered; try again in a moment", headers=RETRY_AFTER
            )
        task = asyncio.create_task(self._run(key))
        self._under_way[key] = task
        task.add_done_callback(_retrieve_exception)
        return task

    async def _run(self, key: RenderKey) -> Rendering:
        try:
            rendering = await self.threads.run(key.render)
        except ServiceError:
            self.counts.renders["refused"] += 1
            raise
        except Exception as error:
            self.counts.renders["failed"] += 1
            _LOG.exception("rendering failed: %r", key)
            raise GenerationFailure("the code could not be rendered") from error
        else:
            self.counts.renders["done"] += 1
            self._cache.put(key, rendering)
            return rendering
        finally:
            del self._under_way[key]


def _retrieve_exception(task: asyncio.Task[Rendering]) -> None:
    """Mark a failure as seen even if every caller has gone away."""
    if not task.cancelled():
        task.exception()
