"""The codes on an image: their texts, symbologies and places, the size and slant of these, and whether they meet.

Rule: a process that reads images returns these as JSON, so they consist of plain values.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from barcodesvc.fields import described

Point = tuple[float, float]
_PARALLEL = 0.9
"""The cosine of the angle up to which lines run in one direction."""
NOT_DRAWN = ("DX Film Edge", "MaxiCode", "Telepen")
"""Symbologies that zxing-cpp reads and the registry does not have; they are read only where they are named."""
EffortName = Literal["quick", "normal", "thorough"]
"""How hard to look at an image."""


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image file, how hard to look at it, and the symbology that its client names, in the registry or not drawn."""

    content: bytes
    effort: EffortName = "normal"
    symbology: str = ""


@dataclass(frozen=True, slots=True)
class ImagePoint:
    """A point of the upright image, in pixels from its top left."""

    x: Annotated[int, described("Pixels from the left.", 40)]
    y: Annotated[int, described("Pixels from the top.", 25)]


Corners = tuple[ImagePoint, ImagePoint, ImagePoint, ImagePoint]


@dataclass(frozen=True, slots=True)
class CodeOnImage:
    """A code on an image.

    `symbology` is the registry's name, or zxing-cpp's if the service cannot draw it. `corners` are the symbol's top
    left, top right, bottom right and bottom left; for a linear code, they are those of the lines that read it, which
    are level in the image even if the code is not.
    """

    text: str
    symbology: str
    corners: Corners


@dataclass(frozen=True, slots=True)
class CodesOnImage:
    """The codes on an image in reading order, whether there are more of them, and the number of looks at it."""

    codes: tuple[CodeOnImage, ...]
    is_truncated: bool
    looks: int


def width(corners: Corners) -> float:
    """Return the length of the longer one of the upper and the lower side."""
    top_left, top_right, bottom_right, bottom_left = ((corner.x, corner.y) for corner in corners)
    return max(math.dist(top_left, top_right), math.dist(bottom_left, bottom_right))


def height(corners: Corners) -> float:
    """Return the length of the longer one of the left and the right side."""
    top_left, top_right, bottom_right, bottom_left = ((corner.x, corner.y) for corner in corners)
    return max(math.dist(top_left, bottom_left), math.dist(top_right, bottom_right))


def ends(corners: Corners) -> tuple[Point, Point]:
    """Return the middles of the left and the right side."""
    top_left, top_right, bottom_right, bottom_left = corners
    left = (top_left.x + bottom_left.x) / 2, (top_left.y + bottom_left.y) / 2
    right = (top_right.x + bottom_right.x) / 2, (top_right.y + bottom_right.y) / 2
    return left, right


def slant(corners: Corners) -> float:
    """Return how far the lower side begins along the upper one, rather than below it, as a part of the upper one."""
    top_left, top_right, _, bottom_left = corners
    across, down = top_right.x - top_left.x, top_right.y - top_left.y
    apart = (bottom_left.x - top_left.x) * across + (bottom_left.y - top_left.y) * down
    return abs(apart) / max(across**2 + down**2, 1)


def shear(corners: Corners) -> float:
    """Return by how much both sides lean in one direction, as their tangent; perspective makes them lean apart."""
    top_left, top_right, bottom_right, bottom_left = (complex(corner.x, corner.y) for corner in corners)
    across = (top_right - top_left).conjugate()
    sides = (across * (bottom_left - top_left), across * (bottom_right - top_right))
    one, other = (side.real / max(abs(side.imag), 1) for side in sides)
    return min(abs(one), abs(other)) if one * other > 0 else 0


def extended(corners: Corners, lines: Corners) -> Corners:
    """Return an area, extended up and down over other lines of its code if they run in its direction."""
    top_left, top_right, bottom_right, bottom_left = (complex(corner.x, corner.y) for corner in corners)
    other_left, other_right, _, other_bottom = (complex(corner.x, corner.y) for corner in lines)
    across, other_across = top_right - top_left, other_right - other_left
    if (across.conjugate() * other_across).real < _PARALLEL * abs(across) * abs(other_across):
        return corners
    up, down = other_left - top_left, other_bottom - bottom_left
    if (across.conjugate() * up).imag < 0:
        top_left, top_right = top_left + up, top_right + up
    if (across.conjugate() * down).imag > 0:
        bottom_left, bottom_right = bottom_left + down, bottom_right + down
    one, two, three, four = (
        ImagePoint(round(at.real), round(at.imag)) for at in (top_left, top_right, bottom_right, bottom_left)
    )
    return one, two, three, four


def meet(one: Corners, other: Corners) -> bool:
    """Return whether two convex areas have a point in common: no side of either has all of the other outside."""
    return not any(_are_apart(one, other, *normal) for normal in (*_normals(one), *_normals(other)))


def _normals(corners: Corners) -> Iterator[tuple[int, int]]:
    """Yield the directions across the sides and along them, as an area may be a mere line."""
    for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
        across, down = end.x - start.x, end.y - start.y
        yield from ((-down, across), (across, down))


def _are_apart(one: Corners, other: Corners, x: int, y: int) -> bool:
    """Return whether the areas are apart, seen in a direction."""
    near, far = ([x * corner.x + y * corner.y for corner in corners] for corners in (one, other))
    return max(near) < min(far) or max(far) < min(near)
