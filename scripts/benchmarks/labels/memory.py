"""What the server's resident memory grows by while labels are made: its peak, sampled, less what it was before.

Each kind has a server of its own that has printed nothing yet, and prints several sheets, one after the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import islice

import uvloop

from scripts.benchmarks.labels import service
from scripts.benchmarks.labels.requests import sheets
from scripts.benchmarks.load import send_load
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import Server, running_module

MB = 1_000_000
LABELS = 10_000
ANSWERS = {"CODE128": 3, "QR": 1}
INTERVAL = 0.002
TARGET = at_most(150)


def measure() -> Iterator[Figure]:
    """Yield the growth by sheets of barcodes and of QR codes."""
    for code_type, answers in ANSWERS.items():
        with running_module(service.MODULE) as server:
            before = server.resident_bytes()
            peak = uvloop.run(_peak(server, islice(sheets(LABELS, code_type), answers)))
            after = server.resident_bytes()
        beside = f"{before / MB:.0f} MB before, {peak / MB:.0f} at the peak, {after / MB:.0f} after {answers} of them"
        name = f"{LABELS:,} {code_type} labels, growth of resident memory"
        yield Figure(name, (peak - before) / MB, "MB", TARGET, beside)


async def _peak(server: Server, requests: Iterator[bytes]) -> int:
    sending = asyncio.create_task(send_load(server, server.ports[0], requests, connections=1))
    peak = 0
    while not sending.done():
        peak = max(peak, server.resident_bytes())
        await asyncio.sleep(INTERVAL)
    await sending
    return peak
