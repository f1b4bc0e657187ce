"""How a sheet is printed: at which resolution, from which label on, with which marks, and made up for which error.

Lengths are in mm from the page's top left corner, as on a sheet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.labels.resolution import GREATEST_PADDING, PADDING_PER_SIDE
from barcodesvc.labels.sheets import Sheet


@dataclass(frozen=True, slots=True)
class PrintSettings:
    """The settings of one run: `font_size` in points, `dpi` of the printer, the label that is printed first.

    offset_x, offset_y (mm) and scale make up for the printer's own error: all lengths of the sheet are scaled from the
    page's top left corner, then moved to the right and down.
    """

    font_size: float = 8
    dpi: int = 300
    start_position: int = 1
    offset_x: float = 0
    offset_y: float = 0
    scale: float = 1
    outlines: bool = False
    crop_marks: bool = False


def corrected(sheet: Sheet, settings: PrintSettings) -> Sheet:
    """Return the sheet as it has to be drawn so that it comes out right: its lengths scaled, then moved.

    Symbols are fitted into the labels afterwards, in whole dots as ever. Raises InvalidInput where a label would leave
    the page by more than its padding, in which nothing is printed.
    """
    if (settings.scale, settings.offset_x, settings.offset_y) == (1, 0, 0):
        return sheet
    moved = replace(
        sheet,
        label_width=sheet.label_width * settings.scale,
        label_height=sheet.label_height * settings.scale,
        left=sheet.left * settings.scale + settings.offset_x,
        top=sheet.top * settings.scale + settings.offset_y,
        pitch_x=sheet.pitch_x * settings.scale,
        pitch_y=sheet.pitch_y * settings.scale,
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
