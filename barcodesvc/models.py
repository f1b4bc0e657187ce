"""Domain model: the records of the catalogue, and the input that may change them.

The store returns records (frozen dataclasses). Clients send drafts and changes (pydantic models), which are validated
here for both HTTP bodies and spreadsheet rows.

Rule: texts are cleaned, see `barcodesvc.texts`. A blank unit of measure becomes the default one, so that every product
has one.
"""

import re
from collections.abc import Mapping, Sized
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from barcodesvc import fields
from barcodesvc.clock import as_timestamp
from barcodesvc.errors import MOST_PROBLEMS
from barcodesvc.fields import Timestamp, described
from barcodesvc.texts import (
    LINES_OF_TEXT,
    LONGEST_CODE,
    LONGEST_TEXT,
    RefusedValueError,
    clean_text,
    refuse_control_characters,
    without_unseen_ends,
)

DEFAULT_UNIT = "pcs"
"""The unit of measure of a product that is sent without one, or with a blank one."""
MAX_ID = MAX_LEVEL = 2**53 - 1
"""The largest integer that every JSON client represents exactly (RFC 8259, clause 6)."""

_NOT_PRINTABLE_ASCII = re.compile("[^ -~]")
_MOST_UNKNOWN = MOST_PROBLEMS + 1
"""Unknown fields of an object that are checked, so that the response can say that there are more."""
MOST_ATTRIBUTES = 32
"""Attributes of one product."""
LONGEST_NAME, LONGEST_VALUE = 32, 200
"""Characters of the name and of the value of an attribute."""
LONGEST_SHORT_TEXT, LONGEST_REASON, LONGEST_AUTHOR = 64, 200, 100
"""Characters of a category, a unit or a line of a label, of why a level changed, and of who changed it."""
_IDEMPOTENCY_KEY = re.compile("[ -~]{1,255}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
"""A date-time of RFC 3339, clause 5.6."""
_UNSEEN = r"\t-\r \u0085\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
"""The characters of `texts.UNSEEN_AT_ENDS`."""
CODE_PATTERN = f"^[{_UNSEEN}]*[!-~]([ -~]*[!-~])?[{_UNSEEN}]*$"
"""A pattern for JSON Schema (ECMA-262), as is ATTRIBUTE_NAME."""
ATTRIBUTE_NAME = f"^[a-z0-9_]{{1,{LONGEST_NAME}}}$"
_ATTRIBUTE_NAME = re.compile(ATTRIBUTE_NAME.strip("^$"))


def _printable_ascii(value: str) -> str:
    found = _NOT_PRINTABLE_ASCII.search(value)
    if found:
        message = f"character U+{ord(found[0]):04X} at position {found.start() + 1}; a code is printable ASCII"
        raise RefusedValueError(message, "characters")
    return value


def is_attribute_name(text: str) -> bool:
    """Return whether an attribute can have this name."""
    return _ATTRIBUTE_NAME.fullmatch(text) is not None


def _attribute_name(name: str) -> str:
    if not is_attribute_name(name):
        raise RefusedValueError(f"the name of an attribute is 1 to {LONGEST_NAME} characters of a-z, 0-9 and _", "name")
    return name


def too_many_attributes(number: int) -> str:
    """Return the message for more attributes than a product may have."""
    return f"{number} attributes; a product has at most {MOST_ATTRIBUTES}"


def _few_attributes(value: object) -> object:
    """Refuse an object of too many attributes before each of them is checked."""
    if isinstance(value, Sized) and len(value) > MOST_ATTRIBUTES:
        raise RefusedValueError(too_many_attributes(len(value)), "too many")
    return value


def require_idempotency_key(value: str) -> str:
    """Return the key; raises ValueError unless it is 1 to 255 printable ASCII characters."""
    if not _IDEMPOTENCY_KEY.fullmatch(value):
        raise ValueError("a key is 1 to 255 printable ASCII characters")
    return value


def _moment(value: str) -> str:
    """Return a time in the service's format; raises ValueError if it has no offset, as it could be in any zone."""
    try:
        return as_timestamp(datetime.fromisoformat(value.upper() if _MOMENT.fullmatch(value) else ""))
    except (ValueError, OverflowError):
        raise ValueError("not a time with its offset, such as 2026-01-31T12:00:00Z (RFC 3339)") from None


def _require_difference(delta: int) -> int:
    if delta == 0:
        raise ValueError("0 changes nothing; to confirm a level, set it with PUT")
    return delta


def disordered_levels(minimum: int, maximum: int) -> str:
    """Return why levels are in disorder: empty if the maximum is 0 (none set) or at least the minimum."""
    if maximum == 0 or maximum >= minimum:
        return ""
    return f"maximum_level {maximum} is below minimum_level {minimum}; 0 means that none is set"


def _require_maximum_in_order(maximum: int, info: ValidationInfo) -> int:
    if message := disordered_levels(info.data.get("minimum_level") or 0, maximum):
        raise RefusedValueError(message, "order")
    return maximum


def matching(pattern: str) -> Any:
    """Return a field that adds the pattern to the JSON schema; a validator enforces it."""
    return Field(json_schema_extra={"pattern": pattern})


_Clean = [BeforeValidator(clean_text), AfterValidator(refuse_control_characters), matching(LINES_OF_TEXT)]

ProductCode = Annotated[
    fields.Code,
    StringConstraints(min_length=1, max_length=LONGEST_CODE),
    BeforeValidator(without_unseen_ends),
    AfterValidator(_printable_ascii),
    matching(CODE_PATTERN),
    described(
        "The code of the product: printable ASCII. White space at its ends is removed. No two products have the same."
    ),
]
Description = Annotated[
    fields.DescriptionText,
    StringConstraints(min_length=1, max_length=LONGEST_TEXT),
    *_Clean,
    described("What the product is: a text with at least one visible character. White space is tidied."),
]
ShortText = Annotated[str, StringConstraints(max_length=LONGEST_SHORT_TEXT), *_Clean]
LabelText = Annotated[str, StringConstraints(max_length=200), *_Clean]
Category = Annotated[ShortText, described("The category of the product, by which lists are filtered.", "Office")]
Unit = Annotated[
    ShortText,
    AfterValidator(lambda unit: unit or DEFAULT_UNIT),
    described(f"The unit in which the product is counted; a blank one becomes `{DEFAULT_UNIT}`.", "pcs"),
]
AttributeName = Annotated[str, AfterValidator(_attribute_name), matching(ATTRIBUTE_NAME)]
AttributeText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_VALUE), *_Clean]
Attributes = Annotated[
    dict[AttributeName, AttributeText],
    Field(max_length=MOST_ATTRIBUTES),
    BeforeValidator(_few_attributes),
    described(
        "Further texts of the product, by names of `a-z0-9_`; a catalogue has at most 200 names.",
        {"price": "2.99", "shelf": "B4"},
    ),
]
AttributeChanges = Annotated[
    dict[AttributeName, AttributeText | None],
    Field(max_length=2 * MOST_ATTRIBUTES),  # a change may replace all of a product by others
    described("Attributes to set, and with null to remove; the others stay.", {"price": "3.49", "shelf": None}),
]
Reason = Annotated[fields.ReasonText, StringConstraints(max_length=LONGEST_REASON), *_Clean]
Author = Annotated[fields.AuthorText, StringConstraints(max_length=LONGEST_AUTHOR), *_Clean]
LevelCount = Annotated[int, Field(ge=0, le=MAX_LEVEL)]
Minimum = Annotated[LevelCount, described("The level at or below which the product is low; 0 sets none.", 10)]
Maximum = Annotated[
    LevelCount,
    AfterValidator(_require_maximum_in_order),
    described("The level up to which the product is stocked: 0, which sets none, or at least `minimum_level`.", 100),
]
ScanTime = Annotated[
    Timestamp,
    AfterValidator(_moment),
    described("When the scanner read the code, by its own clock.", "2026-01-31T11:59:30.000Z"),
]
LevelDelta = Annotated[
    int,
    Field(ge=-MAX_LEVEL, le=MAX_LEVEL, json_schema_extra={"not": {"const": 0}}),
    AfterValidator(_require_difference),
    described("The difference to add to the level: negative for stock that leaves, never 0.", -2),
]
IdempotencyKey = Annotated[fields.Key, AfterValidator(require_idempotency_key), matching("^[ -~]{1,255}$")]
KeyInBody = Annotated[
    IdempotencyKey,
    described("The idempotency key, as in the header `Idempotency-Key`; if both are sent, they are equal.", "till-2/1"),
]


