"""The PNG writer: one page of a sheet, or one label of a roll, as its printer prints it, a pixel for each dot."""

from __future__ import annotations

from barcodesvc.codes.png import png_of_dots
from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.labels.drawing import SheetDrawing
from barcodesvc.labels.writers.raster import page_bitmap
from barcodesvc.symbols.modules import MM_PER_INCH


def write_png(drawing: SheetDrawing, page: int) -> bytes:
    """Return a page, counted from 1; raises InvalidInput for one that is not there, and what all labels raise."""
    if page > drawing.page_count:
        count = "one page" if drawing.page_count == 1 else f"{drawing.page_count} pages"
        raise InvalidInput.of(field_problem("page", f"the labels have {count}", page))
    (labels,) = [labels for number, labels in enumerate(drawing.drawn_pages(), start=1) if number == page]
    return png_of_dots(page_bitmap(drawing, labels), drawing.resolution.dots_per_mm * MM_PER_INCH)
