from __future__ import annotations

import re
import time
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given, strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from barcodesvc.models import (
    MAX_LEVEL,
    Description,
    IdempotencyKey,
    LevelUpdate,
    ProductChange,
    ProductCode,
    ProductDraft,
    ShortText,
    clean_text,
    fold,
    is_product_code,
    refuse_control_characters,
    shows_nothing,
)

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
LEVELS = [
    (ProductDraft, "initial_level"),
    (ProductDraft, "minimum_level"),
    (ProductDraft, "maximum_level"),
    (ProductChange, "minimum_level"),
    (ProductChange, "maximum_level"),
    (LevelUpdate, "new_level"),
    (LevelUpdate, "expected_level"),
]
REQUIRED: dict[type[BaseModel], dict[str, Any]] = {
    ProductDraft: {"product_code": "A-1", "description": "x"},
    ProductChange: {},
    LevelUpdate: {"new_level": 1},
}

every_text = pytest.mark.parametrize(("model", "field"), [(model, field) for model, field, _ in TEXTS])
every_level = pytest.mark.parametrize(("model", "field"), LEVELS)


def built(model: type[BaseModel], **fields: Any) -> Any:
    """Return the model with what it requires and these fields."""
    return model.model_validate({**REQUIRED[model], **fields})


def refused(model: type[BaseModel], **fields: Any) -> dict[str, str]:
    """Return what is wrong with these fields, by field."""
    with pytest.raises(ValidationError) as refusal:
        built(model, **fields)
    return {".".join(map(str, problem["loc"])): problem["msg"] for problem in refusal.value.errors()}


def test_what_is_left_out_has_its_default() -> None:
    """A code and a description are enough for a product, a level for an update."""
    draft = built(ProductDraft)
    assert (draft.category, draft.unit_of_measure) == ("", "pcs")
    assert (draft.minimum_level, draft.maximum_level, draft.initial_level) == (0, 0, 0)
    update = built(LevelUpdate)
    assert (update.change_reason, update.updated_by, update.expected_level) == ("", "system", None)
    assert built(ProductChange).model_fields_set == set()


@pytest.mark.parametrize(
    ("model", "fields"),
    [(ProductDraft, {"product_code", "description"}), (LevelUpdate, {"new_level"})],
)
def test_what_is_required_is_named(model: type[BaseModel], fields: set[str]) -> None:
    """An empty body is answered with every field that is missing."""
    with pytest.raises(ValidationError) as refusal:
        model.model_validate({})
    assert {problem["loc"][0] for problem in refusal.value.errors() if problem["type"] == "missing"} == fields


def test_all_problems_are_told_at_once() -> None:
    """Each field has its own problem in one answer, the order of the levels and unknown fields included."""
    problems = refused(
        ProductDraft,
        product_code="",
        description=7,
        category="x" * 65,
        unit_of_measure=None,
        initial_level=-1,
        minimum_level=5,
        maximum_level=4,
        colour="red",
    )
    assert set(problems) == {*ProductDraft.model_fields, "colour"} - {"minimum_level"}


@pytest.mark.parametrize("model", REQUIRED)
def test_null_is_refused_for_every_field(model: type[BaseModel]) -> None:
    """A null is told to be left out, whether the field is optional or not."""
    problems = refused(model, **dict.fromkeys(model.model_fields))
    assert set(problems) == set(model.model_fields)
    assert set(problems.values()) == {"Value error, null is no value; leave the field out instead"}


@pytest.mark.parametrize("model", REQUIRED)
def test_unknown_fields_are_refused_by_name(model: type[BaseModel]) -> None:
    """A mistyped field is not silently ignored."""
    assert set(refused(model, descripton="x", id=1)) == {"descripton", "id"}


def test_models_cannot_be_changed() -> None:
    """What was checked stays as it was checked."""
    with pytest.raises(ValidationError, match="frozen"):
        built(ProductDraft).description = ""