NO_ATTRIBUTES: Mapping[str, str] = {}
"""Shared by the products without attributes, and never changed."""


class Draft(BaseModel):
    """Base of client input: strict types, no unknown fields; a validator is built at its first use, to save memory."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _few_fields(cls, value: object) -> object:
        """Cut off what is unknown: two megabytes of it, in a body of labels, would hold others up for a second."""
        if not isinstance(value, dict) or len(value) <= _MOST_UNKNOWN:
            return value
        unknown = islice((name for name in value if name not in cls.model_fields), _MOST_UNKNOWN)
        return {name: value[name] for name in (*cls.model_fields.keys() & value.keys(), *unknown)}

    @field_validator("*", mode="before")
    @classmethod
    def _no_null(cls, value: object) -> object:
        if value is None:
            raise ValueError("null is not a value; leave the field out instead")
        return value


class Query(BaseModel):
    """Base of the parameters of a query: no unknown ones; validators as in Draft."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Keyed(Draft):
    """A request that changes something: sent again with the same key, it changes nothing twice."""

    idempotency_key: KeyInBody | None = None


class ProductDraft(Keyed):
    """A product to be created, together with its inventory record; without a code, the service makes one."""

    product_code: ProductCode = Field(default_factory=str)
    description: Description
    category: Category = ""
    unit_of_measure: Unit = DEFAULT_UNIT
    attributes: Attributes = Field(default_factory=dict)
    minimum_level: Minimum = 0
    maximum_level: Maximum = 0
    initial_level: Annotated[LevelCount, described("The initial level; above 0 it is the first change.", 25)] = 0
    updated_by: Author = "system"


