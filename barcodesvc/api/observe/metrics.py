"""The metrics of one application: what its requests, imports and queries count, and all metrics as text.

Names follow https://prometheus.io/docs/practices/naming: base units, and `_total` behind what only grows. What other
parts of the service count or hold is read when it is asked for, see `application_state`.

Rule: a label's value is a name of the service's own, such as a route of the table, a class of the tree of errors or a
named query. So there are only so many series, whatever clients send.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    Summary,
    disable_created_metrics,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest as as_text
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest as as_openmetrics

from barcodesvc.errors import ServiceError

OPENMETRICS: Final = CONTENT_TYPE_LATEST
PLAIN: Final = CONTENT_TYPE_PLAIN_0_0_4
_WRITERS: Mapping[str, Callable[[CollectorRegistry], bytes]] = {OPENMETRICS: as_openmetrics, PLAIN: as_text}

PREFIX: Final = "barcodesvc_"
BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds, the inclusive upper bounds of a histogram's buckets; one more bucket holds what took longer."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD: Final = "other"
UNKNOWN_ROUTE: Final = "unknown"

_MOST_PENDING = 64
"""Requests of a series that are counted at once: a twentieth of a cached code's time, one by one it is a tenth."""

# else each series has a second one, of when it began
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library does not annotate it


class _RequestSeries:
    """What requests of one route, method and status add to; `pending` are the seconds of those not yet counted."""

    __slots__ = ("_count", "_duration", "pending")

    def __init__(self, count: Counter, duration: Histogram) -> None:
        self._count, self._duration = count, duration
        self.pending: list[float] = []

    def count_pending(self) -> None:
        """Count what is pending."""
        self._count.inc(len(self.pending))
        observe = self._duration.observe
        for seconds in self.pending:
            observe(seconds)
        self.pending.clear()


class Metrics:
    """Counts what one application does, in a registry of its own; `routes` names the route of each handler."""

    def __init__(self, routes: Mapping[Handler, str] | None = None) -> None:
        self._routes = dict(routes or {})
        self._series_by_handler: dict[tuple[Handler | None, str, int], _RequestSeries] = {}
        self._series_by_labels: dict[tuple[str, str, int], _RequestSeries] = {}
        self._query_series: dict[str, Summary] = {}
        self._writing = asyncio.Lock()
        self.registry = CollectorRegistry()
        counter = partial(Counter, namespace="barcodesvc", registry=self.registry)
        histogram = partial(Histogram, namespace="barcodesvc", registry=self.registry, buckets=BOUNDS)
        self._requests = counter("requests", "Requests answered.", ("route", "method", "status"))
        self._request_seconds = histogram(
            "request_seconds", "Time from head to answer, of streams to their end.", ("route",)
        )
        self._errors = counter("errors", "Refusals and failures, by class of the tree of errors.", ("error", "status"))
        self._rate_limited = counter("rate_limited", "Requests over a limit.", ("limit",))
        self._streams_cut = counter("streams_cut", "Streams that ended early.", ("cause",))
        self._uploads = Gauge(f"{PREFIX}uploads_under_way", "Imports that are under way.", registry=self.registry)
        self._imports = counter("imports", "Imports that have ended.", ("outcome",))
        self._import_rows = counter("import_rows", "Rows of imports that were not dry runs.", ("outcome",))
        self._exports = counter("exports", "Exports begun.", ("table", "format"))
        self._query_seconds = Summary(
            f"{PREFIX}query_seconds",
            "Time of named queries, of reads with the wait for their connection.",
            ("query",),
            registry=self.registry,
        )
        self._loop_lag = histogram("event_loop_lag_seconds", "How late a timer of the event loop rang.")
        ProcessCollector(registry=self.registry)

    async def text(self, content_type: str) -> bytes:
        """Return all metrics in the format of this content type, OPENMETRICS or PLAIN.

        A thread makes the text, one scrape at a time, so that it holds up no request.
        """
        async with self._writing:
            for series in self._series_by_labels.values():
                series.count_pending()
            return await asyncio.to_thread(_WRITERS[content_type], self.registry)

    def route_of(self, handler: Handler | None) -> str:
        """Return the route that a handler answers, UNKNOWN_ROUTE for what is none of the table's."""
        return self._routes.get(handler, UNKNOWN_ROUTE) if handler else UNKNOWN_ROUTE

    def answered(self, handler: Handler | None, method: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        series = self._series_by_handler.get((handler, method, status)) or self._new_series(handler, method, status)
        pending = series.pending
        pending.append(seconds)
        if len(pending) >= _MOST_PENDING:
            series.count_pending()

    def failed(self, error: ServiceError) -> None:
        """Count a request that is answered with an error."""
        self._errors.labels(type(error).__name__, error.status).inc()

    def rate_limited(self, limits: Iterable[str]) -> None:
        """Count a request that is over these limits."""
        for limit in limits:
            self._rate_limited.labels(limit).inc()

    def stream_cut(self, cause: str) -> None:
        """Count a stream that ended early."""
        self._streams_cut.labels(cause).inc()

    def upload_under_way(self) -> AbstractContextManager[None]:
        """Count an upload as under way inside of the block."""
        return self._uploads.track_inprogress()

    def import_ended(self, outcome: str, rows: Mapping[str, int] | None = None) -> None:
        """Count an import, and its rows by what became of them."""
        self._imports.labels(outcome).inc()
        for row_outcome, count in (rows or {}).items():
            self._import_rows.labels(row_outcome).inc(count)

    def export_began(self, table: str, file_format: str) -> None:
        """Count an export."""
        self._exports.labels(table, file_format).inc()

    def query_ran(self, name: str, seconds: float) -> None:
        """Count a run of a named query."""
        series = self._query_series.get(name)
        if series is None:
            series = self._query_series[name] = self._query_seconds.labels(name)
        series.observe(seconds)

    def loop_was_late(self, seconds: float) -> None:
        """Count one look at the lag of the event loop."""
        self._loop_lag.observe(seconds)

    def _new_series(self, handler: Handler | None, method: str, status: int) -> _RequestSeries:
        labels = self.route_of(handler), method if method in METHODS else OTHER_METHOD, status
        series = self._series_by_labels.get(labels)
        if series is None:
            count, duration = self._requests.labels(*labels), self._request_seconds.labels(labels[0])
            series = self._series_by_labels[labels] = _RequestSeries(count, duration)
        if handler in self._routes and method in METHODS:  # whatever else a client asks for leaves nothing behind
            self._series_by_handler[handler, method, status] = series
        return series


METRICS = web.AppKey("metrics", Metrics)
