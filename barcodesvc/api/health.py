"""The handler of /health: whether the database answers and threads are there to work, and what the process occupies."""

from __future__ import annotations

import asyncio
import platform

import psutil
from aiohttp import web

from barcodesvc.api.keys import BODY_THREADS, CLOCK, DATABASE, FILE_THREADS, PHOTO_READER, PRINTER, RENDERER, STARTED
from barcodesvc.api.responses import json_answer
from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.queries import QUERIES

DATABASE_WAIT = 2.0
"""Seconds after which a database that does not answer counts as failed."""


async def health(request: web.Request) -> web.Response:
    """GET /health: 200 and OK, or 503 and ERROR; no envelope."""
    healthy = await _database_answers(request) and not _is_worn_out(request.app)
    clock = request.app[CLOCK]
    report = {
        "status": "OK" if healthy else "ERROR",
        "timestamp": clock.timestamp(),
        "uptime": clock.steady() - request.app[STARTED],
        "memory": memory(),
        "version": f"Python {platform.python_version()}",
    }
    return json_answer(report, status=200 if healthy else 503)


def memory() -> dict[str, int]:
    """Return what the process occupies, in bytes.

    rss: resident set; heapTotal: private writable memory reserved; heapUsed: anonymous resident memory; external:
    file-backed and shared resident memory. Where the system does not tell them apart, all of rss is heapUsed.
    """
    told = psutil.Process().memory_info()
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
            await request.app[DATABASE].row(QUERIES["ping"])
    except (DatabaseFailure, TimeoutError):
        return False
    return True
