"""Where a large picture has stripes at a slant, as a small turned linear code has.

A copy of a large picture has so few pixels that the bars of a small code blur. Without this, such a code is found only
near the right angles, where the first look reads it at full size. So its place is cut out at full size, and turned.

Stripes change across, and hardly along. So the mean difference of neighbours, by direction and cell of a grid, shows
where they are and how they are turned: the differences in four directions are the real and the imaginary part of a
number with twice the angle.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from PIL import Image, ImageChops, ImageFilter

_SEARCHED = 3_000_000
"""Pixels of the copy that is searched."""
_CELL = 16
"""Pixels of a cell in that copy."""
_LEAST = 4
"""The difference of grey values, across without along, that stripes have at least, on average over some cells."""
_SLANT = 10
"""Degrees from a right angle up to which the first look reads a code."""


@dataclass(frozen=True, slots=True)
class Stripes:
    """The middle of stripes in the picture, and the degrees, counterclockwise, by which a turn makes them rise."""

    x: float
    y: float
    degrees: float
    contrast: float


def stripes_on(image: Image.Image, side: int, most: int) -> list[Stripes]:
    """Return the places with the clearest stripes at a slant, the clearest first, at least half a side apart."""
    found: list[Stripes] = []
    for each in sorted(_cells(image), key=lambda cell: cell.contrast, reverse=True):
        if len(found) == most:
            break
        if all(max(abs(each.x - one.x), abs(each.y - one.y)) > side / 2 for one in found):
            found.append(each)
    return found


def _cells(image: Image.Image) -> Iterator[Stripes]:
    """Yield the cells that have stripes at a slant."""
    factor = max(1, math.ceil(math.sqrt(image.width * image.height / _SEARCHED)))
    small = image.reduce(factor)
    if min(small.size) < 2 * _CELL:
        return
    across, down, falling, rising = (_differences(small, *step) for step in ((1, 0), (0, 1), (1, 1), (1, -1)))
    size, columns = factor * _CELL, across.width
    cells = zip(across.tobytes(), down.tobytes(), falling.tobytes(), rising.tobytes(), strict=True)
    for number, (right, below, fall, rise) in enumerate(cells):
        real, imaginary = right - below, (fall - rise) / math.sqrt(2)
        contrast, degrees = math.hypot(real, imaginary), math.degrees(math.atan2(imaginary, real)) / 2
        if contrast >= _LEAST and _SLANT <= degrees % 90 <= 90 - _SLANT:
            row, column = divmod(number, columns)
            yield Stripes((column + 1 / 2) * size, (row + 1 / 2) * size, degrees, contrast)


def _differences(image: Image.Image, x: int, y: int) -> Image.Image:
    """Return the mean difference of pixels from those a step away, for each whole cell and those around it."""
    width, height = image.width - 2, image.height - 2
    here, there = (image.crop((left, top, left + width, top + height)) for left, top in ((1, 1), (1 + x, 1 + y)))
    columns, rows = width // _CELL, height // _CELL
    differences = ImageChops.difference(here, there).crop((0, 0, columns * _CELL, rows * _CELL))
    return differences.reduce(_CELL).filter(ImageFilter.BoxBlur(1))
