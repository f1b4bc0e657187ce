"""The geometry of the pictures, judged by their pixels, their largest sizes, and what else is in an SVG."""

import tracemalloc
from itertools import groupby
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, strategies as st
from PIL import Image, ImageChops

from barcodesvc.codes.layout import CodePicture, GreatestWidth, ModuleWidth, Width, normal_width
from barcodesvc.codes.rendering import BarcodeKey, QrKey, RenderKey
from barcodesvc.codes.svg import svg
from barcodesvc.drawing.glyphs import Line
from barcodesvc.drawing.shapes import BarImage, Drawing, Extent, Text
from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.modules import Bars
from barcodesvc.symbols.qr import qr
from barcodesvc.symbols.registry import SYMBOLOGIES, find_symbology
from tests.codes.pictures import png_picture, svg_picture
from tests.properties import examples
from tests.sweeps import sweep

SVG = "{http://www.w3.org/2000/svg}"
CONTENTS = {entry.name: entry.example for entry in SYMBOLOGIES} | {"CODE128": "gjpqy|@(Q)$_;,"}
LINEAR = [entry.name for entry in SYMBOLOGIES if isinstance(entry.encode(CONTENTS[entry.name]), Bars)]
WIDTHS = st.integers(1, 10) | st.integers(220, 2500)
HEIGHTS = st.integers(10, 80)
ASCII = st.text("".join(map(chr, range(32, 127))), min_size=1, max_size=64)


def _key(name: str, width: float, height: int, *, with_text: bool) -> BarcodeKey:
    return BarcodeKey(find_symbology(name), CONTENTS[name], normal_width(width), height, with_text)


def _bars(name: str) -> Bars:
    symbol = find_symbology(name).encode(CONTENTS[name])
    assert isinstance(symbol, Bars)
    return symbol


def _runs(picture: Image.Image, y: int) -> list[tuple[int, int]]:
    """Return the runs of a row of pixels as value (0 is dark) and length."""
    row = picture.convert("L").crop((0, y, picture.width, y + 1)).tobytes()
    return [(value, len(list(run))) for value, run in groupby(row)]


def _dark(picture: Image.Image) -> int:
    return picture.convert("L").histogram()[0]


@examples(80, derandomize=True)
@given(name=st.sampled_from(LINEAR), width=WIDTHS, height=HEIGHTS)
def test_a_row_of_pixels_is_the_symbol(name: str, width: int, height: int) -> None:
    """Every row of bars is quiet zone, whole modules, quiet zone; black and white, one bit each."""
    bars = _bars(name)
    picture = png_picture(_key(name, width, height, with_text=height % 2 == 0).render())
    module = width if width <= 10 else width // bars.width
    lengths = [bars.quiet_left, *bars.runs, bars.quiet_right]
    expected = [(0 if index % 2 else 255, length * module) for index, length in enumerate(lengths)]
    bearer = bars.bearer * module
    assert picture.mode == "1"
    assert _runs(picture, bearer) == _runs(picture, bearer + height - 1) == expected


@sweep("name", CONTENTS)
def test_a_width_up_to_ten_is_that_of_a_module(name: str) -> None:
    """The image has the symbol's width in modules, and the height of its modules or, without text, its bars."""
    symbol = find_symbology(name).encode(CONTENTS[name])
    modules = symbol.width
    for width in (1, 2, 10):
        picture = png_picture(_key(name, width, 33, with_text=False).render())
        height = 33 + 2 * symbol.bearer * width if isinstance(symbol, Bars) else symbol.height * width
        assert picture.size == (modules * width, height)


@sweep("with_text", [True, False])
def test_bearer_bars_lie_above_and_below_the_bars(with_text: bool) -> None:  # noqa: FBT001 - a parameter
    """ITF-14 is between two lines of two modules, from edge to edge (GS1 General Specifications 5.3.2.4)."""
    picture = png_picture(_key("ITF14", 3, 40, with_text=with_text).render())
    for y in (0, 5, 46, 51):
        assert _runs(picture, y) == [(0, picture.width)]
    assert len(_runs(picture, 6)) == len(_runs(picture, 45)) > 2
    assert picture.height == 52 if not with_text else picture.height > 52


