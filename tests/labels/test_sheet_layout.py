"""Sheets of labels: which label is where, marks for cutting them apart, and the picture next to each symbol."""

from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image, ImageChops

from barcodesvc.codes.png import png_of_dots
from barcodesvc.drawing.shapes import BarImage, Drawing
from barcodesvc.errors import InvalidContent, InvalidInput
from barcodesvc.labels.layout_requests import Layout, LayoutImage
from barcodesvc.labels.pictures import Picture, Place
from barcodesvc.labels.sheet_drawing import SheetDrawing
from barcodesvc.labels.sheets import SHEETS, Corner, Sheet, named_sheet
from barcodesvc.labels.writers.page_dots import write_png
from barcodesvc.labels.writers.pdf import write_pdf
from tests.labels.drawings import Box, label, laid_out, rendered

PER_MM = 300 / 25.4
CROSS = Picture(3, 3, bytes((0b01000000, 0b11100000, 0b01000000)))
SQUARE = Picture(8, 8, b"\xff" * 8)


def test_equal_labels_are_drawn_once() -> None:
    """The order of printing names each drawing as often as it is printed."""
    labels = [label("QR", "A"), label("CODE128", "A"), label("QR", "A"), label("QR", "A", "Bolt")]
    drawing = laid_out(labels, SHEETS["5164"], Layout())
    assert list(drawing.order) == [0, 1, 0, 2]
    assert len(list(drawing.labels)) == 3


@pytest.mark.parametrize(
    ("count", "start", "pages"),
    [(1, 6, [[5]]), (6, 1, [[0, 1, 2, 3, 4, 5]]), (8, 5, [[4, 5], [0, 1, 2, 3, 4, 5]]), (2, 6, [[5], [0]])],
)
def test_pages_are_filled_from_the_label_that_is_asked_for(count: int, start: int, pages: list[list[int]]) -> None:
    """Every label has its position, in order, and no page is empty."""
    drawing = laid_out([label("QR", "A")] * count, SHEETS["5164"], Layout(start_position=start))
    assert [[drawing.positions.index(at) for at, _ in page] for page in drawing.pages()] == pages


def test_a_label_too_small_to_scan_is_refused() -> None:
    """The refusal names all products that do not fit, and the size of the labels."""
    codes = [f"LONG-PRODUCT-CODE-{'x' * number}" for number in range(20)]
    message = r"labels of 63\.5 x 38\.1 mm are too small for .* and 9 more"
    with pytest.raises(InvalidContent, match=message) as refusal:
        laid_out([label("CODE128", code) for code in codes], SHEETS["L7160"], Layout(font_size=8))
    details = refusal.value.details
    assert (details["rule"], details["product_codes"]) == ("label size", codes[10:])
    assert (details["label_width_mm"], details["label_height_mm"]) == (63.5, 38.1)


def _as_pdf(drawing: SheetDrawing) -> Image.Image:
    return rendered(write_pdf(drawing), 300)[0]


def _as_png(drawing: SheetDrawing) -> Image.Image:
    return Image.open(BytesIO(write_png(drawing, 1))).convert("L")


WRITERS = pytest.mark.parametrize("shown", [_as_pdf, _as_png], ids=["pdf", "png"])


def _box(sheet: Sheet, corner: Corner) -> Box:
    left, top = round(corner.left * PER_MM), round(corner.top * PER_MM)
    return left, top, left + int(sheet.label_width * PER_MM), top + int(sheet.label_height * PER_MM)


