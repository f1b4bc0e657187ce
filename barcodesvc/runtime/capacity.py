"""Bounded capacity: how much work of one kind the service takes on at a time. What exceeds it is refused, not queued.

A unit is whatever a kind of work is bounded by: jobs, images, or bytes of bodies that are arriving. Bytes are taken as
they arrive, not as they are announced: a connection that announces much and sends nothing keeps nobody out.

Rule: capacity is taken and given back in the event loop only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from barcodesvc.errors import Overload

Take = Callable[[int], None]
"""Takes so many more units, or raises Overload."""


class Capacity:
    """At most `most` units at a time; `overload` makes the error with which the next one is refused."""

    def __init__(self, most: int, overload: Callable[[], Overload]) -> None:
        self.most = most
        self.used = 0
        self._overload = overload

    @property
    def free(self) -> int:
        """How many units can be taken at this moment."""
        return self.most - self.used

    def require(self, units: int = 1) -> None:
        """Raise Overload where so many units are not free."""
        if self.used + units > self.most:
            raise self._overload()

    def take(self, units: int = 1) -> None:
        """Take so many units; raises Overload, and takes none, where they are not free."""
        self.require(units)
        self.used += units

    def give_back(self, units: int = 1) -> None:
        """Give back units that were taken."""
        self.used -= units

    @contextmanager
    def held(self, units: int = 1) -> Iterator[Take]:
        """Hold units inside of the block, and yield what takes more of them; raises Overload as `take` does."""
        self.take(units)
        taken = units

        def take_more(more: int) -> None:
            nonlocal taken
            self.take(more)
            taken += more

        try:
            yield take_more
        finally:
            self.give_back(taken)
