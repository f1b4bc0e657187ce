"""Whole exports of the stock, over HTTP, against openpyxl's write-only mode for the same cells."""

from collections.abc import Iterator
from functools import partial

import uvloop

from scripts.benchmarks.load import Round
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.servers import Server
from scripts.benchmarks.spreadsheets.reference import alone
from scripts.benchmarks.spreadsheets.service import LEVELS, stocked_server
from scripts.benchmarks.spreadsheets.transfers import export
from scripts.benchmarks.turns import in_turns, times

ROUNDS = 3
XLSX = at_most(0.3)
CSV = at_least(10)
PEER = "openpyxl's write-only mode"


def measure() -> Iterator[Figure]:
    """Yield the time of an .xlsx as a multiple of openpyxl's, and how many times faster than that a CSV is."""
    with stocked_server(LEVELS) as server:
        contenders = {kind: partial(_export, server, kind) for kind in ("xlsx", "csv")}
        turns = in_turns({**contenders, PEER: partial(alone, "write-xlsx", str(LEVELS))}, ROUNDS)
    yield times(f"export of {LEVELS:,} levels to .xlsx, times {PEER}", turns, ("xlsx", PEER), XLSX)
    note = f"{1000 / turns.per_second('csv'):,.0f} ms against {1000 / turns.per_second(PEER):,.0f}"
    ratio = turns.speed_ratio("csv", PEER)
    yield Figure(f"export of {LEVELS:,} levels to CSV, times as fast as {PEER}", ratio, "x", CSV, note)


def _export(server: Server, kind: str) -> Round:
    return uvloop.run(export(server, kind)).round
