"""Text fields: how they are cleaned, when they are blank or refused, and how they are compared."""

import re
import time
import unicodedata
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from barcodesvc.models import (
    CODE_PATTERN,
    Description,
    IdempotencyKey,
    LevelUpdate,
    ProductChange,
    ProductCode,
    ProductDraft,
    ShortText,
)
from barcodesvc.texts import UNSEEN_AT_ENDS, clean_text, fold, refuse_control_characters, shows_nothing
from tests.drafts import built, refused
from tests.sweeps import sweep

LINE_BREAKS = ["\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029"]
CONTROLS = [c for c in map(chr, range(0xA0)) if unicodedata.category(c) == "Cc" and c not in LINE_BREAKS]
WHITE_SPACE = [" ", "\t", "\n", "\r\n", "\v", "\f", "\x85", "\xa0", "\u2003", "\u202f", "\u3000"]
TEXTS = [
    (ProductDraft, "description", 500),
    (ProductDraft, "category", 64),
    (ProductDraft, "unit_of_measure", 64),
    (ProductChange, "description", 500),
    (ProductChange, "category", 64),
    (ProductChange, "unit_of_measure", 64),
    (LevelUpdate, "change_reason", 200),
    (LevelUpdate, "updated_by", 100),
]

every_text = pytest.mark.parametrize(("model", "field"), [(model, field) for model, field, _ in TEXTS])


@pytest.mark.parametrize(("model", "field", "longest"), TEXTS)
def test_a_text_has_its_greatest_length(model: type[BaseModel], field: str, longest: int) -> None:
    """Characters count, not bytes, and surrounding white space does not."""
    fitting = "🜁" * longest
    assert getattr(built(model, **{field: f"  {fitting}\n"}), field) == fitting
    assert f"at most {longest} characters" in refused(model, **{field: fitting + "x"})[field]


@every_text
def test_only_texts_that_may_be_empty_are(model: type[BaseModel], field: str) -> None:
    """A description must not be blank; white space alone is blank."""
    for blank in ("", " \t\r\n\u3000"):
        if field == "description":
            assert "at least 1 character" in refused(model, **{field: blank})[field]
        else:
            expected = "pcs" if field == "unit_of_measure" else ""
            assert getattr(built(model, **{field: blank}), field) == expected