@WRITERS
def test_outlines_are_the_edges_of_all_labels(shown: Callable[[SheetDrawing], Image.Image]) -> None:
    """Empty positions have one too."""
    sheet = SHEETS["5163"]
    page = shown(laid_out([label("CODE128", "A-1")], sheet, Layout(outlines=True)))
    for left, top, right, bottom in (_box(sheet, corner) for corner in sheet.corners()):
        for x, y in ((left, (top + bottom) // 2), (right, (top + bottom) // 2), ((left + right) // 2, top)):
            assert min(page.crop((x - 2, y - 2, x + 3, y + 3)).tobytes()) < 230


@WRITERS
def test_crop_marks_lie_outside_of_all_labels(shown: Callable[[SheetDrawing], Image.Image]) -> None:
    """They end a millimetre before the labels, and none crosses one."""
    sheet = SHEETS["L7651"]
    marked, plain = (
        shown(laid_out([label("CODE128", "A-1")] * 2, sheet, Layout(crop_marks=marks))) for marks in (True, False)
    )
    added = ImageChops.difference(marked, plain)
    assert added.getbbox()
    for left, top, right, bottom in (_box(sheet, corner) for corner in sheet.corners()):
        assert added.crop((left - 6, top - 6, right + 6, bottom + 6)).getbbox() is None


@pytest.mark.parametrize(
    ("picture", "width", "rows"),
    [
        (CROSS, 3, ".#. ### .#."),
        (CROSS, 6, "..##.. ..##.. ###### ###### ..##.. ..##.."),
        (Picture(2, 2, bytes((0b10000000, 0b01000000))), 1, "#"),
        (Picture(2, 2, bytes((0b10000000, 0))), 1, "."),
        (Picture(1000, 1, bytes(125)), 10, "." * 10),
    ],
    ids=["dot for dot", "in whole dots", "half of it is dark", "less than half is dark", "keeps a row"],
)
def test_a_picture_is_drawn_in_any_number_of_dots(picture: Picture, width: int, rows: str) -> None:
    """A dot is dark if half of what it covers is."""
    assert " ".join("".join(".#"[dot] for dot in row) for row in picture.scaled(width)) == rows


@pytest.mark.parametrize(("width", "height"), [(1, 1), (8, 2), (9, 3), (17, 1000)])
def test_a_picture_is_a_png_of_the_same_pixels(width: int, height: int) -> None:
    """Rows that do not fill their last byte are read back as well."""
    picture = Picture(width, height, bytes(at * 37 % 256 for at in range(height * ((width + 7) // 8))))
    image = Image.open(BytesIO(png_of_dots(picture)))
    assert (image.size, image.mode) == ((width, height), "1")
    grey = image.convert("L").tobytes()
    assert bytes(1 - value // 255 for value in grey) == b"".join(picture.scaled(width))


@pytest.mark.parametrize(("width", "height", "pixels"), [(9, 1, b"\0"), (0, 0, b""), (8, 1, b"\0\0")])
def test_pixels_are_as_many_as_the_sides_say(width: int, height: int, pixels: bytes) -> None:
    """Anything else is no picture."""
    with pytest.raises(ValueError, match="bytes for"):
        Picture(width, height, pixels)


def _with_picture(place: Place, width: float = 20) -> tuple[SheetDrawing, Drawing]:
    layout = Layout(image=LayoutImage(name="square", width=width, place=place))
    drawing = laid_out([label("CODE128", "A-1", "Aisle 7")], named_sheet("100x50mm"), layout, SQUARE)
    (one,) = drawing.labels
    return drawing, one


@pytest.mark.parametrize("place", ["left", "right", "above"])
def test_a_picture_and_the_rest_do_not_overlap(place: Place) -> None:
    """The picture is inside the padding, and symbol and text are in what it leaves."""
    drawing, one = _with_picture(place)
    picture = drawing.picture
    assert picture
    assert isinstance(one.image, BarImage)
    side = round(20 * PER_MM)
    assert (len(picture.rows), len(picture.rows[0])) == (side, side)
    left, right = one.image.left, one.image.left + sum(one.image.runs) * one.image.module
    assert {
        "left": picture.left >= 17 and left > picture.left + side,
        "right": picture.left + side <= drawing.label_width - 17 and right < picture.left,
        "above": picture.top >= 17 and one.image.top > picture.top + side,
    }[place]
    assert all(text.left > picture.left + side for text in one.texts) or place != "left"


@pytest.mark.parametrize(("width", "place"), [(98, "left"), (49, "above"), (1200, "right")])
def test_a_picture_that_is_too_large_is_refused(width: float, place: Place) -> None:
    """The refusal names both sizes, before a dot is drawn."""
    with pytest.raises(InvalidInput, match=rf"layout\.image\.width: the image would be {width} x {width} mm;"):
        _with_picture(place, width)


def test_a_picture_has_a_limited_number_of_dots() -> None:
    """The finest printer does not make a large picture fill the memory."""
    layout = Layout(dpi=2400, image=LayoutImage(name="square", width=1000))
    with pytest.raises(InvalidInput, match="at most 4 million dots"):
        laid_out([label("CODE128", "A-1")], named_sheet("1200x1200mm"), layout, SQUARE)
