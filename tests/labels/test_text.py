from __future__ import annotations

import pytest
from hypothesis import example, given, settings, strategies as st

from barcodesvc.labels.helvetica import encode_code
from barcodesvc.labels.shaping import GlyphLine
from barcodesvc.labels.text import fit_code, fit_words, least_code_room, width
from barcodesvc.labels.typesetting import Typesetter

PRINTABLE = st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), min_size=1)
SCRIPTS = st.text("αβγδ Ελλάδα жщй ąĺőż שלום בורג مسمار لا سلام 12,5 (mm) x\u0301\u0323\u064b हिन्दी ณ้ำ", min_size=1)
CODES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=64)

words = Typesetter().words


def _texts(lines: tuple[bytes | GlyphLine, ...]) -> list[bytes]:
    return [line for line in lines if isinstance(line, bytes)]


def test_short_text_stays_on_one_line() -> None:
    """Text that fits keeps its size."""
    paragraph = fit_words(words("M8 bolt"), 100, 8, 5.6, 2)
    assert (paragraph.lines, paragraph.size) == ((b"M8 bolt",), 8)


def test_long_text_is_broken_into_similar_lines() -> None:
    """Two lines come before a smaller size, and no word is left alone on the second."""
    paragraph = fit_words(words("Stainless steel hex bolt M8"), 80, 8, 5.6, 2)
    assert (paragraph.lines, paragraph.size) == ((b"Stainless steel", b"hex bolt M8"), 8)


def test_longer_text_is_set_smaller() -> None:
    """Where two lines are not enough, they are made just small enough."""
    paragraph = fit_words(words("Stainless steel hex bolt M8"), 50, 8, 5.6, 2)
    assert len(paragraph.lines) == 2
    assert 5.6 < paragraph.size < 8


def test_too_long_text_is_cut_with_an_ellipsis() -> None:
    """At the least size the rest of a text is replaced with an ellipsis."""
    paragraph = fit_words(words("word " * 40 + "end"), 60, 8, 5.6, 2)
    assert paragraph.size == 5.6
    assert paragraph.lines[0] == b"word word word word"
    assert paragraph.lines[1] == b"word word word word\x85"


def test_a_word_longer_than_the_line_is_broken() -> None:
    """A single long word is continued on the second line."""
    paragraph = fit_words(words("x" * 22), 38, 8, 5.6, 2)
    assert paragraph.lines == (b"x" * 13, b"x" * 9)


@pytest.mark.parametrize(
    "text",
    ["Ελληνικός καφές φίλτρου αλεσμένος", "قهوة يونانية مطحونة للفلتر", "Кофе молотый крупного помола"],
)
def test_other_scripts_are_wrapped_shrunk_and_cut_likewise(text: str) -> None:
    """One line, two, two smaller ones, and at last an ellipsis, as the room gets narrower."""
    whole = width(words(text).line(0, words(text).clusters))
    found = [fit_words(words(text), whole * part, 8, 5.6, 2) for part in (9, 5, 4, 1)]
    assert [len(paragraph.lines) for paragraph in found] == [1, 2, 2, 2]
    assert [paragraph.size for paragraph in found[:2]] == [8, 8]
    assert 5.6 < found[2].size < 8
    assert found[3].size == 5.6


@settings(deadline=None, derandomize=True)
@example("\N{THAI CHARACTER SARA AM}", 20.0, 4.0, 1)
@given(PRINTABLE | SCRIPTS, st.floats(20, 500), st.floats(4, 30), st.integers(1, 2))
def test_words_never_exceed_their_room(text: str, room: float, size: float, most_lines: int) -> None:
    """Whatever the text, no line is wider than the room, and there are not more lines than allowed."""
    least = min(size, room / 3, max(0.7 * size, 4))
    paragraph = fit_words(words(text), room, size, least, most_lines)
    assert all(width(line) * paragraph.size <= room + 1e-6 for line in paragraph.lines)
    assert 1 <= len(paragraph.lines) <= most_lines
    assert least - 1e-9 <= paragraph.size <= size


@given(CODES, st.floats(5, 500), st.floats(4, 72))
def test_codes_are_never_cut(code: str, room: float, size: float) -> None:
    """A product code is printed whole in at most three lines, or not at all if even that is too wide."""
    paragraph = fit_code(encode_code(code), room, size, 4)
    if paragraph is None:
        assert least_code_room(encode_code(code), 4) > room
        return
    assert b"".join(paragraph.lines) == encode_code(code)
    assert all(width(line) * paragraph.size <= room + 1e-6 for line in paragraph.lines)
