"""Prometheus metrics of one application: counters of its requests, imports and queries, and the exposition as text.

Without them an operator learns of trouble from users. Names follow https://prometheus.io/docs/practices/naming: base
units, and `_total` at the end of counters. What other parts of the service keep is read at each scrape, see `health`.

Requests are counted by a custom collector (https://prometheus.github.io/client_python/collector/custom/): a counter and
a histogram of the library take 5.5 µs for each request, or 2.1 if their series are kept, which are 10 and 4 % of the
time of a cached code. A request adds to one bucket of one series here, in 0.3 µs, and a scrape makes the counter and
the histogram from the buckets.

Rule: label values are names that the service defines, such as a route, an error class or a named query. So the number
of series is limited, whatever clients send.
"""

import asyncio
from bisect import bisect_left
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
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
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest as as_text
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest as as_openmetrics
from prometheus_client.registry import Collector

from barcodesvc.errors import ServiceError

PREFIX: Final = "barcodesvc_"
_LAG_PAUSE = 0.25
"""Seconds between two measurements of the event loop's lag; four timers a second cost nothing measurable."""
BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds, the inclusive upper bounds of a histogram's buckets; one more bucket holds what took longer."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD: Final = "other"
UNKNOWN_ROUTE: Final = "unknown"
_EDGES: Final = (*map(str, BOUNDS), "+Inf")


@dataclass(slots=True)
class _Series:
    """The responses of one route, method and status: how many fall into each bucket, and their seconds together."""

    buckets: list[int] = field(default_factory=lambda: [0] * len(_EDGES))
    seconds: float = 0.0


class RequestCounts(Collector):
    """Counts the responses of one application; `routes` names the route of each handler."""

    def __init__(self, routes: Mapping[Handler, str]) -> None:
        self._routes = dict(routes)
        self._by_handler: dict[tuple[Handler | None, str, int], _Series] = {}
        self._by_labels: dict[tuple[str, str, int], _Series] = {}

    def route_of(self, handler: Handler | None) -> str:
        """Return the route that a handler answers, UNKNOWN_ROUTE for a handler that is not in the table."""
        return self._routes.get(handler, UNKNOWN_ROUTE) if handler else UNKNOWN_ROUTE

    def add(self, handler: Handler | None, method: str, status: int, seconds: float) -> None:
        """Count a response."""
        series = self._by_handler.get((handler, method, status)) or self._series_of(handler, method, status)
        series.buckets[bisect_left(BOUNDS, seconds)] += 1
        series.seconds += seconds

    def collect(self) -> Iterator[CounterMetricFamily | HistogramMetricFamily]:
        """Return the counter by route, method and status, and the histogram by route."""
        series = self._by_labels.copy()  # the event loop may add one meanwhile
        names = ("route", "method", "status")
        requests = CounterMetricFamily(f"{PREFIX}requests", "Requests that were answered.", labels=names)
        for (route, method, status), one in series.items():
            requests.add_metric((route, method, str(status)), sum(one.buckets))
        yield requests
        meaning = "Seconds from the request to the end of its response."
        durations = HistogramMetricFamily(f"{PREFIX}request_seconds", meaning, labels=("route",))
        for route in dict.fromkeys(labels[0] for labels in series):
            buckets, seconds = _together(one for labels, one in series.items() if labels[0] == route)
            durations.add_metric((route,), list(zip(_EDGES, accumulate(buckets), strict=True)), seconds)
        yield durations

    def _series_of(self, handler: Handler | None, method: str, status: int) -> _Series:
        labels = self.route_of(handler), method if method in METHODS else OTHER_METHOD, status
        series = self._by_labels.setdefault(labels, _Series())
        if handler in self._routes and method in METHODS:  # other requests of a client add no series
            self._by_handler[handler, method, status] = series
        return series


def _together(series: Iterable[_Series]) -> tuple[list[int], float]:
    """Return the buckets and the seconds of several series as one."""
    all_of_them = list(series)
    buckets = [sum(counts) for counts in zip(*(one.buckets for one in all_of_them), strict=True)]
    return buckets, sum(one.seconds for one in all_of_them)


class _State(Collector):
    """What other parts of the service keep."""

    def __init__(self, state: Callable[[], Iterator[Metric]]) -> None:
        self._state = state

    def collect(self) -> Iterator[Metric]:
        """Read it."""
        return self._state()


OPENMETRICS: Final = CONTENT_TYPE_LATEST
PLAIN: Final = CONTENT_TYPE_PLAIN_0_0_4
_WRITERS: Mapping[str, Callable[[CollectorRegistry], bytes]] = {OPENMETRICS: as_openmetrics, PLAIN: as_text}

# otherwise each series gets a second one with its creation time
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library does not annotate it


