"""The painter: drawings as bitmaps with one bit for each dot.

A drawing is painted row by row: rows of a symbol are equal over the height of its bars or modules, and a line of text
is one integer to which each glyph is added in its place. This is faster than painting with an image library.

Rule: a bitmap equals its drawing, dot by dot. Text is never smoothed; each glyph begins on a whole dot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

from barcodesvc.drawing.glyph_dots import GlyphDots, glyph_dots
from barcodesvc.drawing.shapes import BarImage, Drawing, MatrixImage, Text

_SPREADS_KEPT = 4096
_DIGITS = bytes.maketrans(b"\0\1", b"01")


@dataclass(frozen=True, slots=True)
class Bitmap:
    """Rows from the top, each of whole bytes, the left dot in the highest bit, 1 for dark."""

    width: int
    height: int
    rows: bytes

    @property
    def row_bytes(self) -> int:
        """The bytes of a row."""
        return _row_bytes(self.width)


def painted(drawing: Drawing, width: int, height: int) -> Bitmap:
    """Return a drawing on this many dots."""
    stride = _row_bytes(width)
    canvas = bytearray(stride * height)
    if isinstance(drawing.image, BarImage):
        _paint_bars(canvas, drawing, drawing.image, stride)
    else:
        _paint_matrix(canvas, drawing.image, stride)
    for text in drawing.texts:
        _paint_text(canvas, text, width, height)
    return Bitmap(width, height, bytes(canvas))


def _row_bytes(width: int) -> int:
    return (width + 7) // 8


def _paint_bars(canvas: bytearray, drawing: Drawing, image: BarImage, stride: int) -> None:
    """Paint bars and bearer bars, in bands of equal rows."""
    bands: dict[tuple[int, int], int] = {}
    columns = accumulate(image.runs, initial=0)
    for bar, (column, extent) in enumerate(zip(list(columns)[:-1:2], image.extents, strict=True)):
        top = image.top + extent.top
        dots = _dark(image.left + column * image.module, image.runs[2 * bar] * image.module, stride)
        bands[top, top + extent.height] = bands.get((top, top + extent.height), 0) | dots
    for bearer in drawing.bearers:
        bands[bearer.top, bearer.top + bearer.height] = _dark(bearer.left, bearer.width, stride)
    for top, bottom in pairwise(sorted({edge for band in bands for edge in band})):
        row = 0
        for (begin, end), dots in bands.items():
            if begin <= top < end:
                row |= dots
        canvas[top * stride : bottom * stride] = row.to_bytes(stride) * (bottom - top)


def _dark(left: int, width: int, stride: int) -> int:
    """Return a row with dark dots from `left` on."""
    return ((1 << width) - 1) << (stride * 8 - left - width)


def _paint_matrix(canvas: bytearray, image: MatrixImage, stride: int) -> None:
    module = image.module
    right = stride * 8 - image.left - len(image.rows[0]) * module
    top = image.top * stride
    for modules in image.rows:
        digits = modules.translate(_DIGITS).decode()
        dots = int(digits.replace("0", "0" * module).replace("1", "1" * module), 2) << right
        rows = dots.to_bytes(stride) * module
        canvas[top : top + len(rows)] = rows
        top += len(rows)


def _paint_text(canvas: bytearray, text: Text, width: int, height: int) -> None:
    """Add the glyphs of a line to its rows."""
    stride = _row_bytes(width)
    placed = list(_placed(text, width, height))
    if not placed:
        return
    top = min([y for _, y, _ in placed])
    bottom = max([y + len(dots.rows) for _, y, dots in placed])
    begin, end = top * stride, bottom * stride
    band = int.from_bytes(canvas[begin:end])
    for x, y, dots in placed:
        below = (bottom - y - len(dots.rows)) * stride
        band |= _spread(dots, stride) << (below + stride) * 8 - x - dots.width
    canvas[begin:end] = band.to_bytes(end - begin)


def _placed(text: Text, width: int, height: int) -> Iterator[tuple[int, int, GlyphDots]]:
    """Yield the upper left corner of each glyph, and its dots; rounding moves none of them off the bitmap."""
    for run in text.line.runs:
        left, scale = text.left + run.left * text.size, text.size / run.face.units
        for glyph in run.glyphs:
            dots = glyph_dots(run.face, glyph.number, text.size)
            if not dots.rows:
                continue
            x, y = round(left + glyph.origin * scale) + dots.left, round(text.baseline - glyph.rise * scale) + dots.top
            if x < 0 or y < 0 or x + dots.width > width or y + len(dots.rows) > height:
                x, y = max(min(x, width - dots.width), 0), max(min(y, height - len(dots.rows)), 0)
            yield x, y, dots


@lru_cache(_SPREADS_KEPT)
def _spread(dots: GlyphDots, stride: int) -> int:
    """Return the rows of a glyph as one integer, each a row of the bitmap from the next, at the right edge."""
    spread = 0
    for row in dots.rows:
        spread = spread << stride * 8 | row
    return spread
