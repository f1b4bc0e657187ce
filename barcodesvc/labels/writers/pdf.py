"""The PDF writer: symbols as filled rectangles, text as text, no images.

A label is drawn in dots, from a whole dot of its page on; only this module knows that PDF counts in points, upwards
from the bottom. A symbol is one path with one fill, so that there is no seam between rectangles. A label that occurs
often is a form, which is drawn once and repeated.

Rule: a rectangle ends slightly before its edges. A renderer with one bit for each pixel, as in label printers, paints
every pixel that a path touches, and would make each bar a dot wider and each space a dot narrower.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby

from barcodesvc.drawing.shapes import BarImage, Drawing, Extent, MatrixImage, Position, Rectangle
from barcodesvc.labels.resolution import MM_PER_POINT
from barcodesvc.labels.sheet_drawing import Marks, SheetDrawing
from barcodesvc.labels.writers.pdf_document import FormXObject, write_document
from barcodesvc.labels.writers.pdf_fonts import embedded
from barcodesvc.labels.writers.pdf_text import UsedFonts

_POINTS_PER_MM = 1 / MM_PER_POINT
_FORM_FROM = 10
"""Copies from which a label becomes a form, a separate object. For fewer copies compression is better: a form for every
label that occurs twice makes a file several times as large."""
_BARS_KEPT = 256
"""Rectangles of bars, one for each width and height; a sheet has about four."""
_TURNS = {0: ((1, 0), (0, 1)), 90: ((0, -1), (1, 0)), 180: ((-1, 0), (0, -1)), 270: ((0, 1), (-1, 0))}
"""Where right and up of a turned label lead on the page, to the right and up."""
_PICTURE = "P"
_DARK_RUN = re.compile(b"\x01+")
_DATE_DIGITS = 14
"""A PDF date from the year to the second (ISO 32000-1 7.9.4)."""


def write_pdf(drawing: SheetDrawing, created: str | None = None) -> bytes:
    """Return the PDF of a drawing; `created` is its date as an ISO 8601 timestamp in UTC, None for no date."""
    used = UsedFonts()
    width, height = drawing.content_size
    labels = [_content(label, height, used) for label in drawing.labels]
    counts = Counter(drawing.order)
    forms = {f"L{number}": number for number in range(len(labels)) if counts[number] >= _FORM_FROM}
    shown = list(labels)
    for name, number in forms.items():
        shown[number] = f"/{name} Do\n".encode()
    repeated = {name: labels[number] for name, number in forms.items()}
    if drawing.picture:
        repeated[_PICTURE] = _picture(drawing.picture, height)
    return write_document(
        (drawing.page.width * _POINTS_PER_MM, drawing.page.height * _POINTS_PER_MM),
        _pages(drawing, shown),
        {name: FormXObject(content, width, height) for name, content in repeated.items()},
        [embedded(font) for font in used.fonts.values()],
        created and f"D:{re.sub('[^0-9]', '', created)[:_DATE_DIGITS]}Z",
    )


def _content(label: Drawing, height: int, used: UsedFonts) -> bytes:
    """Return the operators of a label, in dots from its lower left corner."""
    texts = [used.show(text.line, text.size, text.left, height - text.baseline) for text in label.texts]
    return _shapes(label, height) + b"".join(texts)


def _picture(picture: MatrixImage, height: int) -> bytes:
    """Return the dark runs of a picture, whose modules are dots; equal rows are drawn at once."""
    bottom, path = height - picture.top, list[bytes]()
    for row, equal in groupby(picture.rows):
        high = len(list(equal))
        bottom -= high
        path += [
            b"%d.001 %d.001 %d.998 %d.998 re\n"
            % (picture.left + run.start(), bottom, run.end() - run.start() - 1, high - 1)
            for run in _DARK_RUN.finditer(row)
        ]
    return b"".join(path) + b"f\n" * bool(path)


def _pages(drawing: SheetDrawing, shown: Sequence[bytes]) -> Iterator[bytes]:
    """Yield one content stream for each page; each label counts in dots from the lower left corner of its content."""
    points = _POINTS_PER_MM / drawing.resolution.dots_per_mm
    top = drawing.page.height * _POINTS_PER_MM
    begins = {position: _begin(drawing, position, points, top) for position in drawing.positions}
    around, picture = _marks(drawing.marks, points, top), f"/{_PICTURE} Do\n".encode() if drawing.picture else b""
    for page in drawing.pages():
        yield around + b"".join(begins[position] + picture + shown[number] + b"Q\n" for position, number in page)


def _begin(drawing: SheetDrawing, position: Position, points: float, top: float) -> bytes:
    """Return the operators after which a label counts in dots from the lower left corner of its content."""
    right, up = _TURNS[drawing.rotate]
    left, bottom = position.left, position.top + drawing.label_height
    corner_x = left + drawing.label_width * (right[0] < 0 or up[0] < 0)
    corner_y = bottom - drawing.label_height * (right[1] < 0 or up[1] < 0)
    axes = (side * points for side in (*right, *up))
    return b"q %.9g %.9g %.9g %.9g %.6f %.6f cm\n" % (*axes, corner_x * points, top - corner_y * points)


def _marks(marks: Marks, points: float, top: float) -> bytes:
    """Return the marks around labels, in dots from the page's upper left corner."""
    paths = [b"%d %d %d %d re\n" % outline for outline in marks.outlines]
    paths += [b"%d %d m %d %d l\n" % (x, y, x + across, y + down) for x, y, across, down in marks.strokes]
    if not paths:
        return b""
    return b"q %.9g 0 0 %.9g 0 %.6f cm %d w 0.5 G\n%bS\nQ\n" % (points, -points, top, marks.thickness, b"".join(paths))


def _shapes(label: Drawing, height: int) -> bytes:
    """Return the paths of a label's symbol and of its bearer bars, each with one fill."""
    symbol = _bars(label.image, height) if isinstance(label.image, BarImage) else _matrix(label.image, height)
    return symbol + b"".join(_rectangle(bearer, height) for bearer in label.bearers) + b"f\n" * bool(label.bearers)


def _rectangle(rectangle: Rectangle, height: int) -> bytes:
    left, top, width, high = rectangle
    return b"%d.001 %d %d.998 %d re\n" % (left, height - top - high, width - 1, high)


def _bars(image: BarImage, height: int) -> bytes:
    """Return the bars in modules across and dots downwards from the top of the image."""
    columns = tuple(accumulate(image.runs, initial=0))
    path = b"".join(map(_bar, image.runs[::2], image.extents)) % columns[:-1:2]
    return b"q %d 0 0 -1 %d %d cm\n%bf\nQ\n" % (image.module, image.left, height - image.top, path)


@lru_cache(maxsize=_BARS_KEPT)
def _bar(width: int, extent: Extent) -> bytes:
    """Return the rectangle of a bar, with a placeholder for its column."""
    return b"%%d.0002 %d %d.9996 %d re\n" % (extent.top, width - 1, extent.height)


def _matrix(image: MatrixImage, height: int) -> bytes:
    """Return the dark runs of every row, in modules."""
    lowest = len(image.rows) - 1
    path = b"".join(
        b"%d.0002 %d.0002 %d.9996 .9996 re\n" % (run.start(), lowest - index, run.end() - run.start() - 1)
        for index, row in enumerate(image.rows)
        for run in _DARK_RUN.finditer(row)
    )
    bottom = height - image.top - len(image.rows) * image.module
    return b"q %d 0 0 %d %d %d cm\n%bf\nQ\n" % (image.module, image.module, image.left, bottom, path)
