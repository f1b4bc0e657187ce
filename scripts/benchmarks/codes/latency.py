"""How long quick requests wait while the render pool is saturated by codes that all differ.

A probe asks for `/health` or for a cached barcode on a timetable, every INTERVAL seconds, whether or not the answers
before have come, over connections enough for that; a request is timed from when it was due, so that one long wait
counts as often as it would have hit somebody. The sender of the load shares the probe's event loop; what timers and
loop add to a wait is what the same probe of the idle service shows, printed beside.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass

import uvloop

from scripts.benchmarks.codes import service
from scripts.benchmarks.codes.requests import BARCODE, different_barcodes, different_qrcodes
from scripts.benchmarks.load import Connection, connect, for_seconds, get, post, send_load
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import Server, running_module

TARGET = at_most(10)
INTERVAL = 0.005
SECONDS = 5.0
SETTLING = 0.5
CONNECTIONS = 32
PROBE_CONNECTIONS = 64

PROBES = {"/health": get("/health"), "a cached barcode": post(BARCODE, service.REPEATED[BARCODE])}


@dataclass(frozen=True, slots=True)
class Latencies:
    """Waits in milliseconds, sorted."""

    waits: list[float]

    def percentile(self, percent: float) -> float:
        """Return the wait that this percentage of the requests did not exceed."""
        return self.waits[min(len(self.waits) - 1, int(len(self.waits) * percent / 100))]

    def __str__(self) -> str:
        """Return median, 99th percentile and maximum."""
        shown = self.percentile(50), self.percentile(99), self.waits[-1]
        return "p50 {:.2f}, p99 {:.2f}, max {:.2f} ms".format(*shown)


def measure() -> Iterator[Figure]:
    """Yield the p99 of every probe under every load."""
    loads = {"CODE128": different_barcodes(), "QR": different_qrcodes()}
    with running_module(service.MODULE) as server:
        idle = {name: uvloop.run(_idle(server, request)) for name, request in PROBES.items()}
        for load, requests in loads.items():
            for name, request in PROBES.items():
                waits, per_second = uvloop.run(_under_load(server, request, requests))
                beside = f"{waits} beside {per_second:,.0f} renders/s; idle service: {idle[name]}"
                yield Figure(
                    f"{name} while uncached {load} codes saturate the pool, p99",
                    waits.percentile(99),
                    "ms",
                    TARGET,
                    beside,
                )


async def _idle(server: Server, request: bytes) -> Latencies:
    return await _probe(server.ports[0], request)


async def _under_load(server: Server, request: bytes, load: Iterator[bytes]) -> tuple[Latencies, float]:
    port = server.ports[0]
    limited = for_seconds(SETTLING + SECONDS + SETTLING, load)
    sending = asyncio.create_task(send_load(server, port, limited, CONNECTIONS))
    await asyncio.sleep(SETTLING)
    waits = await _probe(port, request)
    return waits, (await sending).per_second


async def _probe(port: int, request: bytes) -> Latencies:
    waits: list[float] = []
    sent: dict[Connection, float] = {}
    idle: asyncio.Queue[Connection] = asyncio.Queue()

    def answered(connection: Connection) -> None:
        waits.append((time.perf_counter() - sent[connection]) * 1000)
        idle.put_nowait(connection)

    connections = [await connect(port, answered) for _ in range(PROBE_CONNECTIONS)]
    for connection in connections:
        idle.put_nowait(connection)
    due = time.perf_counter()
    for _ in range(int(SECONDS / INTERVAL)):
        due += INTERVAL
        await asyncio.sleep(due - time.perf_counter())
        connection = await idle.get()
        sent[connection] = due
        connection.send(request)
    for _ in connections:
        await idle.get()
    for connection in connections:
        connection.close()
    return Latencies(sorted(waits))
