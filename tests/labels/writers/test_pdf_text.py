from __future__ import annotations

import pytest

from barcodesvc.labels.text.shaping import GlyphLine
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.labels.writers.pdf_text import Character, SpelledText, Spelling, literal


def _spelled(text: str, spelling: Spelling) -> SpelledText:
    words = Typesetter().words(text)
    line = words.line(0, words.clusters)
    assert isinstance(line, GlyphLine)
    return spelling.spelled(line, 1, 0, 0)


def _characters(text: str) -> list[Character]:
    """Return the characters of a line, from left to right."""
    spelling = Spelling()
    spelled = _spelled(text, spelling)
    characters = list(spelling.numbers)
    return [characters[number] for run in spelled.runs for number in run.placed[::3]]


def _texts(text: str) -> str:
    return "".join(character.text for character in _characters(text))


@pytest.mark.parametrize(("text", "pdf"), [(b"a", b"(a)"), (b"(a\\)", rb"(\(a\\\))"), (b"\xe9(", b"(\xe9\\()")])
def test_strings_are_escaped(text: bytes, pdf: bytes) -> None:
    """Parentheses and backslashes are escaped, all other bytes are unchanged."""
    assert literal(text) == pdf


def test_a_ligature_is_read_as_its_letters_one_by_one() -> None:
    """Lam and alef are one glyph and a blank, so that turning the line around gives both."""
    assert _texts("سلام")[::-1] == "سلام"


def test_every_text_of_a_glyph_is_a_separate_character() -> None:
    """A real blank, and one after a ligature for its second letter, are copied as what they are."""
    blanks = {each.text for each in _characters("لا لا") if each.glyph == each.face.blank}
    assert blanks == {" ", "ل"}


def test_a_line_is_spelled_in_runs_of_one_face() -> None:
    """Neighbouring runs of one face, of whatever script or direction, are one string of the page."""
    spelled = _spelled("Łódź שלום Ω", Spelling())
    assert len(spelled.runs) == 1


def test_a_glyph_without_a_text_has_the_text_of_its_line() -> None:
    """The second half of a Thai vowel maps to nothing, so the line carries its text as well as the glyphs."""
    assert _spelled("\N{THAI CHARACTER SARA AM}", Spelling()).actual_text == "\N{THAI CHARACTER SARA AM}"
    assert _spelled("Ω", Spelling()).actual_text == ""
