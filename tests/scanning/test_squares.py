"""Matrix symbols on large pictures, whose places are cut out."""

import math
import random

import pytest
from PIL import Image, ImageChops

from barcodesvc.scanning.images.pixels import Pixels
from barcodesvc.scanning.images.reading import codes_with_effort
from barcodesvc.scanning.images.squares import square_on
from tests.scanning.symbol_images import PAPER, symbol

SIZE, AT = (1200, 900), (700, 400)
TEXT = "https://example.org/243423564/shelf/17"


@pytest.mark.parametrize("name", ["QR", "AZTEC"])
def test_a_matrix_symbol_in_noise_is_read(name: str) -> None:
    """It is pale and turned, no copy of the whole picture shows it, and its corners are those in the picture."""
    code = symbol(name, TEXT, 5).rotate(25, Image.Resampling.BICUBIC, expand=True, fillcolor=PAPER)
    paper = Image.new("L", SIZE, PAPER)
    paper.paste(code, AT)
    pale = paper.point([90 + value * 75 // 255 for value in range(256)])
    chance = random.Random(1)  # noqa: S311 - the same noise on every run
    noise = Image.frombytes("L", SIZE, chance.randbytes(SIZE[0] * SIZE[1])).point(
        [value * 2 // 5 for value in range(256)]
    )
    picture = ImageChops.add(pale, noise, 1, -51)
    [found] = codes_with_effort(Pixels(*SIZE, picture.tobytes()), "normal").codes
    assert (found.text, found.symbology) == (TEXT, name)
    middle = [sum(getattr(corner, axis) for corner in found.corners) / 4 for axis in ("x", "y")]
    assert math.dist(middle, (AT[0] + code.width / 2, AT[1] + code.height / 2)) < code.width / 20


def test_a_symbol_is_seen_in_a_shade() -> None:
    """The box covers it, dark part and light part, and hardly more."""
    picture = Image.new("L", SIZE, PAPER)
    code = symbol("QR", TEXT, 5)
    picture.paste(code, AT)
    middle = AT[0] + code.width // 2
    picture.paste(picture.crop((middle, 0, *SIZE)).point([value // 5 for value in range(256)]), (middle, 0))
    box = square_on(picture)
    assert box == pytest.approx((*AT, AT[0] + code.width, AT[1] + code.height), abs=code.width / 6)


@pytest.mark.parametrize("size", [(1, 1), (9, 2000), (400, 300), (3000, 2000)], ids=str)
def test_paper_has_no_square(size: tuple[int, int]) -> None:
    """Whatever its size is."""
    assert square_on(Image.new("L", size, PAPER)) is None
