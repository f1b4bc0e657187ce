"""Human-readable text as pixels: Pillow's own font, one bit a pixel, so that digits stay crisp at module 1."""

from __future__ import annotations

from functools import lru_cache
from math import ceil

from PIL import Image, ImageDraw, ImageFont

_FONTS_KEPT = 64


@lru_cache(maxsize=_FONTS_KEPT)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def ascent(size: int) -> int:
    """Return how far ASCII reaches above the baseline at a font size, both in pixels."""
    return -(-size * 9 // 10)


def descent(size: int) -> int:
    """Return how far ASCII reaches below the baseline at a font size, both in pixels."""
    return size // 4


def text_width(text: str, size: int) -> int:
    """Return the width of the text in pixels at a font size in pixels."""
    return ceil(_font(size).getlength(text, mode="1"))


def text_rows(width: int, height: int, texts: list[tuple[str, int, int, int]]) -> list[int]:
    """Draw texts (text, middle, baseline, size; pixels) on an empty strip; return its rows.

    A row is an integer of `width` bits, the leftmost pixel in the highest bit, 1 for ink.
    """
    strip = Image.new("1", (width, height), 0)
    canvas = ImageDraw.Draw(strip)
    for text, middle, baseline, size in texts:
        canvas.text((middle, baseline), text, fill=1, font=_font(size), anchor="ms")
    stride = (width + 7) // 8
    data = strip.tobytes()
    spare = stride * 8 - width
    return [int.from_bytes(data[y * stride : (y + 1) * stride]) >> spare for y in range(height)]
