"""Handlers of /health and /metrics: whether the service works, and what it counts.

A service is healthy if its database can be read and changed: the handler reads and begins a change. A service that is
stopping is not healthy; a balancer learns this over a connection that it has kept.
"""

from __future__ import annotations

import platform
from typing import Annotated, Literal

import psutil
from aiohttp import web
from typing_extensions import TypedDict

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.observe.metrics import METRICS, OPENMETRICS, PLAIN
from barcodesvc.api.responses import JsonResponse, json_response
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.fields import Timestamp, described


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


async def health(request: web.Request) -> JsonResponse[HealthReport]:
    """GET /health: 200 and OK, or 503 and ERROR; no envelope."""
    occupied = memory()
    is_ending = request.app[ADMISSION].is_ending
    well = not is_ending and await _database_answers(request) and occupied is not None
    clock = request.app[SERVICE].clock
    report: HealthReport = {
        "status": "OK" if well else "ERROR",
        "timestamp": clock.timestamp(),
        "uptime": clock.steady() - request.app[SERVICE].started,
        "memory": occupied or _UNKNOWN,
        "version": f"Python {platform.python_version()}",
    }
    return json_response(report, status=200 if well else 503)


def memory() -> Memory | None:
    """Return the memory of the process, in bytes; empty if it is out of file descriptors and cannot find out.

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


async def _database_answers(request: web.Request) -> bool:
    try:
        return await request.app[SERVICE].database.is_well()
    except (DatabaseFailure, DatabaseOverload):
        return False


_OPENMETRICS_TYPE = OPENMETRICS.partition(";")[0]


async def metrics(request: web.Request) -> web.Response:
    """GET /metrics: OpenMetrics 1.0.0 if Accept names it, otherwise the text format 0.0.4.

    Query parameters are ignored, because some scrapers send them.
    """
    accepted = ",".join(request.headers.getall("Accept", ())).lower()
    content_type = OPENMETRICS if _OPENMETRICS_TYPE in accepted else PLAIN
    return web.Response(body=await request.app[METRICS].text(content_type), headers={"Content-Type": content_type})
