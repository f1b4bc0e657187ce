"""Collectors of /metrics that read the application at each scrape: work in progress, limits, and counts kept elsewhere.

Values are read in the thread that writes the text; a collection that may grow meanwhile is copied first.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from aiohttp import web
from prometheus_client import Gauge
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.guard.rate_limit import RATE_LIMITS
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.access_log import ACCESS_LOG
from barcodesvc.api.observe.metrics import METRICS, PREFIX
from barcodesvc.config import VERSION
from barcodesvc.service import RENDER_QUEUE

Read = Callable[[web.Application], float]


async def show_state(app: web.Application) -> None:
    """Register collectors of a started application's state with its metrics."""
    registry = app[METRICS].registry
    for name, meaning, read in _GAUGES:
        Gauge(PREFIX + name, meaning, registry=registry).set_function(partial(read, app))
    for name, meaning, label, reads in _LABELLED_GAUGES:
        gauge = Gauge(PREFIX + name, meaning, (label,), registry=registry)
        for value, read in reads.items():
            gauge.labels(value).set_function(partial(read, app))
    for name, meaning, read in _COUNTERS:
        registry.register(_KeptCounter(name, meaning, partial(read, app)))
    registry.register(_Renders(app))
    build = Gauge(f"{PREFIX}build_info", _BUILD_MEANING, ("version", "python"), registry=registry)
    build.labels(VERSION, platform.python_version()).set(1)


class _KeptCounter(Collector):
    """A counter whose value another part of the service keeps, which prometheus-client's own counters cannot read."""

    def __init__(self, name: str, meaning: str, read: Callable[[], float]) -> None:
        self._name, self._meaning, self._read = PREFIX + name, meaning, read

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Read it."""
        yield CounterMetricFamily(self._name, self._meaning, self._read())


class _Renders(Collector):
    """The renderer's own counts of renders, by outcome."""

    def __init__(self, app: web.Application) -> None:
        self._app = app

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Read it."""
        family = CounterMetricFamily(f"{PREFIX}renders", "Finished renders.", labels=("outcome",))
        for outcome, count in self._app[SERVICE].renderer.counts.renders.copy().items():
            family.add_metric((outcome,), count)
        yield family


def _store_is_away(app: web.Application) -> float:
    return app[RATE_LIMITS].store_is_away if RATE_LIMITS in app else 0


def _dropped_lines(app: web.Application) -> float:
    return app[ACCESS_LOG].dropped if ACCESS_LOG in app else 0


_GAUGES: tuple[tuple[str, str, Read], ...] = (
    ("requests_under_way", "Requests in flight.", lambda app: app[ADMISSION].in_flight),
    ("requests_limit", "Limit of requests in flight.", lambda app: app[SERVICE].settings.max_requests),
    ("connections", "Open connections.", lambda app: app[ADMISSION].connections),
    ("connections_limit", "Limit of open connections.", lambda app: app[SERVICE].settings.max_connections),
    ("cache_entries", "Rendered codes in the cache.", lambda app: len(app[SERVICE].renderer.cache)),
    ("cache_bytes", "Size of the rendered codes in the cache.", lambda app: app[SERVICE].renderer.cache.weight),
    ("cache_limit_bytes", "Limit of the size of the cache.", lambda app: app[SERVICE].settings.cache_bytes),
    ("renders_under_way", "Codes that are being rendered or waiting.", lambda app: app[SERVICE].renderer.under_way),
    ("renders_limit", "Limit of codes being rendered or waiting.", lambda _: RENDER_QUEUE),
    ("render_threads_busy", "Threads that are rendering a code.", lambda app: app[SERVICE].renderer.threads.busy),
    ("images_under_way", "Images that are being read or waiting.", lambda app: app[SERVICE].image_reader.used),
    ("images_limit", "Limit of images being read or waiting.", lambda app: app[SERVICE].image_reader.most),
    ("uploads_limit", "Limit of imports in progress.", lambda app: app[SERVICE].settings.max_concurrent_uploads),
    (
        "worker_processes",
        "Processes that read workbooks and images, busy or idle.",
        lambda app: app[SERVICE].worker_processes.running,
    ),
    (
        "rate_limit_store_away",
        "1 while the store of shared rate limits cannot be reached.",
        _store_is_away,
    ),
    (
        "writes_under_way",
        "Changes of the database that are running or waiting.",
        lambda app: app[SERVICE].database.writes_under_way,
    ),
)
_LABELLED_GAUGES: tuple[tuple[str, str, str, Mapping[str, Read]], ...] = (
    (
        "prints_under_way",
        "Label sheets that are being made or waiting.",
        "queue",
        {
            "short": lambda app: app[SERVICE].sheet_queue.jobs_by_queue["short"],
            "long": lambda app: app[SERVICE].sheet_queue.jobs_by_queue["long"],
        },
    ),
)
_COUNTERS: tuple[tuple[str, str, Read], ...] = (
    ("cache_hits", "Codes that came from the cache.", lambda app: app[SERVICE].renderer.counts.hits),
    ("cache_misses", "Codes that were not in the cache.", lambda app: app[SERVICE].renderer.counts.misses),
    ("scan_responses_hits", "Scans answered from the cache.", lambda app: app[SERVICE].scan_cache.hits),
    ("scan_responses_misses", "Scans answered by the database.", lambda app: app[SERVICE].scan_cache.misses),
    (
        "requests_refused",
        "Requests rejected at the limit of requests in flight.",
        lambda app: app[ADMISSION].refused_requests,
    ),
    (
        "connections_refused",
        "Connections rejected at the limit of connections.",
        lambda app: app[ADMISSION].refused_connections,
    ),
    ("access_log_dropped", "Lines of the access log that were dropped.", _dropped_lines),
)
_BUILD_MEANING = "Versions of the service and of Python; always 1."
