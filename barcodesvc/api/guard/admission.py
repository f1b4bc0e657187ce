"""Admission control: a limit of requests in flight, and half of it for one kind; one more is refused with a 503.

Without it a flood of one kind of request would make all others wait, and take memory without a limit.

A request is in flight from its head to its response, but not while its body arrives: a client that sends slowly holds a
connection and room for bytes (see `capacity`), and prevents no other request from being handled.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from aiohttp import web

from barcodesvc.errors import RenderOverload

OVERLOAD = "too many requests are in progress; try again in a moment"
_SEGMENTS = 3
_KIND_CHARACTERS = 128
"""Characters of a path that determine its kind; no route has as many in three segments."""
_KINDS_REMEMBERED = 256
_ALWAYS_ANSWERED = frozenset({"GET /health", "HEAD /health", "GET /metrics", "HEAD /metrics"})
"""Kinds that are answered no matter how much is in flight: an operator needs them most then."""


def kind_of(request: web.BaseRequest) -> str:
    """Return the kind of a request: method and three path segments; ids and codes count as one."""
    return _kind(request.method, request.raw_path[:_KIND_CHARACTERS])


@lru_cache(maxsize=_KINDS_REMEMBERED)
def _kind(method: str, path: str) -> str:
    segments = path.partition("?")[0].split("/", _SEGMENTS + 1)[: _SEGMENTS + 1]
    if not segments[-1].isalpha():
        segments[-1] = "0"
    return f"{method} {'/'.join(segments)}"


class Admission:
    """The counts of one service, of whose requests at most `most_requests` are in flight."""

    def __init__(self, most_requests: int) -> None:
        self._most = most_requests
        self._most_of_one = max(1, most_requests // 2)
        self._of_kind: dict[str, int] = {}  # a Counter is slower
        self.in_flight = 0
        self.refused_requests = 0
        self.connections = 0
        self.refused_connections = 0
        self.is_ending = False
        """Whether the service is shutting down, and every response is its connection's last."""

    def refuses(self, kind: str) -> bool:
        """Return whether one more request of this kind is too many, and count it if it is."""
        if self.in_flight < self._most and self._of_kind.get(kind, 0) < self._most_of_one:
            return False
        if kind in _ALWAYS_ANSWERED:
            return False
        self.refused_requests += 1
        return True

    def enter(self, kind: str) -> None:
        """Count a request as in flight."""
        self.in_flight += 1
        self._of_kind[kind] = self._of_kind.get(kind, 0) + 1

    def leave(self, kind: str) -> None:
        """Count a request no longer."""
        self.in_flight -= 1
        count = self._of_kind.get(kind, 0) - 1
        if count > 0:
            self._of_kind[kind] = count
        else:
            self._of_kind.pop(kind, None)

    @contextmanager
    def waiting_for_client(self, request: web.Request) -> Iterator[None]:
        """Do not count a request within the block, in which its client sends its body."""
        kind = kind_of(request)
        self.leave(kind)
        try:
            yield
        finally:
            self.enter(kind)

    def require_capacity(self) -> None:
        """Raise RenderOverload if a request that returns from `waiting_for_client` is one too many."""
        if self.in_flight > self._most:
            self.refused_requests += 1
            raise RenderOverload(OVERLOAD)


ADMISSION = web.AppKey("admission", Admission)
