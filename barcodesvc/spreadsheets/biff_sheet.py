"""The rows of one .xls worksheet, straight from the records of its cells (MS-XLS 2.1.7.20.5).

Nothing but the row at hand is kept. Programs write cells row by row; where a file does not, its records are put in
order first. What is blank (BLANK, MULBLANK) is not even looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from struct import Struct

from xlrd import error_text_from_code

from barcodesvc.spreadsheets.biff import EOF, HEADER, Record, cut_short, substream
from barcodesvc.spreadsheets.biff_globals import BiffGlobals
from barcodesvc.spreadsheets.formula_text import unguard
from barcodesvc.spreadsheets.number_formats import number_text
from barcodesvc.spreadsheets.rows import (
    MAX_COLUMNS,
    Cell,
    Row,
    column_bits,
    columns_of,
    error_cell,
    is_blank,
    kept_text,
    place_cell,
)

# where a cell stands, and what it holds: each begins with row and column, two bytes each
_ROW_AND_COLUMN = Struct("<HH")
_NUMBER = Struct("<2xHHd")
_RK = Struct("<HI")
_RK_CELL = Struct("<2xHHI")
_SHARED_TEXT = Struct("<2xH2xI")
_BOOLEAN_OR_ERROR = Struct("<2xH2xBB")
_FORMULA = Struct("<2xHH8s")

_DOUBLE = Struct("<d")
_HALVES = Struct("<II")
_COLUMNS = Struct("<HH4xH")
_HUNDREDTHS = 1
_WHOLE = 2
_LABEL_TEXT = 6
_COLINFO = 0x7D
_STRING = 0x207
_BETWEEN_FORMULA_AND_STRING = (0x221, 0x236, 0x4BC)
_CELLS = frozenset({0x06, 0xBD, 0xD6, 0xFD, 0x203, 0x204, 0x205, 0x27E, 0x406})
_SURVEYED = _CELLS | {_COLINFO, EOF}
_NO_NUMBER = b"\xff\xff"
_TEXT_RESULT, _BOOLEAN_RESULT, _ERROR_RESULT = 0, 1, 2


@dataclass(frozen=True, slots=True)
class SheetSurvey:
    """What one look at the records of a sheet tells: its bytes, and whether its cells stand row by row."""

    size: int
    ascending: bool
    hidden_columns: frozenset[int]


def survey_sheet(stream: bytes, start: int) -> SheetSurvey:
    """Look through the sheet that begins at `start`; raises InvalidFileFormat where it is cut short."""
    hidden = 0
    ascending = True
    row, end = 0, start
    for code, first, end in substream(stream, start, _SURVEYED):  # noqa: B007 - the last end is what is asked for
        if code in _CELLS:
            last, row = row, stream[first] | stream[first + 1] << 8
            ascending = ascending and row >= last
        elif code == _COLINFO:
            left, right, flags = _COLUMNS.unpack_from(stream, first)
            if flags & 1:
                hidden |= column_bits(left, right)
    return SheetSurvey(end - start, ascending, columns_of(hidden))


def read_rows(book: BiffGlobals, start: int, survey: SheetSurvey) -> Iterator[Row]:
    """Yield the rows that are not blank of the sheet that begins at `start`.

    Raises InvalidFileFormat where records are broken, struct.error and IndexError where one refers beyond its bounds.
    """
    stream = book.stream
    row = _RowCells(book)
    readers = row.readers()
    number = -1
    for code, first, end in _cell_records(stream, start, survey):
        here = stream[first] | stream[first + 1] << 8
        if here != number:
            yield from row.take(number)
            number = here
        readers[code](first, end)
    yield from row.take(number)


def _cell_records(stream: bytes, start: int, survey: SheetSurvey) -> Iterable[Record]:
    records = substream(stream, start, _CELLS)
    if survey.ascending:
        return records
    return sorted(records, key=lambda record: stream[record[1]] | stream[record[1] + 1] << 8)


class _RowCells:
    """The cells of the row at hand, and one function for each kind of record, given where its bytes begin and end."""

    def __init__(self, book: BiffGlobals) -> None:
        self._cells: list[Cell] = []
        self._book = book
        self._stream = book.stream
        self._texts = book.texts
        self._formats = book.formats

    def readers(self) -> Mapping[int, Callable[[int, int], None]]:
        """Return the function for each record code."""
        return {
            0x06: self._read_formula,
            0xBD: self._read_packed_numbers,
            0xD6: self._read_text,
            0xFD: self._read_shared_text,
            0x203: self._read_number,
            0x204: self._read_text,
            0x205: self._read_boolean_or_error,
            0x27E: self._read_packed_number,
            0x406: self._read_formula,
        }

    def take(self, number: int) -> Iterator[Row]:
        """Hand over the row at hand, whose 0-based number this is, unless it is blank, and begin the next."""
        if not is_blank(self._cells):
            yield Row(number + 1, tuple(self._cells))
        self._cells = []

    def _read_number(self, first: int, _: int) -> None:
        column, style, value = _NUMBER.unpack_from(self._stream, first)
        self._put(column, self._shown(style, value))

    def _read_packed_number(self, first: int, _: int) -> None:
        column, style, packed = _RK_CELL.unpack_from(self._stream, first)
        self._put(column, self._unpacked(style, packed))

    def _read_packed_numbers(self, first: int, end: int) -> None:
        _, column = _ROW_AND_COLUMN.unpack_from(self._stream, first)
        for place in range(first + _ROW_AND_COLUMN.size, end - _RK.size + 1, _RK.size):
            style, packed = _RK.unpack_from(self._stream, place)
            self._put(column, self._unpacked(style, packed))
            column += 1

    def _read_shared_text(self, first: int, _: int) -> None:
        column, number = _SHARED_TEXT.unpack_from(self._stream, first)
        self._put(column, self._texts[number])

    def _read_text(self, first: int, end: int) -> None:
        _, column = _ROW_AND_COLUMN.unpack_from(self._stream, first)
        self._put(column, _text_cell(self._book.text((0, first, end), _LABEL_TEXT, 2)))

    def _read_boolean_or_error(self, first: int, _: int) -> None:
        column, value, is_error = _BOOLEAN_OR_ERROR.unpack_from(self._stream, first)
        self._put(column, _error(value) if is_error else _boolean(value))

    def _read_formula(self, first: int, end: int) -> None:
        column, style, result = _FORMULA.unpack_from(self._stream, first)
        if result[6:] != _NO_NUMBER:
            self._put(column, self._shown(style, _DOUBLE.unpack(result)[0]))
        elif result[0] == _TEXT_RESULT:
            self._put(column, _text_cell(self._text_behind(end)))
        elif result[0] == _BOOLEAN_RESULT:
            self._put(column, _boolean(result[2]))
        elif result[0] == _ERROR_RESULT:
            self._put(column, _error(result[2]))

    def _text_behind(self, position: int) -> str:
        code, length = HEADER.unpack_from(self._stream, position)
        if code in _BETWEEN_FORMULA_AND_STRING:
            position += HEADER.size + length
            code, length = HEADER.unpack_from(self._stream, position)
        if code != _STRING:
            raise cut_short()
        first = position + HEADER.size
        return self._book.text((code, first, first + length), 0, 2)

    def _unpacked(self, style: int, packed: int) -> Cell:
        """Return an RK number: 30 bits of a double or of a whole number, in hundredths or as they are (2.5.217)."""
        if packed & _WHOLE:
            value = float((packed >> 2) - (packed >> 31 << 30))
        else:
            value = _DOUBLE.unpack(_HALVES.pack(0, packed & ~3))[0]
        return self._shown(style, value / 100 if packed & _HUNDREDTHS else value)

    def _shown(self, style: int, value: float) -> Cell:
        shown = self._formats[style] if style < len(self._formats) else number_text
        if not value.is_integer():
            return shown(repr(value))
        digits = str(int(value))
        return digits if shown is number_text else shown(digits)

    def _put(self, column: int, cell: Cell) -> None:
        cells = self._cells
        if column == len(cells) < MAX_COLUMNS and cell != "":
            cells.append(cell)
        elif column < MAX_COLUMNS and cell != "":
            place_cell(cells, column, cell)


def _text_cell(text: str) -> Cell:
    return kept_text(unguard(text))


def _boolean(value: int) -> Cell:
    return "TRUE" if value else "FALSE"


def _error(value: int) -> Cell:
    return error_cell(error_text_from_code.get(value, "#ERROR"))
