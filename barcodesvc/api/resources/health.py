"""The handler of /health: whether the service, its database and its threads can work, and what the process occupies.

Healthy is a service whose database can be read and changed: whoever asks reads for real and begins a change.
"""

from __future__ import annotations

import asyncio
import platform

import psutil
from aiohttp import web

from barcodesvc.api.keys import BODY_THREADS, CLOCK, DATABASE, FILE_THREADS, PHOTO_READER, PRINTER, RENDERER, STARTED
from barcodesvc.api.responses import json_answer
from barcodesvc.errors import DatabaseFailure

DATABASE_WAIT = 0.9
"""Seconds after which a database that does not answer counts as failed."""
_UNKNOWN = dict.fromkeys(("rss", "heapTotal", "heapUsed", "external"), 0)


async def health(request: web.Request) -> web.Response:
    """GET /health: 200 and OK, or 503 and ERROR; no envelope."""
    occupied = memory()
    well = await _database_answers(request) and occupied is not None and not _is_worn_out(request.app)
    clock = request.app[CLOCK]
    report = {
        "status": "OK" if well else "ERROR",
        "timestamp": clock.timestamp(),
        "uptime": clock.steady() - request.app[STARTED],
        "memory": occupied or _UNKNOWN,
        "version": f"Python {platform.python_version()}",
    }
    return json_answer(report, status=200 if well else 503)


def memory() -> dict[str, int] | None:
    """Return what the process occupies, in bytes; nothing where it cannot open a file any more to find out.

    rss: resident set; heapTotal: private writable memory reserved; heapUsed: anonymous resident memory; external:
    file-backed and shared resident memory. Where the system does not tell them apart, all of rss is heapUsed.
    """
    try:
        told = psutil.Process().memory_info()
    except OSError:
        return None
    external = getattr(told, "shared", 0)
    return {
        "rss": told.rss,
        "heapTotal": getattr(told, "data", told.vms),
        "heapUsed": told.rss - external,
        "external": external,
    }


def _is_worn_out(app: web.Application) -> bool:
    """Tell whether so many threads hang that a kind of work is refused: then only a new process helps."""
    printing = app[PRINTER].threads
    pools = (app[RENDERER].threads, app[PHOTO_READER].threads, app[FILE_THREADS], app[BODY_THREADS], *printing)
    return any(pool.is_exhausted for pool in pools)


async def _database_answers(request: web.Request) -> bool:
    try:
        async with asyncio.timeout(DATABASE_WAIT):
            return await request.app[DATABASE].is_well()
    except (DatabaseFailure, TimeoutError):
        return False
