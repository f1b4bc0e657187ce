"""How long a scrape of all routes takes, and how long a cached code waits during continuous scrapes."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from itertools import repeat

import uvloop
from aiohttp import ClientSession

from barcodesvc.api.routes import METRICS_PATH, ROUTES
from scripts.benchmarks.load import get
from scripts.benchmarks.observability import service
from scripts.benchmarks.probe import probe_idle, probe_saturated
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import LOOPBACK, Server, running_module

SCRAPE = at_most(50)
WAIT = at_most(10)
_SCRAPES = 50


def measure() -> Iterator[Figure]:
    """Yield the time of a scrape, and the p99 of a cached barcode meanwhile."""
    with running_module(service.MODULE) as both:
        server = Server(both.process, both.ports[1:])
        times, size = uvloop.run(_scrapes(server.ports[0]))
        yield Figure(
            "a scrape, median", statistics.median(times), "ms", SCRAPE, f"{size:,} bytes; at most {max(times):.2f} ms"
        )
        idle = uvloop.run(probe_idle(server, service.REQUEST))
        waits, seen = uvloop.run(probe_saturated(server, service.REQUEST, repeat(get(METRICS_PATH)), 1))
        note = f"{waits} during {seen.per_second:,.0f} scrapes/s; idle service: {idle}"
        yield Figure("a cached barcode during scrapes without a pause, p99", waits.percentile(99), "ms", WAIT, note)


async def _scrapes(port: int) -> tuple[list[float], int]:
    times = []
    async with ClientSession(f"http://{LOOPBACK}:{port}") as session:
        for route in ROUTES:
            async with session.request(route.method, route.path, json={}) as response:
                await response.read()
        for _ in range(_SCRAPES):
            begun = time.perf_counter()
            async with session.get(METRICS_PATH) as response:
                size = len(await response.read())
            times.append((time.perf_counter() - begun) * 1000)
            await asyncio.sleep(0)
    return times, size