@pytest.mark.parametrize("code", ["A", " ".join("AB"), "~" * 64, "".join(map(chr, range(0x21, 0x5F))), "!  !"])
def test_a_code_is_printable_ascii(code: str) -> None:
    """From 1 to 64 characters from the space to the tilde are taken as they are."""
    assert built(ProductDraft, product_code=code).product_code == code


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("", "at least 1 character"),
        ("x" * 65, "at most 64 characters"),
        (" A", "no leading or trailing space"),
        ("A ", "no leading or trailing space"),
        (" ", "no leading or trailing space"),
        ("AB\u00e9", "character U+00E9 at position 3; a code is printable ASCII"),
        ("A\tB", "character U+0009 at position 2"),
        ("A\n", "character U+000A at position 2"),
        ("\0", "character U+0000 at position 1"),
        ("\x7f", "character U+007F at position 1"),
        ("A\ud800", "valid"),
        (12, "valid string"),
        (b"A", "valid string"),
    ],
)
@pytest.mark.parametrize("model", [ProductDraft, ProductChange])
def test_any_other_code_is_refused(model: type[BaseModel], code: object, told: str) -> None:
    """A code is never repaired: the message says which character is wrong and where."""
    assert told in refused(model, product_code=code)["product_code"]


@pytest.mark.parametrize(("model", "field", "longest"), TEXTS)
def test_a_text_has_its_greatest_length(model: type[BaseModel], field: str, longest: int) -> None:
    """Characters count, not bytes, and surrounding white space does not."""
    fitting = "🜁" * longest
    assert getattr(built(model, **{field: f"  {fitting}\n"}), field) == fitting
    assert f"at most {longest} characters" in refused(model, **{field: fitting + "x"})[field]


@every_text
def test_only_texts_that_may_be_empty_are(model: type[BaseModel], field: str) -> None:
    """A description says something; white space alone does not."""
    for blank in ("", " \t\r\n\u3000"):
        if field == "description":
            assert "at least 1 character" in refused(model, **{field: blank})[field]
        else:
            expected = "pcs" if field == "unit_of_measure" else ""
            assert getattr(built(model, **{field: blank}), field) == expected


SEEN = {"Lu", "Ll", "Lt", "Nd", "Nl", "No", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sm", "Sk"}
"""General categories without any invisible character: letters of two cases, digits, punctuation, signs."""
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
"""A space, a joiner, a mark, a selector, a filler, a pattern and a tag of which nobody sees anything."""


@every_text
@pytest.mark.parametrize("blank", [*INVISIBLE, "".join(INVISIBLE), "\u200b \u200b", " \ufeff\n\u3000\u200b "])
def test_what_nobody_sees_is_no_text(model: type[BaseModel], field: str, blank: str) -> None:
    """Zero-width and other invisible characters alone, or with white space, are blank on either way in."""
    if field == "description":
        assert "at least 1 character" in refused(model, **{field: blank})[field]
    else:
        assert getattr(built(model, **{field: blank}), field) == ("pcs" if field == "unit_of_measure" else "")


@pytest.mark.parametrize("text", ["\u2764\ufe0f", "\u200fא", "a\u200b", "\u0600", "e\u0301", "\u200b.\u200b", "\ufffc"])
def test_invisible_characters_stay_where_something_is_seen(text: str) -> None:
    """They choose emoji, directions and ligatures, so none is taken away."""
    assert built(ProductDraft, description=text).description == text
    assert not shows_nothing(text)


def test_whether_something_is_seen_follows_unicode() -> None:
    """Of single characters nothing is seen of white space, and of format characters but for those that have a sign."""
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
    """However a unit of measure is blank, and on either way in, the product has the default one."""
    assert built(ProductDraft, unit_of_measure=blank).unit_of_measure == "pcs"
    change = built(ProductChange, unit_of_measure=blank)
    assert (change.unit_of_measure, change.model_fields_set) == ("pcs", {"unit_of_measure"})
    assert built(ProductChange).unit_of_measure is None


@pytest.mark.parametrize("space", WHITE_SPACE)
def test_surrounding_white_space_is_lost(space: str) -> None:
    """Every kind of it, in front and behind; inside, spaces stay as they are."""
    assert built(ProductDraft, description=f"{space * 3}a  b{space}").description == "a  b"


@pytest.mark.parametrize("line_break", LINE_BREAKS)
def test_line_breaks_inside_become_one_space(line_break: str) -> None:
    """However many there are, and whatever white space stands around them."""
    text = f"one{line_break}two {line_break}{line_break} \t{line_break}three"
    assert built(ProductDraft, description=text).description == "one two three"


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: f"U+{ord(control):04X}")
def test_other_control_characters_are_refused(control: str) -> None:
    """Inside a text, and but for the tab at its ends too, with code point and position."""
    told = f"control character U+{ord(control):04X} at position 4; remove it"
    assert told in refused(ProductDraft, description=f"  abc{control}d")["description"]
    if control != "\t":
        assert told in refused(ProductDraft, description=f"abc{control}")["description"]


