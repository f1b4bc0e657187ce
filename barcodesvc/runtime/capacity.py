"""Bounded capacity (a bulkhead): how much work of one kind runs at a time. More of it is refused, not queued.

No client gets more than half of the units, rounded up, so that one that asks for everything leaves room for others.

Units are jobs, images, or bytes of arriving bodies, for example. Bytes count when they arrive, not when they are
announced, so a client that announces much and sends nothing blocks no other.

Rule: units are acquired and released in the event loop only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from barcodesvc.errors import Overload

Acquire = Callable[[int], None]
"""Acquires a number of further units, or raises Overload."""


class Capacity:
    """At most `most` units at a time; `overload` returns the error that refuses more."""

    def __init__(self, most: int, overload: Callable[[], Overload]) -> None:
        self.most = most
        self.used = 0
        self._overload = overload
        self._units_of: Counter[str] = Counter()

    @property
    def free(self) -> int:
        """How many units can be acquired now."""
        return self.most - self.used

    @property
    def share(self) -> int:
        """How many units one client may have."""
        return (self.most + 1) // 2

    def require(self, units: int = 1) -> None:
        """Raise Overload if fewer units than these are free."""
        if self.used + units > self.most:
            raise self._overload()

    def acquire(self, units: int = 1) -> None:
        """Acquire units; raises Overload, and acquires none, if too few are free."""
        self.require(units)
        self.used += units

    def release(self, units: int = 1) -> None:
        """Release acquired units."""
        self.used -= units

    def require_for(self, client: str | None) -> None:
        """Raise Overload if no unit is free, or the client has its share; None is the service itself, without one."""
        if client is not None and self._units_of[client] >= self.share:
            raise self._overload()
        self.require()

    def acquire_for(self, client: str | None) -> None:
        """Acquire a unit for a client; raises Overload as `require_for` does."""
        self.require_for(client)
        self.used += 1
        if client is not None:
            self._units_of[client] += 1

    def release_of(self, client: str | None) -> None:
        """Release a unit of a client."""
        self.release()
        if client is not None:
            self._units_of -= Counter({client: 1})

    @contextmanager
    def held(self, units: int = 1) -> Iterator[Acquire]:
        """Hold units inside the block, and yield a function that acquires more; raises Overload as `acquire` does."""
        self.acquire(units)
        acquired = units

        def acquire_more(more: int) -> None:
            nonlocal acquired
            self.acquire(more)
            acquired += more

        try:
            yield acquire_more
        finally:
            self.release(acquired)
