"""How long scans and cached codes wait while many labels are made, from the request to the end of its response.

Probes of the idle service alternate with the others, and are printed with them; figures are medians of the rounds. A QR
label takes several times as long as one with bars, so fewer of them make an equally long job.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from itertools import islice

import uvloop

from scripts.benchmarks.codes.requests import barcode
from scripts.benchmarks.labels import service
from scripts.benchmarks.labels.requests import scan, sheets
from scripts.benchmarks.probe import median_of, probe_during, probe_idle, shown
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import Server, running_module

TARGET = at_most(15)
LABELS = {"CODE128": 10_000, "QR": 2_000}
ROUNDS = 3
IDLE_SECONDS = 1.5
PROBES = {"a scan": scan(17), "a cached barcode": barcode(17)}


def measure() -> Iterator[Figure]:
    """Yield the p99 of every probe during sheets of each kind."""
    with running_module(service.MODULE) as server:
        yield from (_probed(server, probe, code_type) for code_type in LABELS for probe in PROBES)


def _probed(server: Server, probe: str, code_type: str) -> Figure:
    labels, request = LABELS[code_type], PROBES[probe]
    load = sheets(labels, code_type)
    idle, loaded, seconds = [], [], []
    for _ in range(ROUNDS):
        idle.append(uvloop.run(probe_idle(server, request, IDLE_SECONDS)))
        waits, seen = uvloop.run(probe_during(server, request, islice(load, 1)))
        loaded.append(waits)
        seconds.append(seen.seconds)
    note = f"{shown(loaded)} during responses of {statistics.median(seconds):.1f} s; idle service: {shown(idle)}"
    name = f"{probe} while {labels:,} {code_type} labels are made, p99"
    return Figure(name, median_of(loaded, 99), "ms", TARGET, note)
