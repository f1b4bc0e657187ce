import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import PIL.Image
import pypdfium2
import pytest
import zxingcpp
from PIL import ImageOps
from PIL.Image import Image

from barcodesvc.errors import InvalidContent
from barcodesvc.labels.label_content import Label
from barcodesvc.labels.label_layout import LabelArea, attempts_at, draw_label
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.resolution import resolution
from barcodesvc.labels.sheets import Corner, PageSize, Sheet, page_size, simple_sheet
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.symbols.modules import Bars, Symbol
from tests.labels.drawings import laid_out

Encoder = Callable[[str], Symbol]
Renderer = Callable[[bytes], list[Image]]


PIXELS_PER_MM = 600 / 25.4


def _box(sheet: Sheet, corner: Corner) -> tuple[int, int, int, int]:
    left, top = round(corner.left * PIXELS_PER_MM), round(corner.top * PIXELS_PER_MM)
    right, bottom = left + sheet.label_width * PIXELS_PER_MM, top + sheet.label_height * PIXELS_PER_MM
    return left, top, round(right), round(bottom)


def _single(width: float, height: float) -> Sheet:
    return Sheet(PageSize(width, height), 1, 1, width, height, 0, 0, width, height)


def _is_crisp(image: Image) -> bool:
    return all(grey < 2 or grey > 253 for grey in image.tobytes())


def _pictures(pages: list[Image], sheet: Sheet) -> Iterator[Image]:
    for page in pages:
        for corner in sheet.corners():
            yield page.crop(_box(sheet, corner))


def _read(picture: Image) -> list[Any]:
    return zxingcpp.read_barcodes(picture, try_rotate=False, try_downscale=False, text_mode=zxingcpp.TextMode.Plain)


def test_a_bar_is_a_whole_number_of_dots(code128: Encoder, rendered: Renderer) -> None:
    """Bars have no grey edges: every column of pixels is black or white from end to end."""
    sheet = simple_sheet(page_size("50.8x25.4mm"), 1, 1)
    (image,) = rendered(write_pdf(laid_out([Label(code128("AB-12345"), "AB-12345")], sheet, Layout(font_size=8))))
    row = image.crop((0, 200, 1200, 201))
    assert _is_crisp(row)


def test_matrix_modules_leave_no_seam(qr: Encoder, rendered: Renderer) -> None:
    """Neighbouring dark modules of a matrix touch: every pixel inside the symbol is black or white."""
    sheet = simple_sheet(page_size("25.4x50.8mm"), 1, 1)
    (image,) = rendered(write_pdf(laid_out([Label(qr("AB-12345"), "1")], sheet, Layout(font_size=4))))
    symbol = image.crop((20, 300, 580, 740))
    assert _is_crisp(symbol)


def test_a_matrix_lies_inside_its_quiet_zone(qr: Encoder, rendered: Renderer) -> None:
    """The topmost ink of a label is the first row of its matrix, below padding and quiet zone."""
    symbol = qr("AB-12345")
    found = draw_label(symbol, "1", (), LabelArea(300, 600, resolution(300)), attempts_at(8, resolution(300)))
    (image,) = rendered(write_pdf(laid_out([Label(symbol, "1")], _single(25.4, 50.8), Layout(font_size=8))))
    assert found is not None
    ink = ImageOps.invert(image).point(lambda grey: 255 * (grey > 40)).getbbox()
    assert ink is not None
    assert ink[0] == 2 * found.image.left
    assert ink[1] == 2 * found.image.top


def test_a_label_that_is_repeated_often_is_a_form(qr: Encoder, rendered: Renderer) -> None:
    """From ten copies on a label is one object of the file, which still fills every position."""
    sheet, codes = simple_sheet(page_size("A4"), 3, None), ["A-1"] * 10 + ["B-2"] * 9 + ["A-1"] * 11
    pdf = write_pdf(laid_out([Label(qr(code), code) for code in codes], sheet, Layout()))
    assert pdf.count(b"/Subtype /Form") == 1
    texts = [found.text for picture in _pictures(rendered(pdf), sheet) for found in _read(picture)]
    assert texts == codes


def test_equal_labels_of_different_texts_stay_apart(code128: Encoder) -> None:
    """Labels that share a symbol keep their own descriptions."""
    symbol = code128("AB-12345")
    labels = [Label(symbol, "AB-12345", (f"Batch {number % 2}",)) for number in range(20)]
    sheet = simple_sheet(page_size("A4"), 3, None)
    assert write_pdf(laid_out(labels, sheet, Layout())) != write_pdf(laid_out(labels[::-1], sheet, Layout()))


def test_a_label_too_small_to_scan_is_refused(code128: Encoder) -> None:
    """The refusal names the smallest label for all products, and on that label they can be printed."""
    codes = [f"LONG-PRODUCT-CODE-{'x' * number}" for number in range(20)]
    labels = [Label(code128(code), code) for code in codes]
    with pytest.raises(InvalidContent, match=r"labels of 62\.0 x 25\.9 mm are too small for .* and 10 more") as refusal:
        write_pdf(laid_out(labels, simple_sheet(page_size("A4"), 3, None), Layout(font_size=8)))
    details = refusal.value.details
    assert (details["rule"], details["product_codes"]) == ("label size", codes[9:])
    assert (details["label_width_mm"], details["label_height_mm"]) == (62.0, 25.9)


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="poppler-utils is not installed")
@pytest.mark.parametrize(("dpi", "scale"), [(203, 1), (300, 1), (600, 1), (203, 0.95), (300, 1.02)])
def test_one_bit_a_pixel_keeps_every_width(code128: Encoder, dpi: int, scale: float, tmp_path: Path) -> None:
    """Bars and spaces are whole modules, as label printers print them, scaled or not, in another renderer as well."""
    symbol = code128("AB-12345")
    assert isinstance(symbol, Bars)
    sheet = Sheet(PageSize(127, 127), 1, 1, 76.2, 101.6, 12.7, 12.7, 76.2, 101.6)
    pdf = write_pdf(laid_out([Label(symbol, "AB-12345")], sheet, Layout(dpi=dpi, scale=scale)))
    (tmp_path / "labels.pdf").write_bytes(pdf)
    command = ["pdftoppm", "-mono", "-r", str(resolution(dpi).dots_per_mm * 25.4), "labels.pdf", "page"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)  # noqa: S603 - a test tool from the path
    with PIL.Image.open(tmp_path / "page-1.pbm") as opened:
        page = opened.convert("L")
    left, top, right, _ = ImageOps.invert(page).getbbox() or (0, 0, 0, 0)
    runs = [len(list(run)) for _, run in groupby(page.crop((left, top + 5, right, top + 6)).tobytes())]
    assert tuple(run / min(runs) for run in runs) == symbol.runs


def test_a_document_may_carry_its_date(code128: Encoder) -> None:
    """Only on request; without it the same labels give the same bytes."""
    one, other = (laid_out([Label(code128("A-1"), "A-1")], _single(60, 40), Layout()) for _ in range(2))
    dated = pypdfium2.PdfDocument(write_pdf(one, "2023-11-14T22:13:20.000Z"))
    assert dated.get_metadata_dict(skip_empty=True)["CreationDate"] == "D:20231114221320Z"
    assert write_pdf(one) == write_pdf(other)
