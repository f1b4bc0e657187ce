"""How long quick requests wait while the render pool is saturated by distinct codes.

The probe asks for `/health` or for a cached barcode; each figure comes with that of the idle service.
"""

from __future__ import annotations

from collections.abc import Iterator

import uvloop

from scripts.benchmarks.codes import service
from scripts.benchmarks.codes.requests import BARCODE, different_barcodes, different_qrcodes
from scripts.benchmarks.load import get, post
from scripts.benchmarks.probe import probe_idle, probe_saturated
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import running_module

TARGET = at_most(10)
CONNECTIONS = 32

PROBES = {"/health": get("/health"), "a cached barcode": post(BARCODE, service.REPEATED[BARCODE])}


def measure() -> Iterator[Figure]:
    """Yield the p99 of every probe under every load."""
    loads = {"CODE128": different_barcodes(), "QR": different_qrcodes()}
    with running_module(service.MODULE) as server:
        idle = {name: uvloop.run(probe_idle(server, request)) for name, request in PROBES.items()}
        for load, requests in loads.items():
            for name, request in PROBES.items():
                waits, seen = uvloop.run(probe_saturated(server, request, requests, CONNECTIONS))
                note = f"{waits} during {seen.per_second:,.0f} renders/s; idle service: {idle[name]}"
                yield Figure(
                    f"{name} while uncached {load} codes saturate the pool, p99",
                    waits.percentile(99),
                    "ms",
                    TARGET,
                    note,
                )
