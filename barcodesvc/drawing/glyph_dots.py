"""Glyphs in dots: HarfBuzz fills their outlines, and each dot becomes dark or light by how much of it is inside.

Rule: a glyph begins on a whole dot, so that equal letters look equal. Sizes are rounded to quarters of a dot for the
shape alone, so that few shapes are kept.
"""

from dataclasses import dataclass
from functools import lru_cache

import uharfbuzz as hb

from barcodesvc.drawing.faces import Face

_SHAPES_KEPT = 4096
_LARGEST_KEPT = 100
"""The greatest size in dots of shapes that are kept; all of them take at most 16 MB."""
_SIZES_PER_DOT = 4
_SMALL = 14
"""The size in dots, 5 points at 203 dpi, below which strokes are thinner than a dot."""
_HALF, _THREE_EIGHTHS = 128, 96
"""The least part of a dark dot, in 256ths, that is inside the outline; with half, a small `e` would lose its bar."""
_DIGITS = {least: b"0" * least + b"1" * (256 - least) for least in (_HALF, _THREE_EIGHTHS)}
"""Tables from the part of a dot that is inside to a binary digit."""


@dataclass(frozen=True, slots=True, eq=False)
class GlyphDots:
    """The dots of a glyph: its upper left corner from its origin, and its rows, the left dot in the highest bit.

    `top` is negative above the baseline.
    """

    left: int
    top: int
    width: int
    rows: tuple[int, ...]


def glyph_dots(face: Face, glyph: int, size: float) -> GlyphDots:
    """Return the dots of a glyph at a size in dots."""
    shape = _kept_shape if size <= _LARGEST_KEPT else _shape
    return shape(face, glyph, round(size * _SIZES_PER_DOT))


def _shape(face: Face, glyph: int, quarters: int) -> GlyphDots:
    size = quarters / _SIZES_PER_DOT
    canvas = hb.RasterDraw()
    canvas.transform = (size / face.units, 0, 0, size / face.units, 0, 0)
    canvas.draw_glyph(face.font, glyph)
    image = canvas.render()
    found = image.extents
    if not found.width:
        return GlyphDots(0, 0, 0, ())
    digits = image.buffer.translate(_DIGITS[_THREE_EIGHTHS if size < _SMALL else _HALF])
    upwards = (digits[start : start + found.width] for start in range(0, found.stride * found.height, found.stride))
    rows = tuple(int(row, 2) for row in upwards)[::-1]
    return GlyphDots(found.x_origin, -(found.y_origin + found.height), found.width, rows)


_kept_shape = lru_cache(_SHAPES_KEPT)(_shape)
