from pathlib import Path

import pymupdf_fonts
import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.drawing.faces import open_face
from barcodesvc.drawing.glyphs import Line
from barcodesvc.drawing.plain import PlainWords
from barcodesvc.errors import InvalidContent
from barcodesvc.labels.text.typesetting import Typesetter


def _line(text: str, typesetter: Typesetter) -> Line:
    words = typesetter.words(text)
    return words.line(0, words.clusters)


def _drawn(text: str) -> list[tuple[str, str]]:
    """Return the face and the text of each glyph of a line, from left to right."""
    line = _line(text, Typesetter())
    return [(run.face.name, run.text[glyph.start : glyph.stop]) for run in line.runs for glyph in run.glyphs]


@pytest.mark.parametrize("text", ["M8 bolt", "Größe 3,99 €", "Cafe\u0301", "a\xa0b", "Łódź", "so\u00adft"])
def test_latin_text_is_not_shaped(text: str) -> None:
    """Latin letters are set one after the other, composed or not."""
    assert isinstance(Typesetter().words(text), PlainWords)


def test_a_text_is_of_one_face_where_one_has_it() -> None:
    """Latin and Greek are from the same face; only a symbol is borrowed alone."""
    assert {face for face, _ in _drawn("Motor 5 kW")} == {"FiraGO-Regular"}
    assert {face for face, _ in _drawn("Motor 5 kΩ")} == {"FiraGO-Regular"}
    assert [face for face, _ in _drawn("⌀5")] == ["NotoSansSymbols-Regular", "FiraGO-Regular"]


def test_the_named_face_comes_first(tmp_path: Path) -> None:
    """The setting's font is used for all its characters, the bundled faces for the rest."""
    path = tmp_path / "named.ttf"
    path.write_bytes(pymupdf_fonts.myfont("notos"))
    typesetter = Typesetter(open_face(path))
    assert [run.face.name for run in _line("Łódź שלום", typesetter).runs] == ["NotoSans-Regular", "FiraGO-Regular"]
    assert [run.face.name for run in _line("Bolt", typesetter).runs] == ["NotoSans-Regular"]


@pytest.mark.parametrize(
    ("text", "character", "position"),
    [
        ("茶 5", "U+8336", 1),
        ("tea 😀", "U+1F600", 5),
        ("a\x07", "U+0007", 2),
        ("א\u0e31\U000110f0", "U+110F0", 3),
        ("cafe\u0301 😀", "U+1F600", 7),
        ("a\u00adb\u00ad😀", "U+1F600", 5),
        ("\u1112\u1161\u11ab 5", "U+D55C", 1),
    ],
)
def test_a_character_that_no_face_has_is_refused_by_name(text: str, character: str, position: int) -> None:
    """The refusal names the character, its position in what was sent, and the setting that helps."""
    with pytest.raises(InvalidContent, match=r"no font has a glyph for U\+.*BARCODESVC_LABEL_FONT names") as refusal:
        Typesetter().check(text)
    assert refusal.value.details == {"rule": "font", "character": character, "position": position}
    with pytest.raises(InvalidContent):
        Typesetter().words(text)


@pytest.mark.parametrize("text", ["Ω\u200b\u200f\ufe0f", "\u2066של\u2069", "\u200b", "a\u2009Ω", "Ω\u00ad"])
def test_invisible_characters_need_no_glyph(text: str) -> None:
    """Joiners, marks of direction, selectors and spaces of any width are no reason to reject a text."""
    Typesetter().check(text)
    assert Typesetter().words(text).ascent > 0


def test_arabic_letters_join() -> None:
    """A letter has another glyph at the beginning, in the middle and at the end of a word, and alone."""
    (run,) = _line("ببب ب", Typesetter()).runs
    glyphs = [glyph.number for glyph in run.glyphs if run.text[glyph.start : glyph.stop] == "ب"]
    assert len(glyphs) == len(set(glyphs)) == 4


def test_text_to_the_left_is_drawn_from_its_end() -> None:
    """Hebrew runs from right to left, a number in it from left to right."""
    assert "".join(text for _, text in _drawn("אב 12")) == "12 בא"


def test_a_ligature_is_read_as_all_its_letters() -> None:
    """Lam and alef are one glyph, which maps to both."""
    assert [text for _, text in _drawn("سلام")] == ["م", "لا", "س"]


def test_marks_stand_over_their_letters() -> None:
    """A mark without a composed letter is shifted back over its letter and uses no width."""
    typesetter = Typesetter()
    plain, marked = _line("жx", typesetter), _line("жx\u0304", typesetter)
    assert marked.width == pytest.approx(plain.width)
    letter, mark = marked.runs[-1].glyphs
    assert mark.origin < letter.origin + letter.advance
    assert mark.advance == 0


def test_equal_texts_are_measured_once() -> None:
    """Labels repeat descriptions, so a limited number of them is cached."""
    typesetter = Typesetter()
    first = typesetter.words("Ω")
    assert typesetter.words("Ω") is first
    for number in range(201):
        typesetter.words(f"Ω{number}")
    assert typesetter.words("Ω") is not first


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=40) | st.text("αжłאבلاسم\u0301\u064b 1(क्षि", max_size=40))
def test_any_text_is_set_or_refused(text: str) -> None:
    """A text is rejected or set, and lines are as wide as their clusters."""
    typesetter = Typesetter()
    try:
        typesetter.check(text)
    except InvalidContent:
        return
    words = typesetter.words(text)
    line = words.cut_line(0, words.clusters)
    assert line.width > 0
    assert line.width == pytest.approx(sum(words.advances) / 1000, abs=2 + text.count(" "))


def test_two_scripts_to_the_left_stand_in_their_order() -> None:
    """An Arabic word after a Hebrew one is drawn to its left."""
    assert "".join(text for _, text in _drawn("אב عم"))[::-1] == "אב عم"


def test_what_hangs_over_the_end_of_a_line_widens_it() -> None:
    """A mark without a letter extends past the line's left end, which is moved to the right for it."""
    line = _line("\u0e49", Typesetter())
    assert line.runs[0].left > 0.1
    assert line.width >= line.runs[0].left


def test_marks_rise_above_tall_letters() -> None:
    """A vowel sign over a tall letter is lifted, and the line says by how much."""
    line = _line("ปู้ لُ", Typesetter())
    assert any(glyph.rise for run in line.runs for glyph in run.glyphs)
