"""Rows to CSV and XLSX, in memory that does not grow with the export.

Rule: text goes out as text. What a spreadsheet would take for a formula, a number or an error is written so
that it is shown as it stands and read back unharmed (formula_text.py, xml_text.py). Numbers go out as
numbers, None as a blank cell. The work is synchronous and belongs into a worker thread.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from openpyxl import Workbook
from openpyxl.cell import Cell, WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.styles.numbers import FORMAT_TEXT
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from barcodesvc.errors import ExportFailure
from barcodesvc.spreadsheets.formula_text import guard_csv, guard_xlsx
from barcodesvc.spreadsheets.rows import MAX_ROWS
from barcodesvc.spreadsheets.xml_text import escape, replace_unwritable

Values = Sequence[str | int | None]
"""One row: texts, whole numbers, None for a blank cell."""

CSV_BOM = b"\xef\xbb\xbf"
"""What stands in front of a CSV file, once, so that spreadsheet programs read it as UTF-8."""

# the beginnings of what openpyxl or a spreadsheet program would take for a formula, an error or a number
_NOT_PLAIN = re.compile(r"[=+\-@\t\r#0-9.]")


def csv_bytes(rows: Iterable[Values]) -> bytes:
    """Return a batch of rows as CSV: UTF-8, CRLF, quoted where RFC 4180 demands it, formulas guarded."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerows([_csv_field(value) for value in row] for row in rows)
    return buffer.getvalue().encode()


def _csv_field(value: str | int | None) -> str | int | None:
    return guard_csv(replace_unwritable(value)) if isinstance(value, str) else value


class XlsxFile:
    """An .xlsx workbook, written row by row into temporary files and saved at the end.

    with XlsxFile() as book:
        book.sheet("Inventory", ("product_code", "current_level"))
        book.append(rows)
        book.save(path)

    A sheet that reaches `max_rows` goes on as `Inventory 2` under the same header. Leaving the block removes
    the temporary files, saved or not. Raises ExportFailure where a file cannot be written.
    """

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        self._max_rows = max_rows
        self._workbook = Workbook(write_only=True)
        self._title = ""
        self._header: Sequence[str] = ()
        self._part = 0
        self._rows = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for sheet in self._workbook.worksheets:
            _discard(sheet)

    def sheet(self, title: str, header: Sequence[str]) -> None:
        """Begin a sheet with a bold header row; what is appended goes there from now on.

        `title` has at most 27 characters, which leaves room for the number of a continuation.
        """
        self._title = title
        self._header = header
        self._part = 0
        self._continue()

    def append(self, rows: Iterable[Values]) -> None:
        """Write rows below those that the sheet has."""
        with _write_errors_told():
            for row in rows:
                if self._rows >= self._max_rows:
                    self._continue()
                self._sheet.append([self._cell(value) for value in row])
                self._rows += 1

    def save(self, path: Path) -> None:
        """Write the workbook to `path`, once; nothing can be appended afterwards."""
        with _write_errors_told():
            self._workbook.save(path)

    def _continue(self) -> None:
        self._part += 1
        title = self._title if self._part == 1 else f"{self._title} {self._part}"
        with _write_errors_told():
            self._sheet = self._workbook.create_sheet(title)
            self._sheet.append([self._header_cell(name) for name in self._header])
        self._rows = 1

    def _header_cell(self, name: str) -> Cell:
        cell = self._text_cell(name)
        cell.font = Font(bold=True)
        return cell

    def _cell(self, value: str | int | None) -> Cell | str | int | None:
        if not isinstance(value, str):
            return value
        return self._text_cell(value) if _NOT_PLAIN.match(value) else escape(guard_xlsx(value)) or None

    def _text_cell(self, text: str) -> Cell:
        cell = WriteOnlyCell(self._sheet, value=escape(guard_xlsx(text)))
        cell.data_type = "s"
        cell.number_format = FORMAT_TEXT
        cell.quotePrefix = True
        return cell


@contextmanager
def _write_errors_told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ExportFailure("The export could not be written. Please free disk space and try again.") from error


def _discard(sheet: WriteOnlyWorksheet) -> None:
    with suppress(Exception):  # a sheet that broke while it was written breaks again while it is closed
        if not sheet.closed:
            sheet.close()
    # openpyxl has no public way to remove the temporary file of an unsaved sheet before the process ends
    writer = vars(sheet).get("_writer")
    if writer is not None and Path(writer.out).exists():
        writer.cleanup()
