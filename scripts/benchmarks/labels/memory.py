"""How much the server's resident memory grows while labels are made: its sampled peak, minus its size before.

Each kind has a separate server that has printed nothing yet, and prints several sheets, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import uvloop

from scripts.benchmarks.labels import service
from scripts.benchmarks.labels.requests import sheets
from scripts.benchmarks.load import send_load
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.resident import MB, peak_during
from scripts.benchmarks.servers import running_module

LABELS = 10_000
RESPONSES = {"CODE128": 3, "QR": 1}
TARGET = at_most(150)


def measure() -> Iterator[Figure]:
    """Yield the growth by sheets of barcodes and of QR codes."""
    for code_type, responses in RESPONSES.items():
        with running_module(service.MODULE) as server:
            requests = islice(sheets(LABELS, code_type), responses)
            before = server.resident_bytes()
            peak, _ = uvloop.run(peak_during(server, send_load(server, server.ports[0], requests, connections=1)))
            after = server.resident_bytes()
        note = f"{before / MB:.0f} MB before, {peak / MB:.0f} at the peak, {after / MB:.0f} after {responses} of them"
        name = f"{LABELS:,} {code_type} labels, growth of resident memory"
        yield Figure(name, (peak - before) / MB, "MB", TARGET, note)
