"""An empty catalogue to fill in: the columns of the import, an example row, and a sheet with the rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from barcodesvc.catalogue.exported_products import CATALOGUE_COLUMNS
from barcodesvc.errors import ExportFailure
from barcodesvc.models import MAX_LEVEL
from barcodesvc.spreadsheets.tables import Column, Kind, TableDesign
from barcodesvc.spreadsheets.write import XlsxFile

EXAMPLE = ("0012345678905", "Example: replace this row by your first product", "Office", "pcs", 25, 10, 100)
"""A plain row: a template that is imported unchanged imports it."""

_RULES = {
    "product_code": "Required. 1 to 64 printable ASCII characters; every code once. The column is formatted as text, "
    "so that leading zeros stay.",
    "description": "Required. 1 to 500 characters.",
    "category": "Optional. At most 64 characters.",
    "unit_of_measure": "Optional. At most 64 characters; a blank cell means pcs.",
    "current_level": f"Optional. The stock at hand, a whole number from 0 to {MAX_LEVEL}; a blank cell means 0. "
    "It counts for new products only.",
    "minimum_level": "Optional. A whole number from 0; a blank cell means 0. Stock at or below it is low.",
    "maximum_level": "Optional. A whole number, at least minimum_level; 0 or a blank cell means that none is set.",
}
_HELP = TableDesign("Help", (Column("column", Kind.TEXT, 20), Column("rule", Kind.TEXT, 120)))
_NOTES = (
    (
        "",
        "The first row of the sheet Products names the columns; in any order; others are ignored.",
    ),
    ("", "The row below it is an example and would be imported like any other: replace it."),
)


@cache
def catalogue_template() -> bytes:
    """Return the template, an .xlsx workbook, the same bytes each time; raises ExportFailure."""
    try:
        with TemporaryDirectory(prefix="barcodesvc-export-") as folder:
            path = Path(folder) / "template.xlsx"
            _write(path)
            return path.read_bytes()
    except OSError as error:
        raise ExportFailure("the template could not be written; free disk space and try again") from error


def _write(path: Path) -> None:
    with XlsxFile(path) as book:
        book.sheet(TableDesign("Products", CATALOGUE_COLUMNS))
        book.append([EXAMPLE])
        book.sheet(_HELP)
        book.append([(column.name, _RULES[column.name]) for column in CATALOGUE_COLUMNS])
        book.append(_NOTES)
        book.finish()
