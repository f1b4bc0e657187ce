"""The rows of one .xlsx worksheet, read from a stream of its XML (ECMA-376-1, 18.3.1).

Only the current row is kept, whatever the size of the sheet; its declared dimension is ignored. An inline string has
its text in `is`, any other cell in `v`. If a cell has both, its type decides; two of either are a problem of the cell.
A formula is read as its saved value; one without (`f` without `v`) is a problem of its cell. A formula with an empty
text as its result has `t="str"` and an empty `v`: blank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing

from openpyxl.utils import get_column_letter

from barcodesvc.spreadsheets.archive import Archive
from barcodesvc.spreadsheets.formula_text import unguard
from barcodesvc.spreadsheets.number_formats import Shown, number_text
from barcodesvc.spreadsheets.refusals import damaged
from barcodesvc.spreadsheets.rows import (
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_TEXT,
    Cell,
    CellProblem,
    SheetRow,
    TypedText,
    error_cell,
    is_blank,
    kept_text,
    truth_value,
)
from barcodesvc.spreadsheets.shared_strings import TextTable
from barcodesvc.spreadsheets.spreadsheetml import NAMESPACES, TRUE, unescape
from barcodesvc.spreadsheets.xml_events import Attributes, XmlEvents

MAX_CELLS_IN_ROW = 16_384
"""Columns that a sheet can have."""

FIRST_ROWS = 20
"""Rows of a sheet that add nothing to the budget, because they are only searched for a header."""

_NO_SAVED_VALUE = CellProblem("formula without a saved value: open and save the file in a spreadsheet program")
_TWO_VALUES = CellProblem("contains two values, and neither is chosen: open and save the file in a spreadsheet program")
_INLINE = "inlineStr"
_LONGEST_INDEX = 10
_REFERENCE = re.compile(r"([A-Z]{1,3})[1-9][0-9]{0,6}")


_MIDNIGHT = re.compile(r"T00:00(?::00(?:\.0+)?)?Z?")


_COLUMNS = {get_column_letter(column + 1): column for column in range(MAX_COLUMNS)}


class _SheetRows:
    """Collects the rows of a sheet from its events; `take` returns those that are complete."""

    def __init__(self, part: str, strings: TextTable, shown: Mapping[str, Shown]) -> None:
        self._part = part
        self._strings = strings
        self._shown = shown
        self._complete: list[SheetRow] = []
        self._number = 0
        self._rows_seen = 0
        self._cells: list[Cell] = []
        self._cells_seen = 0
        self._cells_filled = 0
        self._column = -1
        self._type = "n"
        self._style = "0"
        self._text = ""
        self._value = ""
        self._inline: str | None = None
        self._taking = False
        self._in_inline = False
        self._in_hint = False
        self._is_doubled = False
        self._has_formula = False
        self._has_value = False
        self._readers: Mapping[str, Callable[[str], Cell]] = {
            "n": self._number_cell,
            "s": self._shared_cell,
            "str": _text_cell,
            _INLINE: _text_cell,
            "b": _boolean_cell,
            "e": _error_cell,
            "d": _date_cell,
        }

    def events(self) -> XmlEvents:
        """Return the parser that fills this collection."""
        starts = {
            "row": self._start_row,
            "c": self._start_cell,
            "f": self._start_formula,
            "v": self._start_value,
            "is": self._start_inline,
            "t": self._start_text,
            "rPh": self._start_hint,
        }
        ends = {
            "row": self._end_row,
            "c": self._end_cell,
            "v": self._end_text,
            "is": self._end_inline,
            "t": self._end_text,
            "rPh": self._end_hint,
        }
        return XmlEvents(self._part, NAMESPACES, starts, ends, self._add_text)

    def take(self) -> list[SheetRow]:
        """Return the rows completed since the last call."""
        complete, self._complete = self._complete, []
        return complete

    def take_filled(self) -> int:
        """Return how many cells were not blank since the last call, including columns that are not read."""
        filled, self._cells_filled = self._cells_filled, 0
        return filled

    def _start_row(self, attributes: Attributes) -> None:
        number = attributes.get("r")
        if number is None:
            self._number += 1
        elif number.isdecimal() and len(number) <= len(str(MAX_ROWS)):
            self._number = int(number)
        else:
            raise damaged(f"{self._part} has a row with the number {number[:20]!r}")
        self._rows_seen += 1
        if max(self._number, self._rows_seen) > MAX_ROWS or self._number < 1:
            raise damaged(f"{self._part} has rows outside 1 to {MAX_ROWS}")
        self._cells = []
        self._cells_seen = 0
        self._column = -1

    def _end_row(self) -> None:
        if self._cells and not is_blank(self._cells):
            self._complete.append(SheetRow(self._number, tuple(self._cells)))
        self._cells = []

    def _start_cell(self, attributes: Attributes) -> None:
        self._cells_seen += 1
        if self._cells_seen > MAX_CELLS_IN_ROW:
            raise damaged(f"row {self._number} of {self._part} has more than {MAX_CELLS_IN_ROW} cells")
        reference = attributes.get("r")
        self._column = self._column + 1 if reference is None else self._find_column(reference)
        self._type = attributes.get("t", "n")
        self._style = attributes.get("s", "0")
        self._text = ""
        self._inline = None
        self._has_formula = self._has_value = self._is_doubled = False

    def _find_column(self, reference: str) -> int:
        column = _COLUMNS.get(reference.rstrip("0123456789"))
        if column is not None:
            return column
        if not _REFERENCE.fullmatch(reference):
            raise damaged(f"{self._part} has a cell with the address {reference[:20]!r}")
        return MAX_COLUMNS

    def _start_formula(self, _: Attributes) -> None:
        self._has_formula = True

    def _start_value(self, _: Attributes) -> None:
        self._is_doubled |= self._has_value or self._in_inline
        self._has_value = True
        self._taking = True

    def _start_inline(self, _: Attributes) -> None:
        self._is_doubled |= self._inline is not None
        self._in_inline = True
        self._value, self._text = self._text, ""

    def _end_inline(self) -> None:
        self._in_inline = False
        self._inline, self._text = self._text, self._value

    def _start_text(self, _: Attributes) -> None:
        self._taking = self._in_inline and not self._in_hint

    def _start_hint(self, _: Attributes) -> None:
        self._in_hint = True

    def _end_hint(self) -> None:
        self._in_hint = False

    def _add_text(self, piece: str) -> None:
        if self._taking and len(self._text) <= MAX_TEXT:
            self._text += piece

    def _end_text(self) -> None:
        self._taking = False

    def _end_cell(self) -> None:
        if self._inline is not None and (self._type == _INLINE or not self._has_value):
            self._text = self._inline
        text, column = self._text, self._column
        if text:
            self._cells_filled += 1
        if column >= MAX_COLUMNS:
            return
        cell = self._read_cell(text) if text else self._read_blank()
        if cell == "":
            return
        gap = column - len(self._cells)
        if gap < 0:
            self._cells[column] = cell
            return
        if gap:
            self._cells.extend([""] * gap)
        self._cells.append(cell)

    def _read_blank(self) -> Cell:
        blank = not self._has_formula or (self._has_value and self._type == "str")
        return "" if blank else _NO_SAVED_VALUE

    def _read_cell(self, text: str) -> Cell:
        if self._is_doubled:
            return _TWO_VALUES
        reader = self._readers.get(self._type)
        if reader is None:
            raise damaged(f"row {self._number} of {self._part} has a cell of the type {self._type[:20]!r}")
        return reader(text)

    def _number_cell(self, text: str) -> Cell:
        return self._shown.get(self._style, number_text)(text)

    def _shared_cell(self, text: str) -> Cell:
        if text.isdecimal() and len(text) < _LONGEST_INDEX:
            try:
                return self._strings[int(text)]
            except IndexError:
                pass
        raise damaged(f"row {self._number} of {self._part} refers to the missing text {text[:20]!r}")


def _text_cell(text: str) -> Cell:
    return kept_text(unguard(unescape(text)))


def _boolean_cell(text: str) -> Cell:
    return truth_value(is_true=text.strip().lower() in TRUE)


def _error_cell(text: str) -> Cell:
    return error_cell(text[:20])


def _date_cell(text: str) -> Cell:
    return TypedText(kept_text(_MIDNIGHT.sub("", text)), "date")


def read_rows(archive: Archive, part: str, strings: TextTable, shown: Mapping[str, Shown]) -> Iterator[SheetRow]:
    """Yield the rows that are not blank while the sheet's XML is read.

    `strings` is the shared table; `shown` has the function that formats numbers for each style number. Rows add to the
    parse budget once they are taken, except for the first ones. Raises InvalidFileFormat for invalid XML and for
    content that no sheet can have.
    """
    unpaid = FIRST_ROWS
    rows = _SheetRows(part, strings, shown)
    events = rows.events()
    with closing(archive.chunks(part)) as chunks:
        for chunk in chunks:
            events.feed(chunk)
            complete = rows.take()
            drawn = len(complete)
            yield from complete
            complete.clear()  # frees them before the next ones are read
            if drawn > unpaid:
                archive.budget.earn_rows(drawn - unpaid, rows.take_filled())
            unpaid = max(unpaid - drawn, 0)


def read_hidden_columns(archive: Archive, part: str) -> frozenset[int]:
    """Return the 0-based columns that are hidden; they are described before the first row (18.3.1.17, `cols`).

    Raises InvalidFileFormat if more columns are described than a sheet can have.
    """
    described = 0
    hidden: set[int] = set()
    over = False

    def column(attributes: Attributes) -> None:
        nonlocal described
        described += 1
        if described > MAX_CELLS_IN_ROW:
            raise damaged(f"{part} describes more than {MAX_CELLS_IN_ROW} columns")
        first, last = attributes.get("min", ""), attributes.get("max", "")
        if attributes.get("hidden", "").lower() in TRUE and first.isdecimal() and last.isdecimal():
            hidden.update(range(max(int(first[:9]) - 1, 0), min(int(last[:9]), MAX_COLUMNS)))

    def end(_: Attributes) -> None:
        nonlocal over
        over = True

    events = XmlEvents(part, NAMESPACES, {"col": column, "sheetData": end})
    with closing(archive.chunks(part)) as chunks:
        for chunk in chunks:
            events.feed(chunk)
            if over:
                break
    return frozenset(hidden)
