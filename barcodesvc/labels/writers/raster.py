"""Rasters: drawings as bitmaps with one bit for each dot, for all writers of dots.

A label is painted row by row: rows of a symbol are equal over the height of its bars or modules, and a line of text is
one integer to which each glyph is added in its place. This is faster than painting with an image library.
Whole pages, and labels that are turned, are put together by Pillow.

Rule: a bitmap equals its drawing, dot by dot. Text is never smoothed; each glyph begins on a whole dot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, groupby, pairwise

from PIL import Image, ImageDraw

from barcodesvc.labels.drawing import BarImage, LabelDrawing, Marks, MatrixImage, Position, SheetDrawing, Text
from barcodesvc.labels.text.dots import GlyphDots, glyph_dots

_TURNS = {
    90: Image.Transpose.ROTATE_270,
    180: Image.Transpose.ROTATE_180,
    270: Image.Transpose.ROTATE_90,
}
"""Pillow turns to the left."""
_SPREADS_KEPT = 4096
_DIGITS = bytes.maketrans(b"\0\1", b"01")


@dataclass(frozen=True, slots=True)
class Bitmap:
    """Rows from the top, each of whole bytes, the left dot in the highest bit, 1 for dark."""

    width: int
    height: int
    rows: bytes

    @property
    def row_bytes(self) -> int:
        """The bytes of a row."""
        return _row_bytes(self.width)


def pages(drawing: SheetDrawing) -> Iterator[tuple[Bitmap, int]]:
    """Yield each page with its number of copies: equal pages that follow each other are one.

    Raises what the labels of the drawing raise while they are drawn.
    """
    for labels, equal in groupby(drawing.drawn_pages()):
        yield page_bitmap(drawing, labels), sum(1 for _ in equal)


def page_bitmap(drawing: SheetDrawing, labels: Sequence[tuple[Position, LabelDrawing]]) -> Bitmap:
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


def _label(drawing: SheetDrawing, label: LabelDrawing) -> Bitmap:
    """Return a label as it is on the page."""
    bitmap = _painted(label, *drawing.content_size)
    if drawing.picture:
        dark = int.from_bytes(bitmap.rows) | _picture_rows(drawing.picture, bitmap.width, bitmap.height)
        bitmap = Bitmap(bitmap.width, bitmap.height, dark.to_bytes(len(bitmap.rows)))
    if not drawing.rotate:
        return bitmap
    turned = _image(bitmap).transpose(_TURNS[drawing.rotate])
    return Bitmap(turned.width, turned.height, turned.tobytes())


def _row_bytes(width: int) -> int:
    return (width + 7) // 8


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


def _painted(label: LabelDrawing, width: int, height: int) -> Bitmap:
    """Return a label as it is drawn, before it is turned."""
    stride = _row_bytes(width)
    canvas = bytearray(stride * height)
    if isinstance(label.image, BarImage):
        _paint_bars(canvas, label, label.image, stride)
    else:
        _paint_matrix(canvas, label.image, stride)
    for text in label.texts:
        _paint_text(canvas, text, width, height)
    return Bitmap(width, height, bytes(canvas))


@lru_cache(1)
def _picture_rows(picture: MatrixImage, width: int, height: int) -> int:
    """Return the rows of a label that has nothing but this picture, as one integer."""
    canvas = bytearray(_row_bytes(width) * height)
    _paint_matrix(canvas, picture, _row_bytes(width))
    return int.from_bytes(canvas)


def _paint_bars(canvas: bytearray, label: LabelDrawing, image: BarImage, stride: int) -> None:
    """Paint bars and bearer bars, in bands of equal rows."""
    bands: dict[tuple[int, int], int] = {}
    columns = accumulate(image.runs, initial=0)
    for bar, (column, extent) in enumerate(zip(list(columns)[:-1:2], image.extents, strict=True)):
        top = image.top + extent.top
        dots = _dark(image.left + column * image.module, image.runs[2 * bar] * image.module, stride)
        bands[top, top + extent.height] = bands.get((top, top + extent.height), 0) | dots
    for bearer in label.bearers:
        bands[bearer.top, bearer.top + bearer.height] = _dark(bearer.left, bearer.width, stride)
    for top, bottom in pairwise(sorted({edge for band in bands for edge in band})):
        row = 0
        for (begin, end), dots in bands.items():
            if begin <= top < end:
                row |= dots
        canvas[top * stride : bottom * stride] = row.to_bytes(stride) * (bottom - top)


def _dark(left: int, width: int, stride: int) -> int:
    """Return a row with dark dots from `left` on."""
    return ((1 << width) - 1) << (stride * 8 - left - width)


def _paint_matrix(canvas: bytearray, image: MatrixImage, stride: int) -> None:
    module = image.module
    right = stride * 8 - image.left - len(image.rows[0]) * module
    top = image.top * stride
    for modules in image.rows:
        digits = modules.translate(_DIGITS).decode()
        dots = int(digits.replace("0", "0" * module).replace("1", "1" * module), 2) << right
        rows = dots.to_bytes(stride) * module
        canvas[top : top + len(rows)] = rows
        top += len(rows)


def _paint_text(canvas: bytearray, text: Text, width: int, height: int) -> None:
    """Add the glyphs of a line to its rows."""
    stride = _row_bytes(width)
    placed = list(_placed(text, width, height))
    if not placed:
        return
    top = min([y for _, y, _ in placed])
    bottom = max([y + len(dots.rows) for _, y, dots in placed])
    begin, end = top * stride, bottom * stride
    band = int.from_bytes(canvas[begin:end])
    for x, y, dots in placed:
        below = (bottom - y - len(dots.rows)) * stride
        band |= _spread(dots, stride) << (below + stride) * 8 - x - dots.width
    canvas[begin:end] = band.to_bytes(end - begin)


def _placed(text: Text, width: int, height: int) -> Iterator[tuple[int, int, GlyphDots]]:
    """Yield the upper left corner of each glyph, and its dots; rounding moves none of them off the label."""
    for run in text.line.runs:
        left, scale = text.left + run.left * text.size, text.size / run.face.units
        for glyph in run.glyphs:
            dots = glyph_dots(run.face, glyph.number, text.size)
            if not dots.rows:
                continue
            x, y = round(left + glyph.origin * scale) + dots.left, round(text.baseline - glyph.rise * scale) + dots.top
            if x < 0 or y < 0 or x + dots.width > width or y + len(dots.rows) > height:
                x, y = max(min(x, width - dots.width), 0), max(min(y, height - len(dots.rows)), 0)
            yield x, y, dots


@lru_cache(_SPREADS_KEPT)
def _spread(dots: GlyphDots, stride: int) -> int:
    """Return the rows of a glyph as one integer, each a row of the label from the next, at the right edge."""
    spread = 0
    for row in dots.rows:
        spread = spread << stride * 8 | row
    return spread
