"""Codes as the service draws them, at every angle: all are found, and none as another text."""

from __future__ import annotations

from itertools import product

import pytest
from PIL import Image, ImageChops

from barcodesvc.scanning.image_codes import codes_in
from barcodesvc.scanning.image_reading import codes_on
from barcodesvc.scanning.pixels import Pixels
from barcodesvc.symbols.registry import find_symbology
from tests.scanning.symbol_images import symbol
from tests.sweeps import sweep

NAMES = (
    "CODABAR",
    "CODE128",
    "CODE39",
    "CODE93",
    "DATABAREXPANDED",
    "DATABARLIMITED",
    "DATABAROMNI",
    "EAN13",
    "EAN8",
    "GS1-128",
    "ITF",
    "ITF14",
    "PDF417",
    "PZN",
    "UPCA",
    "UPCE",
)
CASES = list(product(NAMES, (False, True), range(0, 360, 5)))[::7]
"""Every seventh of all cases: a prime, so that each symbology comes at other angles."""


def pixels_of(image: Image.Image) -> Pixels:
    """Return the pixels of a grey picture."""
    return Pixels(*image.size, image.tobytes())


def drawn(name: str, *, is_low: bool) -> Image.Image:
    """Return the symbology's example; a low one is a fifth as high as it is wide."""
    example = find_symbology(name).example
    picture = symbol(name, example)
    return symbol(name, example, height=picture.width // 5) if is_low else picture


@sweep(("name", "is_low", "degrees"), CASES)
def test_a_turned_code_is_found(name: str, degrees: int, *, is_low: bool) -> None:
    """It is one code with its own text, whatever the angle."""
    picture = drawn(name, is_low=is_low)
    [upright] = codes_in(pixels_of(picture))
    turned = picture.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    assert [code.text for code in codes_on(pixels_of(turned))] == [upright.text]


@pytest.mark.parametrize("name", NAMES)
def test_a_code_in_white_on_black_is_found(name: str) -> None:
    """A further look exchanges black and white."""
    picture = drawn(name, is_low=False)
    [plain] = codes_in(pixels_of(picture))
    found = codes_on(pixels_of(ImageChops.invert(picture)))
    assert [(code.symbology, code.text) for code in found] == [(plain.symbology, plain.text)]
