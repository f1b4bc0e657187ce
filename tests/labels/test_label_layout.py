"""The layout of one label in dots; that all ink stays inside it is in `test_within_labels`."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from barcodesvc.drawing.plain import ASCENT, DESCENT, code_line
from barcodesvc.drawing.shapes import BarImage, Drawing, Rectangle
from barcodesvc.labels.label_layout import LabelArea, attempts_at, draw_label
from barcodesvc.labels.resolution import resolution
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.labels.text_lines import Paragraph
from barcodesvc.symbols.modules import Bars, Matrix, Symbol
from barcodesvc.symbols.registry import find_symbology

CODES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=64)
DOTS = resolution(300)
AREAS = st.builds(LabelArea, st.integers(59, 3000), st.integers(59, 3000), st.just(DOTS))
LARGE = LabelArea(6000, 6000, DOTS)
"""A label on which everything fits."""
CODE128, QR, EAN13 = (find_symbology(name).encode for name in ("CODE128", "QR", "EAN13"))


def _area(width_mm: float, height_mm: float) -> LabelArea:
    return LabelArea(int(width_mm * DOTS.dots_per_mm), int(height_mm * DOTS.dots_per_mm), DOTS)


def _texts(text: str) -> tuple[Paragraph, ...]:
    return (Paragraph(Typesetter().words(text), 1, is_above=False),) if text else ()


def _drawn(symbol: Symbol, area: LabelArea, description: str = "", font_size: float = 8) -> Drawing:
    found = draw_label(symbol, "AB-12345", _texts(description), area, attempts_at(font_size, DOTS))
    assert found is not None
    return found


def _bars(found: Drawing) -> BarImage:
    assert isinstance(found.image, BarImage)
    return found.image


def _guard_depth(found: Drawing) -> int:
    first, _, ordinary, *_ = _bars(found).extents
    return first.height - ordinary.height


def _zone(symbol: Symbol, found: Drawing) -> Rectangle:
    """Return the area of a symbol with its quiet zones, as high as its ordinary bars."""
    image, module = found.image, found.image.module
    width = module * symbol.width
    if isinstance(symbol, Matrix):
        quiet = module * symbol.quiet
        return Rectangle(image.left - quiet, image.top - quiet, width, module * symbol.height)
    return Rectangle(image.left - module * symbol.quiet_left, image.top, width, _bars(found).extents[2].height)


def test_a_label_is_refused_only_if_the_least_symbol_does_not_fit() -> None:
    """A label a millimetre narrower or lower than the smallest one named has no room for the symbol."""
    symbol = CODE128("AB-12345")
    sizes = [(width, height) for width in range(100, 500, 4) for height in (60, 100, 140)]
    fitting = [
        size for size in sizes if draw_label(symbol, "AB-12345", (), LabelArea(*size, DOTS), attempts_at(8, DOTS))
    ]
    least = min(width for width, _ in fitting)
    assert 2 * symbol.width < least < 2 * symbol.width * 1.15
    assert min(height for _, height in fitting) == 100


@given(
    st.tuples(st.sampled_from(["CODE128", "QR"]), CODES, st.sampled_from(["", "Hex bolt M8"])),
    AREAS,
    st.floats(4, 72),
    st.integers(1, 900),
)
def test_more_room_is_never_refused(printed: tuple[str, str, str], area: LabelArea, size: float, more: int) -> None:
    """Content that fits a label fits any whose padding, which grows with its shorter side, leaves enough room."""
    kind, content, text = printed
    symbol, texts = find_symbology(kind).encode(content), _texts(text)
    if draw_label(symbol, content, texts, area, attempts_at(size, DOTS)) is None:
        area = LARGE
    for across, down in ((more, 0), (0, more), (more, more)):
        larger = replace(area, width=area.width + across, height=area.height + down)
        if larger.inner_width >= area.inner_width and larger.inner_height >= area.inner_height:
            assert draw_label(symbol, content, texts, larger, attempts_at(size, DOTS)) is not None


@pytest.mark.parametrize(
    ("name", "content", "sides"),
    [("QR", "AB-77777777", [(165, 499), (185, 519)]), ("PDF417", "AB-777", [(620, 229), (640, 229)])],
)
def test_a_wider_label_is_not_refused_for_a_larger_code(name: str, content: str, sides: list[tuple[int, int]]) -> None:
    """If a larger code text or symbol would leave other texts no room, they stay as small as before."""
    symbol = find_symbology(name).encode(content)
    texts = (*_texts("a"), *_texts("b c d"))
    for width, height in sides:
        assert draw_label(symbol, content, texts, LabelArea(width, height, DOTS), attempts_at(20, DOTS)) is not None


def test_a_symbol_is_as_large_as_its_label_allows() -> None:
    """The module grows dot by dot with the label, up to the 1.016 mm that scanners are designed for."""
    symbol = CODE128("AB-12345")
    modules = [_drawn(symbol, _area(side, 40)).image.module for side in range(30, 200, 5)]
    assert modules == sorted(modules)
    assert set(modules) == set(range(2, 13))


def test_bars_have_bounded_height() -> None:
    """In a huge label bars stay within 40 mm, and in a narrow one within 0.6 of their width."""
    wide, narrow = CODE128("AB-12345"), CODE128("1")
    assert _zone(wide, _drawn(wide, _area(300, 300))).height == 472
    zone = _zone(narrow, _drawn(narrow, _area(20, 100)))
    assert zone.height == int(0.6 * zone.width)


def test_the_modules_of_a_matrix_have_no_bound() -> None:
    """A matrix fills any label, because readers read it from any distance."""
    assert _drawn(QR("AB-12345"), _area(300, 300)).image.module == 119


def test_text_is_at_the_wanted_size_where_it_fits() -> None:
    """Code and description have the same requested size, and all of it is centred to the dot."""
    area, symbol = _area(62, 26), CODE128("AB-12345")
    found = _drawn(symbol, area, "M8 bolt")
    code, description = found.texts
    below = area.height - description.baseline - DESCENT * description.size
    assert _zone(symbol, found).top == pytest.approx(below, abs=2)
    assert code.size == description.size == pytest.approx(8 * DOTS.dots_per_point)
    for text in (code, description):
        assert text.left + text.line.width * text.size / 2 == pytest.approx(area.width / 2, abs=0.5)


def test_a_description_yields_to_the_symbol() -> None:
    """On a low label the description loses lines and size, and is cut, before the symbol gets hard to scan."""
    text = "Stainless steel hex bolt with washer and nut"
    heights = (30, 24, 21)
    found = [_drawn(QR("AB-12345"), _area(22, height), text) for height in heights]
    sizes = [at.texts[-1].size for at in found]
    assert [len(at.texts) for at in found] == [4, 3, 2]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[1] < sizes[0]
    assert all(at.image.module >= 5 for at in found)


def test_a_description_is_wrapped_into_as_many_lines_as_it_needs() -> None:
    """On a label with room nothing is cut and nothing is shrunk, and bars keep a height that is easily hit."""
    symbol = CODE128("AB-12345")
    found = _drawn(symbol, _area(100, 150), "Stainless steel hex bolt with washer " * 13)
    assert len(found.texts) == 8
    assert {text.size for text in found.texts} == {8 * DOTS.dots_per_point}
    assert " ".join(text.line.text for text in found.texts).count("washer") == 13
    assert _zone(symbol, found).height >= DOTS.easy_bar_height


def test_text_is_next_to_a_matrix_on_a_wide_label() -> None:
    """On a label that is much wider than high, the symbol uses the height, and its text the room to its right."""
    area, symbol = _area(99, 38), QR("AB-12345")
    found = _drawn(symbol, area, "Stainless steel hex bolt with washer")
    zone = _zone(symbol, found)
    assert found.image.module == area.inner_height // 29
    assert min(text.left for text in found.texts) >= zone.left + zone.width + DOTS.gap
    assert zone.left - area.padding == pytest.approx(
        area.width - area.padding - max(text.left + text.line.width * text.size for text in found.texts), abs=2
    )


def test_digits_keep_clear_of_the_guards() -> None:
    """The digits of an EAN keep a module's distance from its guards, however large the font."""
    symbol = EAN13("401234500001")
    found = _drawn(symbol, _area(62, 30), font_size=40)
    left, module = _zone(symbol, found).left, found.image.module
    for text, (start, stop) in zip(found.texts[1:], ((14, 56), (61, 103)), strict=True):
        assert text.left >= left + (start + 0.99) * module
        assert text.left + text.line.width * text.size <= left + (stop - 0.99) * module


