"""Captions: their position, legibility and completeness, equal from every thread."""

import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pymupdf_fonts
import pytest
import resvg_py
from hypothesis import example, given, strategies as st
from PIL import Image, ImageChops

from barcodesvc.codes.layout import CodePicture, ModuleWidth, draw_bars_with_text
from barcodesvc.codes.png import png
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.drawing.raster import Bitmap, painted
from barcodesvc.drawing.shapes import BarImage, Text
from barcodesvc.symbols.code128 import code128, gs1_128
from barcodesvc.symbols.databar import limited, omnidirectional
from barcodesvc.symbols.ean_upc import ean8, ean13, isbn13, upca, upce
from barcodesvc.symbols.linear import code39
from barcodesvc.symbols.modules import Bars
from barcodesvc.symbols.registry import find_symbology
from tests.codes.pictures import png_picture, svg_picture
from tests.properties import examples
from tests.sweeps import sweep

ASCII = "".join(map(chr, range(32, 127)))
MODULES = st.integers(1, 10)


def _ink(picture: CodePicture, text: Text) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the ink of one text of a picture."""
    bitmap = painted(replace(picture.drawing, texts=(text,)), picture.width, picture.height)
    bars = painted(replace(picture.drawing, texts=()), picture.width, picture.height)
    return ImageChops.difference(*map(_image, (bitmap, bars))).getbbox() or (0, text.baseline, 1, text.baseline)


def _image(bitmap: Bitmap) -> Image.Image:
    return Image.frombytes("1", (bitmap.width, bitmap.height), bitmap.rows).convert("L")


def _texts(picture: CodePicture) -> list[str]:
    return [text.line.text for text in picture.drawing.texts]


def _bottoms(picture: CodePicture) -> list[int]:
    """Return where each bar ends."""
    assert isinstance(picture.drawing.image, BarImage)
    return [picture.drawing.image.top + extent.top + extent.height for extent in picture.drawing.image.extents]


def _check_places(bars: Bars, picture: CodePicture, bar_height: int) -> None:
    """Check that every caption's ink is between the bars and the lower edge, and its room within the image's sides."""
    for text in picture.drawing.texts:
        _, top, _, bottom = _ink(picture, text)
        assert bar_height <= top
        assert bottom <= picture.height
        assert text.left >= 0
        assert text.left + text.width <= picture.width + 1
    assert "".join(_texts(picture)) == "".join(caption.text for caption in bars.captions)


@examples(150, derandomize=True)
@given(st.text(ASCII, min_size=1, max_size=64), MODULES)
@example("|" * 64, 1)
@example("W" * 64, 1)
@example("0" * 64, 1)
def test_no_caption_is_cut(content: str, module: int) -> None:
    """The whole text, including descenders and brackets, is in the image and below the bars."""
    bars = code128(content)
    _check_places(bars, draw_bars_with_text(bars, module, 20), 20)


@sweep("module", [1, 3, 49])
@sweep("bars", [ean13("4006381333931"), ean8("8888888"), upca("036000291452")])
def test_digits_stay_between_their_guards(bars: Bars, module: int) -> None:
    """EAN and UPC digits stay in their columns, so that none touches a guard."""
    picture = draw_bars_with_text(bars, module, 60)
    _check_places(bars, picture, 60)
    for caption, text in zip(bars.captions, picture.drawing.texts, strict=True):
        left, _, right, _ = _ink(picture, text)
        assert caption.start * module <= left
        assert right <= caption.stop * module


def test_oversize_digits_begin_below_the_guards() -> None:
    """At one pixel per module the digits fill their columns, so a white row separates them from the guards' feet."""
    picture = draw_bars_with_text(isbn13("9780306406157"), 1, 60)
    assert max(_bottoms(picture)) == 65
    assert min(_ink(picture, text)[1] for text in picture.drawing.texts) > 65


@pytest.mark.parametrize("bars", [gs1_128("(20)12" * 10), limited("09521234543213"), omnidirectional("09521234543213")])
def test_a_caption_wider_than_its_symbol_is_broken_into_lines(bars: Bars) -> None:
    """Text shrinks until it fits, but not below a legible size; then it wraps."""
    picture = draw_bars_with_text(bars, 1, 20)
    assert {text.size for text in picture.drawing.texts} == {12}
    assert len(picture.drawing.texts) == 2
    assert all(text.width <= bars.width for text in picture.drawing.texts)
    _check_places(bars, picture, 20)


