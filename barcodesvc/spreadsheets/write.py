"""Rows to CSV and XLSX, in memory that does not grow with the export.

Rule: text is written as text. What a spreadsheet would interpret as a formula, a number or an error is written so that
it is shown literally and read back unchanged (escapes.py). Numbers are written as numbers, None
as a blank cell. The work is synchronous and belongs in a worker thread.
"""

import csv
import io
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Self
from zipfile import ZIP_DEFLATED, ZipFile

from barcodesvc.errors import ExportFailure
from barcodesvc.spreadsheets.cells import MAX_ROWS
from barcodesvc.spreadsheets.escapes import guard_csv, replace_surrogates
from barcodesvc.spreadsheets.tables import TableDesign, Values

_LOG = logging.getLogger(__name__)

CSV_BOM = b"\xef\xbb\xbf"
"""The byte order mark at the start of a CSV file, which makes spreadsheet programs read it as UTF-8."""

_COMPRESSION = 1
"""zlib's fastest level: larger files than the default, in a fraction of the time."""


def csv_bytes(rows: Iterable[Values], delimiter: str = ",") -> bytes:
    """Return a batch of rows as CSV (RFC 4180): UTF-8, CRLF, every text quoted, formulas guarded."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC).writerows(
        [guard_csv(value) if isinstance(value, str) else value for value in row] for row in rows
    )
    return replace_surrogates(buffer.getvalue()).encode()


class XlsxFile:
    """An .xlsx workbook, written row by row.

    with XlsxFile(path) as book:
        book.sheet(table)
        book.append(rows)
        book.finish()

    A sheet that reaches `max_rows` continues as `Inventory 2` with the same header. The same rows always give the same
    bytes. Raises OSError if the file cannot be written, which `disk_errors_translated` turns into ExportFailure.
    """

    def __init__(self, path: Path, max_rows: int = MAX_ROWS) -> None:
        from barcodesvc.spreadsheets.sheet_design import SheetDesign  # noqa: PLC0415 - loaded at its first use

        self._max_rows = max_rows
        self._design = SheetDesign()
        self._archive = ZipFile(path, "w", ZIP_DEFLATED, compresslevel=_COMPRESSION)
        self._part: IO[bytes] | None = None
        self._parts_of_table = 0
        self._rows = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # closing writes, too
            if self._part is not None:
                self._part.close()
        with suppress(OSError):
            self._archive.close()

    def sheet(self, table: TableDesign) -> None:
        """Begin a sheet with a bold, frozen header row; rows are appended to it from now on."""
        self._end_part()
        self._table = table
        self._xml = self._design.rows(table)
        self._parts_of_table = 0
        self._begin_part()

    def append(self, rows: Sequence[Values]) -> None:
        """Append rows to the current sheet."""
        while rows:
            if self._rows >= self._max_rows:
                self._end_part()
                self._begin_part()
            fitting = rows[: self._max_rows - self._rows]
            self._write(self._xml.write(fitting, self._rows + 1))
            self._rows += len(fitting)
            rows = rows[len(fitting) :]

    def finish(self) -> None:
        """Write the remaining parts, once; nothing can be appended afterwards."""
        self._end_part()
        for name, content in self._design.other_parts().items():
            with self._archive.open(name, "w") as part:  # without a date, unlike writestr
                part.write(content)
        self._archive.close()

    def _begin_part(self) -> None:
        self._parts_of_table += 1
        title = self._table.title if self._parts_of_table == 1 else f"{self._table.title} {self._parts_of_table}"
        name, head = self._design.begin(title, self._table)
        self._part = self._archive.open(name, "w", force_zip64=True)
        self._write(head)
        self._rows = 1

    def _end_part(self) -> None:
        if self._part is None:
            return
        self._part.write(self._design.end(self._table, self._rows))
        self._part.close()
        self._part = None

    def _write(self, content: bytes) -> None:
        if self._part is not None:
            self._part.write(content)


@contextmanager
def disk_errors_translated() -> Iterator[None]:
    """Translate the errors of a full disk, for the file or openpyxl's temporary files, to ExportFailure."""
    try:
        yield
    except OSError as error:
        _LOG.error("an export cannot be written: %s", error)
        raise ExportFailure("the export could not be written; free disk space and try again") from error
