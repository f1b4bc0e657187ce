"""Texts: how they are cleaned, when they are blank or refused, and how they are compared."""

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import TypeAdapter, ValidationError

from barcodesvc.models import CODE_PATTERN, Description, IdempotencyKey, ProductCode, ShortText
from barcodesvc.texts import UNSEEN_AT_ENDS, clean_text, fold, refuse_control_characters, shows_nothing
from tests.sweeps import sweep

LINE_BREAKS = ["\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029"]
WHITE_SPACE = [" ", "\t", "\n", "\r\n", "\v", "\f", "\x85", "\xa0", "\u2003", "\u202f", "\u3000"]
SEEN = {"Lu", "Ll", "Lt", "Nd", "Nl", "No", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sm", "Sk"}
"""General categories without invisible characters: letters of two cases, digits, punctuation, signs."""
MILLIONS = 4_000_000
"""Characters of texts that no one could wait for if cleaning took more time than in proportion to them."""


@sweep("space", WHITE_SPACE)
def test_surrounding_white_space_is_lost(space: str) -> None:
    """Every kind of it, at both ends; inside, spaces are kept."""
    assert clean_text(f"{space * 3}a  b{space}") == "a  b"


@sweep("line_break", LINE_BREAKS)
def test_line_breaks_inside_become_one_space(line_break: str) -> None:
    """However many there are, and whatever white space surrounds them."""
    assert clean_text(f"one{line_break}two {line_break}{line_break} \t{line_break}three") == "one two three"


@sweep(
    "blank", ["\u200b", "\ufe0f", "\u3164", "\u2800", "\U000e0020", "\xad\u034f", "\u200b \u200b", " \ufeff\n\u200b "]
)
def test_what_no_one_sees_is_no_text(blank: str) -> None:
    """Invisible spaces, marks, selectors, fillers, patterns and tags, alone or with white space."""
    assert clean_text(blank) == ""


@sweep("text", ["\u2764\ufe0f", "\u200fא", "a\u200b", "\u0600", "e\u0301", "\u200b.\u200b", "\ufffc", "\ue000\uffff"])
def test_invisible_characters_stay_where_something_is_seen(text: str) -> None:
    """They select emoji, directions and ligatures, so none is removed, and nothing is normalised."""
    assert clean_text(text) == text
    assert not shows_nothing(text)


def test_whether_something_is_seen_follows_unicode() -> None:
    """Single characters are invisible if they are white space, or format characters without a glyph."""
    signs = set(map(chr, [*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD]))
    signs |= set(map(chr, range(0x13430, 0x13440)))  # they arrange hieroglyphs
    for character in map(chr, range(0x110000)):
        if character.isspace() or (unicodedata.category(character) == "Cf" and character not in signs):
            assert shows_nothing(character), f"U+{ord(character):04X}"
        elif unicodedata.category(character) in SEEN:
            assert not shows_nothing(character), f"U+{ord(character):04X}"
    assert shows_nothing("")


def test_control_characters_are_refused() -> None:
    """A code point is refused exactly if its general category is control or surrogate, with where it is."""
    for character in map(chr, range(0x110000)):
        if unicodedata.category(character) in ("Cc", "Cs"):
            with pytest.raises(ValueError, match=rf"U\+{ord(character):04X} at position 2; remove it"):
                refuse_control_characters(f"a{character}")
        else:
            assert refuse_control_characters(f"a{character}") == f"a{character}"


@sweep(
    ("text", "cleaned"),
    [
        (" " * MILLIONS, ""),
        ("\n" * MILLIONS, ""),
        ("a" + " " * MILLIONS + "b", "a" + " " * MILLIONS + "b"),
        *((f"\u200b{line_break}" * MILLIONS, "") for line_break in ("\n", "\u2028")),
    ],
)
def test_millions_of_spaces_and_blank_lines_are_cleaned(text: str, cleaned: str) -> None:
    """A body full of white space cannot block the service: this would not end if it were scanned again and again."""
    assert clean_text(text) == cleaned


@sweep("line", ["a", "a\u200b"])
@sweep("line_break", LINE_BREAKS)
def test_of_millions_of_lines_only_a_beginning_is_cleaned(line: str, line_break: str) -> None:
    """The rest is too long for any field."""
    assert 500 < len(str(clean_text(f"{line}{line_break}" * 1_000_000))) < 1000


def test_a_text_of_many_lines_is_measured_as_it_is_cleaned() -> None:
    """Removed white space does not count, even around the longest accepted text."""
    longest, cleaned = " \n\n" + "a\n \u2028" * 249 + "bc" + "\n" * 1000, "a " * 249 + "bc"
    assert clean_text(longest) == cleaned
    assert len(str(clean_text(f"{longest}d"))) > len(cleaned) == 500


@given(st.text())
def test_a_printable_text_is_cleaned_as_any_other(text: str) -> None:
    """The fast path for plain spaces gives the same result as the slow one, which a no-break space selects."""
    assert clean_text(f"a{text}b") == clean_text(f"\xa0a{text}b")


@given(st.text(alphabet="".join({*"".join([*WHITE_SPACE, *LINE_BREAKS]), "a", "b"})))
def test_a_cleaned_text_is_clean(text: str) -> None:
    """Cleaning is idempotent, leaves one line, and loses no visible character."""
    clean = clean_text(text)
    assert isinstance(clean, str)
    assert clean_text(clean) == clean
    assert not set(clean) & set("".join(LINE_BREAKS))
    assert [c for c in clean if c in "ab"] == [c for c in text if c in "ab"]


def test_letters_fold_with_their_upper_and_lower_case() -> None:
    """No character of Unicode is missed by a search in another case."""
    cased = [character for character in map(chr, range(0x20000)) if character.upper() != character.lower()]
    assert len(cased) > 2000
    for character in cased:
        assert fold(character) == fold(character.upper()) == fold(character.lower()) == fold(character.title())


@given(st.text())
def test_folding_has_no_regard_to_case_and_composition(text: str) -> None:
    """The same text in upper case, decomposed, or already folded is the same text."""
    folded = fold(text)
    assert fold(folded) == folded
    assert fold(text.upper()) == folded
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text)) == folded


