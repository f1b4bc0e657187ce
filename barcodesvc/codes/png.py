"""The PNG writer (ISO/IEC 15948): greyscale, one bit for each pixel, without an image object.

A row of pixels is one integer, with 1 for dark until it is written; equal rows are computed once and repeated. This is
much faster than building an image and encoding it, and the files are smaller. For repeated rows, zlib's level 3 is
faster than level 6 and yields some more bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby, pairwise

from barcodesvc.codes.layout import Band, BarsDrawing, Drawing, MatrixDrawing
from barcodesvc.codes.text import ascent, text_rows

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COMPRESSION = 3
_METRES_PER_INCH = 0.0254
_UNIT_IS_METRE = 1
_DIGITS = bytes.maketrans(b"\0\1", b"01")
_LIGHT = bytes(byte ^ 0xFF for byte in range(256))


def png(drawing: Drawing, dpi: float | None = None) -> bytes:
    """Return the drawing as a PNG file, dark on white; `dpi`, if known, is in its pHYs chunk."""
    lines = _matrix_lines(drawing) if isinstance(drawing, MatrixDrawing) else _bar_lines(drawing)
    return _file(drawing.width, drawing.height, b"".join(lines), dpi)


def _file(width: int, height: int, lines: bytes, dpi: float | None = None) -> bytes:
    """Return a greyscale file with one bit for each pixel; each of the lines begins with its filter, 0."""
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    pixels = zlib.compress(lines, _COMPRESSION)
    chunks = (_chunk(b"IHDR", header), _resolution(dpi), _chunk(b"IDAT", pixels), _chunk(b"IEND", b""))
    return b"".join((_SIGNATURE, *chunks))


def png_of_dots(width: int, height: int, rows: bytes, dpi: float | None = None) -> bytes:
    """Return a file of rows of whole bytes, the left dot in the highest bit, 1 for dark."""
    light, size = rows.translate(_LIGHT), (width + 7) // 8
    lines = b"".join(b"\0" + light[start : start + size] for start in range(0, len(light), size))
    return _file(width, height, lines, dpi)


def _resolution(dpi: float | None) -> bytes:
    if dpi is None:
        return b""
    per_metre = round(dpi / _METRES_PER_INCH)
    return _chunk(b"pHYs", struct.pack(">IIB", per_metre, per_metre, _UNIT_IS_METRE))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(kind + data))))


def _matrix_lines(drawing: MatrixDrawing) -> Iterator[bytes]:
    right = drawing.width - drawing.left - len(drawing.rows[0]) * drawing.module
    margin = _line(drawing.width, 0)
    yield margin * drawing.top
    for row, equal in groupby(drawing.rows):
        bits = _pixels(row.translate(_DIGITS).decode(), drawing.module)
        yield _line(drawing.width, bits << right) * (drawing.module * len(list(equal)))
    yield margin * (drawing.height - drawing.top - len(drawing.rows) * drawing.module)


def _bar_lines(drawing: BarsDrawing) -> Iterator[bytes]:
    switches = _switches(drawing)
    text = _text(drawing)
    row = 0
    for top, below in pairwise(sorted({0, drawing.height, *switches, *text, *(y + 1 for y in text)})):
        row ^= switches.get(top, 0)
        yield _line(drawing.width, row | text.get(top, 0)) * (below - top)


def _switches(drawing: BarsDrawing) -> dict[int, int]:
    """Return the pixels that change from light to dark or back, by the row in which they change."""
    switches: defaultdict[int, int] = defaultdict(int)
    for band in drawing.bands:
        bits = _band(band, drawing)
        switches[band.top] ^= bits
        switches[band.top + band.height] ^= bits
    return switches


def _band(band: Band, drawing: BarsDrawing) -> int:
    modules = drawing.width // drawing.module
    row = 0
    for start, width in band.bars:
        row |= ((1 << width) - 1) << (modules - start - width)
    return _pixels(f"{row:0{modules}b}", drawing.module)


def _pixels(modules: str, module: int) -> int:
    """Return a row of modules, 1 for dark, as pixels."""
    return int(modules.replace("0", "0" * module).replace("1", "1" * module), 2)


def _text(drawing: BarsDrawing) -> dict[int, int]:
    """Return the rows of pixels with text, by their distance from the top of the image."""
    rows: dict[int, int] = {}
    for text in drawing.texts:
        top = text.baseline - ascent(text.size)
        for y, ink in enumerate(text_rows(drawing.width, text.text, text.middle, text.size), start=top):
            if ink:
                rows[y] = rows.get(y, 0) | ink
    return rows


def _line(width: int, dark: int) -> bytes:
    spare = -width % 8
    light = dark ^ ((1 << width) - 1)
    return b"\0" + (light << spare).to_bytes((width + spare) // 8)