@sweep("name", CONTENTS)
def test_a_width_above_ten_takes_the_largest_module_that_fits(name: str) -> None:
    """One pixel less than the next whole module still gives the smaller one; too few name the minimum width."""
    modules = find_symbology(name).encode(CONTENTS[name]).width
    for width, module in ((modules, 1), (3 * modules - 1, 2), (3 * modules, 3)):
        assert png_picture(_key(name, width, 20, with_text=True).render()).width == module * modules
    with pytest.raises(InvalidContent, match=f"at least {modules} pixels wide") as refusal:
        _key(name, modules - 1, 20, with_text=True).render()
    assert refusal.value.details == {"rule": "width", "least_width": modules}


@pytest.mark.parametrize(
    ("asked", "normal"),
    [
        *((asked, ModuleWidth(pixels)) for asked, pixels in ((0.01, 1), (1.49, 1), (1.5, 2), (2.2, 2), (9.7, 10))),
        *((asked, GreatestWidth(pixels)) for asked, pixels in ((10.1, 10), (300.9, 300), (4000, 4000))),
    ],
)
def test_a_fractional_width_becomes_whole_pixels(asked: float, normal: Width) -> None:
    """A module is rounded, to at least one pixel; a maximum width is truncated."""
    assert normal_width(asked) == normal


@examples(60, derandomize=True)
@given(content=ASCII, spare=st.integers(0, 500))
def test_a_qr_code_is_in_the_middle_of_exactly_the_size(content: str, spare: int) -> None:
    """The image has sides of `size`; modules are whole pixels, as large as possible, with a margin of at least four."""
    modules = qr(content).width
    size = modules + spare
    picture = png_picture(QrKey(content, "M", size).render())
    module = size // modules
    assert (picture.mode, picture.size) == ("1", (size, size))
    left, top, right, bottom = ImageChops.invert(picture.convert("L")).getbbox() or (0, 0, 0, 0)
    assert right - left == bottom - top == (modules - 8) * module
    assert min(left, top, size - right, size - bottom) >= 4 * module
    assert left == top
    assert abs(left - (size - right)) <= 1
    inner = picture.crop((left, top, right, bottom))
    small = inner.resize((modules - 8, modules - 8), Image.Resampling.NEAREST)
    assert small.resize(inner.size, Image.Resampling.NEAREST).tobytes() == inner.tobytes()


def test_a_qr_code_too_small_names_the_least_size() -> None:
    """It does not even fit one pixel per module: the message says how many pixels are needed."""
    least = qr("x" * 64, "H").width
    QrKey("x" * 64, "H", least).render()
    with pytest.raises(InvalidContent, match=f"at least {least} pixels") as refusal:
        QrKey("x" * 64, "H", least - 1).render()
    assert refusal.value.details == {"rule": "size", "least_size": least}


@examples(80, derandomize=True)
@given(name=st.sampled_from(sorted(CONTENTS)), width=WIDTHS, height=HEIGHTS)
def test_svg_and_png_are_the_same_pixels(name: str, width: int, height: int) -> None:
    """Rasterised at its own size by another library, the SVG equals the PNG."""
    rendering = _key(name, width, height, with_text=False).render()
    dots, shapes = png_picture(rendering).convert("L"), svg_picture(rendering)
    assert shapes.size == dots.size
    assert shapes.tobytes() == dots.tobytes()


@pytest.mark.parametrize("size", [29, 299])
def test_svg_and_png_of_a_qr_code_are_the_same_pixels(size: int) -> None:
    """This also holds if the size is not a multiple of the modules."""
    rendering = QrKey("AB-12345", "L", size).render()
    assert svg_picture(rendering).tobytes() == png_picture(rendering).convert("L").tobytes()


@examples(60, derandomize=True)
@given(name=st.sampled_from(LINEAR), width=WIDTHS, height=HEIGHTS)
@example(name="EAN8", width=4000, height=10)  # its text is higher than its bars
def test_text_stays_below_the_bars(name: str, width: int, height: int) -> None:
    """With text, the bars equal the SVG's to the pixel, and everything that the text adds is below them."""
    rendering = _key(name, width, height, with_text=True).render()
    png, bars = png_picture(rendering).convert("L"), svg_picture(rendering)
    assert png.size == bars.size
    text = ImageChops.difference(png, bars)
    assert _dark(png) == _dark(bars) + text.histogram()[255]
    left, top, right, bottom = text.getbbox() or (0, 0, 0, 0)
    assert height < top < bottom <= png.height
    assert 0 <= left < right <= png.width


