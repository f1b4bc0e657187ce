"""Letters of the plain face: where each stands on its line, and the dots that it becomes."""

import pytest

from barcodesvc.drawing.faces import plain_face
from barcodesvc.drawing.glyph_dots import GlyphDots, glyph_dots
from barcodesvc.drawing.glyphs import PLAIN, Line, alphabet
from barcodesvc.drawing.plain import ACCENTED_ASCENT, ASCENT, DESCENT, PlainWords, code_line
from barcodesvc.errors import InvalidContent
from barcodesvc.labels.text.shaping import UnicodeWords
from tests.sweeps import sweep

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


@pytest.mark.parametrize("text", ["茶", "ﬁ", "a\x07", "\x81", "\u200b"])
def test_what_is_not_plain_is_no_code(text: str) -> None:
    """A code is set unchanged or rejected."""
    with pytest.raises(InvalidContent, match="is not a code that can be printed"):
        code_line(f"a{text}")


def _dots(character: str, size: float) -> GlyphDots:
    return glyph_dots(plain_face(), plain_face().nominal(character), size)


def _shown(dots: GlyphDots) -> list[str]:
    """Return the rows with `#` for dark."""
    return [f"{row:0{dots.width}b}".replace("0", " ").replace("1", "#") for row in dots.rows]


def test_dots_lie_where_the_outline_is() -> None:
    """The corner and the extent of a glyph's dots are those of its ink, to the dot."""
    left, right, top, bottom = (side / plain_face().units * 100 for side in plain_face().ink(plain_face().nominal("H")))
    dots = _dots("H", 100)
    assert (dots.left, dots.left + dots.width) == pytest.approx((left, right), abs=1)
    assert (-dots.top, len(dots.rows) - -dots.top) == pytest.approx((top, -bottom), abs=1)


def test_counters_stay_light() -> None:
    """The inside of an `o` is no part of it."""
    rows = _shown(_dots("o", 30))
    assert rows[len(rows) // 2].strip(" #") == ""
    assert " " in rows[len(rows) // 2].strip()


@sweep("character", "-_lI|+")
@sweep("size", [11.25, 12, 14, 16])
def test_no_stroke_is_lost(character: str, size: float) -> None:
    """From the smallest text on, 4 points at 203 dpi, a straight stroke keeps a line of dots without a gap."""
    rows = [row for row in _shown(_dots(character, size)) if row.strip()]
    assert "".join(rows).count("#") >= len(rows) > 0
    assert all("#" in row for row in rows)


def test_small_letters_keep_their_bars() -> None:
    """An `e` of 4 points at 203 dpi is no `c`: a row in its middle is dark from side to side."""
    dots = _dots("e", 11.25)
    assert any(row.strip().count("#") >= dots.width - 1 for row in _shown(dots)[2:-2])


def test_a_blank_has_no_dots() -> None:
    """Nothing is painted for it."""
    assert _dots(" ", 30).rows == ()
