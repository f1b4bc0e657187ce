"""Admission control: a limit of requests in flight, half of it for one group of routes; beyond it, requests get a 503.

Without it a flood of requests to one route would make all others wait, and take memory without a limit.

A request is in flight from its head to its response, but not while its body arrives: a client that sends slowly holds a
connection and room for bytes (see `capacity`), and prevents no other request from being handled.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from aiohttp import web

from barcodesvc.errors import RenderOverload

OVERLOAD = "too many requests are in progress; try again in a moment"
_SEGMENTS = 3
_GROUP_CHARACTERS = 128
"""Characters of a path that determine its group; no route has as many in three segments."""
_GROUPS_REMEMBERED = 256
_NEVER_REFUSED = frozenset({"GET /health", "HEAD /health", "GET /metrics", "HEAD /metrics"})
"""Groups that are served no matter how much is in flight: an operator needs them most then."""


def route_group(request: web.BaseRequest) -> str:
    """Return the group of routes of a request: method and three path segments; ids and codes count as one."""
    return _group(request.method, request.raw_path[:_GROUP_CHARACTERS])


@lru_cache(maxsize=_GROUPS_REMEMBERED)
def _group(method: str, path: str) -> str:
    segments = path.partition("?")[0].split("/", _SEGMENTS + 1)[: _SEGMENTS + 1]
    if not segments[-1].isalpha():
        segments[-1] = "0"
    return f"{method} {'/'.join(segments)}"


class Admission:
    """The counts of one service, of whose requests at most `most_requests` are in flight."""

    def __init__(self, most_requests: int) -> None:
        self._most = most_requests
        self._most_of_group = max(1, most_requests // 2)
        self._of_group: dict[str, int] = {}  # a Counter is slower
        self.in_flight = 0
        self.refused_requests = 0
        self.connections = 0
        self.refused_connections = 0
        self.is_ending = False
        """Whether the service is shutting down, and every response is its connection's last."""

    def refuses(self, group: str) -> bool:
        """Return whether one more request of this group is too many, and count it if it is."""
        if self.in_flight < self._most and self._of_group.get(group, 0) < self._most_of_group:
            return False
        if group in _NEVER_REFUSED:
            return False
        self.refused_requests += 1
        return True

    def enter(self, group: str) -> None:
        """Count a request as in flight."""
        self.in_flight += 1
        self._of_group[group] = self._of_group.get(group, 0) + 1

    def leave(self, group: str) -> None:
        """Count a request no longer."""
        self.in_flight -= 1
        count = self._of_group.get(group, 0) - 1
        if count > 0:
            self._of_group[group] = count
        else:
            self._of_group.pop(group, None)

    @contextmanager
    def waiting_for_client(self, request: web.Request) -> Iterator[None]:
        """Do not count a request within the block, in which its client sends its body."""
        group = route_group(request)
        self.leave(group)
        try:
            yield
        finally:
            self.enter(group)

    def require_capacity(self) -> None:
        """Raise RenderOverload if a request that returns from `waiting_for_client` is one too many."""
        if self.in_flight > self._most:
            self.refused_requests += 1
            raise RenderOverload(OVERLOAD)


ADMISSION = web.AppKey("admission", Admission)
