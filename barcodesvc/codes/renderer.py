"""The renderer: a cache, single flight for keys that are requested at the same time, a bounded queue, a thread pool.

A thread renders several keys in a batch; see `batch`. If a batch takes long, its finished keys are returned early and
do not wait for a slow key after them.

The cache is least recently used and limited in bytes. The weight of an entry is its bytes plus an allowance for key and
bookkeeping, so that the limit applies to memory. It is used only in the event loop's thread, and needs no lock.

Rule: a render is not tied to its callers. They await its future shielded, so a caller that disconnects does not affect
the others. A failure is never cached.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from cachetools import LRUCache

from barcodesvc.clock import Clock
from barcodesvc.codes.batch import SHORTEST_LIMIT, PendingRender, RenderBatch
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
    """Renders codes in `threads` threads named `render`; at most `queue` renders wait or run at a time.

    `steady` returns seconds, and is called in any thread.
    """

    def __init__(
        self,
        *,
        threads: int,
        queue: int,
        cache_bytes: int,
        steady: Callable[[], float] = _STEADY,
    ) -> None:
        self.threads = WorkerThreads("render", threads)
        self._most_batches = threads
        self._queue = Capacity(queue, _too_many_waiting)
        self._steady = steady
        self._cache = RenderCache(cache_bytes)
        self._under_way: dict[RenderKey, asyncio.Future[Rendering]] = {}
        self._waiting: deque[PendingRender] = deque()
        self._batches = 0
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
        return await asyncio.shield(self._under_way.get(key) or self._ask(key, client))

    async def close(self) -> None:
        """Refuse new renders, finish those under way and end the threads."""
        self._closing = True
        if self._under_way:
            await asyncio.wait(self._under_way.values())
        await self.threads.close()

    def _ask(self, key: RenderKey, client: str | None) -> asyncio.Future[Rendering]:
        if self._closing:
            raise Stopping("the service is shutting down")
        try:
            self._queue.acquire_for(client)
        except RenderOverload:
            self.counts.renders["overload"] += 1
            raise
        result = self._under_way[key] = asyncio.get_running_loop().create_future()
        result.add_done_callback(_retrieve_exception)
        self._waiting.append(PendingRender(key, client, result, contextvars.copy_context()))
        if self._batches < self._most_batches:
            self._start_batch()
        return result

    def _start_batch(self, delay: float = 0.0) -> None:
        batch = RenderBatch(self._waiting, self._steady, delay)
        try:
            running = self.threads.start(batch.run)
        except RuntimeError as error:  # the system starts no thread
            self._fail_all(error)
            return
        self._batches += 1
        self._hand_out_later(batch)
        running.add_done_callback(partial(self._end_batch, batch))

    def _hand_out_later(self, batch: RenderBatch) -> None:
        batch.early = asyncio.get_running_loop().call_later(2 * SHORTEST_LIMIT, self._hand_out_early, batch)

    def _hand_out_early(self, batch: RenderBatch) -> None:
        self._hand_out(batch)
        self._hand_out_later(batch)  # the thread may begin late, and finish the next key later still

    def _end_batch(self, batch: RenderBatch, _: asyncio.Future[None]) -> None:
        self._batches -= 1
        if batch.early:
            batch.early.cancel()
        self._hand_out(batch)
        if self._waiting:
            self._start_batch(self._steady() - batch.ended)

    def _fail_all(self, error: Exception) -> None:
        """Fail all waiting keys, unless a batch is running that will take them."""
        while self._waiting and not self._batches:
            self._settle(self._waiting.popleft(), error)

    def _hand_out(self, batch: RenderBatch) -> None:
        for pending, outcome in batch.outcomes():
            self._settle(pending, outcome)

    def _settle(self, pending: PendingRender, outcome: Rendering | BaseException) -> None:
        if pending.result.done():
            return
        del self._under_way[pending.key]
        self._queue.release_of(pending.client)
        if not isinstance(outcome, BaseException):
            self.counts.renders["done"] += 1
            self._cache.put(pending.key, outcome)
            pending.result.set_result(outcome)
        elif isinstance(outcome, ServiceError):
            self.counts.renders["refused"] += 1
            pending.result.set_exception(outcome)
        else:
            self.counts.renders["failed"] += 1
            pending.context.run(_LOG.error, "rendering failed: %r", pending.key, exc_info=outcome)
            failure = GenerationFailure("the code could not be rendered")
            failure.__cause__ = outcome
            pending.result.set_exception(failure)


def _too_many_waiting() -> RenderOverload:
    return RenderOverload("too many codes are waiting to be rendered; try again in a moment")


def _retrieve_exception(result: asyncio.Future[Rendering]) -> None:
    """Mark a failure as retrieved, in case every caller has disconnected."""
    if not result.cancelled():
        result.exception()
