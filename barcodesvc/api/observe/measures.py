"""What /metrics shows: each metric with its name, its meaning and the place where its value is read.

Values are read when they are asked for, in the thread that asks; what may grow meanwhile is copied first. Names follow
https://prometheus.io/docs/practices/naming: base units, and `_total` behind what only grows.

Rule: a label's value is a name of the service's own, such as a route of the table, a class of the tree of errors or a
named query. So there are only so many series, whatever clients send.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from itertools import accumulate

from aiohttp import web
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from barcodesvc.api.keys import (
    ACCESS_LOG,
    BODY_THREADS,
    DATABASE,
    FILE_THREADS,
    PHOTO_READER,
    PRINTER,
    RENDERER,
    SCAN_ANSWERS,
    SETTINGS,
    TALLY,
    TRAFFIC,
    WORKER_PROCESSES,
)
from barcodesvc.api.observe.tally import BOUNDS, Durations, Tally
from barcodesvc.render.renderer import RenderCounts

Number = Callable[[web.Application], float]
Numbers = Callable[[web.Application], Mapping[tuple[str, ...], float]]
"""Values by the values of their labels."""

_PREFIX = "barcodesvc_"
_BUCKETS = (*map(floatToGoString, BOUNDS), "+Inf")


def _counts(app: web.Application) -> RenderCounts:
    return app[RENDERER].counts


def _dropped(app: web.Application) -> float:
    return app[ACCESS_LOG].dropped if ACCESS_LOG in app else 0


def _by_one(numbers: Mapping[str, float]) -> dict[tuple[str, ...], float]:
    return {(name,): number for name, number in dict(numbers).items()}


def _prints(app: web.Application) -> dict[tuple[str, ...], float]:
    return _by_one(app[PRINTER].jobs_by_queue)


def _hung(app: web.Application) -> dict[tuple[str, ...], float]:
    return {
        ("render",): app[RENDERER].threads.hung,
        ("photo",): app[PHOTO_READER].threads.hung,
        ("print",): sum(pool.hung for pool in app[PRINTER].threads),
        ("files",): app[FILE_THREADS].hung,
        ("bodies",): app[BODY_THREADS].hung,
    }


def _errors(app: web.Application) -> dict[tuple[str, ...], float]:
    return {(name, str(status)): count for (name, status), count in dict(app[TALLY].errors).items()}


def _requests(app: web.Application) -> dict[tuple[str, ...], float]:
    seen = dict(app[TALLY].requests)
    return {(route, method, str(status)): durations.count for (route, method, status), durations in seen.items()}


def _build(_: web.Application) -> dict[tuple[str, ...], float]:
    return {(version("barcodesvc"), platform.python_version()): 1}


_GAUGES: tuple[tuple[str, str, Number], ...] = (
    ("requests_under_way", "Requests that are being answered.", lambda app: app[TRAFFIC].in_flight),
    ("requests_limit", "Requests that may be answered at a time.", lambda app: app[SETTINGS].max_requests),
    ("connections", "Connections that are open.", lambda app: app[TRAFFIC].connections),
    ("connections_limit", "Connections that may be open.", lambda app: app[SETTINGS].max_connections),
    ("cache_entries", "Rendered codes that are kept.", lambda app: len(app[RENDERER].cache)),
    ("cache_bytes", "What the rendered codes that are kept weigh.", lambda app: app[RENDERER].cache.weight),
    ("cache_limit_bytes", "What they may weigh.", lambda app: app[SETTINGS].cache_bytes),
    ("renders_under_way", "Codes that are rendered or wait for it.", lambda app: app[RENDERER].under_way),
    ("renders_limit", "Codes that may be rendered or wait for it.", lambda app: app[SETTINGS].render_queue),
    ("render_threads_busy", "Threads that render a code now.", lambda app: app[RENDERER].threads.busy),
    ("render_threads", "Threads that render codes.", lambda app: app[SETTINGS].render_threads),
    ("images_under_way", "Images that are read or wait for it.", lambda app: app[PHOTO_READER].images.used),
    ("images_limit", "Images that may be read or wait for it.", lambda app: app[PHOTO_READER].images.most),
    ("uploads_under_way", "Imports that hold a place.", lambda app: app[TALLY].uploads_under_way),
    ("uploads_limit", "Imports that may hold a place.", lambda app: app[SETTINGS].max_concurrent_uploads),
    ("worker_processes", "Processes that read a workbook or an image.", lambda app: app[WORKER_PROCESSES].running),
    ("writes_under_way", "Changes of the database that run or wait.", lambda app: app[DATABASE].writes_under_way),
)
_COUNTERS: tuple[tuple[str, str, Number], ...] = (
    ("cache_hits", "Codes asked for that were kept.", lambda app: _counts(app).hits),
    ("cache_misses", "Codes asked for that were not.", lambda app: _counts(app).misses),
    ("scan_answers_hits", "Scans answered from memory.", lambda app: app[SCAN_ANSWERS].hits),
    ("scan_answers_misses", "Scans answered by the database.", lambda app: app[SCAN_ANSWERS].misses),
    ("requests_refused", "Requests beyond what may be answered.", lambda app: app[TRAFFIC].refused_requests),
    ("connections_refused", "Connections beyond what may be open.", lambda app: app[TRAFFIC].refused_connections),
    ("access_log_dropped", "Lines of the access log that were dropped.", _dropped),
)
_LABELLED_GAUGES: tuple[tuple[str, str, tuple[str, ...], Numbers], ...] = (
    ("build_info", "Versions of the service and of Python; always 1.", ("version", "python"), _build),
    ("prints_under_way", "Label sheets that are made or wait for it.", ("lane",), _prints),
    ("threads_hung", "Threads that were given up and have not come back.", ("pool",), _hung),
)
_LABELLED_COUNTERS: tuple[tuple[str, str, tuple[str, ...], Numbers], ...] = (
    ("requests", "Requests answered.", ("route", "method", "status"), _requests),
    ("errors", "Refusals and failures, by class of the tree of errors.", ("error", "status"), _errors),
    ("rate_limited", "Requests over a limit.", ("limit",), lambda app: _by_one(app[TALLY].rate_limited)),
    ("streams_cut", "Streams that ended early.", ("cause",), lambda app: _by_one(app[TALLY].cut)),
    ("renders", "Renders that have ended.", ("outcome",), lambda app: _by_one(_counts(app).renders)),
    ("imports", "Imports that have ended.", ("outcome",), lambda app: _by_one(app[TALLY].imports)),
    ("import_rows", "Rows of imports that were not dry runs.", ("outcome",), lambda app: _by_one(app[TALLY].rows)),
    ("exports", "Exports begun.", ("table", "format"), lambda app: dict(app[TALLY].exports)),
)


class Measures(Collector):
    """All metrics of one application that has been started."""

    def __init__(self, app: web.Application) -> None:
        self._app = app

    def collect(self) -> Iterator[Metric]:
        """Read them all."""
        app = self._app
        yield from (GaugeMetricFamily(_PREFIX + name, told, read(app)) for name, told, read in _GAUGES)
        yield from (CounterMetricFamily(_PREFIX + name, told, read(app)) for name, told, read in _COUNTERS)
        for name, told, labels, read in _LABELLED_GAUGES:
            yield _filled(GaugeMetricFamily(_PREFIX + name, told, labels=labels), read(app))
        for name, told, labels, read in _LABELLED_COUNTERS:
            yield _filled(CounterMetricFamily(_PREFIX + name, told, labels=labels), read(app))
        yield _request_seconds(app[TALLY])
        yield _lag(app[TALLY])
        yield _queries(app[TALLY])


def _filled(
    family: GaugeMetricFamily | CounterMetricFamily, numbers: Mapping[tuple[str, ...], float]
) -> GaugeMetricFamily | CounterMetricFamily:
    for labels, number in numbers.items():
        family.add_metric(labels, number)
    return family


def _request_seconds(tally: Tally) -> HistogramMetricFamily:
    family = HistogramMetricFamily(
        f"{_PREFIX}request_seconds", "Time from head to answer, of streams to their end.", labels=("route",)
    )
    by_route: dict[str, Durations] = {}
    for (route, _, _), durations in dict(tally.requests).items():
        by_route.setdefault(route, Durations()).merge(durations)
    for route, durations in by_route.items():
        family.add_metric((route,), _buckets(durations), durations.seconds)
    return family


def _lag(tally: Tally) -> HistogramMetricFamily:
    family = HistogramMetricFamily(f"{_PREFIX}event_loop_lag_seconds", "How late a timer of the event loop rang.")
    family.add_metric((), _buckets(tally.lag), tally.lag.seconds)
    return family


def _queries(tally: Tally) -> SummaryMetricFamily:
    told = "Time of named queries, of reads with the wait for their connection."
    family = SummaryMetricFamily(f"{_PREFIX}query_seconds", told, labels=("query",))
    for name, total in dict(tally.queries).items():
        family.add_metric((name,), total.count, total.seconds)
    return family


def _buckets(durations: Durations) -> list[tuple[str, float]]:
    return list(zip(_BUCKETS, accumulate(durations.counts), strict=True))
