"""Captions: their position, legibility and completeness, equal from every thread."""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import resvg_py
from hypothesis import example, given, strategies as st
from PIL import Image, ImageChops, ImageDraw, ImageFont

from barcodesvc.codes.layout import BarsDrawing, ModuleWidth, PlacedText, draw_bars_with_text
from barcodesvc.codes.rendering import BarcodeKey, Rendering
from barcodesvc.codes.text import ascent, descent, text_rows, text_width
from barcodesvc.symbols.code128 import code128
from barcodesvc.symbols.ean_upc import ean8, ean13, isbn13, upca
from barcodesvc.symbols.linear import code39
from barcodesvc.symbols.modules import Bars
from barcodesvc.symbols.registry import find_symbology
from tests.properties import examples
from tests.sweeps import sweep

Picture = Callable[[Rendering], Image.Image]

ASCII = "".join(map(chr, range(32, 127)))
MODULES = st.integers(1, 10)


def _ink(text: PlacedText) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the ink, drawn on a strip that fits any text."""
    width, middle = text.width + 4 * text.size, text.width // 2 + 2 * text.size
    rows = dict(enumerate(text_rows(width, text.text, middle, text.size), start=text.baseline - ascent(text.size)))
    inked = [y for y, row in rows.items() if row] or [text.baseline]
    columns = 0
    for row in rows.values():
        columns |= row
    first, last = width - columns.bit_length(), width - ((columns & -columns).bit_length() - 1)
    return first + text.middle - middle, inked[0], last + text.middle - middle, inked[-1] + 1


def _check_places(bars: Bars, drawing: BarsDrawing, bar_height: int) -> None:
    """Check that every caption's ink is between the bars and the lower edge, and within the image's sides."""
    for text in drawing.texts:
        left, top, right, bottom = _ink(text)
        assert bar_height <= top
        assert bottom <= drawing.height
        assert left >= 0
        assert right <= drawing.width
    assert "".join(text.text for text in drawing.texts) == "".join(caption.text for caption in bars.captions)


@examples(150, derandomize=True)
@given(st.text(ASCII, min_size=1, max_size=64), MODULES)
@example("|" * 64, 1)
@example("W" * 64, 1)
@example("0" * 64, 1)
def test_no_caption_is_cut(content: str, module: int) -> None:
    """The whole text, including descenders and brackets, is in the image and below the bars."""
    bars = code128(content)
    _check_places(bars, draw_bars_with_text(bars, module, 20), 20)


@sweep("module", [1, 2, 3, 10, 49])
@sweep("bars", [ean13("4006381333931"), ean8("8888888"), upca("036000291452")])
def test_digits_stay_between_their_guards(bars: Bars, module: int) -> None:
    """EAN and UPC digits stay in their columns, so that none touches a guard."""
    drawing = draw_bars_with_text(bars, module, 60)
    _check_places(bars, drawing, 60)
    for caption, text in zip(bars.captions, drawing.texts, strict=True):
        left, _, right, _ = _ink(text)
        assert caption.start * module <= left
        assert right <= caption.stop * module


def test_oversize_digits_begin_below_the_guards() -> None:
    """At one pixel per module the digits fill their columns, so a white row separates them from the guards' feet."""
    drawing = draw_bars_with_text(isbn13("9780306406157"), 1, 60)
    assert max(band.top + band.height for band in drawing.bands) == 65
    assert min(_ink(text)[1] for text in drawing.texts) > 65


@pytest.mark.parametrize(
    ("name", "content"),
    [("GS1-128", "(20)12" * 10), ("DATABARLIMITED", "09521234543213"), ("DATABAROMNI", "09521234543213")],
)
def test_a_caption_wider_than_its_symbol_is_broken_into_lines(name: str, content: str) -> None:
    """Text shrinks until it fits, but not below a legible size; then it wraps."""
    bars = find_symbology(name).encode(content)
    assert isinstance(bars, Bars)
    drawing = draw_bars_with_text(bars, 1, 20)
    assert {text.size for text in drawing.texts} == {12}
    assert len(drawing.texts) == 2
    assert all(text.width <= bars.width for text in drawing.texts)
    _check_places(bars, drawing, 20)


def test_the_outer_digits_of_upc_are_small_ones_on_the_same_baseline() -> None:
    """They are in the quiet zones, seven tenths as large as the others (ISO/IEC 15420)."""
    drawing = draw_bars_with_text(upca("036000291452"), 4, 60)
    assert [text.size for text in drawing.texts] == [28, 40, 40, 28]
    assert len({text.baseline for text in drawing.texts}) == 1


@pytest.mark.parametrize("module", [1, 2, 4, 10])
@pytest.mark.parametrize(("name", "content"), [("EAN13", "4006381333931+12"), ("UPCA", "036000291452+51299")])
def test_an_add_on_begins_below_its_digits(name: str, content: str, module: int) -> None:
    """Its digits are above its bars, at least one module apart, and start within the image."""
    bars = find_symbology(name).encode(content)
    assert isinstance(bars, Bars)
    assert bars.add_on
    drawing = draw_bars_with_text(bars, module, 100)
    left, top, right, bottom = _ink(drawing.texts[-1])
    add_on = drawing.bands[-1]
    assert add_on.bars[0][0] == bars.add_on.caption.start
    assert drawing.texts[-1].text == content.partition("+")[2]
    assert top >= 0
    assert bottom + module <= add_on.top
    assert add_on.bars[0][0] * module <= left < right <= sum(add_on.bars[-1]) * module


