"""The places of codes on a picture: areas that meet, stripes and squares of a large one, paper around a low one."""

import math
import random

import pytest
from PIL import Image, ImageChops, ImageDraw

from barcodesvc.scanning.images.codes import Corners, ImagePoint, meet
from barcodesvc.scanning.images.one_look import codes_in
from barcodesvc.scanning.images.paper import has_paper_beyond_lines
from barcodesvc.scanning.images.squares import square_on
from barcodesvc.scanning.images.stripes import stripes_on
from tests.scanning.pictures.drawn_codes import codes_on, pixels_of
from tests.scanning.symbol_images import PAPER, on_paper, symbol, turned
from tests.sweeps import sweep

SIZE = (2000, 1500)
PLACE = (1400, 600)
TEXT = "https://example.org/243423564/shelf/17"


def area(*points: tuple[int, int]) -> Corners:
    """Return the corners of an area."""
    one, two, three, four = (ImagePoint(x, y) for x, y in points)
    return one, two, three, four


SQUARE = area((0, 0), (100, 0), (100, 100), (0, 100))
LINE = area((0, 50), (100, 50), (100, 50), (0, 50))


@pytest.mark.parametrize(
    ("one", "other", "do_meet"),
    [
        (SQUARE, area((50, 50), (150, 50), (150, 150), (50, 150)), True),
        (SQUARE, area((20, 20), (40, 20), (40, 40), (20, 40)), True),
        (SQUARE, area((110, 0), (200, 0), (200, 100), (110, 100)), False),
        (SQUARE, area((90, 130), (130, 90), (180, 140), (140, 180)), False),
        (SQUARE, LINE, True),
        (SQUARE, area((0, 120), (100, 120), (100, 120), (0, 120)), False),
        (LINE, area((50, 0), (50, 100), (50, 100), (50, 0)), True),
        (LINE, area((120, 50), (200, 50), (200, 50), (120, 50)), False),
    ],
    ids=["corner", "inside", "aside", "slanted corner", "line", "line below", "lines cross", "line aside"],
)
def test_areas_meet_where_they_have_a_point_in_common(one: Corners, other: Corners, *, do_meet: bool) -> None:
    """Whatever the order and however slanted they are; the area of a code that one line reads is a line."""
    assert meet(one, other) is meet(other, one) is do_meet


def with_codes(*degrees: float) -> Image.Image:
    """Return a picture with a code for each angle, from left to right; the last one is at PLACE."""
    paper = Image.new("L", SIZE, PAPER)
    for number, angle in enumerate(degrees, start=1):
        code = turned(symbol("EAN13", "4006381333931"), angle, PAPER)
        left = PLACE[0] - 900 * (len(degrees) - number)
        paper.paste(code, (left - code.width // 2, PLACE[1] - code.height // 2))
    return paper


@sweep("degrees", [sign * degrees for sign in (1, -1) for degrees in (3, *range(5, 90, 10), 87)])
def test_bars_rise_after_the_turn(degrees: int) -> None:
    """The place is the code's, with some paper around it, and the turn undoes its own, but for half a turn."""
    [found] = stripes_on(with_codes(degrees), 3)
    assert math.dist((found.x, found.y), PLACE) < 25
    assert abs((found.degrees + degrees + 90) % 180 - 90) < 2
    assert 190 <= found.width <= 290
    assert 80 <= found.height <= 170


@sweep("degrees", [0, 1, 90, 180])
def test_what_the_first_look_reads_is_left_out(degrees: int) -> None:
    """Upright stripes need no further look in full size."""
    assert stripes_on(with_codes(degrees), 3) == []


def test_each_code_counts_once() -> None:
    """Codes next to each other are two areas if their slant differs, and there are no more than asked for."""
    assert len(stripes_on(with_codes(40, 30), 3)) == 2
    assert len(stripes_on(with_codes(40, 30), 1)) == 1
    paper = Image.new("L", (700, 400), PAPER)
    for left, degrees in ((0, 20), (260, -30)):
        paper.paste(turned(symbol("EAN13", "4006381333931"), degrees, PAPER), (left, 60))
    assert {round(found.degrees, -1) for found in stripes_on(paper, 3)} == {-20, 30}


@pytest.mark.parametrize("size", [(1, 1), (9, 2000), (65_000, 6), (600, 400), (3000, 2000)], ids=str)
def test_paper_has_neither_stripes_nor_a_square(size: tuple[int, int]) -> None:
    """Nor has a picture that is too small for a cell."""
    paper = Image.new("L", size, PAPER)
    assert stripes_on(paper, 3) == []
    assert square_on(paper) is None


def test_a_single_cell_is_no_code() -> None:
    """A short line at a slant is too small for one."""
    paper = Image.new("L", (400, 400), PAPER)
    ImageDraw.Draw(paper).line((200, 200, 206, 206), fill=0)
    assert stripes_on(paper, 3) == []


@pytest.mark.parametrize("name", ["QR", "AZTEC"])
def test_a_matrix_symbol_in_noise_is_read(name: str) -> None:
    """It is pale and turned, no copy of the whole picture shows it, and its corners are those in the picture."""
    code, paper = turned(symbol(name, TEXT, 5), 25, PAPER), Image.new("L", (1200, 900), PAPER)
    paper.paste(code, (700, 400))
    pale = paper.point([90 + value * 75 // 255 for value in range(256)])
    chance = random.Random(1)  # noqa: S311 - the same noise on every run
    noise = Image.frombytes("L", paper.size, chance.randbytes(paper.width * paper.height))
    picture = ImageChops.add(pale, noise.point([value * 2 // 5 for value in range(256)]), 1, -51)
    [found] = codes_on(pixels_of(picture))
    assert (found.text, found.symbology) == (TEXT, name)
    middle = [sum(getattr(corner, axis) for corner in found.corners) / 4 for axis in ("x", "y")]
    assert math.dist(middle, (700 + code.width / 2, 400 + code.height / 2)) < code.width / 20


def test_a_symbol_is_seen_in_a_shade() -> None:
    """The box covers it, dark part and light part, and hardly more."""
    code, picture = symbol("QR", TEXT, 5), Image.new("L", (1200, 900), PAPER)
    picture.paste(code, (700, 400))
    middle = 700 + code.width // 2
    picture.paste(picture.crop((middle, 0, *picture.size)).point([value // 5 for value in range(256)]), (middle, 0))
    expected = (700, 400, 700 + code.width, 400 + code.height)
    assert square_on(picture) == pytest.approx(expected, abs=code.width / 6)


def ends_at_paper(image: Image.Image) -> list[bool]:
    """Return for each code that one look shows whether it ends at paper."""
    pixels = pixels_of(image)
    return [has_paper_beyond_lines(code, pixels) for code in codes_in(pixels)]


@pytest.mark.parametrize("with_text", [False, True])
@pytest.mark.parametrize(("name", "content"), [("ITF", "12345678"), ("UPCE", "01234565"), ("EAN8", "96385074")])
def test_an_upright_code_ends_at_paper(name: str, content: str, *, with_text: bool) -> None:
    """Outside of its picture, on its own paper, and above its text, also where guards go on next to that."""
    low = symbol(name, content, 5, 12, with_text=with_text)
    assert ends_at_paper(low) == ends_at_paper(on_paper((low, (40, 90)), side=600)) == [True]


def test_lines_at_a_slant_have_bars_around_them() -> None:
    """They are some lines of a code, maybe of a part of it."""
    high = symbol("CODE128", "AB-12345", 2, 80)
    assert [ends_at_paper(turned(high, degrees)) for degrees in (6, 9, 12)] == [[False]] * 3