class ProductChange(Keyed):
    """A partial update of a product; fields that are not sent keep their values."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    product_code: Annotated[
        ProductCode | None,
        described("The code of the product. It keeps a former one as a further code, so that its labels are found."),
    ] = None
    description: Description | None = None
    category: Category | None = None
    unit_of_measure: Unit | None = None
    attributes: AttributeChanges | None = None
    minimum_level: Minimum | None = None
    maximum_level: Maximum | None = None
    retired: Annotated[bool | None, described("Whether the product is no longer sold.", example=True)] = None


class LevelUpdate(Keyed):
    """A counted or booked level; `expected_level` makes the update conditional on the stored one."""

    new_level: Annotated[LevelCount, described("The level to set.", 8)]
    change_reason: Reason = ""
    updated_by: Author = "system"
    expected_level: Annotated[
        LevelCount | None, described("Set the level only if it is this one; otherwise the response is a 409.", 25)
    ] = None


class LevelAdjustment(Keyed):
    """A change of a level by a difference."""

    delta: LevelDelta
    change_reason: Reason = ""
    updated_by: Author = "system"


class ChangeUndo(Keyed):
    """Why a change is undone, and by whom.

    `updated_at` is that of the change: with another one, the change is not the one that is meant.
    """

    change_reason: Reason = ""
    updated_by: Author = "system"
    updated_at: Annotated[
        ScanTime | None,
        described("The `updated_at` of the change that is meant: if its own is another one, the response is a 404."),
    ] = None


@dataclass(frozen=True, slots=True)
class Product:
    """A product of the catalogue; timestamps are UTC, ISO 8601 with milliseconds and `Z`."""

    id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText
    category: fields.CategoryText
    unit_of_measure: fields.UnitText
    created_at: Annotated[Timestamp, described("When the product was created.", "2026-01-05T08:30:00.000Z")]
    updated_at: Annotated[Timestamp, described("When the product was last changed; its level does not count.")]
    retired: fields.Retired
    attributes: fields.AttributeTexts


@dataclass(frozen=True, slots=True, kw_only=True)
class StockedProduct(Product):
    """A product with its levels."""

    current_level: fields.CurrentLevel
    minimum_level: fields.MinimumLevel
    maximum_level: fields.MaximumLevel


@dataclass(frozen=True, slots=True)
class Level:
    """The inventory record of one product."""

    id: Annotated[int, described("The id of the record.", 1)]
    product_id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText
    current_level: fields.CurrentLevel
    minimum_level: fields.MinimumLevel
    maximum_level: fields.MaximumLevel
    last_updated: fields.LastUpdated
    updated_by: fields.AuthorText


@dataclass(frozen=True, slots=True)
class Reorder:
    """A product to buy, and how much of it."""

    product_id: fields.ProductId
    product_code: fields.Code
    description: fields.DescriptionText
    unit_of_measure: fields.UnitText
    current_level: fields.CurrentLevel
    minimum_level: fields.MinimumLevel
    maximum_level: fields.MaximumLevel
    order_quantity: Annotated[
        int, described("What is missing up to the maximum, or up to the minimum if no maximum is set.", 83)
    ]
    group: Annotated[
        str, described("The value of the attribute by which the list is grouped; empty without one.", "Office Ltd")
    ]


@dataclass(frozen=True, slots=True)
class LevelChange:
    """One entry of a product's level history.

    `scanned_at` is when a scanner read the code, if that was sent; `undoes` is the id of the change that this one
    undid, and `undone_by` the id of the change that undid this one. The changes of one import have its `import_id`.
    """

    id: fields.ChangeId
    product_id: fields.ProductId
    old_level: fields.OldLevel
    new_level: fields.NewLevel
    change_reason: fields.ReasonText
    updated_by: fields.AuthorText
    updated_at: fields.ChangedAt
    scanned_at: Annotated[
        Timestamp | None, described("When the scanner read the code, by its own clock; null if it did not say.", None)
    ] = None
    undoes: Annotated[int | None, described("The id of the change that this one undid, or null.", None)] = None
    undone_by: Annotated[int | None, described("The id of the change that undid this one, or null.", None)] = None
    import_id: Annotated[int | None, described("The id of the import that made this change, or null.", None)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewChange(LevelChange):
    """A change that was just made, with the code and the unit of its product."""

    product_code: fields.Code
    unit_of_measure: fields.UnitText


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedChange(LevelChange):
    """An entry of the history of all products."""

    product_code: fields.Code
    description: fields.DescriptionText
