"""The renderer: a cache, single flight for keys that are requested at the same time, a bounded queue, a thread.

The cache is least recently used and limited in bytes. The weight of an entry is its bytes plus an allowance for key and
bookkeeping, so that the limit applies to memory. It is used only in the event loop's thread, and needs no lock.

Rule: a render is not tied to its callers. They await its future shielded, so a caller that disconnects does not affect
the others. A failure is never cached.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from cachetools import LRUCache

from barcodesvc.clock import Clock
from barcodesvc.codes.batches import Batches
from barcodesvc.codes.rendering import Rendering, RenderKey
from barcodesvc.errors import GenerationFailure, RenderOverload, ServiceError, Stopping
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.threads import WorkerThreads

_LOG = logging.getLogger(__name__)

_STEADY = Clock().steady
ENTRY_OVERHEAD = 1400
"""Bytes of key, dictionary slots, object headers and unused memory between objects of different sizes."""


def _weight(rendering: Rendering) -> int:
    return rendering.weight + ENTRY_OVERHEAD


class RenderCache:
    """Renderings by their keys, of at most `capacity` bytes; 0 disables the cache."""

    def __init__(self, capacity: int) -> None:
        self._entries: LRUCache[RenderKey, Rendering] = LRUCache(capacity, getsizeof=_weight)

    def get(self, key: RenderKey) -> Rendering | None:
        """Return the rendering of the key, and mark it as used; None if there is none."""
        try:
            return self._entries[key]
        except KeyError:
            return None

    def put(self, key: RenderKey, rendering: Rendering) -> None:
        """Keep the rendering of the key and drop the least recently used ones; one that is too heavy is not kept."""
        if _weight(rendering) <= self._entries.maxsize:
            self._entries[key] = rendering

    @property
    def weight(self) -> float:
        """Bytes held now."""
        return self._entries.currsize

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(slots=True)
class RenderCounts:
    """What a renderer has done since its start.

    hits and misses of the cache, one for each requested code; renders by outcome: done, refused (content that cannot be
    drawn), failed, overload (no slot in the queue).
    """

    hits: int = 0
    misses: int = 0
    renders: Counter[str] = field(default_factory=Counter)


class Renderer:
    """Renders codes in threads named `render`; at most `queue` renders wait or run at a time.

    Several threads are no faster, because only one at a time holds the interpreter. `steady` returns seconds, in any
    thread.
    """

    def __init__(
        self, *, queue: int, cache_bytes: int, threads: int = 1, steady: Callable[[], float] = _STEADY
    ) -> None:
        self.threads = WorkerThreads("render", threads)
        self._batches = Batches(self.threads, steady)
        self._queue = Capacity(queue, _too_many_waiting)
        self._cache = RenderCache(cache_bytes)
        self._under_way: dict[RenderKey, asyncio.Future[Rendering]] = {}
        self._closing = False
        self.counts = RenderCounts()

    @property
    def under_way(self) -> int:
        """How many renders wait or run."""
        return self._queue.used

    @property
    def share(self) -> int:
        """How many renders of one client wait or run at most."""
        return self._queue.share

    @property
    def cache(self) -> RenderCache:
        """The most recent renderings."""
        return self._cache

    def cached(self, key: RenderKey) -> Rendering | None:
        """Return the rendering if it is cached."""
        found = self._cache.get(key)
        if found is not None:
            self.counts.hits += 1
        return found

    async def draw(self, key: RenderKey, client: str | None = None) -> Rendering:
        """Render a key that is not cached, for a client.

        Raises InvalidContent for input that cannot be drawn, RenderOverload when the queue is full, Stopping while
        the service shuts down, GenerationFailure for anything else.
        """
        self.counts.misses += 1
        try:
            return await asyncio.shield(self._under_way.get(key) or self._start(key, client))
        except (ServiceError, asyncio.CancelledError):
            raise
        except Exception as error:
            raise GenerationFailure("the code could not be rendered") from error

    async def close(self) -> None:
        """Refuse new renders, finish those under way and end the threads."""
        self._closing = True
        if self._under_way:
            await asyncio.wait(self._under_way.values())
        await self.threads.close()

    def _start(self, key: RenderKey, client: str | None) -> asyncio.Future[Rendering]:
        if self._closing:
            raise Stopping("the service is shutting down")
        try:
            self._queue.acquire_for(client)
        except RenderOverload:
            self.counts.renders["overload"] += 1
            raise
        result = self._under_way[key] = self._batches.render(key)
        result.add_done_callback(partial(self._end, key, client))
        return result

    def _end(self, key: RenderKey, client: str | None, result: asyncio.Future[Rendering]) -> None:
        del self._under_way[key]
        self._queue.release_of(client)
        error = result.exception()  # retrieved here, in case every caller has disconnected
        if error is None:
            self.counts.renders["done"] += 1
            self._cache.put(key, result.result())
        elif isinstance(error, ServiceError):
            self.counts.renders["refused"] += 1
        else:
            self.counts.renders["failed"] += 1
            _LOG.error("rendering failed: %r", key, exc_info=error)


def _too_many_waiting() -> RenderOverload:
    return RenderOverload("too many codes are waiting to be rendered; try again in a moment")