class Metrics:
    """The metrics of one application, in a separate registry; `routes` maps each handler to the path of its route."""

    def __init__(self, routes: Mapping[Handler, str] | None = None) -> None:
        self._query_series: dict[str, Summary] = {}
        self._writing = asyncio.Lock()
        self._registry = registry = CollectorRegistry()
        counter = partial(Counter, namespace="barcodesvc", registry=registry)
        requests = RequestCounts(routes or {})
        registry.register(requests)
        self.route_of, self.request_ended = requests.route_of, requests.add
        self._errors = counter("errors", "Errors, by class of the tree of errors.", ("error", "status"))
        self._rate_limited = counter("rate_limited", "Requests over a rate limit.", ("limit",))
        self._streams_cut = counter(
            "streams_cut",
            "Streamed responses that ended early: `left` by the client, or `failed` in the service.",
            ("cause",),
        )
        self._uploads = Gauge(f"{PREFIX}uploads_under_way", "Imports in progress.", registry=registry)
        self._imports = counter("imports", "Finished imports.", ("outcome",))
        self._import_rows = counter("import_rows", "Rows of imports that were not dry runs.", ("outcome",))
        self._exports = counter("exports", "Exports that were started.", ("table", "format"))
        self._print_jobs = counter("print_jobs", "Changes of print jobs, by the new state.", ("printer", "state"))
        self._printed_labels = counter("printed_labels", "Labels that printers took and printed.", ("printer",))
        states = ("printer", "state")
        self._printer_changes = counter("printer_changes", "Changes of printers, by the new state.", states)
        meaning = "Seconds of a named query; for a read, with its wait for a connection."
        self._query_seconds = Summary(f"{PREFIX}query_seconds", meaning, ("query",), registry=registry)
        meaning = "How late a timer of the event loop fired."
        self._loop_lag = Histogram(f"{PREFIX}event_loop_lag_seconds", meaning, registry=registry, buckets=BOUNDS)
        ProcessCollector(registry=registry)

    def show(self, state: Callable[[], Iterator[Metric]]) -> None:
        """Let each scrape read what other parts of the service keep, from now on."""
        self._registry.register(_State(state))

    async def text(self, content_type: str) -> bytes:
        """Return all metrics in the format of this content type, OPENMETRICS or PLAIN.

        A thread writes the text, one scrape at a time, so that scrapes delay no request.
        """
        async with self._writing:
            return await asyncio.to_thread(_WRITERS[content_type], self._registry)

    def failed(self, error: ServiceError) -> None:
        """Count a request that ends with this error."""
        self._errors.labels(type(error).__name__, error.status).inc()

    def rate_limited(self, limits: Iterable[str]) -> None:
        """Count a request that exceeds these limits."""
        for limit in limits:
            self._rate_limited.labels(limit).inc()

    def stream_cut(self, cause: str) -> None:
        """Count a response in pieces that ended early."""
        self._streams_cut.labels(cause).inc()

    def upload_under_way(self) -> AbstractContextManager[None]:
        """Count an upload as under way within the block."""
        return self._uploads.track_inprogress()

    def import_ended(self, outcome: str, rows: Mapping[str, int] | None = None) -> None:
        """Count a finished import, and its rows by outcome."""
        self._imports.labels(outcome).inc()
        for row_outcome, count in (rows or {}).items():
            self._import_rows.labels(row_outcome).inc(count)

    def export_began(self, table: str, file_format: str) -> None:
        """Count an export that has begun."""
        self._exports.labels(table, file_format).inc()

    def job_became(self, printer: str, state: str) -> None:
        """Count a change of a print job."""
        self._print_jobs.labels(printer, state).inc()

    def labels_printed(self, printer: str, labels: int) -> None:
        """Count labels that a printer has taken, and those that it reports as printed."""
        self._printed_labels.labels(printer).inc(labels)

    def printer_became(self, printer: str, state: str) -> None:
        """Count a change of a printer."""
        self._printer_changes.labels(printer, state).inc()

    def query_ran(self, name: str, seconds: float) -> None:
        """Count an execution of a named query."""
        series = self._query_series.get(name)
        if series is None:
            series = self._query_series[name] = self._query_seconds.labels(name)
        series.observe(seconds)

    def loop_was_late(self, seconds: float) -> None:
        """Count one measurement of the event loop's lag."""
        self._loop_lag.observe(seconds)

    @asynccontextmanager
    async def measuring_lag(self, steady: Callable[[], float]) -> AsyncIterator[None]:
        """Within the block, measure how late timers fire: it is the delay that every request sees, however cheap."""
        measuring = asyncio.create_task(self._measure_lag(steady))
        try:
            yield
        finally:
            measuring.cancel()
            with suppress(asyncio.CancelledError):
                await measuring

    async def _measure_lag(self, steady: Callable[[], float]) -> None:
        while True:
            begun = steady()
            await asyncio.sleep(_LAG_PAUSE)
            self.loop_was_late(max(0.0, steady() - begun - _LAG_PAUSE))


METRICS = web.AppKey("metrics", Metrics)
