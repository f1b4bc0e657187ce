"""Bounded capacity (a bulkhead): how much work of one kind runs at a time. More of it is refused, not queued.

No client gets more than half of the units, rounded up. Without that, one that asks for everything, or holds on to what
it has by sending and reading slowly, would leave nothing for others.

Units are jobs, images, or bytes of arriving bodies, for example. Bytes count when they arrive, not when they are
announced, so a client that announces much and sends nothing blocks no one else.

Rule: units are acquired and released in the event loop only.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from barcodesvc.errors import Overload

Acquire = Callable[[int], None]
"""Acquires a number of further units, or raises Overload."""


class Capacity:
    """At most `most` units at a time; `overload` returns the error that refuses more.

    A client is an address, or None for the service itself, which has no share.
    """

    def __init__(self, most: int, overload: Callable[[], Overload]) -> None:
        self.most = most
        self.used = 0
        self._overload = overload
        self._units_of: dict[str, int] = {}

    @property
    def free(self) -> int:
        """How many units can be acquired now."""
        return self.most - self.used

    @property
    def share(self) -> int:
        """How many units one client may have."""
        return (self.most + 1) // 2

    def require_for(self, client: str | None, units: int = 1) -> None:
        """Raise Overload if fewer units than these are free, or the client would have more than its share."""
        if units > self.free:
            raise self._overload()
        if client is not None and self._units_of.get(client, 0) + units > self.share:
            raise self._overload()

    def acquire_for(self, client: str | None, units: int = 1) -> None:
        """Acquire units for a client; raises Overload as `require_for` does, and then acquires none."""
        self.require_for(client, units)
        self.used += units
        if client is not None:
            self._units_of[client] = self._units_of.get(client, 0) + units

    def release_of(self, client: str | None, units: int = 1) -> None:
        """Release units of a client."""
        self.used -= units
        if client is not None:
            left = self._units_of.pop(client, 0) - units
            if left > 0:
                self._units_of[client] = left

    @contextmanager
    def held(self, units: int = 1, client: str | None = None) -> Iterator[Acquire]:
        """Hold units inside the block, and yield a function that acquires more; both raise as `acquire_for` does."""
        self.acquire_for(client, units)
        held = units

        def acquire_more(more: int) -> None:
            nonlocal held
            self.acquire_for(client, more)
            held += more

        try:
            yield acquire_more
        finally:
            self.release_of(client, held)
