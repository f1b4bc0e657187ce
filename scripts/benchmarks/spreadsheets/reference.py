"""What openpyxl and xlrd alone need, and the service's reader, each time in a process that does nothing else.

    python -m scripts.benchmarks.spreadsheets.reference read-xlsx|read-xls|read-xls-formats|read-rows FILE
    python -m scripts.benchmarks.spreadsheets.reference write-xlsx LEVELS

Prints the seconds of the work and its processor seconds, without the start of the process. openpyxl takes half as long
again with `defusedxml`, if that is installed, so it is disabled here.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import openpyxl
import xlrd

import barcodesvc.spreadsheets.xls  # noqa: F401 - what is loaded late shall not count
from barcodesvc.catalogue.export_tables import LEVELS
from barcodesvc.spreadsheets.read import open_workbook
from scripts.benchmarks.load import Round
from scripts.benchmarks.spreadsheets.catalogue import exported

MODULE = "scripts.benchmarks.spreadsheets.reference"
_ENVIRONMENT = {"OPENPYXL_DEFUSEDXML": "False"}


def alone(work: str, of: str | Path) -> Round:
    """Do one of the tasks in a separate process."""
    command = [sys.executable, "-m", MODULE, work, str(of)]
    environment = os.environ | _ENVIRONMENT
    printed = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # noqa: S603 - this very file
    seconds, cpu_seconds = map(float, printed.stdout.split())
    return Round(1, seconds, cpu_seconds)


def read_xlsx(path: str) -> None:
    """Iterate the rows of a workbook with openpyxl, read-only, values only."""
    book = openpyxl.load_workbook(path, read_only=True)
    for _ in book.worksheets[0].iter_rows(values_only=True):
        pass


def read_xls(path: str, **options: Any) -> None:
    """Open a workbook with xlrd, which reads all of it, and touch the value of every cell."""
    sheet = xlrd.open_workbook(path, **options).sheet_by_index(0)
    for index in range(sheet.nrows):
        for _ in sheet.row_values(index):
            pass


def read_xls_formats(path: str) -> None:
    """Do the same with the formats of cells, without which a code loses its leading zeros."""
    read_xls(path, formatting_info=True)


def read_rows(path: str) -> None:
    """Read the rows of a workbook's first sheet as an import does, and discard them."""
    with open_workbook(Path(path)) as workbook:
        for _ in next(workbook.sheets()).rows():
            pass


def write_xlsx(rows: list[tuple[Any, ...]]) -> None:
    """Write rows with openpyxl, write-only, without styles."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in rows:
        sheet.append(row)
    with TemporaryDirectory() as folder:
        book.save(Path(folder) / "levels.xlsx")


def _levels(count: str) -> list[tuple[Any, ...]]:
    return [LEVELS.header, *map(exported, range(int(count)))]


_READING: Mapping[str, Callable[[str], None]] = {
    "read-xlsx": read_xlsx,
    "read-xls": read_xls,
    "read-xls-formats": read_xls_formats,
    "read-rows": read_rows,
}


def main(work: str, of: str) -> None:
    """Do the work and print what it took."""
    if work in _READING:
        _timed(_READING[work], of)
    else:
        _timed(write_xlsx, _levels(of))


def _timed(work: Callable[[Any], None], of: Any) -> None:
    begin, cpu = time.perf_counter(), time.process_time()
    work(of)
    print(time.perf_counter() - begin, time.process_time() - cpu)


if __name__ == "__main__":
    main(*sys.argv[1:])
