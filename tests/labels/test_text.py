"""Text on labels: the order of its directions, its glyphs, and the lines into which it is broken."""

from collections.abc import Iterable
from pathlib import Path

import pymupdf_fonts
import pytest
from bidi import get_display
from hypothesis import example, given, settings, strategies as st

from barcodesvc.drawing.faces import open_face
from barcodesvc.drawing.glyphs import Line
from barcodesvc.drawing.plain import PlainWords, code_line
from barcodesvc.errors import InvalidContent
from barcodesvc.labels.text.bidi import levels_of, line_runs
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.labels.text.wrapping import cut, wrapped
from barcodesvc.labels.text_lines import TextSize, code_lines, least_code_room

LETTERS = "abאבג\u0627بج12٣٤ +-.,:$%()[]<>{}\u0301\u05b0\u064b!?\u3008\u300b\u2329\u232a\u298d\u2990\u298f\u298e"
CONTROLS = "\u200e\u200f\u2066\u2067\u2068\u2069\u202a\u202b\u202c\u202d\u202e"
UNTURNED = str.maketrans("()[]<>{}\u3008\u3009\u300a\u300b\u2329\u232a\u298d\u2990\u298f\u298e", "((((((((((((((((((")


def _seen(text: str) -> str:
    """Return a text in visual order, without brackets and controls, which depend on drawing."""
    runs = line_runs(text, levels_of(text), 0, len(text))
    return "".join(text[start:stop][:: -1 if level % 2 else 1] for start, stop, level in runs)


def _without_controls(text: str) -> str:
    return "".join(character for character in text.translate(UNTURNED) if character not in CONTROLS)


@given(st.text(LETTERS, max_size=20) | st.text(LETTERS + CONTROLS.replace("\u2069", ""), max_size=20))
def test_text_is_ordered_as_by_another_implementation(text: str) -> None:
    """Letters, numbers, brackets and controls of both directions are as in the unicode-bidi library."""
    if not any(character in CONTROLS for character in text[-1:]):
        assert _without_controls(_seen(text + "a")) == _without_controls(get_display(text + "a"))


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("", ()),
        ("abc", (0, 0, 0)),
        ("אב 12", (1, 1, 1, 2, 2)),
        ("a אב", (0, 0, 1, 1)),
        ("a(א)", (0, 0, 1, 0)),
        ("א(a)", (1, 1, 2, 1)),
        ("\u2067a\u2069א", (1, 4, 1, 1)),
        ("a\u2068א\u2069", (0, 0, 1, 0)),
        ("\u202eab", (0, 1, 1)),
    ],
)
def test_levels_are_those_of_the_annex(text: str, levels: tuple[int, ...]) -> None:
    """Numbers, brackets, isolates and overrides have the levels that the rules lead to."""
    assert levels_of(text).each == levels


@pytest.mark.parametrize("control", ["\u2067", "\u202b", "\u2067\u202b"])
def test_depth_is_bounded(control: str) -> None:
    """Embeddings and isolates beyond the greatest depth change nothing, and their ends are matched."""
    text = control * 200 + "a" + "\u202c" * 200 + "\u2069" * 200 + "a"
    found = levels_of(text)
    assert max(found.each) <= 126


def test_a_line_is_ordered_by_itself() -> None:
    """A line cut from a paragraph keeps its levels, and the blanks at its end move to the paragraph's line end."""
    text = "אב ab גד"
    found = levels_of(text)
    assert line_runs(text, found, 0, 6) == [(5, 6, 1), (3, 5, 2), (0, 3, 1)]
    assert line_runs(text, found, 3, 3) == []


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


@pytest.mark.parametrize(("text", "drawn"), [("אב 12", "12 בא"), ("אב عم", "مع בא")])
def test_text_to_the_left_is_drawn_from_its_end(text: str, drawn: str) -> None:
    """Hebrew runs from right to left, and so does an Arabic word after it; a number runs from left to right."""
    assert "".join(letter for _, letter in _drawn(text)) == drawn


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


def test_what_hangs_over_the_end_of_a_line_widens_it() -> None:
    """A mark without a letter extends past the line's left end, which is moved to the right for it."""
    line = _line("\u0e49", Typesetter())
    assert line.runs[0].left > 0.1
    assert line.width >= line.runs[0].left


def test_marks_rise_above_tall_letters() -> None:
    """A vowel sign over a tall letter is lifted, and the line says by how much."""
    line = _line("ปู้ لُ", Typesetter())
    assert any(glyph.rise for run in line.runs for glyph in run.glyphs)


PRINTABLE = st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), min_size=1)
SCRIPTS = st.text("αβγδ Ελλάδα жщй ąĺőż שלום בורג مسمار لا سلام 12,5 (mm) x\u0301\u0323\u064b हिन्दी ณ้ำ", min_size=1)

words = Typesetter().words


def _texts(lines: Iterable[Line] | None) -> tuple[str, ...]:
    """Return the text of lines."""
    return tuple(line.text for line in lines or ())


def test_long_text_is_broken_into_similar_lines() -> None:
    """No word is left alone on the last line; text that fits the room is one line."""
    assert _texts(wrapped(words("M8 bolt"), 12, 9)) == ("M8 bolt",)
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


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=64),
    st.floats(5, 500),
    st.floats(4, 72),
)
def test_codes_are_never_cut(code: str, room: float, size: float) -> None:
    """A product code is printed completely in at most three lines, or not at all if even that is too wide."""
    lines = code_lines(code, room, TextSize(size, 4))
    if lines is None:
        assert least_code_room(code, 4) > room
        return
    pieces = [piece for line in lines for piece, _ in line.texts]
    assert "".join(piece.text for piece in pieces) == code
    assert len(pieces) == len(lines) <= 3
    assert all(piece.width * lines[0].size <= room + 1e-6 for piece in pieces)
