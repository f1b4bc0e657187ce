"""A Drawing as PNG (ISO/IEC 15948): greyscale, one bit a pixel, written without any image object.

A row is one integer, a bit a pixel; rectangles switch bits on where they begin and off where they end, and equal
rows are written once and repeated. zlib does the rest: measured, this is ten times faster than building an image
and encoding it, and the files are smaller.
"""

from __future__ import annotations

import struct
import zlib
from collections import defaultdict
from itertools import pairwise

from barcodesvc.render.layout import Drawing
from barcodesvc.render.text import ascent, text_rows

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COMPRESSION = 6


def png(drawing: Drawing) -> bytes:
    """Return the drawing as a PNG file, dark on white."""
    header = struct.pack(">IIBBBBB", drawing.width, drawing.height, 1, 0, 0, 0, 0)
    pixels = zlib.compress(_scanlines(drawing), _COMPRESSION)
    return b"".join((_SIGNATURE, _chunk(b"IHDR", header), _chunk(b"IDAT", pixels), _chunk(b"IEND", b"")))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(kind + data))))


def _scanlines(drawing: Drawing) -> bytes:
    switches = _switches(drawing)
    text_top, text = _text(drawing)
    lines: list[bytes] = []
    row = 0
    for top, below in pairwise(sorted(switches | {0: 0, text_top: 0, drawing.height: 0})):
        row ^= switches.get(top, 0)
        if top < text_top:
            lines.append(_line(drawing, row) * (below - top))
        else:
            lines += [_line(drawing, row | text[y - text_top]) for y in range(top, below)]
    return b"".join(lines)


def _switches(drawing: Drawing) -> dict[int, int]:
    switches: defaultdict[int, int] = defaultdict(int)
    for box in drawing.rectangles:
        bits = ((1 << box.width) - 1) << (drawing.width - box.x - box.width)
        switches[box.y] ^= bits
        switches[box.y + box.height] ^= bits
    return dict(switches)


def _text(drawing: Drawing) -> tuple[int, list[int]]:
    if not drawing.texts:
        return drawing.height, []
    top = min(text.baseline - ascent(text.size) for text in drawing.texts)
    placed = [(text.text, text.middle, text.baseline - top, text.size) for text in drawing.texts]
    return top, text_rows(drawing.width, drawing.height - top, placed)


def _line(drawing: Drawing, dark: int) -> bytes:
    spare = -drawing.width % 8
    light = dark ^ ((1 << drawing.width) - 1)
    return b"\0" + (light << spare).to_bytes((drawing.width + spare) // 8)
