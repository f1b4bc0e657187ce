"""Capacity that clients hold while they send or receive, and that a slow or greedy client loses to another.

Without it, a few idle clients could block imports and exports for everyone else as long as their connections last.

A client is slow if it moves less than LEAST_BYTES in SLOW_AFTER seconds. Only the time in which the service waits for
the client counts, not the time of the database, a disk or a thread. A slow client keeps its units until another request
needs them. Then its wait ends with a refusal, and the other request gets the units at once.

A client may hold all units while no other client asks. When one does and too few are free, slow clients lose theirs
first. Then a client with more than half of the units, rounded up, loses the request that has held units longest among
those for which the service waits.

Rule: as with every capacity, units are acquired and released in the event loop only.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from barcodesvc.errors import Overload, ServiceError
from barcodesvc.runtime.capacity import Acquire, Capacity

LEAST_BYTES = 16 * 1024
"""Bytes that a client has to move in SLOW_AFTER seconds to keep its units."""
SLOW_AFTER = 3.0
_LOOKED_AT = 100
"""The maximum number of requests that are considered, oldest first: each takes about a microsecond."""


class Loss(StrEnum):
    """Why a client loses its units: it is slow, or has more than its share."""

    SLOW = "slow"
    SHARE = "share"


def _nothing() -> int:
    return 0


class ClientPace:
    """How fast the client of a request sends or receives.

    Once it has lost its units, the error that `refusal` returns is raised where the service waits for it. `untaken`
    returns how many bytes of a response it still has to receive.
    """

    def __init__(
        self,
        client: str,
        steady: Callable[[], float],
        refusal: Callable[[Loss], ServiceError],
        untaken: Callable[[], int] = _nothing,
    ) -> None:
        self.client = client
        self._steady = steady
        self._untaken = untaken
        self._refusal = refusal
        self._waits_since: float | None = None
        self._waited = 0.0
        self._moved = 0
        self._left = 0
        self._wait: asyncio.Timeout | None = None
        self.lost: Loss | None = None
        """Why the client has lost its units; None if it has not."""

    @asynccontextmanager
    async def waiting(self, sending: int = 0) -> AsyncIterator[None]:
        """Measure the time of the block, in which the client sends, or receives the `sending` bytes written there.

        Raises the refusal if the client loses its units.
        """
        self._count_taken()
        self._waits_since, self._left = self._steady(), self._left + sending
        try:
            async with asyncio.timeout(None) as self._wait:
                yield
        except TimeoutError:
            if self.lost is None:
                raise
        finally:
            self._count_taken()
            self._waited += self._steady() - self._waits_since
            self._waits_since = None
        if self.lost is not None:
            raise self._refusal(self.lost)

    def moved(self, size: int) -> None:
        """Count bytes that the client has sent."""
        self._moved += size
        if self._moved < LEAST_BYTES:
            return
        self._moved, self._waited = 0, 0.0
        if self._waits_since is not None:
            self._waits_since = self._steady()

    def is_slow(self) -> bool:
        """Return whether the service waits for the client, and it has moved too few bytes for too long."""
        if self._waits_since is None or self.lost is not None:
            return False
        self._count_taken()
        return self._waited + self._steady() - self._waits_since >= SLOW_AFTER

    def is_waited_for(self) -> bool:
        """Return whether the service waits for the client, and it still has its units."""
        return self._waits_since is not None and self.lost is None

    def lose(self, loss: Loss) -> None:
        """End the wait for the client with the refusal."""
        self.lost = loss
        if self._wait is not None:
            self._wait.reschedule(0)

    def _count_taken(self) -> None:
        left = self._untaken()
        self.moved(max(0, self._left - left))
        self._left = left


@dataclass(slots=True, eq=False)
class _Holding:
    pace: ClientPace
    units: int = 0


class ClientCapacity(Capacity):
    """Capacity that slow clients lose to any request, and clients with more than half of it to other clients."""

    def __init__(self, most: int, overload: Callable[[], Overload]) -> None:
        super().__init__(most, overload)
        self._holdings: dict[_Holding, None] = {}

    def require(self, units: int = 1) -> None:
        """Free units, from slow clients if too few are free; raises Overload if that is not enough."""
        self._evict(units, Loss.SLOW, lambda holding: holding.pace.is_slow())
        super().require(units)

    @contextmanager
    def held_by(self, pace: ClientPace, units: int = 1) -> Iterator[Acquire]:
        """Hold units for a client inside the block, and yield a function that acquires more.

        If too few are free, they are taken from slow clients, then from clients with more than half of all. Raises
        Overload if that is not enough.
        """
        holding = _Holding(pace)

        def acquire_more(more: int) -> None:
            self._evict(more, Loss.SLOW, lambda other: other.pace.is_slow())
            self._evict(more, Loss.SHARE, lambda other: self._exceeds_share(other.pace, pace.client))
            super(ClientCapacity, self).acquire(more)
            holding.units += more
            self._units_of[pace.client] += more
            self._holdings[holding] = None

        try:
            if units:
                acquire_more(units)
            yield acquire_more
        finally:
            self._release(holding)

    def _exceeds_share(self, pace: ClientPace, asking: str) -> bool:
        """Return whether a request may lose its units because its client holds more than half, rounded up."""
        is_above = self._units_of[pace.client] > self.share
        return is_above and pace.client != asking and pace.is_waited_for()

    def _evict(self, units: int, loss: Loss, is_evicted: Callable[[_Holding], bool]) -> None:
        """Free as many units as needed, beginning with the oldest holdings."""
        if units <= self.free:
            return
        for holding in tuple(islice(self._holdings, _LOOKED_AT)):
            if is_evicted(holding):
                holding.pace.lose(loss)
                self._release(holding)
            if units <= self.free:
                return

    def _release(self, holding: _Holding) -> None:
        self._holdings.pop(holding, None)
        self.release(holding.units)
        self._units_of -= Counter({holding.pace.client: holding.units})
        holding.units = 0
