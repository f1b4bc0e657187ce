"""Where a picture has stripes at a slant, as a turned linear code has.

A copy of a large picture has so few pixels that the bars of a small code blur, and a low code is read along few lines,
if at all, once it is some degrees from a right angle. So its place is cut out, and turned by exactly its slant.

Stripes change across, and hardly along. So the mean difference of neighbours, by direction and cell of a grid, shows
where they are and how they are turned: the differences in four directions form a complex number whose argument is
twice the angle of the stripes. Cells next to each other with the same slant are one area.
"""

import cmath
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
_FEWEST = 4
"""Cells of an area: the narrowest code fills so many, also because those around it show its stripes."""
_SAME = math.cos(math.radians(2 * 15))
"""The cosine of twice the angle up to which the stripes of two cells have the same slant."""
_SLANT = 2
"""Degrees from a right angle up to which the first look reads every code."""

_Cell = tuple[int, int]
"""Its column and its row."""


@dataclass(frozen=True, slots=True)
class Stripes:
    """An area with stripes: its middle, its size across and along them, and the degrees that make them rise.

    The degrees are counterclockwise, the rest is in pixels of the picture.
    """

    x: float
    y: float
    width: float
    height: float
    degrees: float


def stripes_on(image: Image.Image, most: int) -> list[Stripes]:
    """Return the areas with the clearest stripes at a slant, the clearest first."""
    factor = max(1, math.ceil(math.sqrt(image.width * image.height / _SEARCHED)))
    slopes = _slopes(image.reduce(factor))
    found: list[Stripes] = []
    for cell in sorted(slopes, key=lambda cell: abs(slopes[cell]), reverse=True):
        if len(found) == most:
            break
        area = _area(cell, slopes)
        degrees = math.degrees(cmath.phase(sum(area.values()))) / 2
        if len(area) >= _FEWEST and _SLANT <= degrees % 90 <= 90 - _SLANT:
            found.append(_stripes(area, degrees, factor * _CELL))
    return found


def _slopes(image: Image.Image) -> dict[_Cell, complex]:
    """Return the contrast of the cells with stripes, at twice their angle."""
    if min(image.size) < 2 * _CELL:
        return {}
    across, down, falling, rising = (_differences(image, *step) for step in ((1, 0), (0, 1), (1, 1), (1, -1)))
    cells = zip(across.tobytes(), down.tobytes(), falling.tobytes(), rising.tobytes(), strict=True)
    slopes = (complex(right - below, (fall - rise) / math.sqrt(2)) for right, below, fall, rise in cells)
    return {
        (number % across.width, number // across.width): slope
        for number, slope in enumerate(slopes)
        if abs(slope) >= _LEAST
    }


def _area(start: _Cell, slopes: dict[_Cell, complex]) -> dict[_Cell, complex]:
    """Take the cells around one that have its slant out of the others, and return them."""
    if start not in slopes:
        return {}
    slope, area, edge = slopes[start], dict[_Cell, complex](), [start]
    while edge:
        cell = edge.pop()
        if cell in slopes and (slopes[cell] * slope.conjugate()).real >= _SAME * abs(slopes[cell]) * abs(slope):
            area[cell] = slopes.pop(cell)
            edge += _around(cell)
    return area


def _around(cell: _Cell) -> Iterator[_Cell]:
    column, row = cell
    yield from ((column + right, row + below) for right in (-1, 0, 1) for below in (-1, 0, 1) if right or below)


def _stripes(area: dict[_Cell, complex], degrees: float, size: int) -> Stripes:
    """Return the stripes of an area, which may be longer in one direction than in the other."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    across = [cosine * column + sine * row for column, row in area]
    along = [cosine * row - sine * column for column, row in area]
    u, v = (min(across) + max(across)) / 2, (min(along) + max(along)) / 2
    x, y = cosine * u - sine * v + 1 / 2, sine * u + cosine * v + 1 / 2
    width, height = (max(each) - min(each) + 1 for each in (across, along))
    return Stripes(x * size, y * size, width * size, height * size, degrees)


def _differences(image: Image.Image, x: int, y: int) -> Image.Image:
    """Return the mean difference of pixels from those a step away, for each whole cell and those around it."""
    width, height = image.width - 2, image.height - 2
    here, there = (image.crop((left, top, left + width, top + height)) for left, top in ((1, 1), (1 + x, 1 + y)))
    columns, rows = width // _CELL, height // _CELL
    differences = ImageChops.difference(here, there).crop((0, 0, columns * _CELL, rows * _CELL))
    return differences.reduce(_CELL).filter(ImageFilter.BoxBlur(1))
