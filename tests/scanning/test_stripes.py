from __future__ import annotations

import math

import pytest
from PIL import Image

from barcodesvc.scanning.stripes import stripes_on
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


@pytest.mark.parametrize("degrees", range(15, 80, 10))
@pytest.mark.parametrize("sign", [1, -1])
def test_bars_rise_after_the_turn(degrees: int, sign: int) -> None:
    """The place is on the code, and the turn undoes its own, but for half a turn."""
    [found] = stripes_on(picture(sign * degrees), 700, 3)
    assert math.dist((found.x, found.y), PLACE) < 130
    assert abs((found.degrees + sign * degrees + 90) % 180 - 90) < 6


@pytest.mark.parametrize("degrees", [0, 180])
def test_what_the_first_look_reads_is_left_out(degrees: int) -> None:
    """Upright stripes need no further look in full size."""
    assert stripes_on(picture(degrees), 700, 3) == []


def test_each_place_counts_once() -> None:
    """Places are at least half a side apart, and no more than asked for."""
    assert len(stripes_on(picture(40, 30), 700, 3)) == 2
    assert len(stripes_on(picture(40, 30), 700, 1)) == 1


@pytest.mark.parametrize("size", [(1, 1), (30, 2000), (65_000, 6), (600, 400)])
def test_paper_has_no_stripes(size: tuple[int, int]) -> None:
    """Nor has a picture that is too small for a cell."""
    assert stripes_on(Image.new("L", size, PAPER), 700, 3) == []