SEEN = {"Lu", "Ll", "Lt", "Nd", "Nl", "No", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sm", "Sk"}
"""General categories without invisible characters: letters of two cases, digits, punctuation, signs."""
INVISIBLE = [
    "\u200b",
    "\u200d",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\u200e",
    "\u034f",
    "\ufe0f",
    "\u3164",
    "\u2800",
    "\U000e0020",
]
"""An invisible space, joiner, mark, selector, filler, pattern and tag."""


@every_text
@pytest.mark.parametrize("blank", [*INVISIBLE, "".join(INVISIBLE), "\u200b \u200b", " \ufeff\n\u3000\u200b "])
def test_what_no_one_sees_is_no_text(model: type[BaseModel], field: str, blank: str) -> None:
    """Zero-width and other invisible characters alone, or with white space, are blank on either way in."""
    if field == "description":
        assert "at least 1 character" in refused(model, **{field: blank})[field]
    else:
        assert getattr(built(model, **{field: blank}), field) == ("pcs" if field == "unit_of_measure" else "")


@pytest.mark.parametrize("text", ["\u2764\ufe0f", "\u200fא", "a\u200b", "\u0600", "e\u0301", "\u200b.\u200b", "\ufffc"])
def test_invisible_characters_stay_where_something_is_seen(text: str) -> None:
    """They select emoji, directions and ligatures, so none is removed."""
    assert built(ProductDraft, description=text).description == text
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


@given(st.text(alphabet="".join({*"".join([*WHITE_SPACE, *LINE_BREAKS, *INVISIBLE])}), max_size=10))
def test_no_product_is_without_a_unit(blank: str) -> None:
    """Every kind of blank unit of measure, on either way in, becomes the default one."""
    assert built(ProductDraft, unit_of_measure=blank).unit_of_measure == "pcs"
    change = built(ProductChange, unit_of_measure=blank)
    assert (change.unit_of_measure, change.model_fields_set) == ("pcs", {"unit_of_measure"})
    assert built(ProductChange).unit_of_measure is None


@pytest.mark.parametrize("space", WHITE_SPACE)
def test_surrounding_white_space_is_lost(space: str) -> None:
    """Every kind of it, at both ends; inside, spaces are kept."""
    assert built(ProductDraft, description=f"{space * 3}a  b{space}").description == "a  b"


@pytest.mark.parametrize("line_break", LINE_BREAKS)
def test_line_breaks_inside_become_one_space(line_break: str) -> None:
    """However many there are, and whatever white space surrounds them."""
    text = f"one{line_break}two {line_break}{line_break} \t{line_break}three"
    assert built(ProductDraft, description=text).description == "one two three"


@sweep("control", CONTROLS)
def test_other_control_characters_are_refused(control: str) -> None:
    """Inside a text, and except for the tab at its ends too, with code point and position."""
    problem = f"control character U+{ord(control):04X} at position 4; remove it"
    assert problem in refused(ProductDraft, description=f"  abc{control}d")["description"]
    if control != "\t":
        assert problem in refused(ProductDraft, description=f"abc{control}")["description"]


@every_text
def test_every_text_is_cleaned_and_checked(model: type[BaseModel], field: str) -> None:
    """Every text field handles line breaks, control characters, wrong types and lone surrogates."""
    assert getattr(built(model, **{field: " a\nb "}), field) == "a b"
    for wrong in ("a\0b", "a\ud800b", 5, 5.0, True, ["a"], b"a"):
        assert field in refused(model, **{field: wrong})


def test_a_lone_surrogate_in_json_is_refused() -> None:
    """Text that UTF-8 cannot encode does not reach the database."""
    with pytest.raises(ValidationError):
        ProductDraft.model_validate_json('{"product_code":"A","description":"a\\ud800b"}')


@pytest.mark.parametrize("character", ["\0", "\t", "\x7f", "\x9f", "\ud800"])
def test_what_no_text_may_hold_is_named(character: str) -> None:
    """The check, which search terms also pass, names control characters and lone surrogates."""
    with pytest.raises(ValueError, match=rf"U\+{ord(character):04X} at position 2"):
        refuse_control_characters(f"a{character}")


def test_control_characters_are_those_of_unicode() -> None:
    """A code point is refused exactly if its general category is control or surrogate."""
    for character in map(chr, range(0x110000)):
        try:
            refuse_control_characters(character)
        except ValueError:
            assert unicodedata.category(character) in ("Cc", "Cs")
        else:
            assert unicodedata.category(character) not in ("Cc", "Cs")


def test_other_unicode_is_taken_as_it_is() -> None:
    """No normalisation: emoji, composed and decomposed letters, right-to-left marks, private use, noncharacters."""
    text = "é e\u0301 👩🏽\u200d🚀 \u200f\u05d0\u05d1 \ue000 \ufeff \ufffe \uffff \U0010ffff"
    assert built(ProductDraft, description=text).description == text


@pytest.mark.parametrize("text", [" " * 4_000_000, "\n" * 4_000_000, " \n" * 2_000_000, "a" + " " * 4_000_000 + "b"])
def test_cleaning_takes_time_in_proportion_to_the_text(text: str) -> None:
    """A body full of white space cannot block the service (processor time, with a factor of a hundred)."""
    begun = time.process_time()
    clean_text(text)
    assert time.process_time() - begun < 20


@sweep("line", ["a", "a\u200b", "\u200b"])
@sweep("line_break", LINE_BREAKS)
def test_of_millions_of_lines_only_a_beginning_is_cleaned(line: str, line_break: str) -> None:
    """The rest is too long for any field, unless the whole text is invisible."""
    text = f"{line}{line_break}" * 1_000_000
    assert clean_text(text) == "" if line == "\u200b" else 500 < len(str(clean_text(text))) < 1000
    assert len(str(clean_text(f"{text}a"))) > 500


def test_a_text_of_many_lines_is_measured_as_it_is_cleaned() -> None:
    """Removed white space does not count, even around the longest accepted text."""
    longest = " \n\n" + "a\n \u2028" * 249 + "bc" + "\n" * 1000
    assert built(ProductDraft, description=longest).description == "a " * 249 + "bc"
    too_long = refused(ProductDraft, description=f"{longest}d")
    assert too_long == {"description": "String should have at most 500 characters"}


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
