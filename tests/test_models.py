"""Drafts and changes: which fields they need, what each field accepts, and what is said of any other value."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from barcodesvc.errors import InvalidInput
from barcodesvc.models import MAX_LEVEL, LevelUpdate, ProductChange, ProductDraft
from barcodesvc.validation import validated
from tests.sweeps import sweep

REQUIRED: dict[type[BaseModel], dict[str, Any]] = {
    ProductDraft: {"product_code": "A-1", "description": "x"},
    ProductChange: {},
    LevelUpdate: {"new_level": 1},
}
LEVELS = [
    (ProductDraft, "initial_level"),
    (ProductDraft, "minimum_level"),
    (ProductDraft, "maximum_level"),
    (ProductChange, "minimum_level"),
    (ProductChange, "maximum_level"),
    (LevelUpdate, "new_level"),
    (LevelUpdate, "expected_level"),
]
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
"""The text fields, with the most characters of each."""
TEXT_FIELDS = [(model, field) for model, field, _ in TEXTS]


def built(model: type[BaseModel], **fields: Any) -> Any:
    """Return the model with its required fields and these."""
    return model.model_validate({**REQUIRED[model], **fields})


def problems(model: type[BaseModel], **fields: Any) -> dict[str, str]:
    """Return the problems of these fields, by field."""
    with pytest.raises(ValidationError) as refusal:
        built(model, **fields)
    return {".".join(map(str, problem["loc"])): problem["msg"] for problem in refusal.value.errors()}


@sweep(
    ("field", "value", "rule"),
    [
        ("product_code", "", "required"),
        ("product_code", "ä", "characters"),
        ("description", "x" * 501, "length"),
        ("description", "a\x1bb", "characters"),
        ("minimum_level", "ten", "whole number"),
        ("initial_level", MAX_LEVEL + 1, "range"),
        ("maximum_level", -1, "range"),
        ("maximum_level", 4, "order"),
        ("attributes", {f"name_{number}": "x" for number in range(33)}, "too many"),
        ("attributes", {"Price": "x"}, "name"),
        ("colour", "red", None),
    ],
)
def test_a_broken_rule_has_a_name(field: str, value: object, rule: str | None) -> None:
    """A program compares the names of rules instead of reading messages; what only programs do has none."""
    values = {"product_code": "A-1", "description": "x", "minimum_level": 5, field: value}
    with pytest.raises(InvalidInput) as refusal:
        validated(ProductDraft, values)
    assert [problem.get("rule") for problem in refusal.value.errors] == [rule]


def test_what_is_left_out_has_its_default() -> None:
    """A code and a description are enough for a product, a level for an update."""
    draft = built(ProductDraft)
    assert (draft.category, draft.unit_of_measure) == ("", "pcs")
    assert (draft.minimum_level, draft.maximum_level, draft.initial_level) == (0, 0, 0)
    update = built(LevelUpdate)
    assert (update.change_reason, update.updated_by, update.expected_level) == ("", "system", None)
    assert built(ProductChange).model_fields_set == set()


@sweep("model", [ProductDraft, LevelUpdate])
def test_what_is_required_is_named(model: type[BaseModel]) -> None:
    """The response to an empty body lists every missing field."""
    with pytest.raises(ValidationError) as refusal:
        model.model_validate({})
    missing = {problem["loc"][0] for problem in refusal.value.errors() if problem["type"] == "missing"}
    assert missing == set(REQUIRED[model]) - {"product_code"}  # without one, the service makes a code


def test_all_problems_are_named_at_once() -> None:
    """Each field has its own problem in one response, including the order of the levels and unknown fields."""
    wrong = {
        "product_code": "",
        "description": 7,
        "category": "x" * 65,
        "unit_of_measure": None,
        "attributes": [],
        "initial_level": -1,
        "maximum_level": 4,
        "updated_by": 5,
        "idempotency_key": "",
        "colour": "red",
    }
    assert set(problems(ProductDraft, minimum_level=5, **wrong)) == set(wrong)
    assert set(wrong) == {*ProductDraft.model_fields, "colour"} - {"minimum_level"}


@sweep("model", REQUIRED)
def test_null_and_unknown_fields_are_refused_by_name(model: type[BaseModel]) -> None:
    """A null must be left out, whether or not the field is optional; a mistyped field is not silently ignored."""
    found = problems(model, **dict.fromkeys(model.model_fields))
    assert set(found) == set(model.model_fields)
    assert set(found.values()) == {"Value error, null is not a value; leave the field out instead"}
    assert set(problems(model, descripton="x", id=1)) == {"descripton", "id"}


@sweep("code", ["A", " ".join("AB"), "~" * 64, "".join(map(chr, range(0x21, 0x5F))), "!  !"])
def test_a_code_is_printable_ascii(code: str) -> None:
    """From 1 to 64 characters from the space to the tilde are accepted unchanged."""
    assert built(ProductDraft, product_code=code).product_code == code


@sweep(
    ("code", "problem"),
    [
        ("", "at least 1 character"),
        ("x" * 65, "at most 64 characters"),
        (" \t", "at least 1 character"),
        ("AB\u00e9", "character U+00E9 at position 3; a code is printable ASCII"),
        ("A\tB", "character U+0009 at position 2"),
        (" \u3000\0A", "character U+0000 at position 1"),
        ("\x7f", "character U+007F at position 1"),
        ("A\ud800", "valid"),
        (12, "valid string"),
        (b"A", "valid string"),
    ],
)
@sweep("model", [ProductDraft, ProductChange])
def test_any_other_code_is_refused(model: type[BaseModel], code: object, problem: str) -> None:
    """A code is never repaired inside: the message says which character is wrong, and its position."""
    assert problem in problems(model, product_code=code)["product_code"]


@sweep("end", [" ", "\xa0", "\t", "\r\n", "\u3000", "\u2007", "\u200b", "\u200e", "\ufeff", "\xa0 \n"])
@sweep("model", [ProductDraft, ProductChange])
def test_a_code_loses_what_is_unseen_at_its_ends(model: type[BaseModel], end: str) -> None:
    """White space and invisible characters around a code, which cells and copied texts contain, are no part of it."""
    for code in ("A B", "x" * 64):
        assert built(model, product_code=f"{end}{code}{end}").model_dump()["product_code"] == code


@sweep(("model", "field", "longest"), TEXTS)
def test_a_text_has_its_greatest_length(model: type[BaseModel], field: str, longest: int) -> None:
    """Characters count, not bytes, and surrounding white space does not."""
    fitting = "🜁" * longest
    assert getattr(built(model, **{field: f"  {fitting}\n"}), field) == fitting
    assert f"at most {longest} characters" in problems(model, **{field: fitting + "x"})[field]


@sweep("blank", ["", " \t\r\n\u3000", "\u200b", "\u2060 \ufeff\n\u3000"])
@sweep(("model", "field"), TEXT_FIELDS)
def test_only_texts_that_may_be_empty_are(model: type[BaseModel], field: str, blank: str) -> None:
    """What shows nothing is blank: a description must not be, and a unit becomes the default one."""
    if field == "description":
        assert "at least 1 character" in problems(model, **{field: blank})[field]
    else:
        made = built(model, **{field: blank})
        assert getattr(made, field) == ("pcs" if field == "unit_of_measure" else "")
        assert field in made.model_fields_set


@sweep(("model", "field"), TEXT_FIELDS)
def test_every_text_is_cleaned_and_checked(model: type[BaseModel], field: str) -> None:
    """Line breaks become spaces; control characters, wrong types and what UTF-8 cannot encode are refused."""
    assert getattr(built(model, **{field: " a\nb "}), field) == "a b"
    assert "U+0000 at position 2; remove it" in problems(model, **{field: "  a\0b"})[field]
    for wrong in ("a\0", "a\ud800b", 5, 5.0, True, ["a"], b"a"):
        assert field in problems(model, **{field: wrong})


@sweep(("model", "field"), LEVELS)
def test_a_level_is_an_integer_that_json_keeps_exactly(model: type[BaseModel], field: str) -> None:
    """From 0 to 2^53-1, the last one that every JSON client reads; what only looks like an integer is refused."""
    assert MAX_LEVEL == 2**53 - 1
    for level in (0, 1, MAX_LEVEL):
        assert getattr(built(model, **{field: level}), field) == level
    for wrong in (-1, MAX_LEVEL + 1, 10**400, "5", 5.0, 5.5, True, False, [5], float("inf")):
        assert field in problems(model, **{field: wrong})


@sweep("number", ["5.0", "5e0", '"5"', "true", "-1", "9007199254740992", "1e400"])
def test_levels_in_json_are_integers(number: str) -> None:
    """The same holds for bodies."""
    with pytest.raises(ValidationError):
        LevelUpdate.model_validate_json(f'{{"new_level":{number}}}')


@sweep("model", [ProductDraft, ProductChange])
def test_a_maximum_is_at_least_the_minimum(model: type[BaseModel]) -> None:
    """0 means none; equal is allowed; the problem is the maximum's."""
    for minimum, maximum in ((5, 5), (5, 6), (5, 0), (0, 1)):
        built(model, minimum_level=minimum, maximum_level=maximum)
    assert problems(model, minimum_level=5, maximum_level=4) == {
        "maximum_level": "Value error, maximum_level 4 is below minimum_level 5; 0 means that none is set"
    }
