"""Whether a picture has paper where a code ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from barcodesvc.scanning.images.codes import CodeOnImage

if TYPE_CHECKING:
    from barcodesvc.scanning.images.pixels import Pixels

_MICRO_QR_MODULES = 13
"""Modules of a side of a Micro QR code: 11 to 17."""
_POINTS, _POINTS_OF_LINES = 24, 200
"""Points of a line along a side of a Micro QR code, and above or below the lines that read bars."""
_ONE_COLOUR = 0.25
"""The share of points of another colour that paper may have; guards below a retail symbol have less."""
_BEYOND = (1, 2, 3)
"""Pixels above or below the lines that read bars, of which one is on paper: corners are approximate."""

Line = list[tuple[float, float]]


def has_paper_around(code: CodeOnImage, pixels: Pixels) -> bool:
    """Return whether each side of a Micro QR code has paper of one colour, a module outside."""
    inside = [value for side in _along_sides(code, -1 / 2) for value in _values(side, pixels)]
    middle = _middle(inside)
    return all(_has_one_colour(side, pixels, middle) for side in _along_sides(code, 1))


def has_paper_beyond_lines(code: CodeOnImage, pixels: Pixels) -> bool:
    """Return whether the picture has paper of one colour above and below the lines that read bars.

    Lines that cross a code at a slant have more bars there.
    """
    top_left, top_right, bottom_right, bottom_left = (complex(corner.x, corner.y) for corner in code.corners)
    middle = _middle(_values(_line((top_left + bottom_left) / 2, (top_right + bottom_right) / 2), pixels))
    across = top_right - top_left
    if not across:
        return False
    down = 1j * across / abs(across)
    sides = ((top_left, top_right, -down), (bottom_left, bottom_right, down))
    return all(
        any(_has_one_colour(_line(start + by * away, end + by * away), pixels, middle) for by in _BEYOND)
        for start, end, away in sides
    )


def _line(start: complex, end: complex) -> Line:
    places = (start + (number + 1 / 2) / _POINTS_OF_LINES * (end - start) for number in range(_POINTS_OF_LINES))
    return [(place.real, place.imag) for place in places]


def _along_sides(code: CodeOnImage, modules: float) -> Iterator[Line]:
    """Yield points along each side, this far outside a square symbol."""
    x, y = (sum(getattr(corner, axis) for corner in code.corners) / 4 for axis in ("x", "y"))
    scale = 1 + 2 * modules / _MICRO_QR_MODULES
    corners = [(x + scale * (corner.x - x), y + scale * (corner.y - y)) for corner in code.corners]
    for (start_x, start_y), (end_x, end_y) in zip(corners, (*corners[1:], corners[0]), strict=True):
        parts = [(number + 1 / 2) / _POINTS for number in range(_POINTS)]
        yield [(start_x + part * (end_x - start_x), start_y + part * (end_y - start_y)) for part in parts]


def _has_one_colour(line: Line, pixels: Pixels, middle: float) -> bool:
    """Return whether nearly all points have one colour; what is outside the picture is paper."""
    values = _values(line, pixels)
    dark = sum(value < middle for value in values) / len(values) if values else 0
    return not _ONE_COLOUR < dark < 1 - _ONE_COLOUR


def _middle(values: Iterable[int]) -> float:
    known = list(values)
    return (min(known, default=0) + max(known, default=0)) / 2


def _values(points: Iterable[tuple[float, float]], pixels: Pixels) -> list[int]:
    """Return the values of the pixels at points in the picture."""
    places = ((round(x), round(y)) for x, y in points)
    return [pixels.luma[y * pixels.width + x] for x, y in places if 0 <= x < pixels.width and 0 <= y < pixels.height]
