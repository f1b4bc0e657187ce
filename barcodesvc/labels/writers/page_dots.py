"""Pages of labels as bitmaps, for all writers of dots, and as PNG: a pixel for each dot, as a printer prints it.

Whole pages, and labels that are turned, are put together by Pillow.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, islice

from PIL import Image, ImageDraw

from barcodesvc.codes.png import png_of_dots
from barcodesvc.drawing.raster import Bitmap, painted
from barcodesvc.drawing.shapes import Drawing, MatrixImage, Position
from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.labels.sheet_drawing import Marks, SheetDrawing
from barcodesvc.symbols.modules import MM_PER_INCH

_TURNS = {
    90: Image.Transpose.ROTATE_270,
    180: Image.Transpose.ROTATE_180,
    270: Image.Transpose.ROTATE_90,
}
"""Pillow turns to the left."""


def pages(drawing: SheetDrawing) -> Iterator[tuple[Bitmap, int]]:
    """Yield each page with its number of copies: equal pages that follow each other are one."""
    for labels, equal in groupby(drawing.drawn_pages()):
        yield _page(drawing, labels), sum(1 for _ in equal)


def write_png(drawing: SheetDrawing, page: int) -> bytes:
    """Return a page, counted from 1; raises InvalidInput for one that is not there."""
    if page > drawing.page_count:
        count = "one page" if drawing.page_count == 1 else f"{drawing.page_count} pages"
        raise InvalidInput.of(field_problem("page", f"the labels have {count}", page))
    labels = next(islice(drawing.drawn_pages(), page - 1, None))
    return png_of_dots(_page(drawing, labels), drawing.resolution.dots_per_mm * MM_PER_INCH)


def _page(drawing: SheetDrawing, labels: Sequence[tuple[Position, Drawing]]) -> Bitmap:
    """Return a page with these labels."""
    (position, label), *others = labels
    bitmap = _label(drawing, label)
    is_page = (bitmap.width, bitmap.height) == drawing.page_size and position == (0, 0)
    if is_page and not others and not drawing.marks.outlines:
        return bitmap
    page = Image.new("1", drawing.page_size)
    page.paste(_image(bitmap), position)
    for position, label in others:
        page.paste(_image(_label(drawing, label)), position)
    _mark(page, drawing.marks)
    return Bitmap(page.width, page.height, page.tobytes())


def _label(drawing: SheetDrawing, label: Drawing) -> Bitmap:
    """Return a label as it is on the page."""
    bitmap = painted(label, *drawing.content_size)
    if drawing.picture:
        dark = int.from_bytes(bitmap.rows) | _picture_rows(drawing.picture, bitmap.width, bitmap.height)
        bitmap = Bitmap(bitmap.width, bitmap.height, dark.to_bytes(len(bitmap.rows)))
    if not drawing.rotate:
        return bitmap
    turned = _image(bitmap).transpose(_TURNS[drawing.rotate])
    return Bitmap(turned.width, turned.height, turned.tobytes())


def _image(bitmap: Bitmap) -> Image.Image:
    return Image.frombytes("1", (bitmap.width, bitmap.height), bitmap.rows)


def _mark(page: Image.Image, marks: Marks) -> None:
    """Draw the marks, which are grey only where a writer has grey."""
    canvas, thickness = ImageDraw.Draw(page), marks.thickness
    lines = [(x, y, x + across, y + down) for x, y, across, down in marks.strokes]
    for left, top, width, height in marks.outlines:
        right, bottom = left + width, top + height
        lines += [(left, top, right, top), (left, bottom, right, bottom)]
        lines += [(left, top, left, bottom), (right, top, right, bottom)]
    for x0, y0, x1, y1 in lines:
        begin = min(x0, x1) - thickness // 2, min(y0, y1) - thickness // 2
        end = begin[0] + abs(x1 - x0) + thickness - 1, begin[1] + abs(y1 - y0) + thickness - 1
        canvas.rectangle((*begin, *end), fill=1)


@lru_cache(1)
def _picture_rows(picture: MatrixImage, width: int, height: int) -> int:
    """Return the rows of a label that has nothing but this picture, as one integer."""
    return int.from_bytes(painted(Drawing(picture, (), ()), width, height).rows)