@every_text
def test_every_text_is_cleaned_and_checked(model: type[BaseModel], field: str) -> None:
    """No text is forgotten: line breaks, control characters, wrong types, lone surrogates."""
    assert getattr(built(model, **{field: " a\nb "}), field) == "a b"
    for wrong in ("a\0b", "a\ud800b", 5, 5.0, True, ["a"], b"a"):
        assert field in refused(model, **{field: wrong})


def test_a_lone_surrogate_in_json_is_refused() -> None:
    """Text that no UTF-8 can carry does not reach the database."""
    with pytest.raises(ValidationError):
        ProductDraft.model_validate_json('{"product_code":"A","description":"a\\ud800b"}')


@pytest.mark.parametrize("character", ["\0", "\t", "\x7f", "\x9f", "\ud800"])
def test_what_no_text_may_hold_is_named(character: str) -> None:
    """The check that a search term goes through as well names control characters and lone surrogates."""
    with pytest.raises(ValueError, match=rf"U\+{ord(character):04X} at position 2"):
        refuse_control_characters(f"a{character}")


def test_control_characters_are_those_of_unicode() -> None:
    """Every code point is refused if its general category is control or surrogate, and no other."""
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
    """A body full of white space cannot hold the service up (processor time, a hundred times what it takes)."""
    begun = time.process_time()
    clean_text(text)
    assert time.process_time() - begun < 20


@pytest.mark.parametrize("line", ["a", "a\u200b", "\u200b"])
@pytest.mark.parametrize("line_break", LINE_BREAKS)
def test_of_millions_of_lines_only_a_beginning_is_cleaned(line: str, line_break: str) -> None:
    """What is left is too long for any field, unless nothing can be seen of the whole text."""
    text = f"{line}{line_break}" * 1_000_000
    assert clean_text(text) == "" if line == "\u200b" else 500 < len(str(clean_text(text))) < 1000
    assert len(str(clean_text(f"{text}a"))) > 500


def test_a_text_of_many_lines_is_measured_as_it_is_cleaned() -> None:
    """White space that is taken away counts nothing, also around the longest text that is taken."""
    longest = " \n\n" + "a\n \u2028" * 249 + "bc" + "\n" * 1000
    assert built(ProductDraft, description=longest).description == "a " * 249 + "bc"
    too_long = refused(ProductDraft, description=f"{longest}d")
    assert too_long == {"description": "String should have at most 500 characters"}


@given(st.text())
def test_a_printable_text_is_cleaned_as_any_other(text: str) -> None:
    """The short way for texts of plain spaces comes to the same as the long one, which a no-break space asks for."""
    assert clean_text(f"a{text}b") == clean_text(f"\xa0a{text}b")


@given(st.text(alphabet="".join({*"".join([*WHITE_SPACE, *LINE_BREAKS]), "a", "b"})))
def test_a_cleaned_text_is_clean(text: str) -> None:
    """Cleaning twice is cleaning once, leaves one line, and loses no visible character."""
    clean = clean_text(text)
    assert isinstance(clean, str)
    assert clean_text(clean) == clean
    assert not set(clean) & set("".join(LINE_BREAKS))
    assert [c for c in clean if c in "ab"] == [c for c in text if c in "ab"]


