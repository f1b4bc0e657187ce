"""The records of an .xls workbook (MS-XLS 2.3), reduced to those that an import needs before xlrd reads them.

xlrd parses defined names, comments, drawings, fonts and much else, and fails on a workbook if one of them is not as it
expects. Without this module, workbooks that Excel opens would be refused for parts without cells. A record that is not
needed gets an unknown code and keeps its place, so that no position changes.

Rule: records are found as xlrd finds them: those of the globals up to their end, then those of each sheet from the
position in its BOUNDSHEET record. Bytes that xlrd does not read as records are never changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from struct import Struct, unpack_from
from types import MappingProxyType

from barcodesvc.spreadsheets.number_formats import MAX_FORMAT
from barcodesvc.spreadsheets.refusals import damaged
from barcodesvc.spreadsheets.rows import MAX_COLUMNS, MAX_SHEETS

MAX_FORMATS = 4_096
"""Number formats; Excel accepts some 250 besides the built-in ones."""
MAX_STYLES = 16_384
"""Cell formats (XF records); Excel 2003 takes 4,050."""
MAX_WIDTHS = MAX_SHEETS * MAX_COLUMNS
"""Records that give columns a width or a style: one for each column of each sheet."""

_RECORD = Struct("<HH")
_SHEET_POSITION = Struct("<IBB")
_BIFF5, _BIFF8 = 0x0500, 0x0600
_CODE_PAGE, _FORMAT, _BOUNDSHEET, _EOF, _NO_RECORD = 0x42, 0x041E, 0x85, 0x0A, 0xFFFF
_LABEL, _RSTRING, _TABLE = 0x0204, 0xD6, 0x0236
_BEGIN = 0x0809
_BEGINS = frozenset({0x09, 0x0209, 0x0409, _BEGIN})
_STYLES, _FORMATS, _WIDTHS = (0x43, 0x0243, 0x0443, 0xE0), (0x1E, _FORMAT), (0x20, 0x24, 0x7D)
_CELLS = (0x02, 0x03, 0x04, 0x05, 0x0203, _LABEL, 0x0205, 0x027E, 0xBD, 0xFD)
_FORMULAS_AND_THEIR_TEXTS = (0x06, 0x0206, 0x0406, 0x07, 0x0207, 0x3C)
_WORKBOOK = (_BOUNDSHEET, 0x22, 0x2F, 0xFC, _EOF, *_BEGINS)  # with DATEMODE, FILEPASS and SST
_NEEDED = frozenset({*_WORKBOOK, *_STYLES, *_FORMATS, *_WIDTHS, *_CELLS, *_FORMULAS_AND_THEIR_TEXTS})
_AS_THEY_ARE = frozenset({*_CELLS, *_FORMULAS_AND_THEIR_TEXTS})
"""Nearly all records of a sheet, none of which needs a second check."""
_NEEDED_BY_BIFF5 = _NEEDED | {_CODE_PAGE}
_NEEDED_BEFORE_BIFF5 = _NEEDED_BY_BIFF5 | {0x00, 0x0200, 0x44, 0x8E, 0x8F, 0x0293}
"""With IXFE, the records of BIFF4 around sheets, and DIMENSIONS and STYLE, after which xlrd expects no cell format."""
_READ_AS = MappingProxyType(
    {_RSTRING: _LABEL, **dict.fromkeys((0x21, 0x36, 0x37, 0xBC, 0x0221, 0x04BC, _TABLE), _TABLE)}
)
"""A LABEL is an RSTRING without its fonts. Between a formula and its text, xlrd expects one of a few records, and does
not read the content of a TABLE."""
# the codes of each kind of record, from BIFF2; xlrd takes up to 150 us for one
_MOST_RECORDS = MappingProxyType(
    {
        **dict.fromkeys(_STYLES, (MAX_STYLES, "cell formats")),
        **dict.fromkeys(_FORMATS, (MAX_FORMATS, "number formats")),
        **dict.fromkeys(_WIDTHS, (MAX_WIDTHS, "widths of columns")),
    }
)


def needed_records(stream: bytes) -> bytes:
    """Return the stream of a workbook with all records disabled that an import does not need.

    Raises InvalidFileFormat if it has more records of a kind than any program writes.
    """
    reading = _Reading(stream)
    if reading.needed is _NEEDED_BEFORE_BIFF5:
        reading.pass_over(0)
    else:
        for position in reading.globals():
            reading.pass_over(position)
    return bytes(reading.changed)


class _Reading:
    """Iterates over the records of a workbook, and changes those that are not needed in a copy of it."""

    def __init__(self, stream: bytes) -> None:
        self._stream = stream
        self._counts: Counter[int] = Counter()
        self._version = _version(stream)
        self.needed = {_BIFF8: _NEEDED, _BIFF5: _NEEDED_BY_BIFF5}.get(self._version, _NEEDED_BEFORE_BIFF5)
        self.changed = bytearray(stream)

    def globals(self) -> set[int]:
        """Process the globals, and return the positions of the worksheets."""
        sheets = set()
        for position, code in self._records(0):
            if code == _EOF:
                break
            if code == _BOUNDSHEET and position + _RECORD.size + _SHEET_POSITION.size <= len(self._stream):
                start, _, kind = _SHEET_POSITION.unpack_from(self._stream, position + _RECORD.size)
                sheets.update([start] if kind == 0 else [])
            self._change(position, code)
        if len(sheets) > MAX_SHEETS:
            raise damaged(f"it has more than {MAX_SHEETS} sheets")
        return sheets

    def pass_over(self, start: int) -> None:
        """Process the sheet at a position; charts inside it are not changed."""
        in_chart = False
        records = self._records(start)
        position, code = next(records, (start, _NO_RECORD))
        if position != start or code not in _BEGINS:
            return
        for position, code in records:
            if in_chart:
                in_chart = code != _EOF
            elif code in _BEGINS and self._version:
                in_chart = True
            elif code == _EOF and self._version:
                return
            else:
                self._change(position, code)

    def _records(self, position: int) -> Iterator[tuple[int, int]]:
        """Yield the position and code of each record from a position, except for those that are not changed."""
        stream, end, unpack = self._stream, len(self._stream) - _RECORD.size, _RECORD.unpack_from
        while position <= end:
            code, length = unpack(stream, position)
            if code not in _AS_THEY_ARE:
                yield position, code
            position += 4 + length

    def _change(self, position: int, code: int) -> None:
        if code in _MOST_RECORDS:
            self._count(code)
            if code == _FORMAT and self._is_long_format(position):
                code = _NO_RECORD
        elif code in self.needed:
            return
        else:
            code = _READ_AS.get(code, _NO_RECORD)
        self.changed[position : position + 2] = code.to_bytes(2, "little")

    def _count(self, code: int) -> None:
        self._counts[code] += 1
        most, what = _MOST_RECORDS[code]
        if self._counts[code] > most:
            raise damaged(f"it has more than {most} {what}")

    def _is_long_format(self, position: int) -> bool:
        """Return whether a FORMAT record has more than MAX_FORMAT characters: xlrd's pattern takes quadratic time.

        Only BIFF8 allows that: before it, the length of a format is one byte.
        """
        start = position + _RECORD.size + 2
        if self._version != _BIFF8 or start + 2 > len(self._stream):
            return False
        return bool(unpack_from("<H", self._stream, start)[0] > MAX_FORMAT)


def _version(stream: bytes) -> int:
    """Return the version of a workbook from BIFF5, 0 for an older one."""
    begin = stream[: _RECORD.size + 2].ljust(_RECORD.size + 2, b"\0")
    code, _, version = unpack_from("<HHH", begin)
    return version if code == _BEGIN and version in {_BIFF5, _BIFF8} else 0