def test_the_outer_digits_of_upc_are_small_ones_on_the_same_baseline() -> None:
    """They are in the quiet zones, seven tenths as large as the others (ISO/IEC 15420)."""
    texts = draw_bars_with_text(upca("036000291452"), 4, 60).drawing.texts
    assert [text.size for text in texts] == [28, 40, 40, 28]
    assert len({text.baseline for text in texts}) == 1


@pytest.mark.parametrize("module", [1, 4])
@pytest.mark.parametrize("bars", [ean13("4006381333931+12"), upca("036000291452+51299")])
def test_an_add_on_begins_below_its_digits(bars: Bars, module: int) -> None:
    """Its digits are above its bars, at least one module apart, and start within the image."""
    assert bars.add_on
    picture = draw_bars_with_text(bars, module, 100)
    image, text = picture.drawing.image, picture.drawing.texts[-1]
    assert isinstance(image, BarImage)
    left, top, right, bottom = _ink(picture, text)
    assert text.line.text == bars.add_on.caption.text
    assert top >= 0
    assert bottom + module <= image.top + image.extents[-1].top
    assert bars.add_on.caption.start * module <= left < right <= bars.add_on.caption.stop * module


@pytest.mark.parametrize(
    ("bars", "end"), [(ean13("4006381333931+12"), 120), (upca("036000291452+12"), 100), (upce("01234565+12"), 100)]
)
def test_an_add_on_ends_with_the_guards_unless_a_digit_is_in_the_gap(bars: Bars, end: int) -> None:
    """No row across symbol and add-on contains a digit: next to UPC, whose last digit is there, bars end above it."""
    assert bars.add_on
    picture = draw_bars_with_text(bars, 4, 100)
    assert _bottoms(picture)[-1] == end
    texts = [(text, *_ink(picture, text)) for text in picture.drawing.texts[:-1]]
    in_gap = [top for _, _, top, right, _ in texts if right > (bars.add_on.caption.start - 7) * 4]
    assert all(top >= end for top in in_gap)


def test_low_bars_keep_half_their_height_next_to_an_add_on() -> None:
    """If the bars are as low as the add-on's digits, the symbol starts lower in the image."""
    bars = ean13("4006381333931+12")
    image = draw_bars_with_text(bars, 4, 20).drawing.image
    assert isinstance(image, BarImage)
    assert image.extents[2].height == 20
    assert image.extents[2].height - image.extents[-1].top >= 10


def test_text_is_never_so_small_that_digits_look_alike() -> None:
    """At one pixel per module text is 12 pixels high, from there on ten modules."""
    bars = code39("A")
    sizes = [draw_bars_with_text(bars, module, 20).drawing.texts[0].size for module in (1, 2, 3, 10)]
    assert sizes == [12, 20, 30, 100]


@pytest.mark.parametrize("style", ["", "text { font-size: 26px }", "text { font-size: 16px }"])
@pytest.mark.parametrize("content", ["AB-12345", "W|i" * 12])
def test_svg_text_takes_the_same_room_as_png_text(content: str, style: str, tmp_path: Path) -> None:
    """However wide the viewer's font is, the text keeps the width that the layout gave it."""
    rendering = BarcodeKey(find_symbology("CODE128"), content, ModuleWidth(2), 30, with_text=True).render()
    bars, dots = svg_picture(rendering), png_picture(rendering).convert("L")
    (tmp_path / "font.otf").write_bytes(pymupdf_fonts.myfont("figo"))
    svg = resvg_py.svg_to_bytes(
        svg_string=rendering.svg.decode(),
        skip_system_fonts=True,
        font_files=[str(tmp_path / "font.otf")],
        sans_serif_family="FiraGO",
        style_sheet=style,
    )
    with_text = Image.open(io.BytesIO(bytes(svg))).convert("L")
    inks = [ImageChops.difference(picture, bars).getbbox() or (0, 0, 0, 0) for picture in (dots, with_text)]
    assert all(abs(inks[0][side] - inks[1][side]) <= 4 for side in (0, 2))


def test_threads_draw_the_same_text() -> None:
    """Four threads that share the font draw the same as one."""
    jobs = [(code39(f"{number:04}"), 1 + number % 10) for number in range(500)]

    def draw(job: tuple[Bars, int]) -> bytes:
        return png(draw_bars_with_text(*job, 20))

    alone = [draw(job) for job in jobs]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(draw, jobs)) == alone
