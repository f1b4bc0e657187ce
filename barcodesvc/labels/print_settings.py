"""How a sheet goes through a printer: where its dots lie on the page, what it adds around labels, what it does wrong.

Lengths are in mm from the page's top left corner, as on a sheet; only here they become PDF's points from the bottom.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain

from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.labels.resolution import GREATEST_PADDING, PADDING_PER_SIDE, Resolution
from barcodesvc.labels.sheets import Sheet

POINTS_PER_MM = 72 / 25.4
_HAIRLINE = 0.1
_CROP_GAP, _CROP_LENGTH = 1.0, 4.0
"""Crop marks begin and end so far from the outermost labels, mm."""


@dataclass(frozen=True, slots=True)
class PrintSettings:
    """The settings of one run: `font_size` in points, `dpi` of the printer, the label that is printed first.

    offset_x, offset_y (mm) and scale make up for the printer's own error: all lengths of the sheet are scaled from the
    page's top left corner, then moved to the right and down. created: a PDF date for the document, None for no date.
    """

    font_size: float = 8
    dpi: int = 300
    start_position: int = 1
    offset_x: float = 0
    offset_y: float = 0
    scale: float = 1
    outlines: bool = False
    crop_marks: bool = False
    created: str | None = None


def cell_places(sheet: Sheet, dots: Resolution, height: int) -> list[bytes]:
    """Return the operators that move to the bottom left corner of each area, `height` dots high, and count in dots."""
    points_per_dot = 72 / dots.dpi
    page_height = sheet.page.height * POINTS_PER_MM
    return [
        b"q %.9g 0 0 %.9g %.6f %.6f cm\n"
        % (
            points_per_dot,
            points_per_dot,
            dots.dots(corner.left) * points_per_dot,
            page_height - (dots.dots(corner.top) + height) * points_per_dot,
        )
        for corner in sheet.corners()
    ]


def corrected(sheet: Sheet, press: PrintSettings) -> Sheet:
    """Return the sheet as it has to be drawn so that it comes out right: its lengths scaled, then moved.

    Symbols are fitted into the labels afterwards, in whole dots as ever. Raises InvalidInput where a label would leave
    the page by more than its padding, in which nothing is printed.
    """
    if (press.scale, press.offset_x, press.offset_y) == (1, 0, 0):
        return sheet
    moved = replace(
        sheet,
        label_width=sheet.label_width * press.scale,
        label_height=sheet.label_height * press.scale,
        left=sheet.left * press.scale + press.offset_x,
        top=sheet.top * press.scale + press.offset_y,
        pitch_x=sheet.pitch_x * press.scale,
        pitch_y=sheet.pitch_y * press.scale,
    )
    _require_on_page("offset_x", (moved.left, moved.right, sheet.page.width), moved)
    _require_on_page("offset_y", (moved.top, moved.bottom, sheet.page.height), moved)
    return moved


def _require_on_page(field: str, reach: tuple[float, float, float], sheet: Sheet) -> None:
    first, last, page = reach
    padding = min(GREATEST_PADDING, PADDING_PER_SIDE * min(sheet.label_width, sheet.label_height))
    if first < -padding or last > page + padding:
        message = f"labels would reach from {first:.2f} to {last:.2f} mm on a page of {page:g} mm"
        raise InvalidInput.of(FieldProblem(f"layout.{field}", f"{message}; change it or the scale"))


def marks(sheet: Sheet, press: PrintSettings) -> bytes:
    """Return the outlines of all labels and the crop marks beside them, as far as they are asked for."""
    paths = []
    if press.outlines:
        paths += [
            b"%.3f %.3f %.3f %.3f re\n" % (corner.left, corner.top, sheet.label_width, sheet.label_height)
            for corner in sheet.corners()
        ]
    if press.crop_marks:
        paths += _crop_marks(sheet)
    if not paths:
        return b""
    per_mm, top = POINTS_PER_MM, sheet.page.height * POINTS_PER_MM
    return b"q %.6f 0 0 %.6f 0 %.4f cm %g w 0.5 G\n%bS\nQ\n" % (per_mm, -per_mm, top, _HAIRLINE, b"".join(paths))


def _crop_marks(sheet: Sheet) -> list[bytes]:
    """Return a line beyond the outermost labels at both ends of every edge that cuts labels apart."""
    lefts = [sheet.left + column * sheet.pitch_x for column in range(sheet.columns)]
    tops = [sheet.top + row * sheet.pitch_y for row in range(sheet.rows)]
    columns = sorted({*lefts, *(left + sheet.label_width for left in lefts)})
    rows = sorted({*tops, *(top + sheet.label_height for top in tops)})
    upright = (_line(x, y, 0, length) for x in columns for y, length in _ends(sheet.top, sheet.bottom))
    level = (_line(x, y, length, 0) for y in rows for x, length in _ends(sheet.left, sheet.right))
    return list(chain(upright, level))


def _ends(first: float, last: float) -> tuple[tuple[float, float], tuple[float, float]]:
    length = _CROP_LENGTH - _CROP_GAP
    return (first - _CROP_GAP, -length), (last + _CROP_GAP, length)


def _line(x: float, y: float, across: float, down: float) -> bytes:
    return b"%.3f %.3f m %.3f %.3f l\n" % (x, y, x + across, y + down)
