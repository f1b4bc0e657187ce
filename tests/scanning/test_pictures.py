"""Pictures of codes, and of none: what is read of them, and that nothing is read as another text.

There are thousands of pictures. A full run takes a part of them, a brief one a quarter of that.
"""

import pytest
import zxingcpp
from PIL import Image, ImageChops

from barcodesvc.scanning.images.codes import EffortName
from barcodesvc.scanning.images.one_look import codes_in
from barcodesvc.scanning.images.reading import codes_with_effort
from barcodesvc.symbols.registry import find_symbology
from scripts.benchmarks.pictures import SERVICE, STEP, STEP_OF_DAMAGED, tally
from tests.properties import every
from tests.scanning.pictures.drawn_codes import (
    ALIKE,
    DAMAGES,
    NAMES,
    Case,
    cases,
    codes_on,
    is_linear,
    pixels_of,
    text_of,
)
from tests.scanning.pictures.empty_pictures import empty_picture
from tests.scanning.pictures.scenes import SCENES, scene
from tests.scanning.symbol_images import harder, on_paper, symbol
from tests.sweeps import sweep

CASES = [case for case in cases("", STEP) if case.name not in (*ALIKE, "MICROPDF417")]
"""All but MicroPDF417, which docs/scans.md names as unreadable at some angles."""
ANGLES = 360 // STEP
EMPTY_PICTURES = 5_000
SOME = [case for number, case in enumerate(CASES) if (number + number // ANGLES) % every(8) == 0]
"""Each symbology at other angles."""
LINEAR = [name for name in NAMES if is_linear(name) and name not in ALIKE]
HARD = ("CODE128", "EAN13", "ITF14", "GS1-128", "DATABAREXPANDED", "QR", "DATAMATRIX", "PDF417", "AZTEC")
MILDEST = {"plain", "rotated 3", "blurred 0.5", "noise 20", "light 50 %", "perspective 0.1"}
"""The first step of each kind; all of them are read, so that two failures never pass for agreement."""
EVERY_SCENE = {"quick": 10, "normal": 20, "thorough": 80}


@sweep("case", SOME)
def test_a_turned_code_is_found(case: Case) -> None:
    """It is one code with its own text, whatever the angle."""
    assert [code.text for code in codes_on(pixels_of(case.picture()))] == [text_of(case.name)]


@sweep(("name", "degrees"), [(name, 15 * number + 7) for number, name in enumerate(LINEAR)])
def test_a_code_in_white_on_black_is_found(name: str, degrees: int) -> None:
    """A further look exchanges black and white, at every angle."""
    upright = Case(name, is_low=False, damage="", degrees=0).picture()
    [plain] = codes_in(pixels_of(upright))
    inverted = ImageChops.invert(upright).rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=0)
    found = codes_on(pixels_of(inverted))
    assert [(code.symbology, code.text) for code in found] == [(plain.symbology, plain.text)]


@pytest.mark.parametrize("damage", DAMAGES)
def test_at_least_as_much_is_read_as_by_others(damage: str) -> None:
    """One call of zxing-cpp reads no more of any symbology, nor does ZBar or libdmtx where it is installed."""
    wanted = [case for case in cases(damage, STEP_OF_DAMAGED) if case.name not in ALIKE]
    counted = tally(wanted[:: every(8)])
    assert counted.behind() == []
    assert counted.wrong[SERVICE] == 0


def hard_pictures() -> list[tuple[list[str], str, Image.Image]]:
    """Return for symbols on paper the texts on them, the name of a step that makes them harder, and that picture."""
    made = []
    for name in HARD:
        for module in (2, 3):
            picture = symbol(name, find_symbology(name).example, module)
            paper = on_paper((picture, (60, 120)), side=max(picture.width, picture.height) + 160)
            texts = [code.text for code in codes_on(pixels_of(paper))]
            made += [(texts, step, image) for step, image in harder(paper)]
    return made[:: every(2)]


@sweep(("texts", "step", "image"), hard_pictures)
def test_at_least_as_much_is_read_as_zxing_reads(texts: list[str], step: str, image: Image.Image) -> None:
    """Of a symbol made harder the service reads what zxing-cpp reads with all of its options, and no other text."""
    alone = zxingcpp.read_barcodes(image)
    ours = [code.text for code in codes_on(pixels_of(image))]
    assert ours in ([], texts)
    assert ours or not (alone or step in MILDEST)


@pytest.mark.parametrize("first", range(3))
def test_nothing_is_read_where_nothing_is(first: int) -> None:
    """However often the service looks at noise, text, stripes, gradients, grids, rings and halftones."""
    seeds = range(first, EMPTY_PICTURES, every(EMPTY_PICTURES // 10 + 1))
    assert [seed for seed in seeds if codes_with_effort(pixels_of(empty_picture(seed)), "thorough").codes] == []


@pytest.mark.parametrize("effort", EVERY_SCENE)
def test_among_several_codes_nothing_is_wrong_or_twice(effort: EffortName) -> None:
    """Whatever is behind the codes, and however many there are."""
    seeds = range(0, SCENES, every(EVERY_SCENE[effort]))
    assert [(seed, found) for seed in seeds if (found := scene(seed).false_texts(effort))] == []
