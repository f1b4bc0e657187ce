"""Human-readable text as pixels: Pillow's own font, one bit a pixel, so that digits stay crisp at module 1.

A character is drawn once per size and then composed with shifts: measured, that is eight times faster than to have
Pillow draw a line of text. Kerning is left out; at these sizes it would move nothing by more than a pixel.
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
"""Font size up to which glyphs are cached, that of ten pixels a module; together they take 8 MB at most."""


@dataclass(frozen=True, slots=True)
class _Glyph:
    """A character at one size: `rows` from its ascent to its descent hold `advance` bits and a margin either side."""

    advance: int
    rows: tuple[int, ...]


@lru_cache(maxsize=_FONTS_CACHED)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont  # noqa: PLC0415 - loaded at its first use: it takes 4 MB

    return ImageFont.load_default(size)


def ascent(size: int) -> int:
    """Return how far ASCII reaches above the baseline at a font size, both in pixels."""
    return -(-size * 9 // 10)


def descent(size: int) -> int:
    """Return how far ASCII reaches below the baseline at a font size, both in pixels."""
    return size // 4


def text_width(text: str, size: int) -> int:
    """Return the width of the text in pixels at a font size in pixels."""
    return sum(_advance(character, size) for character in text)


def text_rows(width: int, text: str, middle: int, size: int) -> list[int]:
    """Draw a line of text on an empty strip of `width` pixels, centred on `middle`; return its rows.

    The rows go from the ascent to the descent; each is an integer of `width` bits, the leftmost pixel in the highest
    bit, 1 for ink.
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
    """Return the pixels that a character may reach beyond its advance to either side."""
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
