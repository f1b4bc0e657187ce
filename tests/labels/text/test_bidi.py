import pytest
from bidi import get_display
from hypothesis import given, strategies as st

from barcodesvc.labels.text.bidi import levels_of, line_runs

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
