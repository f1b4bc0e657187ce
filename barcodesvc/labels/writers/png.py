"""The PNG writer: one page of a sheet, or one label of a roll, as its printer prints it, a pixel for each dot."""

from __future__ import annotations

from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.labels.drawing import SheetDrawing
from barcodesvc.labels.writers.raster import Bitmap, page_bitmap
from barcodesvc.render.png import png_file

_MM_PER_INCH = 25.4
_LIGHT = bytes(byte ^ 0xFF for byte in range(256))


def write_png(drawing: SheetDrawing, page: int) -> bytes:
    """Return a page, counted from 1; raises InvalidInput for one that is not there, and what all labels raise."""
    if page > drawing.page_count:
        count = "one page" if drawing.page_count == 1 else f"{drawing.page_count} pages"
        raise InvalidInput.of(FieldProblem("page", f"the labels have {count}", page))
    (labels,) = [labels for number, labels in enumerate(drawing.drawn_pages(), start=1) if number == page]
    return _file(page_bitmap(drawing, labels), drawing.resolution.dots_per_mm * _MM_PER_INCH)


def _file(bitmap: Bitmap, dpi: float) -> bytes:
    size = bitmap.row_bytes
    light = bitmap.rows.translate(_LIGHT)
    lines = b"".join(b"\0" + light[start : start + size] for start in range(0, len(light), size))
    return png_file(bitmap.width, bitmap.height, lines, dpi)
