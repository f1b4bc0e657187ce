import cmath
import math
import random

import pytest
from PIL import Image, ImageChops, ImageDraw

from barcodesvc.scanning.images.agreement import Reading
from barcodesvc.scanning.images.codes import CodeOnImage, CodesOnImage, Corners, EffortName, ImagePoint
from barcodesvc.scanning.images.looks import EFFORTS, Look, Looks
from barcodesvc.scanning.images.pixels import Pixels, grey_pixels
from barcodesvc.scanning.images.reading import codes_with_effort
from tests.properties import every
from tests.scanning.pictures.drawn_codes import Case
from tests.scanning.symbol_images import PAPER, file_of, symbol
from tests.sweeps import sweep

DOT = (150, 90)
SIZES = [(400, 260), (260, 400), (3000, 1900), (40, 9), (1, 1), (9, 2000), (65_000, 6)]
MOST_PIXELS = 1_001_000
"""A megapixel, and what the sides are rounded up by."""


def seen(image: Image.Image, effort: EffortName = "normal") -> CodesOnImage:
    """Return the codes on a grey picture."""
    return codes_with_effort(Pixels(*image.size, image.tobytes()), effort)


def darkest(image: Image.Image) -> tuple[float, float]:
    """Return the middle of the darkest pixels of a picture."""
    dark = image.point([255 * (value < 100) for value in range(256)]).getbbox()
    assert dark
    return (dark[0] + dark[2]) / 2, (dark[1] + dark[3]) / 2


def corners(*points: tuple[int, int]) -> Corners:
    """Return the corners of a code."""
    top_left, top_right, bottom_right, bottom_left = (ImagePoint(x, y) for x, y in points)
    return top_left, top_right, bottom_right, bottom_left


@pytest.mark.parametrize("scale", [1, 5])
def test_points_are_those_of_the_original(scale: int) -> None:
    """At any angle and size, a dot of a copy is within some pixels of that dot in the original."""
    image = Image.new("L", (400 * scale, 260 * scale), PAPER)
    ImageDraw.Draw(image).ellipse([scale * (side + by) for by in (-6, 6) for side in DOT], fill=0)
    turned = [look for look in Looks(image, EFFORTS["normal"], 10**9) if look.kind == "white"]
    assert {look.degrees % 90 for look in turned} >= {15, 30, 45, 60, 75}
    for look in turned:
        assert math.dist(look.original(darkest(look.image)), [scale * side for side in DOT]) <= 2 * scale


@pytest.mark.parametrize("most_pixels", [3_000_000, 10**9])
@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_pixels_are_bounded(effort: EffortName, size: tuple[int, int], most_pixels: int) -> None:
    """Copies have at most as many pixels as their effort allows, alone and together, even if each is confirmed."""
    bound, copies = EFFORTS[effort], []
    looks = Looks(Image.new("L", size, PAPER), bound, most_pixels)
    for look in looks:
        copies.append(look.image.width * look.image.height)
        looks.confirm(look)
    assert looks.used == sum(copies) <= min(bound.all_pixels, most_pixels)
    assert max(copies) <= MOST_PIXELS
    assert len(copies) < 150


