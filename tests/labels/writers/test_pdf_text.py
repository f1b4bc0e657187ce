import re

import pytest

from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.labels.writers.pdf_text import UsedFonts


def _shown(text: str, fonts: UsedFonts) -> bytes:
    words = Typesetter().words(text)
    return fonts.show(words.line(0, words.clusters), 1, 0, 0)


def _texts(text: str) -> str:
    """Return the texts of the characters of a line of one face, from left to right."""
    fonts = UsedFonts()
    codes = "".join(re.findall(r"<([0-9A-F]+)>", _shown(text, fonts).decode()))
    (font,) = fonts.fonts.values()
    return "".join(font.texts[int(codes[at : at + 4], 16)] for at in range(0, len(codes), 4))


@pytest.mark.parametrize("text", ["M8 (bolt)", "Größe \\ 3,99 €"])
def test_a_plain_line_is_one_string(text: str) -> None:
    """Latin text is shown as a single string, two bytes a letter."""
    assert _shown(text, UsedFonts()).count(b"<") == 1
    assert _texts(text) == text


def test_a_ligature_is_read_as_its_letters_one_by_one() -> None:
    """Lam and alef are one glyph, and turning the line around gives both."""
    assert _texts("سلام")[::-1] == "سلام"


def test_a_glyph_means_the_text_of_its_first_use() -> None:
    """A blank and a special one are the same glyph of the face."""
    assert _texts("a b\u2002Ω") == "a b Ω"


def test_a_line_is_shown_in_runs_of_one_face() -> None:
    """Neighbouring runs of one face, of whatever script or direction, are one string of the page."""
    assert _shown("Łódź שלום Ω", UsedFonts()).count(b"BT") == 1


def test_a_glyph_without_a_text_means_nothing_visible() -> None:
    """Readers need a text for the second glyph of a Thai vowel that is one character."""
    assert _texts("\N{THAI CHARACTER SARA AM}").strip("\u2060") == "\N{THAI CHARACTER SARA AM}"
