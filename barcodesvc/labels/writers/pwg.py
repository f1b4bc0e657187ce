"""The PWG raster writer (PWG 5102.4): pages for IPP printers that do not accept PDF, in runs of equal rows and bytes.

Rule: each page is a page of the printer, and each label of a roll is one; a copy is a page too.
"""

import re
import struct
from collections.abc import Iterator

from barcodesvc.drawing.raster import Bitmap
from barcodesvc.labels.resolution import MM_PER_POINT
from barcodesvc.labels.sheet_drawing import SheetDrawing
from barcodesvc.labels.writers.page_dots import pages

_SYNC_WORD = b"RaS2"
_COLOR_SPACES = {"black_1": 3, "sgray_8": 18}
_MOST_EQUAL_ROWS = 256
_LONGEST_RUN = 128
_BLANK = b"\0"
_GAP = 8 * _BLANK
_PLAIN = re.compile(rb"\0{4,128}|\xff{4,128}")
"""White and black runs; a page has few others, such as a pattern in a picture."""
_BYTES = [bytes([number]) for number in range(256)]
_BLANKS = [b"", *(_BYTES[number - 1] + _BLANK for number in range(1, _LONGEST_RUN + 1))]
"""A run of this number of blank bytes."""
_OTHERS = [b"", _BYTES[0], *(_BYTES[257 - number] for number in range(2, _LONGEST_RUN + 1))]
"""What precedes this number of bytes that differ; one byte is a run of one."""
_ROWS_AT_ONCE = 16
_GREYS = [bytes(255 * (byte >> bit & 1 ^ 1) for bit in range(7, -1, -1)) for byte in range(256)]
"""The eight pixels of a byte of dots: white is 255."""


def write_pwg(drawing: SheetDrawing, kind: str) -> Iterator[bytes]:
    """Yield the file in pieces, in one of the types that a printer lists as `pwg-raster-document-type-supported`."""
    yield _SYNC_WORD
    header = _header(drawing, kind)
    for bitmap, copies in pages(drawing):
        page = header + _rows(bitmap, kind)
        for _ in range(copies):
            yield page


def _header(drawing: SheetDrawing, kind: str) -> bytes:
    """Return the page header (PWG 5102.4, table 2)."""
    width, height = drawing.page_size
    bits = 1 if kind == "black_1" else 8
    dpi = drawing.resolution.dpi
    points = round(drawing.page.width / MM_PER_POINT), round(drawing.page.height / MM_PER_POINT)
    return b"".join(
        (
            struct.pack(">64s64s64s64s", b"PwgRaster", b"", b"", b""),
            struct.pack(">12x2I2I16x3I12x2I8x2I4x", 0, 0, dpi, dpi, 0, 0, 0, 0, 0, 1, 0),
            struct.pack(">2I8xI2I4x", *points, 0, width, height),
            struct.pack(">5I16xI28x", bits, bits, (width * bits + 7) // 8, 0, _COLOR_SPACES[kind], 1),
            struct.pack(">I2i4I2I20x2I1088x64x64s64s", 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, b"", b""),
        )
    )


def _rows(bitmap: Bitmap, kind: str) -> bytes:
    """Return the rows, equal ones once with their number (PWG 5102.4, 4.4)."""
    rows, size, start = bitmap.rows, bitmap.row_bytes, 0
    written: list[bytes] = []
    while start < len(rows):
        row = rows[start : start + size]
        end = _end_of_equal(rows, row, start + size)
        packed = _packed(row if kind == "black_1" else b"".join(map(_GREYS.__getitem__, row))[: bitmap.width])
        for first in range(start, end, _MOST_EQUAL_ROWS * size):
            equal = min((end - first) // size, _MOST_EQUAL_ROWS)
            written += (_BYTES[equal - 1], packed)
        start = end
    return b"".join(written)


def _end_of_equal(rows: bytes, row: bytes, end: int) -> int:
    """Return where the rows that are equal to `row` end: at `end` or later."""
    if not rows.startswith(row, end):
        return end
    many = _ROWS_AT_ONCE * row
    while rows.startswith(many, end):
        end += len(many)
    while rows.startswith(row, end):
        end += len(row)
    return end


def _packed(row: bytes) -> bytes:
    """Return a row as runs of equal bytes, each with its length less 1, and of others, with 257 less their number."""
    body = row.strip(_BLANK)
    if len(row) <= _LONGEST_RUN and _GAP not in body:  # as most rows of a label, for which this is faster
        left, count = row.index(body), len(body)
        return b"".join((_BLANKS[left], _OTHERS[count], body, _BLANKS[len(row) - left - count]))
    written: list[bytes] = []
    place = 0
    for run in _PLAIN.finditer(row):
        start, end = run.span()
        written += (*_others(row[place:start]), _BYTES[end - start - 1], row[start : start + 1])
        place = end
    return b"".join((*written, *_others(row[place:])))


def _others(row: bytes) -> Iterator[bytes]:
    for start in range(0, len(row), _LONGEST_RUN):
        others = row[start : start + _LONGEST_RUN]
        yield _OTHERS[len(others)]
        yield others