def test_guards_reach_down_next_to_the_text() -> None:
    """Guards are five modules longer than the other bars, but never reach below the digits."""
    symbol = EAN13("401234500001")
    assert _guard_depth(_drawn(symbol, _area(62, 30))) == 5 * 6
    assert _guard_depth(_drawn(symbol, _area(190, 50), font_size=4)) == 8 + int(4 * DOTS.dots_per_point * ASCENT)


def test_bars_without_captions_have_no_text() -> None:
    """A linear symbol without captions is printed without its code, and its guards stay level."""
    symbol = CODE128("AB-12345")
    assert isinstance(symbol, Bars)
    plain = Bars(symbol.runs, 10, 10, guards=frozenset({0}))
    found = _drawn(plain, _area(62, 26))
    assert (found.texts, _guard_depth(found)) == ((), 0)


def test_a_huge_font_needs_a_larger_label() -> None:
    """A description that has no room for three letters has no layout."""
    assert draw_label(QR("1"), "1", _texts("Coffee"), _area(40, 200), attempts_at(72, DOTS)) is None
    assert draw_label(QR("1"), "1" * 64, (), _area(20, 200), attempts_at(8, DOTS)) is None


@pytest.mark.parametrize("size", [4, 8, 72])
def test_an_add_on_is_below_its_own_digits(size: float) -> None:
    """The digits above an add-on are inside the label and above its bars, which keep half of their height."""
    symbol = find_symbology("EAN13").encode("4006381333931+51299")
    area = _area(70, 37)
    found = _drawn(symbol, area, font_size=size)
    text = found.texts[-1]
    assert text.line == code_line("51299")
    zone, drop = _zone(symbol, found), _bars(found).extents[-1].top
    assert text.baseline < zone.top + drop
    assert area.padding <= text.baseline - 0.72 * text.size
    assert 0 < drop <= zone.height / 2 + 8
    assert text.left > area.width / 2


def test_203_dots_an_inch_are_8_a_millimetre() -> None:
    """A label has as many whole dots as it holds, of printheads whose name is rounded too."""
    sides = [(203, 100), (300, 100), (300, 25.4), (600, 50.8)]
    assert [resolution(dpi).whole_dots(side) for dpi, side in sides] == [800, 1181, 300, 1200]
