"""A CSV of a million levels: when its first row comes, and how much the server's memory grows until the last one.

The first row, not the first byte: a header that came alone would say nothing about the table.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import uvloop

from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.resident import MB, peak_during
from scripts.benchmarks.spreadsheets.memory import EXPORTING
from scripts.benchmarks.spreadsheets.service import stocked_server
from scripts.benchmarks.spreadsheets.transfers import export

LEVELS = 1_000_000
ROUNDS = 3
FIRST = at_most(100)


def measure() -> Iterator[Figure]:
    """Yield the wait for the first row, and the growth of resident memory."""
    with stocked_server(LEVELS) as server:
        before = server.resident_bytes()
        rounds = [uvloop.run(peak_during(server, export(server, "csv"))) for _ in range(ROUNDS)]
    first = [1000 * one.first_row_seconds for _, one in rounds]
    whole = statistics.median(one.round.seconds for _, one in rounds)
    note = f"first, median and last of {ROUNDS}: {first[0]:.1f}, {statistics.median(first):.1f}, {first[-1]:.1f} ms"
    note += f"; the whole of {rounds[0][1].size / MB:.0f} MB after {whole:.1f} s"
    yield Figure(f"first row of a CSV of {LEVELS:,} levels", statistics.median(first), "ms", FIRST, note)
    peak = max(peak for peak, _ in rounds)
    note = f"{before / MB:.0f} MB before, {peak / MB:.0f} at the peak"
    yield Figure(f"CSV of {LEVELS:,} levels, growth of resident memory", (peak - before) / MB, "MB", EXPORTING, note)
