"""How much is under way: requests in flight, bounded, and what was refused because of the bounds.

A request is in flight from its head to its answer, but not while its body arrives: whoever sends slowly takes room for
bytes (see `arrivals`) and a connection, never the place of a request that could be answered. One target, that is one
kind of request, takes at most half of the places, so that a flood of it leaves room for the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from barcodesvc.errors import RenderOverload

RETRY_AFTER = {"Retry-After": "1"}
OVERLOAD = "too many requests are under way; try again in a moment"
_SEGMENTS = 3
_ALWAYS_ANSWERED = frozenset({"GET /health", "HEAD /health", "GET /metrics", "HEAD /metrics"})
"""Targets that are answered however much is in flight: they tell the operator about it."""


def target_of(request: web.BaseRequest) -> str:
    """Return the target of a request."""
    return target(request.method, request.raw_path)


def target(method: str, path: str) -> str:
    """Return the method and the first three segments of the path, in which all numbers are one: products differ by it.

    What stands behind them is somebody's data, such as the content of a barcode, or makes no other kind of work.
    """
    segments = path.partition("?")[0].split("/", _SEGMENTS + 1)[: _SEGMENTS + 1]
    if segments[-1].isdecimal():
        segments[-1] = "0"
    return f"{method} {'/'.join(segments)}"


class Traffic:
    """The counts of one service, of whose requests at most `most_requests` are in flight.

    `is_ending` is set once it is shutting down and every answer is its connection's last.
    """

    def __init__(self, most_requests: int) -> None:
        self._most = most_requests
        self._most_of_one = max(1, most_requests // 2)
        self._of_target: dict[str, int] = {}
        self.in_flight = 0
        self.full_targets: set[str] = set()
        """Targets that take no further request at this moment."""
        self.is_refusing = False
        """Whether any target takes no further request; asked for each packet, hence kept at hand."""
        self.refused_requests = 0
        self.connections = 0
        self.refused_connections = 0
        self.is_ending = False

    @property
    def is_full(self) -> bool:
        """Whether no further request is taken, whatever it is for."""
        return self.in_flight >= self._most

    def refuses(self, target: str) -> bool:
        """Tell whether no further request for this target is taken, and count one that is not."""
        if target in _ALWAYS_ANSWERED or not (self.is_full or target in self.full_targets):
            return False
        self.refused_requests += 1
        return True

    def enter(self, target: str) -> None:
        """Count a request."""
        self.in_flight += 1
        count = self._of_target[target] = self._of_target.get(target, 0) + 1
        if count >= self._most_of_one:
            self.full_targets.add(target)
            self.is_refusing = True
        elif self.in_flight >= self._most:
            self.is_refusing = True

    def leave(self, target: str) -> None:
        """Count a request no longer."""
        self.in_flight -= 1
        count = self._of_target.get(target, 0) - 1
        if count > 0:
            self._of_target[target] = count
        else:
            self._of_target.pop(target, None)
        if self.is_refusing:
            if count < self._most_of_one:
                self.full_targets.discard(target)
            self.is_refusing = bool(self.full_targets) or self.is_full

    @contextmanager
    def waiting_for_client(self, request: web.Request) -> Iterator[None]:
        """Do not count a request inside of the block, in which its client has to do its part."""
        target = target_of(request)
        self.leave(target)
        try:
            yield
        finally:
            self.enter(target)

    def require_place(self) -> None:
        """Raise RenderOverload where a request that comes back from `waiting_for_client` is one too many."""
        if self.in_flight > self._most:
            self.refused_requests += 1
            raise RenderOverload(OVERLOAD, headers=RETRY_AFTER)
