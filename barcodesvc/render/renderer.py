"""The renderer: a cache, single flight for keys that are asked for at the same time, a bounded queue, a thread pool.

A thread takes several keys in one trip; see `trip`. What a trip has done by the time a quick one would be over is
handed out then, so that nobody waits for a slow key behind the own.

Rule: a render under way belongs to none of its callers. It has a future of its own, which they await shielded: a caller
who goes away takes nothing from the others, and a failure is never cached.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Generic

from barcodesvc.clock import Clock
from barcodesvc.errors import GenerationFailure, RenderOverload, ServiceError
from barcodesvc.render.cache import RenderCache, Rendered
from barcodesvc.render.rendering import RenderKey
from barcodesvc.render.trip import LONGEST_TRIP, PendingRender, Trip
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.threads import WorkerThreads

_LOG = logging.getLogger(__name__)

_STEADY = Clock().steady


@dataclass(slots=True)
class RenderCounts:
    """What a renderer has done since its start.

    hits and misses of the cache, one for each time a code was asked for; renders by outcome: done, refused (content
    that cannot be drawn), failed, overload (no slot in the queue).
    """

    hits: int = 0
    misses: int = 0
    renders: Counter[str] = field(default_factory=Counter)


class Renderer(Generic[Rendered]):
    """Renders codes in `threads` threads named `render`; at most `queue` renders wait or run at a time.

    What `render` makes of a key is returned and cached: its rendering, or what an answer needs of that.

    `steady` is a clock in seconds, for any thread.
    """

    def __init__(
        self,
        render: Callable[[RenderKey], Rendered],
        *,
        threads: int,
        queue: int,
        cache_bytes: int,
        steady: Callable[[], float] = _STEADY,
    ) -> None:
        self._render = render
        self.threads = WorkerThreads("render", threads)
        self._most_trips = threads
        self._queue = Capacity(queue, _too_many_waiting)
        self._steady = steady
        self._cache = RenderCache[Rendered](cache_bytes)
        self._under_way: dict[RenderKey, asyncio.Future[Rendered]] = {}
        self._waiting: deque[PendingRender[Rendered]] = deque()
        self._trips = 0
        self._closing = False
        self.counts = RenderCounts()

    @property
    def under_way(self) -> int:
        """How many renders wait or run."""
        return self._queue.used

    @property
    def cache(self) -> RenderCache[Rendered]:
        """The renderings that were made lately."""
        return self._cache

    def cached(self, key: RenderKey) -> Rendered | None:
        """Return the rendering if it is cached."""
        found = self._cache.get(key)
        if found is not None:
            self.counts.hits += 1
        return found

    async def render(self, key: RenderKey) -> Rendered:
        """Return the rendering of the key.

        Raises InvalidContent for input that cannot be drawn, RenderOverload when the queue is full or the service
        is shutting down, GenerationFailure for anything else.
        """
        found = self.cached(key)
        if found is not None:
            return found
        self.counts.misses += 1
        return await asyncio.shield(self._under_way.get(key) or self._ask(key))

    async def close(self) -> None:
        """Refuse new renders, finish those under way and end the threads."""
        self._closing = True
        if self._under_way:
            await asyncio.wait(self._under_way.values())
        await self.threads.close()

    def _ask(self, key: RenderKey) -> asyncio.Future[Rendered]:
        if self._closing:
            raise RenderOverload("the service is shutting down")
        if not self._queue.free:
            self.counts.renders["overload"] += 1
        self._queue.take()
        answer = self._under_way[key] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(_retrieve_exception)
        self._waiting.append(PendingRender(key, answer, contextvars.copy_context()))
        if self._trips < self._most_trips:
            self._start_trip()
        return answer

    def _start_trip(self) -> None:
        trip = Trip(self._render, self._waiting, self._steady)
        try:
            running = self.threads.start(trip.run)
        except RuntimeError as error:  # the system has no thread to give
            self._fail_all(error)
            return
        self._trips += 1
        early = asyncio.get_running_loop().call_later(2 * LONGEST_TRIP, self._hand_out, trip)
        running.add_done_callback(partial(self._end_trip, trip, early))

    def _end_trip(self, trip: Trip[Rendered], early: asyncio.TimerHandle, _: asyncio.Future[None]) -> None:
        self._trips -= 1
        early.cancel()
        self._hand_out(trip)
        if self._waiting:
            self._start_trip()

    def _fail_all(self, error: Exception) -> None:
        """Let no key wait for ever: where no trip is under way that would take them, all of them fail."""
        while self._waiting and not self._trips:
            self._settle(self._waiting.popleft(), error)

    def _hand_out(self, trip: Trip[Rendered]) -> None:
        for pending, outcome in trip.outcomes():
            self._settle(pending, outcome)

    def _settle(self, pending: PendingRender[Rendered], outcome: Rendered | BaseException) -> None:
        if pending.answer.done():
            return
        del self._under_way[pending.key]
        self._queue.give_back()
        if not isinstance(outcome, BaseException):
            self.counts.renders["done"] += 1
            self._cache.put(pending.key, outcome)
            pending.answer.set_result(outcome)
        elif isinstance(outcome, ServiceError):
            self.counts.renders["refused"] += 1
            pending.answer.set_exception(outcome)
        else:
            self.counts.renders["failed"] += 1
            pending.context.run(_LOG.error, "rendering failed: %r", pending.key, exc_info=outcome)
            failure = GenerationFailure("the code could not be rendered")
            failure.__cause__ = outcome
            pending.answer.set_exception(failure)


def _too_many_waiting() -> RenderOverload:
    return RenderOverload("too many codes are waiting to be rendered; try again in a moment")


def _retrieve_exception(answer: asyncio.Future[Rendered]) -> None:
    """Mark a failure as retrieved even if every caller has gone away."""
    if not answer.cancelled():
        answer.exception()
