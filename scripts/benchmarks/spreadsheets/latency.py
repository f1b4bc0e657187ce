"""How long scans wait while a catalogue is imported or the stock exported, from the request to the end of its response.

Imports are real ones of new products, each into a new server; they include the transaction and everything that the
first import has to start. Probes of the idle service alternate with the others and are printed with them; figures are
medians of the rounds.
"""

import statistics
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvloop

from scripts.benchmarks.labels.requests import scan
from scripts.benchmarks.load import Round
from scripts.benchmarks.probe import Latencies, median_of, probe_idle, probe_while, shown
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import Server
from scripts.benchmarks.spreadsheets.service import FEW, LEVELS, stocked_server
from scripts.benchmarks.spreadsheets.transfers import export, import_workbook
from scripts.benchmarks.spreadsheets.workbooks import ROWS, shared_xlsx

ROUNDS = 3
WARMING_SECONDS = 0.5
IDLE_SECONDS = 3.0
WAIT = at_most(20)
GROWTH = at_most(5)
SCAN = scan(16)

Sending = Callable[[Server], Coroutine[Any, Any, Round]]


def measure() -> Iterator[Figure]:
    """Yield the p99 of a scan during imports and during exports, and as a multiple of the idle one."""
    with TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        workbook = shared_xlsx(Path(folder))
        yield from _figures(
            f"{ROWS:,} rows of .xlsx are imported", FEW, lambda server: import_workbook(server, workbook)
        )
    yield from _figures(f"{LEVELS:,} levels are exported to .xlsx", LEVELS, _export)


async def _export(server: Server) -> Round:
    return (await export(server, "xlsx")).round


def _figures(what: str, products: int, sending: Sending) -> Iterator[Figure]:
    idle: list[Latencies] = []
    busy: list[Latencies] = []
    seconds: list[float] = []
    for _ in range(ROUNDS):
        with stocked_server(products) as server:
            uvloop.run(probe_idle(server, SCAN, WARMING_SECONDS))
            idle.append(uvloop.run(probe_idle(server, SCAN, IDLE_SECONDS)))
            waits, seen = uvloop.run(probe_while(server, SCAN, sending(server)))
        busy.append(waits)
        seconds.append(seen.seconds)
    note = f"{shown(busy)} during responses of {statistics.median(seconds):.1f} s; idle service: {shown(idle)}"
    yield Figure(f"a scan while {what}, p99", median_of(busy, 99), "ms", WAIT, note)
    ratio = statistics.median(a.percentile(99) / b.percentile(99) for a, b in zip(busy, idle, strict=True))
    yield Figure(f"a scan while {what}, p99, times the idle p99", ratio, "x", GROWTH)