@every_level
@pytest.mark.parametrize("level", [0, 1, MAX_LEVEL])
def test_levels_go_from_0_to_what_json_keeps_exactly(model: type[BaseModel], field: str, level: int) -> None:
    """Both ends are taken; 2^53-1 is the last integer that every JSON client reads as it stands."""
    assert getattr(built(model, **{field: level}), field) == level
    assert MAX_LEVEL == 2**53 - 1


@every_level
@pytest.mark.parametrize("level", [-1, MAX_LEVEL + 1, 10**400, "5", 5.0, 5.5, True, False, [5], float("inf")])
def test_anything_else_is_no_level(model: type[BaseModel], field: str, level: object) -> None:
    """Strings, floats and booleans are refused, however integer they look."""
    assert field in refused(model, **{field: level})


@pytest.mark.parametrize("number", ["5.0", "5e0", '"5"', "true", "-1", "9007199254740992", "1e400"])
def test_levels_in_json_are_integers(number: str) -> None:
    """The same holds for what stands in a body."""
    with pytest.raises(ValidationError):
        LevelUpdate.model_validate_json(f'{{"new_level":{number}}}')


@pytest.mark.parametrize("model", [ProductDraft, ProductChange])
def test_a_maximum_is_at_least_the_minimum(model: type[BaseModel]) -> None:
    """0 stands for none; equal is allowed; the problem is the maximum's."""
    for minimum, maximum in ((5, 5), (5, 6), (5, 0), (0, 1)):
        built(model, minimum_level=minimum, maximum_level=maximum)
    told = refused(model, minimum_level=5, maximum_level=4)
    assert told == {"maximum_level": "Value error, maximum_level 4 is below minimum_level 5; 0 means that none is set"}


def test_letters_fold_with_their_upper_and_lower_case() -> None:
    """No character of Unicode is missed by a search in other letters."""
    cased = [character for character in map(chr, range(0x20000)) if character.upper() != character.lower()]
    assert len(cased) > 2000
    for character in cased:
        assert fold(character) == fold(character.upper()) == fold(character.lower()) == fold(character.title())


@given(st.text())
def test_folding_has_no_regard_to_case_and_composition(text: str) -> None:
    """The same text in upper case, decomposed, or folded already is the same text."""
    folded = fold(text)
    assert fold(folded) == folded
    assert fold(text.upper()) == folded
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text)) == folded


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_folds_to_lower_case(text: str) -> None:
    """What a scan compares is the plain lower case of a code."""
    assert fold(text) == text.lower()


_TEXTS = st.text("ab \t\n\v\f\r\x85\u2028\u2029\xa0\u1680\u2003\x00\x1f\x7f\x9f\u200b\u2060\u3000\xe9", max_size=8)


def _accepted(kind: Any, text: str) -> bool:
    try:
        TypeAdapter(kind).validate_python(text)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("kind", [Description, ShortText, ProductCode, IdempotencyKey])
@given(text=_TEXTS)
def test_patterns_of_schemas_take_what_is_accepted(kind: Any, text: str) -> None:
    """A text fits the pattern and the least length that its schema tells exactly where it is accepted."""
    told = TypeAdapter(kind).json_schema()
    fits = re.search(told["pattern"].removesuffix("$") + r"\Z", text) and len(text) >= told.get("minLength", 0)
    assert bool(fits) is _accepted(kind, text)


@given(st.text(st.characters(max_codepoint=0x7F) | st.sampled_from("ä\u2028"), max_size=70))
@example("A" * 64)
@example("A" * 65)
@example("A\n")
@example("A B")
@example(" A")
def test_a_code_is_told_from_other_texts_as_its_check_does(text: str) -> None:
    """The quick question has the answer of the check that says what is wrong."""
    try:
        TypeAdapter(ProductCode).validate_python(text)
    except ValidationError:
        assert not is_product_code(text)
    else:
        assert is_product_code(text)
