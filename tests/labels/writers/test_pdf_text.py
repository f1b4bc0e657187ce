from __future__ import annotations

import re

import pytest

from barcodesvc.labels.text.typefaces import plain_face
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.labels.writers.pdf_text import Character, Spelling


def _spelled(text: str, spelling: Spelling) -> bytes:
    words = Typesetter().words(text)
    return spelling.show(words.line(0, words.clusters), 1, 0, 0)


def _characters(text: str) -> list[Character]:
    """Return the characters of a line of one face, from left to right."""
    spelling = Spelling()
    codes = "".join(re.findall(r"<([0-9A-F]+)>(?! BDC|>)", _spelled(text, spelling).decode()))
    (font,) = spelling.fonts.values()
    return [font.characters[int(codes[at : at + 4], 16)] for at in range(0, len(codes), 4)]


def _texts(text: str) -> str:
    return "".join(character.text for character in _characters(text))


@pytest.mark.parametrize("text", ["M8 (bolt)", "Größe \\ 3,99 €"])
def test_a_plain_line_is_one_string(text: str) -> None:
    """Latin text is shown as a single string, two bytes a letter."""
    assert _spelled(text, Spelling()).count(b"<") == 1
    assert _texts(text) == text


def test_a_ligature_is_read_as_its_letters_one_by_one() -> None:
    """Lam and alef are one glyph and a blank, so that turning the line around gives both."""
    assert _texts("سلام")[::-1] == "سلام"


def test_every_text_of_a_glyph_is_a_separate_character() -> None:
    """A real blank, and one after a ligature for its second letter, are copied as what they are."""
    blanks = {each.text for each in _characters("لا لا") if each.glyph == plain_face().blank}
    assert blanks == {" ", "ل"}


def test_a_line_is_spelled_in_runs_of_one_face() -> None:
    """Neighbouring runs of one face, of whatever script or direction, are one string of the page."""
    assert _spelled("Łódź שלום Ω", Spelling()).count(b"BT") == 1


def test_a_glyph_without_a_text_has_the_text_of_its_line() -> None:
    """The second half of a Thai vowel maps to nothing, so the line carries its text as well as the glyphs."""
    assert b"/ActualText <FEFF0E33>" in _spelled("\N{THAI CHARACTER SARA AM}", Spelling())
    assert b"ActualText" not in _spelled("Ω", Spelling())
