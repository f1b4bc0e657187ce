"""The rows that an import refuses as a workbook: people correct them there, and import it.

Its columns are the fields that were read, headed by their own names, and what is wrong with each row. It needs no map,
and no preset.

Rule: cells are texts as they were read, so that nothing changes but what a person types.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from barcodesvc.catalogue.columns import ATTRIBUTE_COLUMN, attribute_of, is_attribute
from barcodesvc.catalogue.rows import seen_in
from barcodesvc.catalogue.table import Selection, SheetTable, find_table
from barcodesvc.spreadsheets.cells import CellProblem, SheetRow
from barcodesvc.spreadsheets.read import open_workbook
from barcodesvc.spreadsheets.tables import Column, Kind, TableDesign
from barcodesvc.spreadsheets.write import XlsxFile, disk_errors_translated

_MESSAGE_COLUMN = "import error"
MOST_CHARACTERS = 4_000_000
"""Characters after which the workbook ends: the rows of a small file can have many more."""
_WIDTH, _MESSAGE_WIDTH = 22, 80


def write_refused_rows(
    report: Callable[[int], Any], path: Path, selection: Selection, messages: Mapping[int, str], target: Path
) -> None:
    """Write the rows with these numbers to a workbook, each with its message, and report how many were written.

    Raises what `open_catalogue` raises, and ExportFailure if the workbook cannot be written.
    """
    with open_workbook(path, selection.file_format, selection.encoding) as workbook:
        table = find_table(list(workbook.sheets()), selection)
        names = [ATTRIBUTE_COLUMN + attribute_of(name) if is_attribute(name) else name for name in table.columns]
        columns = tuple(Column(name, Kind.CODE, _WIDTH) for name in names)
        rows = list(_refused(table, messages))
    with disk_errors_translated(), XlsxFile(target) as book:
        book.sheet(TableDesign("Rows", (*columns, Column(_MESSAGE_COLUMN, Kind.TEXT, _MESSAGE_WIDTH))))
        book.append(rows)
        book.finish()
    report(len(rows))


def _refused(table: SheetTable, messages: Mapping[int, str]) -> Iterator[list[str]]:
    characters, left = 0, len(messages)
    for row in table.rows:
        if row.number in messages:
            texts = [*(_text(name, row, index) for name, index in table.columns.items()), messages[row.number]]
            yield texts
            characters, left = characters + sum(map(len, texts)), left - 1
        if not left or characters >= MOST_CHARACTERS:
            return


def _text(name: str, row: SheetRow, index: int) -> str:
    cell = seen_in(name, row.cells[index]) if index < len(row.cells) else ""
    return cell.shown if isinstance(cell, CellProblem) else cell
