"""Human-readable text as pixels: Pillow's built-in font, one bit for each pixel, so that small digits stay crisp.

A character is drawn once per size, and lines are composed with shifts, faster than Pillow draws them. There is no
kerning, which would move nothing by more than a pixel at these sizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import accumulate
from operator import lshift, or_
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import ImageFont

_FONTS_CACHED = 64
_GLYPHS_CACHED = 2048
_ADVANCES_CACHED = 4096
_LARGEST_CACHED = 100
"""Font size up to which glyphs are cached, the size for ten pixels a module; all of them take at most 8 MB."""


@dataclass(frozen=True, slots=True)
class _Glyph:
    """A character at one size: `rows` from ascent to descent have `advance` bits and a margin on either side."""

    advance: int
    rows: tuple[int, ...]


@lru_cache(maxsize=_FONTS_CACHED)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont  # noqa: PLC0415 - loaded at its first use: it takes 4 MB

    return ImageFont.load_default(size)


def ascent(size: int) -> int:
    """Return how far ASCII extends above the baseline at a font size, both in pixels."""
    return -(-size * 9 // 10)


def descent(size: int) -> int:
    """Return how far ASCII extends below the baseline at a font size, both in pixels."""
    return size // 4


def text_width(text: str, size: int) -> int:
    """Return the width of the text in pixels at a font size in pixels."""
    return sum(_advance(character, size) for character in text)


def text_rows(width: int, text: str, middle: int, size: int) -> list[int]:
    """Return the rows of a line of text, drawn on an empty strip of `width` pixels and centred on `middle`.

    The rows go from ascent to descent; each is an integer of `width` bits, the leftmost pixel in the highest bit, 1 for
    ink.
    """
    glyphs = _glyphs(text, size)
    *offsets, length = accumulate((glyph.advance for glyph in reversed(glyphs)), initial=0)
    offsets.reverse()
    shift = width - (middle - (length + 1) // 2) - length - _margin(size)
    mask = (1 << width) - 1
    return [
        _shifted(reduce(or_, map(lshift, bits, offsets)), shift) & mask if any(bits) else 0
        for bits in zip(*(glyph.rows for glyph in glyphs), strict=True)
    ]


def _shifted(row: int, shift: int) -> int:
    return row << shift if shift >= 0 else row >> -shift


def _glyphs(text: str, size: int) -> list[_Glyph]:
    glyph = _cached_glyph if size <= _LARGEST_CACHED else _glyph
    drawn = {character: glyph(character, size) for character in set(text)}
    return [drawn[character] for character in text]


def _margin(size: int) -> int:
    """Return the pixels by which a character may extend beyond its advance on either side."""
    return size // 4 + 1


@lru_cache(maxsize=_ADVANCES_CACHED)
def _advance(character: str, size: int) -> int:
    return round(_font(size).getlength(character, mode="1"))


def _glyph(character: str, size: int) -> _Glyph:
    from PIL import Image, ImageDraw  # noqa: PLC0415 - as above

    font, advance = _font(size), _advance(character, size)
    margin, height = _margin(size), ascent(size) + descent(size)
    cell = Image.new("1", (advance + 2 * margin, height), 0)
    ImageDraw.Draw(cell).text((margin, ascent(size)), character, fill=1, font=font, anchor="ls")
    stride = (cell.width + 7) // 8
    data, spare = cell.tobytes(), stride * 8 - cell.width
    return _Glyph(advance, tuple(int.from_bytes(data[y * stride : (y + 1) * stride]) >> spare for y in range(height)))


_cached_glyph = lru_cache(maxsize=_GLYPHS_CACHED)(_glyph)