@pytest.mark.parametrize(
    ("name", "content", "end"),
    [("EAN13", "4006381333931+12", 120), ("UPCA", "036000291452+12", 100), ("UPCE", "01234565+12", 100)],
)
def test_an_add_on_ends_with_the_guards_unless_a_digit_is_in_the_gap(name: str, content: str, end: int) -> None:
    """No row across symbol and add-on contains a digit: next to UPC, whose last digit is there, bars end above it."""
    bars = find_symbology(name).encode(content)
    assert isinstance(bars, Bars)
    assert bars.add_on
    drawing = draw_bars_with_text(bars, 4, 100)
    add_on = drawing.bands[-1]
    assert (add_on.bars[0][0], add_on.top + add_on.height) == (bars.add_on.caption.start, end)
    in_gap = [text for text in drawing.texts[:-1] if _ink(text)[2] > (bars.add_on.caption.start - 7) * 4]
    assert all(_ink(text)[1] >= end for text in in_gap)


def test_low_bars_keep_half_their_height_next_to_an_add_on() -> None:
    """If the bars are as low as the add-on's digits, the symbol starts lower in the image."""
    bars = ean13("4006381333931+12")
    drawing = draw_bars_with_text(bars, 4, 20)
    symbol, add_on = drawing.bands[0], drawing.bands[-1]
    assert symbol.height == 20
    assert symbol.top + symbol.height - add_on.top >= 10


def test_a_character_is_drawn_once_a_caption(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large characters are not cached across captions, but no caption draws one twice."""
    canvases: list[Image.Image] = []
    draw = ImageDraw.Draw

    def counted(canvas: Image.Image) -> ImageDraw.ImageDraw:
        canvases.append(canvas)
        return draw(canvas)

    monkeypatch.setattr("PIL.ImageDraw.Draw", counted)
    text_rows(40_000, "@@AB@@" * 8, 20_000, 500)
    assert len(canvases) == 3


def test_text_is_never_so_small_that_digits_look_alike() -> None:
    """At one pixel per module text is 12 pixels high, from there on ten modules."""
    bars = code39("A")
    sizes = [draw_bars_with_text(bars, module, 20).texts[0].size for module in (1, 2, 3, 10)]
    assert sizes == [12, 20, 30, 100]


@sweep("size", [*range(6, 41), 100, 333, 590])
def test_ascent_and_descent_hold_every_character(size: int) -> None:
    """No printable ASCII character exceeds the lines that the layout assumes."""
    _, top, _, bottom = ImageFont.load_default(size).getbbox(ASCII, anchor="ls", mode="1")
    assert -top <= ascent(size)
    assert bottom <= descent(size)


def test_rows_are_the_ink_of_the_text() -> None:
    """A row is a number whose highest bit is the leftmost pixel; rows without ink are zero."""
    rows = text_rows(40, "|", 10, 12)
    inked = [y for y, row in enumerate(rows) if row]
    assert len(rows) == ascent(12) + descent(12)
    assert inked == list(range(inked[0], inked[-1] + 1))
    assert {row.bit_length() for row in rows if row} <= {40 - 10, 40 - 9, 40 - 8}


@examples(100, derandomize=True)
@given(st.text(ASCII, min_size=1, max_size=24), st.integers(6, 110))
def test_a_line_of_text_is_its_characters_side_by_side(text: str, size: int) -> None:
    """A line composed of cached characters has the pixels that Pillow draws for the whole line."""
    width = text_width(text, size)
    canvas = Image.new("1", (width, ascent(size) + descent(size)))
    x = 0
    for character in text:
        ImageDraw.Draw(canvas).text(
            (x, ascent(size)), character, fill=1, font=ImageFont.load_default(size), anchor="ls"
        )
        x += text_width(character, size)
    rows = text_rows(width, text, (width + 1) // 2, size)
    drawn = [[255 * int(bit) for bit in f"{row:0{width}b}"] for row in rows]
    assert b"".join(map(bytes, drawn)) == canvas.convert("L").tobytes()


@pytest.mark.parametrize("style", ["", "text { font-size: 26px }", "text { font-size: 16px }"])
@pytest.mark.parametrize("content", ["AB-12345", "W|i" * 12, "0" * 64])
def test_svg_text_takes_the_same_room_as_png_text(
    content: str, style: str, tmp_path: Path, png_picture: Picture, svg_picture: Picture
) -> None:
    """However wide the viewer's font is, the text keeps the width that the layout gave it."""
    rendering = BarcodeKey(find_symbology("CODE128"), content, ModuleWidth(2), 30, with_text=True).render()
    bars, png = svg_picture(rendering), png_picture(rendering).convert("L")
    font = ImageFont.load_default(20)
    assert isinstance(font, ImageFont.FreeTypeFont)
    (tmp_path / "font.otf").write_bytes(font.font_bytes)
    svg = _svg_with_text(rendering, tmp_path / "font.otf", style)
    inks = [ImageChops.difference(picture, bars).getbbox() or (0, 0, 0, 0) for picture in (png, svg)]
    assert all(abs(inks[0][side] - inks[1][side]) <= 4 for side in (0, 2))


def _svg_with_text(rendering: Rendering, font: Path, style: str) -> Image.Image:
    png = resvg_py.svg_to_bytes(
        svg_string=rendering.svg.decode(),
        skip_system_fonts=True,
        font_files=[str(font)],
        sans_serif_family="Aileron",
        style_sheet=style,
    )
    return Image.open(io.BytesIO(bytes(png))).convert("L")


def test_threads_draw_the_same_text() -> None:
    """Four threads that share the fonts draw the same as one: a font object is thread-safe."""
    jobs = [(f"{number:04}|gjpqy", 6 + number % 30) for number in range(2000)]

    def draw(job: tuple[str, int]) -> tuple[int, list[int]]:
        text, size = job
        return text_width(text, size), text_rows(400, text, 200, size)

    alone = [draw(job) for job in jobs]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(draw, jobs)) == alone
