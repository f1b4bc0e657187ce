"""The records of an .xls workbook (MS-XLS 2.3), reduced to those that an import needs before xlrd reads them.

xlrd parses defined names, comments, drawings, fonts and much else, and fails on a workbook if one of them is not as it
expects. Without this module, workbooks that Excel opens would be refused for parts without cells. A record that is not
needed gets an unknown code and keeps its place, so that no position changes.

Rule: records are found as xlrd finds them: those of the globals up to their end, then those of each sheet from the
position in its BOUNDSHEET record. Bytes that xlrd does not read as records are never changed.
"""

from collections.abc import Iterator
from struct import Struct
from types import MappingProxyType

_RECORD = Struct("<HH")
_BEGIN_RECORD = Struct("<HHH")
_SHEET_POSITION = Struct("<IBB")
_BOUNDSHEET_SIZE = _RECORD.size + _SHEET_POSITION.size
_BIFF5, _BIFF8 = 0x0500, 0x0600
_CODE_PAGE, _BOUNDSHEET, _EOF, _NO_RECORD = 0x42, 0x85, 0x0A, 0xFFFF
_LABEL, _RSTRING, _TABLE = 0x0204, 0xD6, 0x0236
_BEGIN = 0x0809
_BEGINS = frozenset({0x09, 0x0209, 0x0409, _BEGIN})
_STYLES, _FORMATS, _WIDTHS = (0x43, 0x0243, 0x0443, 0xE0), (0x1E, 0x041E), (0x20, 0x24, 0x7D)
_CELLS = (0x02, 0x03, 0x04, 0x05, 0x0203, _LABEL, 0x0205, 0x027E, 0xBD, 0xFD)
_FORMULAS_AND_THEIR_TEXTS = (0x06, 0x0206, 0x0406, 0x07, 0x0207, 0x3C)
_WORKBOOK = (_BOUNDSHEET, 0x22, 0x2F, 0xFC, _EOF, *_BEGINS)  # with DATEMODE, FILEPASS and SST
_NEEDED = frozenset({*_WORKBOOK, *_STYLES, *_FORMATS, *_WIDTHS, *_CELLS, *_FORMULAS_AND_THEIR_TEXTS})
_NEEDED_BY_BIFF5 = _NEEDED | {_CODE_PAGE}
_NEEDED_BEFORE_BIFF5 = _NEEDED_BY_BIFF5 | {0x00, 0x0200, 0x44, 0x8E, 0x8F, 0x0293}
"""With IXFE, the records of BIFF4 around sheets, and DIMENSIONS and STYLE, after which xlrd expects no cell format."""
_READ_AS = MappingProxyType(
    {_RSTRING: _LABEL, **dict.fromkeys((0x21, 0x36, 0x37, 0xBC, 0x0221, 0x04BC, _TABLE), _TABLE)}
)
"""A LABEL is an RSTRING without its fonts. Between a formula and its text, xlrd expects one of a few records, and does
not read the content of a TABLE."""


def needed_records(stream: bytes) -> bytes:
    """Return the stream of a workbook with all records disabled that an import does not need."""
    version = _version(stream)
    needed = {_BIFF8: _NEEDED, _BIFF5: _NEEDED_BY_BIFF5}.get(version, _NEEDED_BEFORE_BIFF5)
    changed, starts = bytearray(stream), [0]
    for start in starts:
        for position, code in _records(stream, start, version):
            if code not in needed:
                changed[position : position + 2] = _READ_AS.get(code, _NO_RECORD).to_bytes(2, "little")
            elif code == _BOUNDSHEET and start == 0 and position + _BOUNDSHEET_SIZE <= len(stream):
                sheet, _, kind = _SHEET_POSITION.unpack_from(stream, position + _RECORD.size)
                starts += [sheet] if kind == 0 and sheet not in starts else []
    return bytes(changed)


def _records(stream: bytes, position: int, version: int) -> Iterator[tuple[int, int]]:
    """Yield the position and code of each record of the globals or a sheet, but not those of charts inside it."""
    depth = 0
    end = len(stream) - _RECORD.size
    while position <= end:
        code, length = _RECORD.unpack_from(stream, position)
        if code in _BEGINS and (version or not depth):
            depth += 1
        elif code == _EOF and version:
            depth -= 1
        elif depth == 1:
            yield position, code
        if not depth:
            return
        position += _RECORD.size + length


def _version(stream: bytes) -> int:
    """Return the version of a workbook from BIFF5, 0 for an older one."""
    begin = stream[: _BEGIN_RECORD.size].ljust(_BEGIN_RECORD.size, b"\0")
    code, _, version = _BEGIN_RECORD.unpack(begin)
    return version if code == _BEGIN and version in {_BIFF5, _BIFF8} else 0
