"""The painter: drawings as bitmaps with one bit for each dot.

A drawing is painted row by row: rows of a symbol are equal over the height of its bars or modules, and a line of text
is one integer to which each glyph is added in its place. This is faster than painting with an image library.

Rule: a bitmap equals its drawing, dot by dot. Text is never smoothed; each glyph begins on a whole dot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from barcodesvc.drawing.shapes import BarImage, Drawing, Extent, MatrixImage, Text

if TYPE_CHECKING:  # loads the font library at the first text
    from barcodesvc.drawing.glyph_dots import GlyphDots

_SPREADS_KEPT = 1024
_LARGEST_SPREAD = 8192
"""Bytes of a glyph that is kept; all of them take at most 8 MB."""
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
    bands = {
        (image.top + extent.top, image.top + extent.top + extent.height): _bar_row(image, extent, stride)
        for extent in set(image.extents)
    }
    for bearer in drawing.bearers:
        dots = ((1 << bearer.width) - 1) << (stride * 8 - bearer.left - bearer.width)
        bands[bearer.top, bearer.top + bearer.height] = dots
    for top, bottom in pairwise(sorted({edge for band in bands for edge in band})):
        row = 0
        for (begin, end), dots in bands.items():
            if begin <= top < end:
                row |= dots
        canvas[top * stride : bottom * stride] = row.to_bytes(stride) * (bottom - top)


def _bar_row(image: BarImage, extent: Extent, stride: int) -> int:
    """Return a row of the bars that have this extent."""
    module, light, dark = image.module, "0" * image.module, "1" * image.module
    digits = "".join(
        [
            (dark if found == extent else light) * bar + light * space
            for found, bar, space in zip(image.extents, image.runs[::2], (*image.runs[1::2], 0), strict=True)
        ]
    )
    return int(digits, 2) << (stride * 8 - image.left - sum(image.runs) * module)


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
        spread = _kept_spread if len(dots.rows) * stride <= _LARGEST_SPREAD else _spread
        band |= spread(dots, stride) << (below + stride) * 8 - x - dots.width
    canvas[begin:end] = band.to_bytes(end - begin)


def _placed(text: Text, width: int, height: int) -> Iterator[tuple[int, int, GlyphDots]]:
    """Yield the upper left corner of each glyph, and its dots; rounding moves none of them off the bitmap."""
    from barcodesvc.drawing.glyph_dots import glyph_dots  # noqa: PLC0415 - loads the font library at the first text

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


def _spread(dots: GlyphDots, stride: int) -> int:
    """Return the rows of a glyph as one integer, one row of the bitmap apart, at the right edge."""
    return int.from_bytes(b"".join([row.to_bytes(stride) for row in dots.rows]))


_kept_spread = lru_cache(_SPREADS_KEPT)(_spread)
