"""What has happened since the start, as plain numbers in memory: what `/metrics` gathers when it is asked.

Rule: whatever is counted on the way of a request costs a look-up and an addition; names, sums and text are made by
those who gather. A label is a name of the service's own, never a client's, so that there are only so many series.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from aiohttp.typedefs import Handler

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds, the inclusive upper bounds of a histogram's buckets; one more bucket holds what took longer."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD: Final = "other"
UNKNOWN_ROUTE: Final = "unknown"


@dataclass(slots=True)
class Durations:
    """How long something took: how often within each bound of BOUNDS, beyond them, and seconds in all."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one more."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    def merge(self, other: Durations) -> None:
        """Count all that the other has counted."""
        self.counts = [mine + more for mine, more in zip(self.counts, other.counts, strict=True)]
        self.seconds += other.seconds

    @property
    def count(self) -> int:
        """How many were counted."""
        return sum(self.counts)


@dataclass(slots=True)
class Total:
    """How often something was done and how many seconds that took in all."""

    count: int = 0
    seconds: float = 0.0


class Tally:
    """The counts of one application; `routes` names the route of each handler.

    requests: durations by route, method and status; errors: by name of the class in the tree of errors and status;
    rate_limited: by limit; cut: streams that ended early, by cause; imports, rows: by outcome; exports: by table and
    format; queries: time by named query; lag: of the event loop.
    """

    def __init__(self, routes: Mapping[Handler, str] | None = None) -> None:
        self._routes = dict(routes or {})
        self._known: dict[tuple[Handler | None, str, int], Durations] = {}
        self.requests: dict[tuple[str, str, int], Durations] = {}
        self.uploads_under_way = 0
        self.errors: Counter[tuple[str, int]] = Counter()
        self.rate_limited: Counter[str] = Counter()
        self.cut: Counter[str] = Counter()
        self.imports: Counter[str] = Counter()
        self.rows: Counter[str] = Counter()
        self.exports: Counter[tuple[str, ...]] = Counter()
        self.queries: defaultdict[str, Total] = defaultdict(Total)
        self.lag = Durations()

    def route_of(self, handler: Handler | None) -> str:
        """Return the route that a handler answers, UNKNOWN_ROUTE for what is none of the table's."""
        return self._routes.get(handler, UNKNOWN_ROUTE) if handler else UNKNOWN_ROUTE

    def answered(self, handler: Handler | None, method: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        durations = self._known.get((handler, method, status)) or self._durations(handler, method, status)
        durations.add(seconds)

    @contextmanager
    def upload(self) -> Iterator[None]:
        """Count an upload as under way inside of the block."""
        self.uploads_under_way += 1
        try:
            yield
        finally:
            self.uploads_under_way -= 1

    def query_ran(self, name: str, seconds: float) -> None:
        """Count a run of a named query."""
        total = self.queries[name]
        total.count += 1
        total.seconds += seconds

    def _durations(self, handler: Handler | None, method: str, status: int) -> Durations:
        labels = self.route_of(handler), method if method in METHODS else OTHER_METHOD, status
        durations = self.requests.setdefault(labels, Durations())
        if handler in self._routes and method in METHODS:  # whatever else a client asks for leaves nothing behind
            self._known[handler, method, status] = durations
        return durations
