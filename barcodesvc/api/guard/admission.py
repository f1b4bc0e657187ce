"""How much is under way: requests in flight, bounded, and what was refused because of the bounds.

A request is in flight from its head to its answer, but not while its body arrives: whoever sends slowly takes room for
bytes (see `capacity`) and a connection, never the place of a request that could be answered. One target, that is one
kind of request, takes at most half of the places, so that a flood of it leaves room for the others.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from barcodesvc.errors import RenderOverload

OVERLOAD = "too many requests are under way; try again in a moment"
TURNS = 3
"""Turns of the event loop within which a request that has been read is being handled."""
_SEGMENTS = 3
_CROWDED = 0.75
"""Share of the places that are taken when packets begin to be looked at before they are parsed."""
_ALWAYS_ANSWERED = frozenset({"GET /health", "HEAD /health", "GET /metrics", "HEAD /metrics"})
"""Targets that are answered however much is in flight: they tell the operator about it."""


def target_of(request: web.BaseRequest) -> str:
    """Return the target of a request."""
    return target(request.method, request.raw_path)


def target(method: str, path: str) -> str:
    """Return the method and the first three segments of the path; a last one that is no word is an id, as any other.

    What stands behind them is somebody's data, such as the content of a barcode, or makes no other kind of work.
    """
    segments = path.partition("?")[0].split("/", _SEGMENTS + 1)[: _SEGMENTS + 1]
    if not segments[-1].isalpha():
        segments[-1] = "0"
    return f"{method} {'/'.join(segments)}"


class Traffic:
    """The counts of one service, of whose requests at most `most_requests` are in flight.

    What is let through to the parser counts as coming until it must be in flight: of the packets that lie ready in one
    turn of the event loop, only as many are parsed as there are places for. A refusal behind the parser costs ten times
    as much, makes the turn longer, and the next turn finds the more packets.
    """

    def __init__(self, most_requests: int) -> None:
        self._most = most_requests
        self._most_of_one = max(1, most_requests // 2)
        self._crowd, self._crowd_of_one = self._most * _CROWDED, self._most_of_one * _CROWDED
        self._of_target: dict[str, int] = {}
        self._crowded: set[str] = set()
        self._coming: Counter[str] = Counter()
        self.in_flight = 0
        self.is_crowded = False
        """Whether places become scarce, for any target; asked for each packet, hence kept at hand."""
        self.refused_requests = 0
        self.connections = 0
        self.refused_connections = 0
        self.is_ending = False
        """Whether the service is shutting down, and every answer is its connection's last."""

    def refuses(self, target: str) -> bool:
        """Tell whether there is no place for a request with this target, and count one that is refused."""
        return target not in _ALWAYS_ANSWERED and self._is_refused(target, 0, 0)

    def refuses_unread(self, target: str) -> bool:
        """Tell the same of a packet; a request that is let through counts as coming."""
        if target in _ALWAYS_ANSWERED:
            return False
        if self._is_refused(target, self._coming.total(), self._coming[target]):
            return True
        if not self._coming:
            asyncio.get_running_loop().call_soon(self._all_came, TURNS)
        self._coming[target] += 1
        return False

    def enter(self, target: str) -> None:
        """Count a request."""
        self.in_flight += 1
        if self._coming[target] > 1:
            self._coming[target] -= 1
        else:
            del self._coming[target]
        count = self._of_target[target] = self._of_target.get(target, 0) + 1
        if count >= self._crowd_of_one:
            self._crowded.add(target)
            self.is_crowded = True
        elif self.in_flight >= self._crowd:
            self.is_crowded = True

    def leave(self, target: str) -> None:
        """Count a request no longer."""
        self.in_flight -= 1
        count = self._of_target.get(target, 0) - 1
        if count > 0:
            self._of_target[target] = count
        else:
            self._of_target.pop(target, None)
        if self.is_crowded:
            if count < self._crowd_of_one:
                self._crowded.discard(target)
            self.is_crowded = bool(self._crowded) or self.in_flight >= self._crowd

    def _is_refused(self, target: str, coming: int, coming_of_target: int) -> bool:
        of_target = self._of_target.get(target, 0) + coming_of_target
        if self.in_flight + coming < self._most and of_target < self._most_of_one:
            return False
        self.refused_requests += 1
        return True

    def _all_came(self, turns: int) -> None:
        if turns:
            asyncio.get_running_loop().call_soon(self._all_came, turns - 1)
        else:
            self._coming.clear()

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
            raise RenderOverload(OVERLOAD)
