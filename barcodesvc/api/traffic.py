"""How much is under way: requests in flight, bounded, and what was refused because of the bounds.

A request is in flight from its head to its answer, but not while its body arrives: whoever sends slowly takes room for
bytes (see `arrivals`) and a connection, never the place of a request that could be answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from barcodesvc.errors import RenderOverload

RETRY_AFTER = {"Retry-After": "1"}
OVERLOAD = "too many requests are under way; try again in a moment"


@dataclass(slots=True)
class Traffic:
    """The counts of one service; `is_ending` once it is shutting down and every answer is its connection's last."""

    most_requests: int
    in_flight: int = 0
    refused_requests: int = 0
    refused_connections: int = 0
    is_ending: bool = False

    @property
    def is_full(self) -> bool:
        """Whether no further request is taken."""
        return self.in_flight >= self.most_requests

    @contextmanager
    def waiting_for_client(self) -> Iterator[None]:
        """Do not count a request inside of the block, in which its client has to do its part."""
        self.in_flight -= 1
        try:
            yield
        finally:
            self.in_flight += 1

    def require_place(self) -> None:
        """Raise RenderOverload where a request that comes back from `waiting_for_client` is one too many."""
        if self.in_flight > self.most_requests:
            self.refused_requests += 1
            raise RenderOverload(OVERLOAD, headers=RETRY_AFTER)
