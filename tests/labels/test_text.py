from __future__ import annotations

import pytest
from borb.pdf.font.simple_font.helvetica.helvetica import Helvetica
from hypothesis import given, strategies as st

from barcodesvc.labels.text import encode, fit_code, fit_words, least_code_room, literal, width

PRINTABLE = st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), min_size=1)
CODES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=64)


def test_widths_are_those_of_helvetica() -> None:
    """Every character is as wide as borb's metrics of Helvetica say, where they know it."""
    font = Helvetica()
    known = {code: font.get_width(bytes([code]).decode("cp1252", "replace"), font_size=1000) for code in range(256)}
    ours = {code: round(width(bytes([code])) * 1000) for code in range(256)}
    assert sum(map(bool, known.values())) == 211
    assert all(ours[code] == known[code] for code in known if known[code])


@pytest.mark.parametrize(("character", "thousandths"), [("²", 333), ("µ", 556), ("\xa0", 278), ("ƒ", 556)])
def test_widths_that_borb_lacks(character: str, thousandths: int) -> None:
    """Characters that borb's metrics leave out have Adobe's widths."""
    assert width(encode(character)) == thousandths / 1000


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Käse 3,99 €", "Käse 3,99 €"),
        ("Żubr, Český", "Zubr, Ceský"),
        ("茶 Ω\x07\x7f", "? ???"),
        ("ﬁn", "fin"),
        ("Łódź", "?ódz"),
    ],
)
def test_what_the_font_lacks_is_printed_as_near_as_it_can_be(text: str, printed: str) -> None:
    """A letter keeps its accent, else loses it, else is a question mark."""
    assert encode(text).decode("cp1252") == printed


def test_combining_accents_are_printed() -> None:
    """A letter followed by its accent is the accented letter."""
    assert encode("Cafe\u0301") == b"Caf\xe9"


@pytest.mark.parametrize(("text", "pdf"), [(b"a", b"(a)"), (b"(a\\)", rb"(\(a\\\))"), (b"\xe9(", b"(\xe9\\()")])
def test_strings_are_escaped(text: bytes, pdf: bytes) -> None:
    """Parentheses and backslashes are escaped, all other bytes stand for themselves."""
    assert literal(text) == pdf


def test_short_text_stays_on_one_line() -> None:
    """Text that fits keeps its size."""
    paragraph = fit_words(b"M8 bolt", 100, 8, 5.6, 2)
    assert (paragraph.lines, paragraph.size) == ((b"M8 bolt",), 8)


def test_long_text_is_broken_into_similar_lines() -> None:
    """Two lines come before a smaller size, and no word is left alone on the second."""
    paragraph = fit_words(b"Stainless steel hex bolt M8", 80, 8, 5.6, 2)
    assert (paragraph.lines, paragraph.size) == ((b"Stainless steel", b"hex bolt M8"), 8)


def test_longer_text_is_set_smaller() -> None:
    """Where two lines are not enough, they are made just small enough."""
    paragraph = fit_words(b"Stainless steel hex bolt M8", 50, 8, 5.6, 2)
    assert len(paragraph.lines) == 2
    assert 5.6 < paragraph.size < 8


def test_too_long_text_is_cut_with_an_ellipsis() -> None:
    """At the least size the rest of a text is replaced with an ellipsis."""
    paragraph = fit_words(b"word " * 40 + b"end", 60, 8, 5.6, 2)
    assert paragraph.size == 5.6
    assert paragraph.lines[0] == b"word word word word"
    assert paragraph.lines[1] == b"word word word word\x85"


def test_a_word_longer_than_the_line_is_broken() -> None:
    """A single long word is continued on the second line."""
    paragraph = fit_words(b"x" * 22, 38, 8, 5.6, 2)
    assert paragraph.lines == (b"x" * 13, b"x" * 9)


@given(PRINTABLE, st.floats(20, 500), st.floats(4, 30), st.integers(1, 2))
def test_words_never_exceed_their_room(text: str, room: float, size: float, most_lines: int) -> None:
    """Whatever the text, no line is wider than the room, and there are not more lines than allowed."""
    least = min(size, room / 3, max(0.7 * size, 4))
    paragraph = fit_words(encode(text), room, size, least, most_lines)
    assert all(width(line) * paragraph.size <= room + 1e-6 for line in paragraph.lines)
    assert 1 <= len(paragraph.lines) <= most_lines
    assert least - 1e-9 <= paragraph.size <= size


@given(CODES, st.floats(5, 500), st.floats(4, 72))
def test_codes_are_never_cut(code: str, room: float, size: float) -> None:
    """A product code is printed whole in at most three lines, or not at all if even that is too wide."""
    paragraph = fit_code(encode(code), room, size, 4)
    if paragraph is None:
        assert least_code_room(encode(code), 4) > room
        return
    assert b"".join(paragraph.lines) == encode(code)
    assert all(width(line) * paragraph.size <= room + 1e-6 for line in paragraph.lines)
