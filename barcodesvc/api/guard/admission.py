"""Admission control: so many requests in flight, and half as many of one kind; one more is refused with a 503.

Without it a flood of one kind of request would make all others wait for it, and take memory without a bound.

A request is in flight from its head to its answer, but not while its body arrives: who sends slowly holds a connection
and room for bytes (see `capacity`), and keeps no other request from being answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from barcodesvc.errors import RenderOverload

OVERLOAD = "too many requests are under way; try again in a moment"
_SEGMENTS = 3
_ALWAYS_ANSWERED = frozenset({"GET /health", "HEAD /health", "GET /metrics", "HEAD /metrics"})
"""Targets that are answered however much is in flight: an operator needs them then."""


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


class Admission:
    """The counts of one service, of whose requests at most `most_requests` are in flight."""

    def __init__(self, most_requests: int) -> None:
        self._most = most_requests
        self._most_of_one = max(1, most_requests // 2)
        self._of_target: dict[str, int] = {}  # a Counter would take three times as long
        self._full: set[str] = set()
        self.in_flight = 0
        self.refused_requests = 0
        self.connections = 0
        self.refused_connections = 0
        self.is_ending = False
        """Whether the service is shutting down, and every answer is its connection's last."""

    @property
    def is_full(self) -> bool:
        """Whether a request with some target would be refused now."""
        return bool(self._full) or self.in_flight >= self._most

    def refuses(self, target: str) -> bool:
        """Return whether one more request with this target is too many, and count it if it is."""
        if self.in_flight < self._most and self._of_target.get(target, 0) < self._most_of_one:
            return False
        if target in _ALWAYS_ANSWERED:
            return False
        self.refused_requests += 1
        return True

    def enter(self, target: str) -> None:
        """Count a request as in flight."""
        self.in_flight += 1
        count = self._of_target[target] = self._of_target.get(target, 0) + 1
        if count >= self._most_of_one:
            self._full.add(target)

    def leave(self, target: str) -> None:
        """Count a request no longer."""
        self.in_flight -= 1
        count = self._of_target.get(target, 0) - 1
        if count < self._most_of_one:
            self._full.discard(target)
        if count > 0:
            self._of_target[target] = count
        else:
            self._of_target.pop(target, None)

    @contextmanager
    def waiting_for_client(self, request: web.Request) -> Iterator[None]:
        """Do not count a request inside of the block, in which its client sends its body."""
        target = target_of(request)
        self.leave(target)
        try:
            yield
        finally:
            self.enter(target)

    def require_capacity(self) -> None:
        """Raise RenderOverload where a request that comes back from `waiting_for_client` is one too many."""
        if self.in_flight > self._most:
            self.refused_requests += 1
            raise RenderOverload(OVERLOAD)


ADMISSION = web.AppKey("admission", Admission)
