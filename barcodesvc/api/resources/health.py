"""Handlers of /health and /metrics: whether the service works, what it has counted, and how busy it is.

A service is healthy if its database can be read and changed: the handler reads and begins a change. A service that is
stopping is not healthy; a balancer learns this over a connection that it has kept.
"""

import platform
from collections.abc import Iterator
from typing import Annotated, Literal

import psutil
from aiohttp import web
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from typing_extensions import TypedDict

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.guard.rate_limit import RATE_LIMITS
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.access_log import ACCESS_LOG
from barcodesvc.api.observe.metrics import METRICS, OPENMETRICS, PLAIN, PREFIX
from barcodesvc.api.resources.scan_cache import SCAN_CACHE
from barcodesvc.api.responses import JSON, json_response
from barcodesvc.api.signature import IgnoredQuery, Sends
from barcodesvc.config import VERSION
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.fields import Timestamp, described
from barcodesvc.store.database import Database


class Memory(TypedDict):
    """The memory of the process, in bytes."""

    rss: Annotated[int, described("Resident memory in bytes.", 62_000_000)]
    heapTotal: Annotated[int, described("Private writable memory that is reserved, in bytes.", 180_000_000)]
    heapUsed: Annotated[int, described("Resident memory in bytes that no file backs.", 44_000_000)]
    external: Annotated[int, described("Resident memory in bytes that is shared or backed by files.", 18_000_000)]


_UNKNOWN = Memory(rss=0, heapTotal=0, heapUsed=0, external=0)


class HealthReport(TypedDict):
    """Whether the service and its database work; `uptime` in seconds."""

    status: Annotated[Literal["OK", "ERROR"], described("Whether the database can be read and changed.", "OK", "ERROR")]
    timestamp: Annotated[Timestamp, described("The time by the clock of the service.")]
    uptime: Annotated[float, described("Seconds since the start.", 86_400.5)]
    memory: Annotated[Memory, described("The memory of the process.")]
    version: Annotated[str, described("The version of Python.", "Python 3.13.1")]


async def health(request: IgnoredQuery) -> Annotated[web.Response, Sends({JSON: HealthReport})]:
    """Check whether the service works.

    200 and OK, or 503 and ERROR; no envelope.
    """
    service, occupied = request.app[SERVICE], memory()
    is_ending = request.app[ADMISSION].is_ending
    well = not is_ending and await _database_answers(service.database) and occupied is not None
    report: HealthReport = {
        "status": "OK" if well else "ERROR",
        "timestamp": service.clock.timestamp(),
        "uptime": service.clock.steady() - service.started,
        "memory": occupied or _UNKNOWN,
        "version": f"Python {platform.python_version()}",
    }
    return json_response(report, status=200 if well else 503)


def memory() -> Memory | None:
    """Return the memory of the process, in bytes; None if it is out of file descriptors and cannot find out.

    rss: resident set; heapTotal: private writable memory reserved; heapUsed: anonymous resident memory; external:
    file-backed and shared resident memory. If the system does not distinguish them, all of rss is heapUsed.
    """
    try:
        info = psutil.Process().memory_info()
    except OSError:
        return None
    external = getattr(info, "shared", 0)
    return {
        "rss": info.rss,
        "heapTotal": getattr(info, "data", info.vms),
        "heapUsed": info.rss - external,
        "external": external,
    }


async def _database_answers(database: Database) -> bool:
    try:
        return await database.is_well()
    except (DatabaseFailure, DatabaseOverload):
        return False


_OPENMETRICS_TYPE = OPENMETRICS.partition(";")[0]


async def metrics(
    request: IgnoredQuery,
) -> Annotated[web.Response, Sends(dict.fromkeys(kind.partition(";")[0] for kind in (PLAIN, OPENMETRICS)))]:
    """Get the metrics.

    OpenMetrics 1.0.0 if Accept names it, otherwise the text format 0.0.4. Query parameters are ignored, because some
    scrapers send them.
    """
    accepted = ",".join(request.headers.getall("Accept", ())).lower()
    content_type = OPENMETRICS if _OPENMETRICS_TYPE in accepted else PLAIN
    return web.Response(body=await request.app[METRICS].text(content_type), headers={"Content-Type": content_type})


def state(app: web.Application) -> Iterator[Metric]:
    """Yield what a started application keeps, for a scrape: work in progress, and counts.

    It is read in the thread that writes the text; a collection that may grow meanwhile is copied first.
    """
    for name, meaning, value in _in_progress(app):
        yield GaugeMetricFamily(PREFIX + name, meaning, value)
    service = app[SERVICE]
    prints = GaugeMetricFamily(
        f"{PREFIX}prints_under_way", "Label sheets that are being made or waiting.", labels=("queue",)
    )
    for queue in ("short", "long"):
        prints.add_metric((queue,), service.sheet_queue.jobs_by_queue[queue])
    yield prints
    for name, meaning, value in _counted(app):
        yield CounterMetricFamily(PREFIX + name, meaning, value)
    renders = CounterMetricFamily(f"{PREFIX}renders", "Finished renders.", labels=("outcome",))
    for outcome, count in service.renderer.counts.renders.copy().items():
        renders.add_metric((outcome,), count)
    yield renders
    meaning, labels = "Versions of the service and of Python; always 1.", ("version", "python")
    build = GaugeMetricFamily(f"{PREFIX}build_info", meaning, labels=labels)
    build.add_metric((VERSION, platform.python_version()), 1)
    yield build


def _in_progress(app: web.Application) -> Iterator[tuple[str, str, float]]:
    service, admission, limits = app[SERVICE], app[ADMISSION], app.get(RATE_LIMITS)
    renderer, processes = service.renderer, service.worker_processes.running
    is_away = limits is not None and limits.store_is_away
    yield "requests_under_way", "Requests in flight.", admission.in_flight
    yield "connections", "Open connections.", admission.connections
    yield "cache_entries", "Rendered codes in the cache.", len(renderer.cache)
    yield "cache_bytes", "Size of the rendered codes in the cache.", renderer.cache.weight
    yield "renders_under_way", "Codes that are being rendered or waiting.", renderer.under_way
    yield "render_threads_busy", "Threads that are rendering a code.", renderer.threads.busy
    yield "images_under_way", "Images that are being read or waiting.", service.image_reader.places.used
    yield "worker_processes", "Processes that read workbooks and images, busy or idle.", processes
    yield "rate_limit_store_away", "1 while the store of shared rate limits cannot be reached.", is_away
    writes = service.database.writes_under_way
    yield "writes_under_way", "Changes of the database that are running or waiting.", writes


def _counted(app: web.Application) -> Iterator[tuple[str, str, float]]:
    admission, cached, scans = app[ADMISSION], app[SERVICE].renderer.counts, app[SCAN_CACHE]
    yield "cache_hits", "Codes that came from the cache.", cached.hits
    yield "cache_misses", "Codes that were not in the cache.", cached.misses
    yield "scan_responses_hits", "Scans answered from the cache.", scans.hits
    yield "scan_responses_misses", "Scans answered by the database.", scans.misses
    refused, connections = admission.refused_requests, admission.refused_connections
    yield "requests_refused", "Requests rejected at the limit of requests in flight.", refused
    yield "connections_refused", "Connections rejected at the limit of connections.", connections
    dropped = app[ACCESS_LOG].dropped if ACCESS_LOG in app else 0
    yield "access_log_dropped", "Lines of the access log that were dropped.", dropped
