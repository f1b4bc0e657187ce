"""How much the server's resident memory grows while files go in and out: its sampled peak, minus its size before.

The sum covers its processes from the moment it is ready: what the first file has to start is growth too. Each kind has
a separate server, and runs REPEATS times.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvloop

from scripts.benchmarks.report import Figure, Target, at_most
from scripts.benchmarks.resident import MB, peak_during
from scripts.benchmarks.servers import Server
from scripts.benchmarks.spreadsheets.service import FEW, LEVELS, stocked_server
from scripts.benchmarks.spreadsheets.transfers import export, import_workbook
from scripts.benchmarks.spreadsheets.workbooks import Workbook, inline_xlsx, shared_xlsx, xls

EXPORTING = at_most(50)
REPEATS = 2
IMPORTED: Mapping[str, Callable[[Path], Workbook]] = {
    ".xlsx (shared strings)": shared_xlsx,
    ".xlsx (inline strings)": inline_xlsx,
    ".xls": xls,
}


def measure() -> Iterator[Figure]:
    """Yield the growth by exports, which is bounded, and by one import of each kind."""
    for kind in ("xlsx", "csv"):
        name = f"{REPEATS} exports of {LEVELS:,} levels to {kind}, growth of resident memory"
        with stocked_server(LEVELS) as server:
            yield growth(server, name, EXPORTING, [export(server, kind) for _ in range(REPEATS)])
    with TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        for kind, make in IMPORTED.items():
            workbook = make(Path(folder))
            name = f"import of {workbook.rows:,} rows of {kind}, growth of resident memory"
            with stocked_server(FEW) as server:
                yield growth(server, name, None, [import_workbook(server, workbook)])


def growth(server: Server, name: str, target: Target | None, sending: list[Coroutine[Any, Any, object]]) -> Figure:
    """Send everything, one after the other, and return by how much memory grew at the peak."""
    before = server.resident_bytes()
    peaks = [uvloop.run(peak_during(server, one))[0] for one in sending]
    after = server.resident_bytes()
    shown = ", ".join(f"{peak / MB:.0f}" for peak in peaks)
    note = f"{before / MB:.0f} MB before, peaks at {shown}, {after / MB:.0f} after"
    return Figure(name, (max(peaks) - before) / MB, "MB", target, note)
