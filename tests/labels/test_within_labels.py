"""Nothing ever leaves its label: any layout, printer, symbology and script, checked in the picture of each page.

Pages are rendered at one pixel per dot of their printer. A second rendering without the objects of the other kind tells
a page's symbols from its texts. Where a label should be is computed here, from the lengths of its sheet alone.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

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
from barcodesvc.labels.sheets import SHEETS, PageSize, Sheet, named_sheet, simple_sheet
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.symbols.modules import Bars, Matrix, Symbol
from tests.labels.drawings import Box, inked, label, laid_out, rendered
from tests.properties import examples

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
    """Draw a label of any symbology with up to two texts."""
    name = draw(st.sampled_from(list(CONTENTS)))
    return label(name, draw(CONTENTS[name]), *draw(st.lists(LINES, max_size=2)))


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
ANY_SHEET = st.one_of(
    _grids(),
    st.builds(simple_sheet, PAGES, st.integers(1, 4), st.none() | st.integers(1, 5)),
    PAGES.map(lambda page: named_sheet(f"{page.width:.1f}x{page.height:.1f}mm")),
)


@st.composite
def runs(draw: st.DrawFn) -> tuple[Sheet, Layout]:
    """Draw a sheet and a layout that keeps its labels on their page."""
    sheet = draw(ANY_SHEET)
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


@dataclass(frozen=True)
class Measured:
    """A symbol in a picture, in pixels: its dark modules' edges, those of its quiet zone, the width of a module."""

    dark: Box
    zone: Box
    module: float

    def zone_is_white(self, picture: Image) -> bool:
        """Whether the quiet zone is empty; a grey pixel along either edge comes from a renderer."""
        left, top, right, bottom = self.dark
        west, north, east, south = self.zone
        strips = (
            (west + 1, north, left - 1, south),
            (right + 1, north, east - 1, south),
            (west, north + 1, east, top - 1),
            (west, bottom + 1, east, south - 1),
        )
        return not any(inked(picture.crop(each)) for each in strips if each[0] < each[2] and each[1] < each[3])


def _measured(picture: Image, symbol: Symbol) -> Measured:
    """Measure the symbol in a picture that is otherwise white.

    The height of bars is that of the third one, which is not a guard of EAN and UPC, between bearers.
    """
    left, top, right, bottom = inked(picture) or (0, 0, 0, 0)
    if isinstance(symbol, Matrix):
        module = (right - left) / len(symbol.rows[0])
        bottom, quiet = top + round(module * len(symbol.rows)), round(module * symbol.quiet)
        return Measured((left, top, right, bottom), (left - quiet, top - quiet, right + quiet, bottom + quiet), module)
    bearers = bool(symbol.bearer)
    module = (right - left) / (symbol.width if bearers else sum(symbol.runs))
    quiet_left, quiet_right = round(symbol.quiet_left * module), round(symbol.quiet_right * module)
    if bearers:
        left, right = left + quiet_left, right - quiet_right
    third_bar = left + round(module * (sum(symbol.runs[:4]) + symbol.runs[4] / 2))
    _, upper, _, lower = inked(picture.crop((third_bar, top, third_bar + 1, bottom))) or (0, 0, 0, 0)
    thickness = round(symbol.bearer * module) + bearers
    top, bottom = top + upper + thickness, top + lower - thickness
    return Measured((left, top, right, bottom), (left - quiet_left, top, right + quiet_right, bottom), module)


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


def _check(printed: Sequence[Label], sheet: Sheet, printing: Layout) -> None:
    """Check every label of a document, and that the rest of its pages is white."""
    pdf = write_pdf(laid_out(printed, sheet, printing))
    whole, symbols, texts = (
        rendered(pdf, printing.dpi, kind) for kind in (None, raw.FPDF_PAGEOBJ_TEXT, raw.FPDF_PAGEOBJ_PATH)
    )
    for one, (page, box) in zip(printed, _printed(sheet, printing), strict=False):
        cell = _grown(box)
        found = _check_label(one, [pictures[page].crop(cell) for pictures in (whole, symbols, texts)])
        assert isinstance(one.symbol, Matrix) or abs(sum(found.zone[::2]) + 2 * cell[0] - box[0] - box[2]) <= 4
        whole[page].paste(255, cell)
    assert [inked(page) for page in whole] == [None] * len(whole)


def _check_label(one: Label, pictures: Sequence[Image]) -> Measured:
    """Check a label in pictures of all of it, its symbol and its texts, and return the measured symbol.

    From three dots a module on it is read as well.
    """
    whole, symbol, text = pictures
    found = _measured(symbol, one.symbol)
    west, north, east, south = found.zone
    assert min(west, north, whole.width - east, whole.height - south) >= 0
    assert found.zone_is_white(whole)
    assert abs(found.module - round(found.module)) < 0.1
    assert not _overlap(symbol if _has_guards(one) else symbol.filter(ImageFilter.MinFilter(3)), text)
    if found.module > 2.5:
        codes = zxingcpp.read_barcodes(whole, try_rotate=False, try_invert=False, text_mode=zxingcpp.TextMode.Plain)
        assert [code.text.startswith(one.code.partition("+")[0]) for code in codes] == [True]
    return found


def _overlap(one: Image, other: Image) -> bool:
    return inked(ImageChops.lighter(one, other)) is not None


def _has_guards(one: Label) -> bool:
    return isinstance(one.symbol, Bars) and bool(one.symbol.guards)


@examples(150, derandomize=True)
@given(st.lists(labels(), min_size=1, max_size=5), runs())
def test_nothing_leaves_its_label(printed: list[Label], run: tuple[Sheet, Layout]) -> None:
    """Ink stays inside the padding, text off the symbol, the quiet zone is white, and every code is read."""
    sheet, printing = run
    with suppress(InvalidContent):  # labels that are too small are refused
        _check(printed, sheet, printing)


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("name", ["CODE128", "QR"])
def test_every_label_of_a_named_sheet_is_where_the_sheet_says(sheet: str, name: str) -> None:
    """Two pages, the second one partly filled, have all labels in order."""
    most = SHEETS[sheet].labels_per_page
    _check([label(name, f"A{number:03d}") for number in range(most + 2)], SHEETS[sheet], Layout(font_size=4))


def test_arabic_that_is_cut_keeps_inside_its_label() -> None:
    """The last letter before an ellipsis extends lower than inside its word, and has room for it."""
    cut = label("EAN13", "516422155306", "مسمار من الفولاذ قُرْآن")
    _check([cut], named_sheet("37x30mm"), Layout(font_size=30, dpi=493))


def test_an_offset_never_cuts_ink_off() -> None:
    """Labels may leave the page by their padding, which shrinks with them."""
    layout = Layout(font_size=4, dpi=600, offset_x=-1, offset_y=-1, scale=0.9)
    with pytest.raises(InvalidInput):
        laid_out([label("CODE128", "A", "W" * 40)], named_sheet("20x20mm"), layout)


def test_text_keeps_clear_of_guards() -> None:
    """There are at least 0.2 mm between the guards of an EAN and the text below its digits."""
    one = label("EAN13", "953903376304", "น้ำ" * 50)
    pdf = write_pdf(laid_out([one], named_sheet("95.5x56.5mm"), Layout(font_size=4.78, dpi=600)))
    (symbol,), (text,) = (rendered(pdf, 600, kind) for kind in (raw.FPDF_PAGEOBJ_TEXT, raw.FPDF_PAGEOBJ_PATH))
    assert not _overlap(symbol.filter(ImageFilter.MinFilter(9)), text)
