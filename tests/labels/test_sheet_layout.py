"""What a layout changes on a sheet: where it begins, its shift and scale, the lines around labels."""

import pypdfium2
import pytest
import zxingcpp
from PIL import ImageChops
from PIL.Image import Image

from barcodesvc.labels.label_content import Label
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.resolution import resolution
from barcodesvc.labels.sheets import SHEETS, Corner, PageSize, Sheet
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.symbols.qr import qr
from barcodesvc.symbols.registry import find_symbology
from tests.labels.drawings import laid_out

DPI = 300
PER_MM = DPI / 25.4
INCHES = Sheet(PageSize(127, 127), 1, 1, 76.2, 101.6, 12.7, 12.7, 76.2, 101.6)
"""A sheet whose page is a whole number of dots at any resolution, so that pictures have no grey edges."""


def _pages(labels: list[Label], sheet: Sheet, printing: Layout) -> list[Image]:
    """Return the pages at one pixel per dot of a 300 dpi printer."""
    document = pypdfium2.PdfDocument(write_pdf(laid_out(labels, sheet, printing)))
    return [page.render(scale=DPI / 72, grayscale=True).to_pil() for page in document]


def _label(code: str) -> Label:
    return Label(find_symbology("CODE128").encode(code), code)


def _qr(code: str) -> Label:
    return Label(qr(code), code)


def _box(sheet: Sheet, corner: Corner) -> tuple[int, int, int, int]:
    left, top = round(corner.left * PER_MM), round(corner.top * PER_MM)
    return left, top, left + int(sheet.label_width * PER_MM), top + int(sheet.label_height * PER_MM)


def _ink(image: Image) -> tuple[int, int, int, int] | None:
    return ImageChops.invert(image.convert("L")).point(lambda grey: 255 * (grey > 60)).getbbox()


def _codes(image: Image) -> list[str]:
    return [found.text for found in zxingcpp.read_barcodes(image)]


@pytest.mark.parametrize("start", [1, 4, 21])
def test_a_run_begins_at_the_label_that_is_asked_for(start: int) -> None:
    """Earlier positions stay white, no label is lost, and the following pages begin with their first label."""
    sheet = SHEETS["L7160"]
    codes = [f"A{number:02d}" for number in range(22)]
    pages = _pages([_label(code) for code in codes], sheet, Layout(start_position=start))
    pictures = [page.crop(_box(sheet, corner)) for page in pages for corner in sheet.corners()]
    assert [_ink(picture) for picture in pictures[: start - 1]] == [None] * (start - 1)
    assert [_codes(picture) for picture in pictures[start - 1 : start - 1 + len(codes)]] == [[code] for code in codes]


@pytest.mark.parametrize(("right", "down"), [(2.0, -1.5), (-3.0, 0.0), (0.0, 5.0)])
def test_an_offset_moves_the_page_by_whole_dots(right: float, down: float) -> None:
    """The picture is the same, this many dots further to the right and down."""
    (plain,) = _pages([_label("A-1")], INCHES, Layout())
    (moved,) = _pages([_label("A-1")], INCHES, Layout(offset_x=right, offset_y=down))
    dots = round(right * PER_MM), round(down * PER_MM)
    assert max(ImageChops.difference(ImageChops.offset(plain, *dots), moved).tobytes()) < 40


def test_a_scale_enlarges_from_the_upper_left_corner() -> None:
    """Distances grow by a hundredth."""
    sheet = SHEETS["L7165"]
    labels = [_label(f"A-{number}") for number in range(8)]
    (plain,) = _pages(labels, sheet, Layout(outlines=True))
    (scaled,) = _pages(labels, sheet, Layout(outlines=True, scale=1.01))
    before, after = _ink(plain), _ink(scaled)
    assert before
    assert after
    assert all(abs(new - old * 1.01) <= 2 for old, new in zip(before, after, strict=True))


@pytest.mark.parametrize("scale", [0.9, 0.97, 1.01])
def test_scaled_labels_are_read_back(scale: float) -> None:
    """Even on the smallest labels, at the coarsest common resolution."""
    sheet = SHEETS["L7651"]
    codes = [f"A{number:02d}" for number in range(sheet.labels_per_page)]
    printing = Layout(font_size=4, dpi=203, scale=scale)
    (page,) = _pages([_label(code) for code in codes], sheet, printing)
    assert sorted(_codes(page)) == codes


def test_outlines_are_the_edges_of_all_labels() -> None:
    """Empty positions have one too."""
    sheet = SHEETS["5163"]
    (page,) = _pages([_label("A-1")], sheet, Layout(outlines=True))
    for corner in sheet.corners():
        left, top, right, bottom = (round(edge) for edge in _box(sheet, corner))
        for point in ((left, (top + bottom) // 2), (right, (top + bottom) // 2), ((left + right) // 2, top)):
            box = (point[0] - 2, point[1] - 2, point[0] + 3, point[1] + 3)
            assert min(page.crop(box).tobytes()) < 230


def test_crop_marks_lie_outside_of_all_labels() -> None:
    """They end a millimetre before the labels, and none crosses one."""
    sheet = SHEETS["L7651"]
    (page,) = _pages([_label("A-1")], sheet, Layout(crop_marks=True))
    plain = _pages([_label("A-1")], sheet, Layout())[0]
    added = ImageChops.difference(page, plain)
    assert added.getbbox()
    for corner in sheet.corners():
        left, top, right, bottom = _box(sheet, corner)
        assert added.crop((left - 6, top - 6, right + 6, bottom + 6)).getbbox() is None


@pytest.mark.parametrize("dpi", [203, 300, 600, 1200])
def test_modules_are_whole_dots_of_the_printer(dpi: int) -> None:
    """At one pixel per dot every bar is black or white to its edge, whatever the printer."""
    pdf = write_pdf(laid_out([_label("AB-12345")], INCHES, Layout(dpi=dpi)))
    image = pypdfium2.PdfDocument(pdf)[0].render(scale=resolution(dpi).dots_per_point, grayscale=True).to_pil()
    left, top, right, _ = _ink(image) or (0, 0, 0, 0)
    bars = image.crop((left, top + 5, right, top + 6)).tobytes()
    assert {grey for grey in bars if 20 < grey < 235} == set()
    assert _codes(image) == ["AB-12345"]


def test_203_dots_an_inch_are_8_a_millimetre() -> None:
    """A label has as many whole dots as it holds, of printheads whose name is rounded too."""
    assert resolution(203).whole_dots(100) == 800
    assert resolution(300).whole_dots(100) == 1181
    assert resolution(300).whole_dots(25.4) == 300
    assert resolution(600).whole_dots(50.8) == 1200


@pytest.mark.parametrize("text", ["A-1", "A-1" * 4])
def test_a_qr_code_is_next_to_its_text_on_the_lowest_sheet(text: str) -> None:
    """On labels of 10 mm there is no room for text below a QR code, but to its right."""
    (page,) = _pages([_qr(text)], SHEETS["4731"], Layout())
    assert _codes(page) == [text]
