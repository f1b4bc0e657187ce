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

from barcodesvc.api.observe.answered_requests import BOUNDS, AnsweredRequests
from barcodesvc.errors import ServiceError

OPENMETRICS: Final = CONTENT_TYPE_LATEST
PLAIN: Final = CONTENT_TYPE_PLAIN_0_0_4
_WRITERS: Mapping[str, Callable[[CollectorRegistry], bytes]] = {OPENMETRICS: as_openmetrics, PLAIN: as_text}

PREFIX: Final = "barcodesvc_"

# else each series has a second one, of when it began
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library does not annotate it


class Metrics:
    """Counts what one application does, in a registry of its own; `routes` names the route of each handler."""

    def __init__(self, routes: Mapping[Handler, str] | None = None) -> None:
        self._query_series: dict[str, Summary] = {}
        self._writing = asyncio.Lock()
        self.registry = CollectorRegistry()
        counter = partial(Counter, namespace="barcodesvc", registry=self.registry)
        histogram = partial(Histogram, namespace="barcodesvc", registry=self.registry, buckets=BOUNDS)
        self._answers = AnsweredRequests(PREFIX, routes or {})
        self.registry.register(self._answers)
        self.route_of = self._answers.route_of
        self.answered = self._answers.add
        self._errors = counter("errors", "Refusals and failures, by class of the tree of errors.", ("error", "status"))
        self._rate_limited = counter("rate_limited", "Requests over a limit.", ("limit",))
        self._store_away = Gauge(
            f"{PREFIX}rate_limit_store_away",
            "1 while the store of shared limits is away.",
            registry=self.registry,
        )
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
            return await asyncio.to_thread(_WRITERS[content_type], self.registry)

    def failed(self, error: ServiceError) -> None:
        """Count a request that is answered with an error."""
        self._errors.labels(type(error).__name__, error.status).inc()

    def rate_limited(self, limits: Iterable[str]) -> None:
        """Count a request that is over these limits."""
        for limit in limits:
            self._rate_limited.labels(limit).inc()

    def rate_limit_store_away(self, is_away: bool) -> None:  # noqa: FBT001 - a gauge is set
        """Note whether the store of shared limits is away."""
        self._store_away.set(is_away)

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


METRICS = web.AppKey("metrics", Metrics)
