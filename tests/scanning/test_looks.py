"""Further looks at a picture: how many there are, what they cost, and what they find that a first look does not."""

import cmath
import math

import pytest
from PIL import Image, ImageDraw

from barcodesvc.scanning.images.agreement import Reading
from barcodesvc.scanning.images.codes import CodeOnImage, CodesOnImage, Corners, EffortName, ImagePoint
from barcodesvc.scanning.images.looks import EFFORTS, Look, Looks
from barcodesvc.scanning.images.pixels import grey_pixels
from barcodesvc.scanning.images.reading import codes_with_effort
from tests.properties import every
from tests.scanning.pictures.drawn_codes import pixels_of
from tests.scanning.symbol_images import PAPER, file_of, symbol, turned
from tests.sweeps import sweep

DOT = (150, 90)
SIZES = [(400, 260), (260, 400), (3000, 1900), (40, 9), (1, 1), (9, 2000), (65_000, 6)]
MOST_PIXELS = 1_001_000
"""A megapixel, and what the sides are rounded up by."""


def seen(image: Image.Image, effort: EffortName = "normal") -> CodesOnImage:
    """Return the codes on a grey picture."""
    return codes_with_effort(pixels_of(image), effort)


def texts(image: Image.Image, effort: EffortName = "normal") -> list[str]:
    """Return the texts of the codes on a grey picture."""
    return [code.text for code in seen(image, effort).codes]


def in_the_middle(size: tuple[int, int], label: Image.Image) -> Image.Image:
    """Return paper of this size with the label in its middle."""
    sheet = Image.new("L", size, 255)
    sheet.paste(label, ((size[0] - label.width) // 2, (size[1] - label.height) // 2))
    return sheet


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
    white = [look for look in Looks(image, EFFORTS["normal"], 10**9) if look.kind == "white"]
    assert {look.degrees % 90 for look in white} >= {15, 30, 45, 60, 75}
    for look in white:
        assert math.dist(look.original(darkest(look.image)), [scale * side for side in DOT]) <= 2 * scale


@sweep("most_pixels", [3_000_000, 10**9])
@sweep("effort", EFFORTS)
@sweep("size", SIZES)
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
    assert seen(turned(symbol("ITF", "12345678"), 33)) == seen(turned(symbol("ITF", "12345678"), 33))


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


def test_further_looks_find_further_codes() -> None:
    """With two labels on a picture, one of them turned, a thorough effort finds both, each once."""
    paper = Image.new("L", (700, 700), 255)
    paper.paste(symbol(content="A-1"), (40, 40))
    paper.paste(turned(symbol(content="B-1"), 40), (200, 300))
    assert texts(paper) == ["A-1"]
    assert texts(paper, "thorough") == ["A-1", "B-1"]


@sweep(
    ("name", "content", "degrees", "size"),
    [
        (*code, size)
        for size in ((640, 480), (900, 700), (1600, 1200), (2400, 1800))
        for code in (("PDF417", "PDF-1000", 52), ("GS1-128", "(10)LOT-7", 137))
    ][:: every(1)],
)
def test_a_thorough_effort_finds_what_a_normal_one_does(
    name: str, content: str, degrees: int, size: tuple[int, int]
) -> None:
    """Whatever the size of the picture is, in which the larger copies may hide a code."""
    paper = in_the_middle(size, turned(symbol(name, content, 3, 60), degrees))
    normal = texts(paper)
    assert len(normal) == 1
    assert texts(paper, "thorough") == normal


@sweep("degrees", [-50, 30, 40, 55, 130])
def test_a_small_turned_code_on_a_large_picture_is_found(degrees: int) -> None:
    """A copy of the whole picture has too few pixels for it, so the part with its bars is looked at in full size."""
    paper, code = Image.new("L", (3000, 2000), PAPER), turned(symbol("EAN13", "4006381333931"), degrees, PAPER)
    paper.paste(code, (2100, 300))
    [found] = seen(paper).codes
    at = [sum(getattr(corner, axis) for corner in found.corners) / 4 for axis in ("x", "y")]
    assert found.text == "4006381333931"
    assert math.dist(at, (2100 + code.width / 2, 300 + code.height / 2)) < code.width / 4
    assert texts(paper, "thorough") == ["4006381333931"]


@sweep(
    ("name", "content", "degrees"),
    [
        (name, content, degrees)
        for name, content in (("PDF417", "PDF-1000"), ("UPCE", "04252614"), ("EAN8", "96385074"))
        for degrees in (38, 52, 137, 218)
    ][:: every(1)],
)
def test_the_place_of_a_turned_code_is_its_own(name: str, content: str, degrees: int) -> None:
    """All of it, from its own top left on, since the look that shows it is turned by its slant."""
    code = symbol(name, content, 3)
    paper = in_the_middle((1000, 1000), code)
    [[upright], [found]] = (
        seen(paper.rotate(by, Image.Resampling.BICUBIC, fillcolor=255)).codes for by in (0, -degrees)
    )
    turn = cmath.rect(1, math.radians(degrees))
    for was, corner in zip(upright.corners, found.corners, strict=True):
        at = turn * complex(was.x - 500, was.y - 500) + complex(500, 500)
        assert abs(at - complex(corner.x, corner.y)) < code.width / 10


@sweep("degrees", [4, 10, 17, 38, 52, 71, 86, 137][:: every(1)])
def test_a_low_turned_code_on_a_large_picture_is_found(degrees: int) -> None:
    """All of its stripes are in the part that is looked at, however long the code is."""
    paper = Image.new("L", (1600, 1200), 150)
    label = symbol("GS1-128", "(01)09506000134352(10)LOT7", 3, 75)
    mask = Image.new("L", label.size, 255).rotate(degrees, expand=True)
    slanted = label.rotate(degrees, Image.Resampling.BICUBIC, expand=True)
    paper.paste(slanted, (800 - slanted.width // 2, 600 - slanted.height // 2), mask)
    assert texts(paper) == ["]C1010950600013435210LOT7"]


@sweep("cut", [121, 123, 125])
@sweep("effort", EFFORTS)
def test_the_rest_of_a_code_is_no_other_code(cut: int, effort: EffortName) -> None:
    """Without its first digits, a UPC-A has an EAN-8 for lines at a slant that leave its bars at the top."""
    paper = Image.new("L", (512, 207), 255)
    paper.paste(symbol("UPCA", "036000291452", 4, 100, with_text=True), (30, 30))
    rest = turned(paper.crop((cut, 0, *paper.size)), 8)
    assert texts(grey_pixels(file_of(rest, "JPEG", quality=80)).image(), effort) == []


@sweep("effort", ["quick", *EFFORTS])
@sweep("degrees", [9, 189])
def test_a_slanted_pdf417_is_not_read_as_another_text(degrees: int, effort: EffortName) -> None:
    """The first look reads `SJF5LOA` across its rows; the look that is turned by its slant shows what it is."""
    found = texts(turned(symbol("PDF417", "PDF-1000"), degrees), effort)
    assert found == ([] if effort == "quick" else ["PDF-1000"])
