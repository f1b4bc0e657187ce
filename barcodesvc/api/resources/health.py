"""The handler of /health: whether the service and its database can work, and what the process occupies.

Healthy is a service whose database can be read and changed: whoever asks reads for real and begins a change. One that
is being stopped is not: a balancer that asks over a connection that it has kept learns it so.
"""

from __future__ import annotations

import asyncio
import platform
from typing import Literal

import psutil
from aiohttp import web
from typing_extensions import TypedDict

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import CLOCK, DATABASE, STARTED
from barcodesvc.api.responses import JsonAnswer, json_answer
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.models import Timestamp

DATABASE_WAIT = 0.9
"""Seconds after which a database that does not answer counts as failed."""


class Memory(TypedDict):
    """What the process occupies, in bytes."""

    rss: int
    heapTotal: int
    heapUsed: int
    external: int


_UNKNOWN = Memory(rss=0, heapTotal=0, heapUsed=0, external=0)


class HealthReport(TypedDict):
    """Whether the service and its database answer; `uptime` in seconds."""

    status: Literal["OK", "ERROR"]
    timestamp: Timestamp
    uptime: float
    memory: Memory
    version: str


async def health(request: web.Request) -> JsonAnswer[HealthReport]:
    """GET /health: 200 and OK, or 503 and ERROR; no envelope."""
    occupied = memory()
    is_ending = request.app[ADMISSION].is_ending
    well = not is_ending and await _database_answers(request) and occupied is not None
    clock = request.app[CLOCK]
    report: HealthReport = {
        "status": "OK" if well else "ERROR",
        "timestamp": clock.timestamp(),
        "uptime": clock.steady() - request.app[STARTED],
        "memory": occupied or _UNKNOWN,
        "version": f"Python {platform.python_version()}",
    }
    return json_answer(report, status=200 if well else 503)


def memory() -> Memory | None:
    """Return what the process occupies, in bytes; nothing where it cannot open a file any more to find out.

    rss: resident set; heapTotal: private writable memory reserved; heapUsed: anonymous resident memory; external:
    file-backed and shared resident memory. Where the system does not know them apart, all of rss is heapUsed.
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
        async with asyncio.timeout(DATABASE_WAIT):
            return await request.app[DATABASE].is_well()
    except (DatabaseFailure, DatabaseOverload, TimeoutError):
        return False
