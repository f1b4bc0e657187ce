"""Pictures: packed pixels, dots of any number, PNG, and their place on a label."""

from io import BytesIO

import pytest
from PIL import Image

from barcodesvc.codes.png import png_of_dots
from barcodesvc.drawing.shapes import BarImage, Drawing
from barcodesvc.errors import InvalidInput
from barcodesvc.labels.label_content import Label
from barcodesvc.labels.layout_requests import Layout, LayoutImage
from barcodesvc.labels.pictures import Picture, Place
from barcodesvc.labels.sheet_drawing import SheetDrawing
from barcodesvc.labels.sheets import named_sheet
from barcodesvc.symbols.code128 import code128
from tests.labels.drawings import laid_out

CROSS = Picture(3, 3, bytes((0b01000000, 0b11100000, 0b01000000)))


def _drawn(rows: tuple[bytes, ...]) -> list[str]:
    return ["".join(".#"[dot] for dot in row) for row in rows]


def test_a_picture_is_drawn_dot_for_dot() -> None:
    """As many dots as pixels are the pixels."""
    assert _drawn(CROSS.scaled(3)) == [".#.", "###", ".#."]


def test_a_picture_is_enlarged_in_whole_dots() -> None:
    """Each pixel becomes equal squares where that is possible."""
    assert _drawn(CROSS.scaled(6)) == ["..##..", "..##..", "######", "######", "..##..", "..##.."]
    assert [len(row) for row in CROSS.scaled(7)] == [7] * 7


def test_a_dot_is_dark_if_half_of_what_it_covers_is() -> None:
    """A chequered picture becomes dark, one with fewer dark pixels light."""
    assert _drawn(Picture(2, 2, bytes((0b10000000, 0b01000000))).scaled(1)) == ["#"]
    assert _drawn(Picture(2, 2, bytes((0b10000000, 0))).scaled(1)) == ["."]


@pytest.mark.parametrize(("width", "height"), [(1, 1), (8, 2), (9, 3), (1000, 1), (17, 1000)])
def test_a_picture_is_a_png_of_the_same_pixels(width: int, height: int) -> None:
    """Rows that do not fill their last byte are read back as well."""
    pixels = bytes(at * 37 % 256 for at in range(height * ((width + 7) // 8)))
    picture = Picture(width, height, pixels)
    image = Image.open(BytesIO(png_of_dots(picture)))
    assert (image.size, image.mode) == ((width, height), "1")
    grey = image.convert("L").tobytes()
    assert bytes(1 - value // 255 for value in grey) == b"".join(picture.scaled(width))


def test_a_narrow_picture_keeps_a_row() -> None:
    """A line of pixels is a line of dots, however small."""
    assert [len(row) for row in Picture(1000, 1, bytes(125)).scaled(10)] == [10]


@pytest.mark.parametrize(("width", "height", "pixels"), [(9, 1, b"\0"), (8, 2, b"\0"), (0, 0, b""), (8, 1, b"\0\0")])
def test_pixels_are_as_many_as_the_sides_say(width: int, height: int, pixels: bytes) -> None:
    """Anything else is no picture."""
    with pytest.raises(ValueError, match="bytes for"):
        Picture(width, height, pixels)


SQUARE = Picture(8, 8, b"\xff" * 8)


def _drawn_pages(place: Place, width: float = 20) -> tuple[SheetDrawing, Drawing]:
    layout = Layout(image=LayoutImage(name="square", width=width, place=place))
    drawing = laid_out([Label(code128("A-1"), "A-1", ("Aisle 7",))], named_sheet("100x50mm"), layout, SQUARE)
    (label,) = drawing.labels
    return drawing, label


@pytest.mark.parametrize("place", ["left", "right", "above"])
def test_a_picture_and_the_rest_do_not_overlap(place: Place) -> None:
    """The picture is inside the padding, and symbol and text are in what it leaves."""
    drawing, label = _drawn_pages(place)
    picture = drawing.picture
    assert picture
    assert isinstance(label.image, BarImage)
    side = round(20 / 25.4 * 300)
    assert (len(picture.rows), len(picture.rows[0])) == (side, side)
    left, right = label.image.left, label.image.left + sum(label.image.runs) * label.image.module
    assert {
        "left": picture.left >= 17 and left > picture.left + side,
        "right": picture.left + side <= drawing.label_width - 17 and right < picture.left,
        "above": picture.top >= 17 and label.image.top > picture.top + side,
    }[place]
    assert all(text.left > picture.left + side for text in label.texts) or place != "left"


@pytest.mark.parametrize(("width", "place"), [(98, "left"), (49, "above"), (1200, "right")])
def test_a_picture_that_is_too_large_is_refused(width: float, place: Place) -> None:
    """The refusal names both sizes, before a dot is drawn."""
    with pytest.raises(InvalidInput, match=rf"layout\.image\.width: the image would be {width} x {width} mm large"):
        _drawn_pages(place, width)


def test_a_picture_has_a_limited_number_of_dots() -> None:
    """The finest printer does not make a large picture fill the memory."""
    layout = Layout(dpi=2400, image=LayoutImage(name="square", width=1000))
    with pytest.raises(InvalidInput, match="at most 4 million dots"):
        laid_out([Label(code128("A-1"), "A-1")], named_sheet("1200x1200mm"), layout, SQUARE)
