"""Whole imports and exports over HTTP, against what openpyxl alone needs for the same cells; and scans meanwhile.

Each import is a real one of new products, into a new server that has imported ten rows before. openpyxl works in a
process that does nothing else. An unexpected response ends the measurement, because a refusal is quicker than the work.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import openpyxl
import uvloop
from aiohttp import ClientSession, ClientTimeout, FormData

from barcodesvc.catalogue.export_tables import LEVELS
from scripts.benchmarks.alone import alone, timed
from scripts.benchmarks.load import Round, post
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import LOOPBACK, Server
from scripts.benchmarks.service import serving
from scripts.benchmarks.timetable import Latencies, probe_idle, probe_while
from scripts.benchmarks.turns import in_turns, times
from scripts.benchmarks.workbooks import NEW, Workbook, draft, exported, shared_xlsx

ROWS = 100_000
FEW = 1000
"""Products of a server before an import."""
IMPORT = at_most(1.3)
EXPORT = at_most(0.3)
WAIT = at_most(20)
ROUNDS = 3
READING, WRITING = "openpyxl's read-only iteration", "openpyxl's write-only mode"
SCAN = post("/api/codes/decode", '{"code_data":"AB-00000016"}')
_WARMING_SECONDS = 0.5
_IDLE_SECONDS = 3.0
_LONGEST = ClientTimeout(total=900)
_CHUNK = 256 * 1024


def imports() -> Iterator[Figure]:
    """Yield the time of an import as a multiple of that in which openpyxl looks at every cell of the file."""
    with TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        workbook, warming = shared_xlsx(Path(folder), ROWS), shared_xlsx(Path(folder), 10, NEW - 10)
        rounds: dict[str, Callable[[], Round]] = {
            "import": partial(_import, workbook, warming),
            READING: lambda: alone(_read, workbook.path),
        }
        turns = in_turns(rounds, ROUNDS)
    name = f"import of {ROWS:,} rows of .xlsx (shared strings), times {READING}"
    yield times(name, turns, ("import", READING), IMPORT)


def exports() -> Iterator[Figure]:
    """Yield the time of an export as a multiple of that in which openpyxl writes the same cells."""
    with serving(products=map(draft, range(ROWS))) as server:
        rounds: dict[str, Callable[[], Round]] = {
            "export": lambda: uvloop.run(_exported(server)),
            WRITING: lambda: alone(_write, ROWS),
        }
        turns = in_turns(rounds, ROUNDS)
    yield times(f"export of {ROWS:,} levels to .xlsx, times {WRITING}", turns, ("export", WRITING), EXPORT)


def latency() -> Iterator[Figure]:
    """Yield how long scans wait during an import: its transaction, and all that the first import has to start."""
    idle: list[float] = []
    busy: list[float] = []
    seconds: list[float] = []
    with TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        workbook = shared_xlsx(Path(folder), ROWS)
        for _ in range(ROUNDS):
            with serving(products=map(draft, range(FEW))) as server:
                uvloop.run(probe_idle(server, SCAN, _WARMING_SECONDS))
                idle += uvloop.run(probe_idle(server, SCAN, _IDLE_SECONDS)).waits
                waits, seen = uvloop.run(probe_while(server, SCAN, _imported(server, workbook)))
            busy += waits.waits
            seconds.append(seen.seconds)
    waiting, before = Latencies(sorted(busy)), Latencies(sorted(idle))
    note = f"{waiting} during responses of {statistics.median(seconds):.1f} s; idle service: {before}"
    yield Figure(f"a scan while {ROWS:,} rows of .xlsx are imported, p99", waiting.percentile(99), "ms", WAIT, note)


def _import(workbook: Workbook, warming: Workbook) -> Round:
    with serving(products=map(draft, range(FEW))) as server:
        uvloop.run(_imported(server, warming))
        return uvloop.run(_imported(server, workbook))


async def _imported(server: Server, workbook: Workbook) -> Round:
    """Import a file of new products, timed from the request to the end of its response."""
    form = FormData({"file": workbook.path.read_bytes()})
    cpu, begin = server.cpu_seconds(), time.perf_counter()
    async with _session(server) as session, session.post("/api/products/import", data=form) as response:
        told = await response.json()
    took = Round(1, time.perf_counter() - begin, server.cpu_seconds() - cpu)
    if told.get("data", {}).get("imported") != workbook.rows:
        raise ConnectionError(f"not all {workbook.rows} rows were imported: {str(told)[:300]}")
    return took


async def _exported(server: Server) -> Round:
    """Fetch the levels and discard them, timed likewise."""
    cpu, begin = server.cpu_seconds(), time.perf_counter()
    async with _session(server) as session, session.get("/api/inventory/export?format=xlsx") as response:
        response.raise_for_status()
        async for _ in response.content.iter_chunked(_CHUNK):
            pass
    return Round(1, time.perf_counter() - begin, server.cpu_seconds() - cpu)


def _session(server: Server) -> ClientSession:
    return ClientSession(f"http://{LOOPBACK}:{server.ports[0]}", timeout=_LONGEST)


def _read(path: Path) -> Round:
    """Return what it takes to iterate the rows of a workbook, read-only, values only."""

    def read() -> None:
        for _ in openpyxl.load_workbook(path, read_only=True).worksheets[0].iter_rows(values_only=True):
            pass

    return timed(read)[1]


def _write(levels: int) -> Round:
    """Return what it takes to write levels, write-only, without styles."""
    rows = [LEVELS.header, *map(exported, range(levels))]

    def write() -> None:
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
        with TemporaryDirectory() as folder:
            book.save(Path(folder) / "levels.xlsx")

    return timed(write)[1]
