"""The PWG raster writer (PWG 5102.4): pages for IPP printers that take no PDF, in runs of equal rows and bytes.

Rule: each page is a page of the printer, and each label of a roll is one; a copy is a page too.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from itertools import groupby

from barcodesvc.labels.drawing import SheetDrawing
from barcodesvc.labels.writers.raster import Bitmap, pages

_SYNC_WORD = b"RaS2"
_MM_PER_POINT = 25.4 / 72
_COLOR_SPACES = {"black_1": 3, "sgray_8": 18}
_MOST_EQUAL_ROWS = 256
_RUN = re.compile(rb"(.)\1{1,127}|(?:(.)(?!\2)){1,128}", re.DOTALL)
_LITERAL_END = 257
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
    points = round(drawing.page.width / _MM_PER_POINT), round(drawing.page.height / _MM_PER_POINT)
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
    size, written = bitmap.row_bytes, []
    rows = (bitmap.rows[start : start + size] for start in range(0, len(bitmap.rows), size))
    for row, equal in groupby(rows):
        count = sum(1 for _ in equal)
        packed = _packed(row if kind == "black_1" else b"".join(map(_GREYS.__getitem__, row))[: bitmap.width])
        while count:
            step = min(count, _MOST_EQUAL_ROWS)
            written.append(bytes([step - 1]) + packed)
            count -= step
    return b"".join(written)


def _packed(row: bytes) -> bytes:
    """Return a row as runs of equal bytes, each with its length less 1, and of others, with 257 less their number."""
    return b"".join(map(_run, _RUN.finditer(row)))


def _run(run: re.Match[bytes]) -> bytes:
    if run[1] is not None:
        return bytes([len(run[0]) - 1]) + run[1]
    length = len(run[0])
    return bytes([0 if length == 1 else _LITERAL_END - length]) + run[0]
