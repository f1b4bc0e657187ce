"""A CSV file as a workbook with one sheet, read by Python's csv module.

A CSV file names neither its encoding (encodings.py) nor its delimiter. The delimiter is the one that splits most of
the first rows as it splits their header, or the one that a first line such as `sep=;` names, as Excel reads it.

Rule: a row is a record, as a spreadsheet program counts them, however many lines it has. A record is never held beyond
MAX_RECORD characters, so that one endless line, or a quote that is never closed, costs bounded memory.
"""

import csv
import re
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import TextIO

from barcodesvc.spreadsheets.cells import MAX_COLUMNS, MAX_ROWS, Cell, SheetRow, Worksheet, is_blank, kept_text
from barcodesvc.spreadsheets.encodings import find_encoding
from barcodesvc.spreadsheets.escapes import literal_text
from barcodesvc.spreadsheets.refusals import too_large, unreadable_text

TITLE = "CSV"
"""The title of the only sheet; a CSV file has none."""

MAX_RECORD = 1_000_000
"""Characters of one row, line breaks included."""
csv.field_size_limit(MAX_RECORD)  # for the whole process; by default a field of 131,072 characters is an error

_DELIMITERS = ("\t", ";", ",")
"""The rarest in texts first, which wins a tie."""
_DECLARATION = re.compile(r"sep=([^\w\s\"]|\t)(?:\r\n?|\n|\Z)", re.IGNORECASE)
_LONGEST_DECLARATION = 8
_BEGINNING = 128 * 1024
"""Characters that are searched for the delimiter."""
_FIRST_ROWS = 20
"""Rows that are searched for it, as for the header."""


class CsvWorkbook:
    """An open CSV file; raises InvalidFileFormat or FileTooLarge, also while rows are read."""

    def __init__(self, path: Path, encoding: str | None = None) -> None:
        self._path = path
        with path.open("rb") as file:
            self.encoding = find_encoding(file, encoding)
        with self._open() as text:
            beginning = text.read(_BEGINNING)
        self._declaration = _DECLARATION.match(beginning)
        self._delimiter = self._declaration[1] if self._declaration else _find_delimiter(beginning)

    def sheets(self) -> Iterator[Worksheet]:
        """Yield the only sheet."""
        yield Worksheet(TITLE, hidden=False, hidden_columns=frozenset, rows=self._rows)

    def close(self) -> None:
        """Do nothing: each reading of the rows closes the file."""

    def _open(self) -> TextIO:
        return self._path.open(encoding=self.encoding.codec, newline="")

    def _rows(self) -> Iterator[SheetRow]:
        with self._open() as text:
            if self._declaration:
                text.readline(_LONGEST_DECLARATION)
            for number, fields in _records(text, self._delimiter):
                cells: list[Cell] = [kept_text(literal_text(field)) for field in _trimmed(fields[:MAX_COLUMNS])]
                if not is_blank(cells):
                    yield SheetRow(number, tuple(cells))


def _records(text: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with its number; raises InvalidFileFormat for one without end, and FileTooLarge."""
    row, characters = 1, 0

    def lines() -> Iterator[str]:
        nonlocal characters
        while line := text.readline(MAX_RECORD + 1):
            characters += len(line)
            if characters > MAX_RECORD:
                raise unreadable_text(f"row {row} has more than {MAX_RECORD} characters, or a quote is not closed")
            if "\0" in line:
                raise unreadable_text(f"row {row} has a NUL character")
            yield line
        if characters:  # within a record, a reader asks for another line only if a quote is open
            raise unreadable_text(f"a quote that opens in row {row} is not closed")

    for fields in csv.reader(lines(), delimiter=delimiter):
        if row > MAX_ROWS:
            raise too_large(f"it has more than {MAX_ROWS} rows")
        yield row, fields
        row, characters = row + 1, 0


def _find_delimiter(beginning: str) -> str:
    return max(_DELIMITERS, key=lambda delimiter: _fit(beginning, delimiter))


def _fit(beginning: str, delimiter: str) -> tuple[float, int]:
    """Return the share of the first rows that have several columns, but no more than a header above, and its columns.

    The header is the row for which most rows fit; there may be titles above it.
    """
    records = csv.reader(StringIO(beginning, newline=""), delimiter=delimiter)
    widths = [len(_trimmed(fields)) for fields in islice(filter(any, records), _FIRST_ROWS)]
    fits = (
        (sum(1 < width <= header for width in widths[index:]) / len(widths), header)
        for index, header in enumerate(widths)
        if header > 1
    )
    return max(fits, default=(0.0, 0))


def _trimmed(fields: list[str]) -> list[str]:
    """Return the fields up to the last one that is not blank."""
    while fields and not fields[-1]:
        fields.pop()
    return fields
