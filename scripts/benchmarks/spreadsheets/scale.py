"""A CSV of a million levels: how much the server's memory grows until the last row has come."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import uvloop

from scripts.benchmarks.report import Figure
from scripts.benchmarks.resident import MB, peak_during
from scripts.benchmarks.spreadsheets.memory import EXPORTING
from scripts.benchmarks.spreadsheets.service import stocked_server
from scripts.benchmarks.spreadsheets.transfers import export

LEVELS = 1_000_000
ROUNDS = 3


def measure() -> Iterator[Figure]:
    """Yield the growth of resident memory."""
    with stocked_server(LEVELS) as server:
        before = server.resident_bytes()
        rounds = [uvloop.run(peak_during(server, export(server, "csv"))) for _ in range(ROUNDS)]
    whole = statistics.median(one.round.seconds for _, one in rounds)
    peak = max(peak for peak, _ in rounds)
    note = (
        f"{before / MB:.0f} MB before, {peak / MB:.0f} at the peak; {rounds[0][1].size / MB:.0f} MB after {whole:.1f} s"
    )
    yield Figure(f"CSV of {LEVELS:,} levels, growth of resident memory", (peak - before) / MB, "MB", EXPORTING, note)