@sweep(
    ("text", "folded"),
    [
        ("Crème brûlée", "creme brulee"),
        ("GROẞ, groß", "gross, gross"),
        ("Łódź, Ørsted, Đorđe", "lodz, orsted, dorde"),
        ("Æon, œuvre, Þór, ħ, ŧ, ð", "aeon, oeuvre, thor, h, t, d"),
        ("Ёлка", "елка"),
        ("m², \N{FULLWIDTH LATIN CAPITAL LETTER B}, ﬁt", "m2, b, fit"),
        ("İ\N{LATIN SMALL LETTER DOTLESS I}Ii", "iiii"),
        ("कि, が", "कि, が"),
    ],
)
def test_accents_are_folded(text: str, folded: str) -> None:
    """Letters with accents become those that people type without them; marks of other scripts stay."""
    assert fold(text) == folded


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_folds_to_lower_case(text: str) -> None:
    """A scan compares the plain lower case of a code."""
    assert fold(text) == text.lower()


_TEXTS = st.text("ab \t\n\v\f\r\x85\u2028\u2029\xa0\u1680\u2003\x00\x1f\x7f\x9f\u200b\u2060\u3000\xe9", max_size=8)


def _accepted(kind: Any, text: str) -> bool:
    try:
        TypeAdapter(kind).validate_python(text)
    except ValidationError:
        return False
    return True


def _fits(kind: Any, text: str) -> bool:
    schema = TypeAdapter(kind).json_schema()
    found = re.search(schema["pattern"].removesuffix("$") + r"\Z", text)
    return bool(found and len(text) >= schema.get("minLength", 0))


@pytest.mark.parametrize("kind", [ProductCode, IdempotencyKey])
@given(text=_TEXTS)
def test_patterns_of_schemas_take_what_is_accepted(kind: Any, text: str) -> None:
    """A code or key matches the pattern and minimum length of its schema exactly if it is accepted."""
    assert _fits(kind, text) is _accepted(kind, text)


def test_the_pattern_of_a_code_has_all_that_its_ends_lose() -> None:
    """The pattern spells the same characters in ranges, to be short."""
    fitting = {chr(number) for number in range(0x10000) if re.match(CODE_PATTERN, f"{chr(number)}A")}
    assert fitting == {*UNSEEN_AT_ENDS, *map(chr, range(0x21, 0x7F))}


@pytest.mark.parametrize("kind", [Description, ShortText])
@given(text=_TEXTS)
def test_patterns_of_texts_refuse_only_what_is_refused(kind: Any, text: str) -> None:
    """A text that is accepted matches; the pattern does not say that a tab in a line and a blank text are refused."""
    if _accepted(kind, text):
        assert _fits(kind, text)
    elif _fits(kind, text):
        cleaned = str(clean_text(text))
        assert "\t" in cleaned or not cleaned