@pytest.mark.parametrize("name", ["EAN13", "EAN8", "UPCA"])
def test_guards_reach_five_modules_below_the_bars(name: str) -> None:
    """Only the guards continue below the bars, five modules long (GS1 General Specifications 5.2)."""
    bars = _bars(name)
    picture = svg_picture(_key(name, 4, 50, with_text=True).render())
    guards = [bars.runs[index] * 4 for index in sorted(bars.guards)]
    for y in (50, 69):
        assert [length for value, length in _runs(picture, y) if value == 0] == guards
    assert _runs(picture, 70) == [(255, picture.width)]


LARGEST: dict[str, tuple[RenderKey, tuple[int, int]]] = {
    "64 characters of Code 39 at ten pixels a module": (
        BarcodeKey(find_symbology("CODE39"), "A-" * 32, ModuleWidth(10), 2000, with_text=True),
        (10 * (16 * 66 - 1 + 20), 2111),
    ),
    "the widest modules": (
        BarcodeKey(find_symbology("EAN8"), "96385074", GreatestWidth(4000), 2000, with_text=True),
        (49 * 81, 2541),
    ),
    "the largest QR code": (QrKey("a" * 2953, "L", 4000), (4000, 4000)),
}


@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_images_stay_small_in_memory(name: str) -> None:
    """An image of ten to twenty million pixels takes less than 10 MB to draw and a response of 300 kB."""
    key, size = LARGEST[name]
    tracemalloc.start()
    try:
        rendering = key.render()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert png_picture(rendering).size == size
    assert peak < 10_000_000
    assert rendering.weight < 300_000


def _parsed(document: str) -> ET.Element:
    return ET.fromstring(document)  # noqa: S314 - a document of our own, without a DTD


def _picture(text: str = "") -> CodePicture:
    image = BarImage(30, 0, 3, (2, 2, 1), (Extent(0, 30),) * 2)
    texts = (Text(Line((), text, 2.5), 12, 35, 40),) if text else ()
    return CodePicture(100, 50, Drawing(image, (), texts))


def test_a_document_is_one_dark_path_on_white() -> None:
    """All bars are one path without anti-aliasing, on a white background, in a picture of whole pixels."""
    root = _parsed(svg(_picture(), "AB"))
    ground, bars = root.findall(f"{SVG}path")
    assert {name: root.get(name) for name in ("width", "height", "viewBox", "role")} == {
        "width": "100",
        "height": "50",
        "viewBox": "0 0 100 50",
        "role": "img",
    }
    assert (ground.get("fill"), ground.get("d")) == ("#fff", "M0 0h100v50H0z")
    assert (bars.get("fill"), bars.get("shape-rendering")) == (None, "crispEdges")
    assert (bars.get("transform"), bars.get("d")) == ("scale(3 1)", "M10 0h2v30h-2zM14 0h1v30h-1z")


@pytest.mark.parametrize("content", ["4006381333931", "abcdefghijklm"])
def test_a_code_of_13_characters_takes_less_than_two_kilobytes(content: str) -> None:
    """Code 128 without text is small enough to be embedded in a page."""
    rendering = BarcodeKey(find_symbology("CODE128"), content, ModuleWidth(2), 100, with_text=False).render()
    assert len(rendering.svg) < 2000


def test_captions_are_text() -> None:
    """Captions are text elements, fitted to their width, with their spaces kept."""
    (group,) = _parsed(svg(_picture("A  B"), "")).findall(f"{SVG}g")
    (text,) = group
    assert text.text == "A  B"
    assert text.attrib == {
        "x": "35",
        "y": "40",
        "font-size": "12",
        "textLength": "30",
        "lengthAdjust": "spacingAndGlyphs",
    }
    assert (group.get("font-family") or "").split(",")[0] == "FiraGO"
    assert group.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve"


@examples(300, derandomize=True)
@given(st.text(st.characters(codec="utf-8")))
@example("<&>\"']]>")
@example("\ufffe\uffff\x00\x08\x0b\x1f\x7f\x85\U0010ffff")
def test_any_text_keeps_the_document_well_formed(text: str) -> None:
    """Markup is escaped, and characters that XML cannot contain become U+FFFD; everything else is kept."""
    root = _parsed(svg(_picture(f"-{text}-"), text))
    shown = "".join(c if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff") else "\ufffd" for c in text)
    shown = shown.replace("\r\n", "\n").replace("\r", "\n")
    assert (root[0].text or "") == shown
    assert root[3][0].text == f"-{shown}-"