def test_a_picture_always_gives_the_same() -> None:
    """Two readings of one picture agree in codes, places and looks."""
    turned = symbol("ITF", "12345678").rotate(33, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    assert seen(turned) == seen(turned)


def test_what_is_found_at_first_costs_no_further_look() -> None:
    """Only a thorough effort looks on."""
    assert [seen(symbol(), effort).looks for effort in ("quick", "normal")] == [1, 1]
    assert seen(symbol(), "thorough").looks > 10


@pytest.mark.parametrize("shown", ["nothing", "a code in doubt", "a code"])
def test_a_thorough_effort_first_looks_as_a_normal_one_does(shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small copies may show by chance what larger ones hide; both together have the pixels of a thorough effort."""
    looked: list[tuple[int, int]] = []

    def codes_in_look(look: Look, _: str) -> list[CodeOnImage]:
        looked.append(look.image.size)
        doubt = CodeOnImage("1234", "EAN8", corners((0, 0), (200, 0), (200, 2), (0, 2)))
        code = CodeOnImage("A-1", "QR", corners((0, 0), (99, 0), (99, 99), (0, 99)))
        return {"nothing": [], "a code in doubt": [doubt], "a code": [code]}[shown]

    monkeypatch.setattr("barcodesvc.scanning.images.reading.codes_in_look", codes_in_look)
    seen(Image.new("L", (1600, 1200), PAPER))
    normal = looked.copy()
    looked.clear()
    seen(Image.new("L", (1600, 1200), PAPER), "thorough")
    assert looked[: len(normal)] == normal
    assert max(width * height for width, height in looked[len(normal) :]) > 900_000
    assert sum(width * height for width, height in looked) <= EFFORTS["thorough"].all_pixels


@sweep(("name", "content", "degrees"), [("PDF417", "PDF-1000", 52), ("GS1-128", "(10)LOT-7", 137)])
def test_a_thorough_effort_finds_what_a_normal_one_does(name: str, content: str, degrees: int) -> None:
    """Whatever the size of the picture is, in which the larger copies may hide a code."""
    code = symbol(name, content, 3, 60)
    for size in ((640, 480), (900, 700), (1600, 1200), (2400, 1800)):
        paper = Image.new("L", size, 255)
        turned = code.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
        paper.paste(turned, ((size[0] - turned.width) // 2, (size[1] - turned.height) // 2))
        normal = [found.text for found in seen(paper).codes]
        assert len(normal) == 1
        assert [found.text for found in seen(paper, "thorough").codes] == normal


def test_further_looks_find_further_codes() -> None:
    """With two labels on a picture, one of them turned, a thorough effort finds both, each once."""
    paper = Image.new("L", (700, 700), 255)
    paper.paste(symbol(content="A-1"), (40, 40))
    paper.paste(symbol(content="B-1").rotate(40, Image.Resampling.BICUBIC, expand=True, fillcolor=255), (200, 300))
    assert [code.text for code in seen(paper).codes] == ["A-1"]
    assert [code.text for code in seen(paper, "thorough").codes] == ["A-1", "B-1"]


def test_a_doubtful_code_does_not_count_at_one_look() -> None:
    """A quick look at a slanted ITF gives nothing rather than another text."""
    found = [
        seen(symbol("ITF", "12345678").rotate(turn, Image.Resampling.BICUBIC, expand=True, fillcolor=255), "quick")
        for turn in range(0, 90, 5)
    ]
    assert {code.text for one in found for code in one.codes} == {"12345678"}


def test_very_many_codes_in_doubt_end_the_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is compared with all others, so the work for a picture full of low codes has a bound."""
    compared = []

    def low_codes(*_: object) -> list[CodeOnImage]:
        ends = ((ImagePoint(x, y), ImagePoint(x + 60, y)) for x in range(0, 1700, 100) for y in range(0, 150, 10))
        return [CodeOnImage(str(left), "EAN8", (left, right, right, left)) for left, right in ends]

    def is_near(one: Reading, other: Reading) -> bool:
        compared.append((one, other))
        return False

    monkeypatch.setattr("barcodesvc.scanning.images.reading.codes_in", low_codes)
    monkeypatch.setattr("barcodesvc.scanning.images.reading.codes_in_look", low_codes)
    monkeypatch.setattr(Reading, "is_near", is_near)
    for effort in ("normal", "thorough"):
        assert seen(Image.new("L", (1000, 1000), PAPER), effort).looks == 2
    assert len(compared) < 4 * (2 * 255) ** 2


@pytest.mark.parametrize(("size", "module"), [((400, 300), 2), ((640, 480), 2), ((1280, 960), 4)], ids=str)
def test_a_turned_code_in_white_on_black_is_found(size: tuple[int, int], module: int) -> None:
    """The looks that turn it come before their pixels are used up, also if the picture is large."""
    paper = Image.new("L", size, 255)
    code = symbol(content="SHELF-17", module=module, height=40 * module)
    turned = code.rotate(33, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    paper.paste(turned, ((size[0] - turned.width) // 2, (size[1] - turned.height) // 2))
    assert [found.text for found in seen(ImageChops.invert(paper)).codes] == ["SHELF-17"]


@pytest.mark.parametrize("degrees", [-50, 30, 40, 55, 130])
def test_a_small_turned_code_on_a_large_picture_is_found(degrees: int) -> None:
    """A copy of the whole picture has too few pixels for it, so the part with its bars is looked at in full size."""
    paper = Image.new("L", (3000, 2000), PAPER)
    code = symbol("EAN13", "4006381333931").rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=PAPER)
    paper.paste(code, (2100, 300))
    middle = 2100 + code.width / 2, 300 + code.height / 2
    [found] = seen(paper).codes
    at = [sum(getattr(corner, axis) for corner in found.corners) / 4 for axis in ("x", "y")]
    assert found.text == "4006381333931"
    assert math.dist(at, middle) < code.width / 4
    assert [found.text for found in seen(paper, "thorough").codes] == ["4006381333931"]


@sweep(
    ("name", "content", "degrees", "effort"),
    [
        (name, content, degrees, effort)
        for name, content in (("ITF14", "14006381333938"), ("CODE39", "BIN-42A"), ("CODABAR", "A1234567B"))
        for degrees in (20, 23, 38, 50, 67, 70)
        for effort in EFFORTS
    ][:: every(1)],
)
def test_a_low_turned_code_is_found(name: str, content: str, degrees: int, effort: EffortName) -> None:
    """A label of the service may have a sixth of its width: it is turned by its own slant, not only by steps."""
    low = symbol(name, content, 4, 100, with_text=True)
    turned = low.rotate(-degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    assert [found.text for found in seen(turned, effort).codes] == [content]


@sweep(
    ("name", "content", "degrees"),
    [
        (name, content, degrees)
        for name, content in (("PDF417", "PDF-1000"), ("UPCE", "04252614"), ("EAN8", "96385074"))
        for degrees in (38, 52, 137, 218)
    ],
)
def test_the_place_of_a_turned_code_is_its_own(name: str, content: str, degrees: int) -> None:
    """All of it, from its own top left on, since the look that shows it is turned by its slant."""
    code = symbol(name, content, 3)
    paper = Image.new("L", (1000, 1000), 255)
    paper.paste(code, (500 - code.width // 2, 500 - code.height // 2))
    [[upright], [found]] = (
        seen(paper.rotate(by, Image.Resampling.BICUBIC, fillcolor=255)).codes for by in (0, -degrees)
    )
    turn = cmath.rect(1, math.radians(degrees))
    for was, corner in zip(upright.corners, found.corners, strict=True):
        at = turn * complex(was.x - 500, was.y - 500) + complex(500, 500)
        assert abs(at - complex(corner.x, corner.y)) < code.width / 10


@sweep("degrees", [4, 10, 17, 38, 52, 71, 86, 137])
def test_a_low_turned_code_on_a_large_picture_is_found(degrees: int) -> None:
    """All of its stripes are in the part that is looked at, however long the code is."""
    paper = Image.new("L", (1600, 1200), 150)
    label = symbol("GS1-128", "(01)09506000134352(10)LOT7", 3, 75)
    mask = Image.new("L", label.size, 255).rotate(degrees, expand=True)
    turned = label.rotate(degrees, Image.Resampling.BICUBIC, expand=True)
    paper.paste(turned, (800 - turned.width // 2, 600 - turned.height // 2), mask)
    assert [found.text for found in seen(paper).codes] == ["]C1010950600013435210LOT7"]


@pytest.mark.parametrize("cut", [121, 123, 125])
@pytest.mark.parametrize("effort", EFFORTS)
def test_the_rest_of_a_code_is_no_other_code(cut: int, effort: EffortName) -> None:
    """Without its first digits, a UPC-A has an EAN-8 for lines at a slant that leave its bars at the top."""
    paper = Image.new("L", (512, 207), 255)
    paper.paste(symbol("UPCA", "036000291452", 4, 100, with_text=True), (30, 30))
    rest = paper.crop((cut, 0, *paper.size)).rotate(8, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    assert seen(grey_pixels(file_of(rest, "JPEG", quality=80)).image(), effort).codes == ()


@pytest.mark.parametrize("effort", ["quick", *EFFORTS])
@pytest.mark.parametrize("degrees", [9, 189])
def test_a_slanted_pdf417_is_not_read_as_another_text(degrees: int, effort: EffortName) -> None:
    """The first look reads `SJF5LOA` across its rows; the look that is turned by its slant shows what it is."""
    code = symbol("PDF417", "PDF-1000")
    found = seen(code.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255), effort).codes
    assert [code.text for code in found] == ([] if effort == "quick" else ["PDF-1000"])


@sweep(("low", "degrees"), [(low, degrees) for low in (False, True) for degrees in (40, 80, 160, 240, 320)])
def test_a_blurred_code_is_not_read_as_another_text(*, low: bool, degrees: int) -> None:
    """Copies of a part that are turned a little more show the same mistake, so they are no second look of two kinds."""
    found = seen(Case("JAN", low, "blur", degrees).picture()).codes
    assert [code.text for code in found] == ["4901234567894"]


def noise(seed: int) -> Image.Image:
    """Return a picture of noise: fine or coarse, grey or black and white, in squares or stripes."""
    chance = random.Random(seed)  # noqa: S311 - the same noise on every run
    across, down = chance.choice((1, 2, 3)), chance.choice((1, 3, 40))
    width, height = 300 // across, 300 // down + 1
    grey = chance.randbytes(width * height)
    pixels = grey if seed % 2 else bytes(255 * (value > 127) for value in grey)
    return Image.frombytes("L", (width, height), pixels).resize((300, 300), Image.Resampling.BICUBIC)


@pytest.mark.parametrize("seeds", [range(10), range(10, 20), range(20, 30)], ids=str)
def test_noise_has_no_codes(seeds: range) -> None:
    """However often the service looks at it."""
    assert [seed for seed in seeds[:: every(1)] if seen(noise(seed), "thorough").codes] == []
