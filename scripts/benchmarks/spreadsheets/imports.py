"""Whole imports, over HTTP, against what openpyxl and xlrd alone need to look at every cell of the same file.

Each import is a real one of new products, into a new server that has imported ten rows before. An .xls is read with
xlrd, so the reading alone is reported too, against xlrd with the formats of cells.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from scripts.benchmarks.load import Round
from scripts.benchmarks.report import Figure, Target, at_most
from scripts.benchmarks.spreadsheets.reference import alone
from scripts.benchmarks.spreadsheets.service import FEW, stocked_server
from scripts.benchmarks.spreadsheets.transfers import import_workbook
from scripts.benchmarks.spreadsheets.workbooks import NEW, Workbook, inline_xlsx, shared_xlsx, xls
from scripts.benchmarks.turns import in_turns, times

ROUNDS = 3
Peers = Mapping[str, tuple[str, Target | None]]
"""By its name in a figure, the work of `reference` and the target."""
OPENPYXL: Peers = {"openpyxl's read-only iteration": ("read-xlsx", at_most(1.3))}
XLRD_WITH_FORMATS = "read-xls-formats"
READING_XLS = at_most(2)
XLRD: Peers = {
    "xlrd's open_workbook and row_values": ("read-xls", None),
    "the same with formatting_info": (XLRD_WITH_FORMATS, None),
}
KINDS: Mapping[str, tuple[Callable[[Path], Workbook], Peers]] = {
    ".xlsx (shared strings)": (shared_xlsx, OPENPYXL),
    ".xlsx (inline strings)": (inline_xlsx, OPENPYXL),
    ".xls": (xls, XLRD),
}


def measure() -> Iterator[Figure]:
    """Yield the time of an import of each kind, as a multiple of its peers'."""
    with TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        warming = shared_xlsx(Path(folder), 10, NEW - 10)
        for kind, (make, peers) in KINDS.items():
            workbook = make(Path(folder))
            alone_by_peer = {peer: partial(alone, work, workbook.path) for peer, (work, _) in peers.items()}
            turns = in_turns({"import": partial(_import, workbook, warming), **alone_by_peer}, ROUNDS)
            for peer, (_, target) in peers.items():
                name = f"import of {workbook.rows:,} rows of {kind}, times {peer}"
                yield times(name, turns, ("import", peer), target)
        yield _reading(xls(Path(folder)))


def _reading(workbook: Workbook) -> Figure:
    """Return the time to read an .xls, without processing its rows, as a multiple of xlrd's."""
    works = {"reading": "read-rows", "xlrd": XLRD_WITH_FORMATS}
    turns = in_turns({name: partial(alone, work, workbook.path) for name, work in works.items()}, ROUNDS)
    name = f"reading of {workbook.rows:,} rows of .xls, times xlrd's with formatting_info"
    return times(name, turns, ("reading", "xlrd"), READING_XLS)


def _import(workbook: Workbook, warming: Workbook) -> Round:
    with stocked_server(FEW) as server:
        uvloop.run(import_workbook(server, warming))
        return uvloop.run(import_workbook(server, workbook))
