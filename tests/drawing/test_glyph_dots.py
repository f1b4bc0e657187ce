import pytest

from barcodesvc.drawing.faces import plain_face
from barcodesvc.drawing.glyph_dots import GlyphDots, glyph_dots


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


@pytest.mark.parametrize("character", "-_lI|+")
@pytest.mark.parametrize("size", [11.25, 12, 13, 14, 16])
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
