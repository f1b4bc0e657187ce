import pytest

from barcodesvc.drawing.faces import plain_face
from barcodesvc.drawing.glyphs import PLAIN, Line, alphabet
from barcodesvc.drawing.plain import ACCENTED_ASCENT, ASCENT, DESCENT, PlainWords, code_line
from barcodesvc.errors import InvalidContent
from barcodesvc.labels.text.shaping import UnicodeWords

WESTERN = "".join(sorted(letter for letter in PLAIN if letter < "\u0100"))


def _origins(line: Line) -> list[int]:
    return [glyph.origin for run in line.runs for glyph in run.glyphs]


def test_the_plain_face_has_every_plain_letter() -> None:
    """What the rule calls plain can be set."""
    assert alphabet(plain_face()).letters.keys() == PLAIN


def test_letters_stand_one_after_the_other() -> None:
    """Each glyph begins where the advance of the one before it ends, as when it is shaped without kerning."""
    line = code_line("HINH")
    shaped = UnicodeWords("HINH", [plain_face()] * 4, plain_face()).line(0, 4)
    assert _origins(line) == _origins(shaped)
    assert line.width == pytest.approx(shaped.width)
    assert [glyph.number for run in line.runs for glyph in run.glyphs] == [
        glyph.number for run in shaped.runs for glyph in run.glyphs
    ]


def test_a_line_includes_the_ink_beyond_its_ends() -> None:
    """The hook of a `j` extends to the left of its origin, which moves right for it."""
    (run,) = code_line("j1").runs
    assert run.left > 0
    assert run.left == pytest.approx(-plain_face().ink(plain_face().nominal("j"))[0] / plain_face().units)


def test_no_letter_is_higher_or_deeper_than_its_line() -> None:
    """The constants of lines hold for ASCII and for Western letters; a deeper letter makes its line higher."""
    letters, units = alphabet(plain_face()).letters, plain_face().units
    assert max(letters[letter].top for letter in WESTERN if letter.isascii()) <= ASCENT * units
    assert max(letters[letter].top for letter in WESTERN) <= ACCENTED_ASCENT * units
    assert min(letters[letter].bottom for letter in WESTERN) >= -DESCENT * units
    assert PlainWords("ķ", alphabet(plain_face())).descent > DESCENT


@pytest.mark.parametrize("text", ["茶", "Ω", "ﬁ", "a\x07", "\x7f", "\x81", "\u200b"])
def test_what_is_not_plain_is_no_code(text: str) -> None:
    """A code is set unchanged or rejected."""
    with pytest.raises(InvalidContent, match="is not a code that can be printed"):
        code_line(f"a{text}")
