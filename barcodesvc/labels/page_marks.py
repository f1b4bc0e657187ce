"""Marks for cutting labels apart: their outlines, and crop marks beside the outermost ones."""

from __future__ import annotations

from itertools import chain

from barcodesvc.labels.drawing import Marks, Rectangle, Stroke
from barcodesvc.labels.resolution import Resolution
from barcodesvc.labels.sheets import Sheet

_HAIRLINE = 0.1
"""How thick marks are, mm."""
_CROP_GAP, _CROP_LENGTH = 1.0, 4.0
"""Crop marks begin and end so far from the outermost labels, mm."""


def outlines(sheet: Sheet, resolution: Resolution) -> tuple[Rectangle, ...]:
    """Return the edges of all labels, those that stay empty as well."""
    dots = resolution.dots
    edges = [
        (dots(left), dots(top), dots(left + sheet.label_width), dots(top + sheet.label_height))
        for left, top in ((corner.left, corner.top) for corner in sheet.corners())
    ]
    return tuple(Rectangle(left, top, right - left, bottom - top) for left, top, right, bottom in edges)


def crop_marks(sheet: Sheet, resolution: Resolution) -> tuple[Stroke, ...]:
    """Return a line beyond the outermost labels at both ends of every edge that cuts labels apart."""
    lefts = [sheet.left + column * sheet.pitch_x for column in range(sheet.columns)]
    tops = [sheet.top + row * sheet.pitch_y for row in range(sheet.rows)]
    across = sorted({resolution.dots(edge) for left in lefts for edge in (left, left + sheet.label_width)})
    down = sorted({resolution.dots(edge) for top in tops for edge in (top, top + sheet.label_height)})
    upright = (Stroke(x, y, 0, length) for x in across for y, length in _ends(sheet.top, sheet.bottom, resolution))
    level = (Stroke(x, y, length, 0) for y in down for x, length in _ends(sheet.left, sheet.right, resolution))
    return tuple(chain(upright, level))


def marks(sheet: Sheet, resolution: Resolution, *, outlined: bool, cropped: bool) -> Marks:
    """Return the marks that are asked for."""
    return Marks(
        outlines(sheet, resolution) if outlined else (),
        crop_marks(sheet, resolution) if cropped else (),
        max(resolution.dots(_HAIRLINE), 1),
    )


def _ends(first: float, last: float, resolution: Resolution) -> tuple[tuple[int, int], tuple[int, int]]:
    length = resolution.dots(_CROP_LENGTH - _CROP_GAP)
    return (resolution.dots(first - _CROP_GAP), -length), (resolution.dots(last + _CROP_GAP), length)
