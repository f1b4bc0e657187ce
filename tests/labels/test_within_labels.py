"""Nothing ever leaves its label: any layout, printer, symbology and script, checked in the picture of each page.

Pages are rendered at one pixel per dot of their printer. A second rendering without the objects of the other kind tells
a page's symbols from its texts. If a label is rejected, the smallest one that the refusal names is printed.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import pypdfium2
import pytest
import zxingcpp
from hypothesis import assume, given, strategies as st
from PIL import ImageChops, ImageFilter
from PIL.Image import Image
from pypdfium2 import raw

from barcodesvc.errors import InvalidContent, InvalidInput
from barcodesvc.labels.grid import Measures, grid_sheet
from barcodesvc.labels.label_content import Label
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.resolution import resolution
from barcodesvc.labels.sheets import PageSize, Sheet, named_sheet, simple_sheet
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.symbols.modules import Bars, Matrix, Symbol
from barcodesvc.symbols.registry import find_symbology
from tests.labels.drawings import laid_out
from tests.properties import examples

Measure = Callable[[Image, Symbol], Any]
Box = tuple[int, int, int, int]

INKED = [255] * 195 + [0] * 61
"""Which greys count as ink, for Image.point."""
ASCII = st.characters(min_codepoint=33, max_codepoint=126)
CONTENTS = {
    "CODE128": st.text(ASCII, min_size=1, max_size=16),
    "EAN13": st.from_regex(r"[0-9]{12}(\+([0-9]{2}|[0-9]{5}))?", fullmatch=True),
    "ITF14": st.from_regex(r"[0-9]{13}", fullmatch=True),
    "QR": st.text(ASCII, min_size=1, max_size=40),
    "PDF417": st.text(ASCII, min_size=1, max_size=40),
}
WORDS = (
    "Edelstahlschraube für ÅÄÖ, gjpqy (verzinkt) Wff",
    "Ανοξείδωτη βίδα ᾮ ΐ",
    "בורג נירוסטה שחור לָּ",
    "น้ำดื่มบรรจุขวด ปู้ ที่ ญู",
    "ẬỔǮ Łģ Жђй",
)
ARABIC = "مسمار من الفولاذ قُرْآن م ع ج"
"""Ends in the deepest letters, see the test of cut Arabic below."""
SENTENCES = st.builds(
    lambda words, count: " ".join([words] * count), st.sampled_from([*WORDS, ARABIC]), st.integers(1, 4)
)
TALL = st.text("ẬỔǮБђЙÅĄ ģ אָבֵּ قُرْآن ج ई कि प्र ก่ ปู้ Ωᾧ x\u0302\u0303\u0323", min_size=1, max_size=60)
"""Letters with marks above each other and below them, and deep letters."""
WESTERN = st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), min_size=1, max_size=200)
MIXED = st.sampled_from(WORDS).flatmap(lambda letters: st.text(letters, min_size=1, max_size=40))
LINES = SENTENCES | WESTERN | TALL | MIXED


@st.composite
def labels(draw: st.DrawFn) -> Label:
    """Draw a label of any symbology with up to three texts."""
    name = draw(st.sampled_from(list(CONTENTS)))
    content = draw(CONTENTS[name])
    symbol = find_symbology(name).encode(content)
    return Label(symbol, content, tuple(draw(st.lists(LINES, max_size=2))))


@st.composite
def _axis(draw: st.DrawFn, label: tuple[int, int]) -> tuple[float, Measures]:
    side, gap, before, after = draw(st.tuples(st.floats(*label), *(st.floats(0, 4) for _ in range(3))))
    count = draw(st.integers(1, 2))
    measures = Measures(side, before, side + gap, count)
    return max(10, before + (count - 1) * (side + gap) + side + after), measures


@st.composite
def _grids(draw: st.DrawFn) -> Sheet:
    (width, across), (height, down) = draw(_axis((25, 60))), draw(_axis((15, 45)))
    return grid_sheet(PageSize(width, height), across, down)


PAGES = st.builds(PageSize, st.floats(30, 105), st.floats(35, 60))
SHEETS = st.one_of(
    _grids(),
    st.builds(simple_sheet, PAGES, st.integers(1, 4), st.none() | st.integers(1, 5)),
    PAGES.map(lambda page: named_sheet(f"{page.width:.1f}x{page.height:.1f}mm")),
)


@st.composite
def runs(draw: st.DrawFn) -> tuple[Sheet, Layout]:
    """Draw a sheet and a layout that keeps its labels on their page."""
    sheet = draw(SHEETS)
    scale = draw(st.sampled_from([1, 1, 1, 0.9, 0.97, 1.04]))
    room = [sheet.page.width - sheet.right * scale, sheet.page.height - sheet.bottom * scale]
    assume(min(room) >= 0)
    offset_x = draw(st.floats(max(-sheet.left * scale, -5), min(room[0], 5)))
    offset_y = draw(st.floats(max(-sheet.top * scale, -5), min(room[1], 5)))
    start = draw(st.integers(1, sheet.labels_per_page))
    size, dpi = draw(st.floats(4, 20) | st.floats(20, 72)), draw(st.integers(150, 600))
    return sheet, Layout(
        font_size=size, dpi=dpi, start_position=start, offset_x=offset_x, offset_y=offset_y, scale=scale
    )


def _rendered(pdf: bytes, dpi: int, left_out: int | None = None) -> list[Image]:
    """Return the pages, optionally without objects of one kind."""
    pictures = []
    with pypdfium2.PdfDocument(pdf) as document:
        for page in document:
            for found in list(page.get_objects(filter=[left_out], max_depth=1)) if left_out else ():
                page.remove_obj(found)
            pictures.append(page.render(scale=resolution(dpi).dots_per_point, grayscale=True).to_pil())
    return pictures


def _printed(sheet: Sheet, printing: Layout) -> Iterator[tuple[int, Box]]:
    """Yield the page of each label from the first printed one, and the area inside its padding, in pixels."""
    per_mm, scale = resolution(printing.dpi).dots_per_mm, printing.scale
    width, height = sheet.label_width * scale, sheet.label_height * scale
    padding = int(min(1.5, 0.05 * min(width, height)) * per_mm)
    index = printing.start_position - 1
    while True:
        page, on_page = divmod(index, sheet.columns * sheet.rows)
        row, column = divmod(on_page, sheet.columns)
        left = ((sheet.left + column * sheet.pitch_x) * scale + printing.offset_x) * per_mm
        top = ((sheet.top + row * sheet.pitch_y) * scale + printing.offset_y) * per_mm
        right, bottom = round(left) + int(width * per_mm), round(top) + int(height * per_mm)
        yield page, (round(left) + padding, round(top) + padding, right - padding, bottom - padding)
        index += 1


def _grown(box: Box) -> Box:
    """Return a box with the allowed excess: rounding, and grey edges."""
    left, top, right, bottom = box
    return max(left - 2, 0), max(top - 2, 0), right + 2, bottom + 2


def _check(printed: Sequence[Label], sheet: Sheet, printing: Layout, measured: Measure) -> None:
    """Check every label of a document, and that the rest of its pages is white."""
    pdf = write_pdf(laid_out(printed, sheet, printing))
    whole, symbols, texts = (
        _rendered(pdf, printing.dpi, kind) for kind in (None, raw.FPDF_PAGEOBJ_TEXT, raw.FPDF_PAGEOBJ_PATH)
    )
    for label, (page, box) in zip(printed, _printed(sheet, printing), strict=False):
        cell = _grown(box)
        found = _check_label(label, [pictures[page].crop(cell) for pictures in (whole, symbols, texts)], measured)
        assert isinstance(label.symbol, Matrix) or abs(sum(found.zone[::2]) + 2 * cell[0] - box[0] - box[2]) <= 4
        whole[page].paste(255, cell)
    assert [_inked(page) for page in whole] == [None] * len(whole)


def _check_label(label: Label, pictures: Sequence[Image], measured: Measure) -> Any:
    """Check a label in pictures of all of it, its symbol and its texts, and return the measured symbol.

    From three dots a module on it is read as well.
    """
    whole, symbol, text = pictures
    found = measured(symbol, label.symbol)
    west, north, east, south = found.zone
    assert min(west, north, whole.width - east, whole.height - south) >= 0
    assert found.zone_is_white(whole)
    assert abs(found.module - round(found.module)) < 0.1
    assert not _overlap(symbol if _has_guards(label) else symbol.filter(ImageFilter.MinFilter(3)), text)
    if found.module > 2.5:
        codes = zxingcpp.read_barcodes(whole, try_rotate=False, try_invert=False, text_mode=zxingcpp.TextMode.Plain)
        assert [code.text.startswith(label.code.partition("+")[0]) for code in codes] == [True]
    return found


def _inked(picture: Image) -> Box | None:
    return picture.point(INKED).getbbox()


def _overlap(one: Image, other: Image) -> bool:
    return _inked(ImageChops.lighter(one, other)) is not None


def _has_guards(label: Label) -> bool:
    return isinstance(label.symbol, Bars) and bool(label.symbol.guards)


@examples(150, derandomize=True)
@given(st.lists(labels(), min_size=1, max_size=5), runs())
def test_nothing_leaves_its_label(measured: Measure, printed: list[Label], run: tuple[Sheet, Layout]) -> None:
    """Ink stays inside the padding, text off the symbol, the quiet zone is white, and every code is read."""
    sheet, printing = run
    with suppress(InvalidContent):  # labels that are too small are refused
        _check(printed, sheet, printing, measured)


def test_arabic_that_is_cut_keeps_inside_its_label(measured: Measure) -> None:
    """The last letter before an ellipsis extends lower than inside its word, and has room for it."""
    symbol = find_symbology("EAN13").encode("516422155306")
    label = Label(symbol, "516422155306", ("مسمار من الفولاذ قُرْآن",))
    _check([label], named_sheet("37x30mm"), Layout(font_size=30, dpi=493), measured)


def test_an_offset_never_cuts_ink_off(measured: Measure) -> None:
    """Labels may leave the page by their padding, which shrinks with them."""
    label = Label(find_symbology("CODE128").encode("A"), "A", ("W" * 40,))
    with pytest.raises(InvalidInput):
        _check(
            [label], named_sheet("20x20mm"), Layout(font_size=4, dpi=600, offset_x=-1, offset_y=-1, scale=0.9), measured
        )


def test_text_keeps_clear_of_guards() -> None:
    """There are at least 0.2 mm between the guards of an EAN and the text below its digits."""
    label = Label(find_symbology("EAN13").encode("953903376304"), "953903376304", ("น้ำ" * 50,))
    pdf = write_pdf(laid_out([label], named_sheet("95.5x56.5mm"), Layout(font_size=4.78, dpi=600)))
    (symbol,), (text,) = (_rendered(pdf, 600, kind) for kind in (raw.FPDF_PAGEOBJ_TEXT, raw.FPDF_PAGEOBJ_PATH))
    assert not _overlap(symbol.filter(ImageFilter.MinFilter(9)), text)
