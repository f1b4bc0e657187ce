import math

import pytest
from PIL import Image, ImageDraw

from barcodesvc.scanning.images.stripes import stripes_on
from tests.scanning.symbol_images import PAPER, symbol

SIZE = (2000, 1500)
PLACE = (1400, 600)


def picture(*degrees: float) -> Image.Image:
    """Return a picture with a code for each angle, from left to right; the last one is at PLACE."""
    paper = Image.new("L", SIZE, PAPER)
    for number, angle in enumerate(degrees, start=1):
        code = symbol("EAN13", "4006381333931").rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=PAPER)
        left = PLACE[0] - 900 * (len(degrees) - number)
        paper.paste(code, (left - code.width // 2, PLACE[1] - code.height // 2))
    return paper


@pytest.mark.parametrize("degrees", [3, *range(5, 90, 10), 87])
@pytest.mark.parametrize("sign", [1, -1])
def test_bars_rise_after_the_turn(degrees: int, sign: int) -> None:
    """The place is the code's, with some paper around it, and the turn undoes its own, but for half a turn."""
    [found] = stripes_on(picture(sign * degrees), 3)
    assert math.dist((found.x, found.y), PLACE) < 25
    assert abs((found.degrees + sign * degrees + 90) % 180 - 90) < 2
    assert 190 <= found.width <= 290
    assert 80 <= found.height <= 170


@pytest.mark.parametrize("degrees", [0, 1, 90, 180])
def test_what_the_first_look_reads_is_left_out(degrees: int) -> None:
    """Upright stripes need no further look in full size."""
    assert stripes_on(picture(degrees), 3) == []


def test_each_code_counts_once() -> None:
    """Codes next to each other are two areas if their slant differs, and there are no more than asked for."""
    assert len(stripes_on(picture(40, 30), 3)) == 2
    assert len(stripes_on(picture(40, 30), 1)) == 1
    paper = Image.new("L", (700, 400), PAPER)
    for left, degrees in ((0, 20), (260, -30)):
        code = symbol("EAN13", "4006381333931").rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=PAPER)
        paper.paste(code, (left, 60))
    assert {round(found.degrees, -1) for found in stripes_on(paper, 3)} == {-20, 30}


@pytest.mark.parametrize("size", [(1, 1), (30, 2000), (65_000, 6), (600, 400)])
def test_paper_has_no_stripes(size: tuple[int, int]) -> None:
    """Nor has a picture that is too small for a cell."""
    assert stripes_on(Image.new("L", size, PAPER), 3) == []


def test_a_single_cell_is_no_code() -> None:
    """A short line at a slant is too small for one."""
    paper = Image.new("L", (400, 400), PAPER)
    ImageDraw.Draw(paper).line((200, 200, 206, 206), fill=0)
    assert stripes_on(paper, 3) == []
