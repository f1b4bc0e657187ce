"""Every label of every named sheet, as two renderers show it: read back, and measured in the picture.

The expected position of a label is computed from the sheet's lengths alone, row by row, in pixels at 300 dpi.
"""

import io
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import PIL.Image
import pypdfium2
import pytest
import zxingcpp
from PIL.Image import Image

from barcodesvc.drawing.plain import DESCENT
from barcodesvc.labels.label_content import Label
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.sheets import SHEETS, Sheet
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.symbols.modules import Matrix, Symbol
from barcodesvc.symbols.registry import find_symbology
from tests.labels.drawings import laid_out

Box = tuple[int, int, int, int]
Renderer = Callable[[bytes], list[Image]]
Measure = Callable[[Image, Symbol], Any]

DPI = 300
PER_MM = DPI / 25.4
POINTS = 4
INKED = [255] * 195 + [0] * 61
"""Which greys count as ink, for Image.point."""
FORMATS = {"CODE128": "Code128", "QR": "QRCode"}
SHOWN = [(sheet, name) for sheet in SHEETS for name in FORMATS]
POPPLER = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="pdftoppm of poppler-utils is not installed")


def _pdfium(pdf: bytes) -> list[Image]:
    with pypdfium2.PdfDocument(pdf) as document:
        return [page.render(scale=DPI / 72, grayscale=True).to_pil() for page in document]


def _poppler(pdf: bytes) -> list[Image]:
    """Return two pages, which pdftoppm writes one after the other."""
    command = ["pdftoppm", "-gray", "-r", str(DPI), "-"]
    done = subprocess.run(command, input=pdf, capture_output=True, check=True, timeout=60)  # noqa: S603 - a test tool from the path
    assert done.stderr == b""
    length = len(done.stdout) // 2
    return [PIL.Image.open(io.BytesIO(done.stdout[start:][:length])) for start in (0, length)]


def _box(sheet: Sheet, index: int) -> Box:
    """Return the position of a label on its page, counted row by row from the top left."""
    row, column = divmod(index, sheet.columns)
    left, top = sheet.left + column * sheet.pitch_x, sheet.top + row * sheet.pitch_y
    edges = (left, top, left + sheet.label_width, top + sheet.label_height)
    left_edge, top_edge, right_edge, bottom_edge = (round(edge * PER_MM) for edge in edges)
    return left_edge, top_edge, right_edge, bottom_edge


def _read(page: Image, sheet: Sheet, name: str) -> dict[int, str]:
    """Return the codes on a page by the label that contains them; every code found must be inside one."""
    found = zxingcpp.read_barcodes(
        page,
        formats=zxingcpp.barcode_formats_from_str(FORMATS[name]),
        try_rotate=False,
        try_downscale=False,
        try_invert=False,
    )
    boxes = [_box(sheet, index) for index in range(sheet.labels_per_page)]
    placed = {}
    for code in found:
        at = code.position
        corners = [(corner.x, corner.y) for corner in (at.top_left, at.top_right, at.bottom_left, at.bottom_right)]
        for index, (left, top, right, bottom) in enumerate(boxes):
            if all(left <= x <= right and top <= y <= bottom for x, y in corners):
                placed[index] = code.text
    assert len(found) == len(placed)
    return placed


@pytest.mark.parametrize("renderer", [_pdfium, pytest.param(_poppler, marks=POPPLER)])
@pytest.mark.parametrize(("sheet", "name"), SHOWN)
def test_every_label_of_a_named_sheet_is_where_the_sheet_says(
    sheet: str, name: str, renderer: Renderer, measured: Measure
) -> None:
    """Two pages, the second one partly filled, contain all labels in order; outside them the paper is white."""
    grid = SHEETS[sheet]
    most = grid.labels_per_page
    codes = [f"A{number:03d}" for number in range(most + -(-most // 4))]
    labels = [Label(find_symbology(name).encode(code), code) for code in codes]
    pages = renderer(write_pdf(laid_out(labels, grid, Layout(font_size=POINTS))))
    for page, on_page in zip(pages, (labels[:most], labels[most:]), strict=True):
        assert _read(page, grid, name) == {index: label.code for index, label in enumerate(on_page)}
        for index, label in enumerate(on_page):
            _check_label(page.crop(_box(grid, index)), label.symbol, grid, measured)
            page.paste(255, _box(grid, index))
        assert page.point(INKED).getbbox() is None


def _check_label(picture: Image, symbol: Symbol, sheet: Sheet, measured: Measure) -> None:
    """Check that all ink and the quiet zone stay inside the padding, and that the content is centred."""
    padding = min(1.5, 0.05 * min(sheet.label_width, sheet.label_height)) * PER_MM - 2
    found = measured(_without_text(picture, len(symbol.rows)) if isinstance(symbol, Matrix) else picture, symbol)
    inked = picture.point(INKED).getbbox() or (0, 0, 0, 0)
    west, north, east, south = (*map(min, found.zone[:2], inked[:2]), *map(max, found.zone[2:], inked[2:]))
    lowest = max(found.zone[3], inked[3] + DESCENT * POINTS * DPI / 72)
    assert min(west, north, picture.width - east, picture.height - south) >= padding
    assert abs(west - (picture.width - east)) <= 4
    assert abs(north - (picture.height - lowest)) <= 4
    assert abs(found.module - round(found.module)) < 0.1
    assert found.zone_is_white(picture)


def _without_text(picture: Image, side: int) -> Image:
    """Return a QR code of this many modules without its text, from the finder pattern at its upper left corner on."""
    inked = picture.point(INKED)
    left, top, _, _ = inked.getbbox() or (0, 0, 0, 0)
    module = inked.crop((left + 1, top, left + 2, picture.height)).tobytes().index(0) / 7
    reach = round((side + 2) * module)
    symbol = PIL.Image.new("L", picture.size, 255)
    symbol.paste(picture.crop((left, top, left + reach, top + reach)), (left, top))
    return symbol
