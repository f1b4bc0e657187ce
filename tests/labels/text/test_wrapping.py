from collections.abc import Iterable

import pytest
from hypothesis import example, given, settings, strategies as st

from barcodesvc.drawing.glyphs import Line
from barcodesvc.drawing.plain import code_line
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.labels.text.wrapping import cut, wrapped

PRINTABLE = st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), min_size=1)
SCRIPTS = st.text("αβγδ Ελλάδα жщй ąĺőż שלום בורג مسمار لا سلام 12,5 (mm) x\u0301\u0323\u064b हिन्दी ณ้ำ", min_size=1)

words = Typesetter().words


def _texts(lines: Iterable[Line] | None) -> tuple[str, ...]:
    """Return the text of lines."""
    return tuple(line.text for line in lines or ())


def test_short_text_stays_on_one_line() -> None:
    """Text that fits the room is one line, however many are allowed."""
    assert _texts(wrapped(words("M8 bolt"), 12, 9)) == ("M8 bolt",)


def test_long_text_is_broken_into_similar_lines() -> None:
    """No word is left alone on the last line."""
    assert _texts(wrapped(words("Stainless steel hex bolt M8"), 10, 2)) == ("Stainless steel", "hex bolt M8")
    assert _texts(wrapped(words("Stainless steel hex bolt M8"), 10, 9)) == ("Stainless steel", "hex bolt M8")
    assert _texts(wrapped(words("one two three four five six"), 6, 9)) == ("one two", "three four", "five six")


@pytest.mark.parametrize("name", ["mounting-plate", "μεταλλική/πλάκα"])
def test_lines_end_behind_hyphens_and_slashes(name: str) -> None:
    """A compound is divided after its hyphen, but a number keeps its sign and its fraction."""
    lines = wrapped(words(name), 5.5, 2)
    assert lines is not None
    assert len(lines) == 2
    assert wrapped(words("12345-6/7890"), 5.5, 2) is None


def test_soft_hyphens_are_not_shown() -> None:
    """A hyphen that is only visible at the end of a line is left out."""
    assert _texts(wrapped(words("soft\u00adhyphen"), 20, 1)) == ("softhyphen",)


def test_a_text_of_too_many_lines_is_not_wrapped() -> None:
    """A text that needs more lines than there are, or wider ones for a word, is left for a smaller size."""
    assert wrapped(words("Stainless steel hex bolt M8"), 6, 2) is None
    assert wrapped(words("Stainless"), 3, 9) is None
    assert wrapped(words("M8"), 20, 0) is None


def test_too_long_text_is_cut_with_an_ellipsis() -> None:
    """Text that does not fit the lines is replaced with an ellipsis; text that fits is not."""
    lines = cut(words("word " * 40 + "end"), 10.7, 3)
    assert _texts(lines) == ("word word word word", "word word word word", "word word word word…")
    assert _texts(cut(words("M8 bolt"), 12, 3)) == ("M8 bolt",)


def test_a_word_longer_than_the_line_is_broken() -> None:
    """A single long word is continued on the next line."""
    assert _texts(cut(words("x" * 22), 6.8, 2)) == ("x" * 14, "x" * 8)


@pytest.mark.parametrize(
    "text",
    ["Ελληνικός καφές φίλτρου αλεσμένος", "قهوة يونانية مطحونة للفلتر", "Кофе молотый крупного помола"],
)
def test_other_scripts_are_wrapped_and_cut_likewise(text: str) -> None:
    """One line, two, three or more, and finally an ellipsis, as the room gets narrower."""
    whole = words(text).line(0, words(text).clusters).width
    found = [wrapped(words(text), whole * part, 9) for part in (1.01, 0.66, 0.5)]
    assert [lines and len(lines) for lines in found] == [1, 2, 3]
    assert wrapped(words(text), whole * 0.4, 2) is None
    assert len(cut(words(text), whole * 0.4, 2)) == 2


@settings(deadline=None, derandomize=True)
@example("\N{THAI CHARACTER SARA AM}", 5.0, 1)
@given(PRINTABLE | SCRIPTS, st.floats(3, 60), st.integers(1, 9))
def test_words_never_exceed_their_room(text: str, room: float, most_lines: int) -> None:
    """Whatever the text, no line is wider than the room, and there are not more lines than allowed."""
    for lines in (wrapped(words(text), room, most_lines), cut(words(text), room, most_lines)):
        if lines is not None:
            assert all(line.width <= room + 1e-5 for line in lines)
            assert 1 <= len(lines) <= most_lines


@given(st.text("ab ", min_size=1, max_size=80), st.floats(3, 20))
def test_wrapping_loses_nothing(text: str, room: float) -> None:
    """All words of a wrapped text are in its lines, in order."""
    lines = wrapped(words(text), room, 40)
    if lines is None:
        assert max(code_line(word).width for word in text.split()) > room
        return
    assert " ".join(_texts(lines)).split() == text.split()
