"""Codes as the service draws them, at every angle: all are found, and none as another text."""

from PIL import Image, ImageChops

from barcodesvc.scanning.images.one_look import codes_in
from scripts.benchmarks.pictures import STEP
from tests.properties import every
from tests.scanning.pictures.drawn_codes import ALIKE, NAMES, Case, cases, codes_on, is_linear, pixels_of, text_of
from tests.sweeps import sweep

LINEAR = [name for name in NAMES if is_linear(name) and name not in ALIKE]
CASES = [case for case in cases("", STEP) if case.name not in (*ALIKE, "MICROPDF417")]
"""All but MicroPDF417, which docs/scans.md names as unreadable at some angles."""
ANGLES = 360 // STEP
SOME = [case for number, case in enumerate(CASES) if (number + number // ANGLES) % every(8) == 0]
"""Every eighth of all cases in a full run, each symbology at other angles."""


@sweep("case", SOME)
def test_a_turned_code_is_found(case: Case) -> None:
    """It is one code with its own text, whatever the angle."""
    assert [code.text for code in codes_on(pixels_of(case.picture()))] == [text_of(case.name)]


@sweep(("name", "degrees"), [(name, degrees) for degrees, name in enumerate(LINEAR)])
def test_a_code_in_white_on_black_is_found(name: str, degrees: int) -> None:
    """A further look exchanges black and white, at every angle."""
    turned = Case(name, is_low=False, damage="", degrees=0).picture()
    [plain] = codes_in(pixels_of(turned))
    for angle in (0, 15 * degrees + 7):
        inverted = ImageChops.invert(turned).rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=0)
        found = codes_on(pixels_of(inverted))
        assert [(code.symbology, code.text) for code in found] == [(plain.symbology, plain.text)]
