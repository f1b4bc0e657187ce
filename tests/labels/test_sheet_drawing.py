"""Drawings as any writer receives them: painted here dot by dot, without a file format, and compared with the PDF."""

from collections.abc import Callable
from itertools import accumulate

import pypdfium2
import pytest
import zxingcpp
from PIL import Image, ImageChops, ImageDraw

from barcodesvc.drawing.shapes import BarImage, Drawing, MatrixImage
from barcodesvc.labels.label_content import Label
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.sheet_drawing import SheetDrawing
from barcodesvc.labels.sheets import PageSize, Sheet
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.symbols.registry import find_symbology
from tests.labels.drawings import laid_out
from tests.sweeps import sweep

INCHES = Sheet(PageSize(254, 254), 2, 2, 76.2, 101.6, 12.7, 12.7, 88.9, 114.3)
"""A sheet whose page is a whole number of dots at any resolution."""
CONTENTS = {
    "CODE128": "AB-12345",
    "EAN13": "400638133393+51299",
    "ITF14": "1234567890123",
    "QR": "AB-12345",
    "PDF417": "AB-12345",
}

Paint = Callable[[int, int, int, int], None]


def _label(name: str, *texts: str) -> Label:
    return Label(find_symbology(name).encode(CONTENTS[name]), CONTENTS[name], texts)


def _pages(drawing: SheetDrawing) -> list[Image.Image]:
    """Paint the symbols of all pages, a pixel a dot."""
    labels = list(drawing.labels)
    size = tuple(map(drawing.resolution.dots, (drawing.page.width, drawing.page.height)))
    pages = []
    for on_page in drawing.pages():
        pages.append(Image.new("L", (size[0], size[1]), 255))
        canvas = ImageDraw.Draw(pages[-1])
        for (left, top), number in on_page:

            def paint(x: int, y: int, width: int, height: int, at: tuple[int, int] = (left, top)) -> None:
                x, y = x + at[0], y + at[1]
                canvas.rectangle((x, y, x + width - 1, y + height - 1), 0)  # noqa: B023 - called at once

            _paint(labels[number], paint)
    return pages


def _paint(label: Drawing, paint: Paint) -> None:
    if isinstance(label.image, BarImage):
        _paint_bars(label.image, paint)
    else:
        _paint_matrix(label.image, paint)
    for bearer in label.bearers:
        paint(*bearer)


def _paint_bars(image: BarImage, paint: Paint) -> None:
    columns = list(accumulate(image.runs, initial=0))
    for bar, extent in enumerate(image.extents):
        left, width = image.left + columns[2 * bar] * image.module, image.runs[2 * bar] * image.module
        paint(left, image.top + extent.top, width, extent.height)


def _paint_matrix(image: MatrixImage, paint: Paint) -> None:
    for y, row in enumerate(image.rows):
        for x, module in enumerate(row):
            if module:
                paint(image.left + x * image.module, image.top + y * image.module, image.module, image.module)


def _printed(drawing: SheetDrawing) -> list[Image.Image]:
    """Return the symbols as the PDF shows them, a pixel a dot."""
    pages = []
    scale = drawing.resolution.dots_per_point - 1e-9  # a page is rounded up to whole pixels, and is whole here
    with pypdfium2.PdfDocument(write_pdf(drawing)) as document:
        for page in document:
            for text in list(page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_TEXT], max_depth=1)):
                page.remove_obj(text)
            pages.append(page.render(scale=scale, grayscale=True).to_pil())
    return pages


@sweep("dpi", [203, 300, 600])
@sweep("name", list(CONTENTS))
def test_a_pdf_is_its_drawing_dot_by_dot(name: str, dpi: int) -> None:
    """Bars, guards, add-ons, bearers and matrices are black on the drawn dots, and nowhere else."""
    settings = Layout(dpi=dpi, start_position=3)
    labels = [_label(name)] * 5
    drawn, printed = _pages(laid_out(labels, INCHES, settings)), _printed(laid_out(labels, INCHES, settings))
    assert len(drawn) == len(printed) == 2
    for one, other in zip(drawn, printed, strict=True):
        assert ImageChops.difference(one, other).getextrema()[1] < 20  # type: ignore[operator]  # of one channel


@pytest.mark.parametrize("name", list(CONTENTS))
def test_a_drawing_that_is_painted_can_be_read(name: str) -> None:
    """A writer of dots needs only the drawing for a symbol that scans."""
    (page,) = _pages(laid_out([_label(name)], INCHES, Layout(dpi=203)))
    (found,) = zxingcpp.read_barcodes(page, text_mode=zxingcpp.TextMode.Plain)
    assert found.text.startswith(CONTENTS[name].partition("+")[0])


def test_equal_labels_are_drawn_once() -> None:
    """The order of printing names each drawing as often as it is printed."""
    labels = [_label("QR"), _label("CODE128"), _label("QR"), _label("QR", "Bolt")]
    drawing = laid_out(labels, INCHES, Layout())
    assert list(drawing.order) == [0, 1, 0, 2]
    assert len(list(drawing.labels)) == 3


@pytest.mark.parametrize(
    ("count", "start", "pages"),
    [(1, 4, [[3]]), (4, 1, [[0, 1, 2, 3]]), (6, 3, [[2, 3], [0, 1, 2, 3]]), (3, 4, [[3], [0, 1]])],
)
def test_pages_are_filled_from_the_label_that_is_asked_for(count: int, start: int, pages: list[list[int]]) -> None:
    """Every label has its position, in order, and no page is empty."""
    drawing = laid_out([_label("QR")] * count, INCHES, Layout(start_position=start))
    assert [[drawing.positions.index(at) for at, _ in page] for page in drawing.pages()] == pages
