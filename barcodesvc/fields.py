"""Types of fields that many requests and responses share, each with its description and an example.

The OpenAPI document has the descriptions and examples of fields from their types and models, and from nowhere else.
They change nothing in what a request may contain; `barcodesvc.models` adds the rules of input.

Rule: all examples are of the same product, a highlighter of which 17 are sold, so that a response composed of them is
consistent.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

_NONE = object()


def described(description: str, example: object = _NONE, *others: object) -> Any:
    """Return a field that adds a description, and examples if there are any, to the JSON schema."""
    if example is _NONE:
        return Field(description=description)
    return Field(description=description, examples=[example, *others])


Timestamp = Annotated[
    str,
    Field(json_schema_extra={"format": "date-time"}),
    described("UTC, ISO 8601 with milliseconds and `Z`.", "2026-01-31T12:00:00.000Z"),
]
"""A time as `clock.as_timestamp` writes it."""

ProductId = Annotated[int, described("The id of the product.", 1)]
Code = Annotated[str, described("The code of the product, which no other product has.", "4006381333931")]
PackQuantity = Annotated[int, described("How many pieces the code stands for; 1 for a product's own.", 1)]
DescriptionText = Annotated[str, described("What the product is.", "Highlighter, yellow")]
CategoryText = Annotated[str, described("The category of the product, or an empty text.", "Office")]
UnitText = Annotated[str, described("The unit in which the product is counted.", "pcs")]

Retired = Annotated[bool, described("Whether the product is no longer sold: most lists leave it out.", example=False)]
AttributeTexts = Annotated[
    Mapping[str, str],
    described("Further texts of the product, by their names; an empty object without any.", {"price": "2.99"}),
]

CurrentLevel = Annotated[int, described("The current level: how many are in stock.", 8)]
MinimumLevel = Annotated[int, described("The level at or below which the product is low; 0 if none is set.", 10)]
MaximumLevel = Annotated[int, described("The level up to which the product is stocked; 0 if none is set.", 100)]
LastUpdated = Annotated[Timestamp, described("When the level was last set or counted.")]

ChangeId = Annotated[int, described("The id of the change.", 9)]
OldLevel = Annotated[int, described("The level before the change.", 25)]
NewLevel = Annotated[int, described("The level after the change.", 8)]
ReasonText = Annotated[str, described("Why the level changed, in words for people.", "sold")]
AuthorText = Annotated[str, described("Who or what changed the level; a text that the client chooses.", "till 2")]
ChangedAt = Annotated[Timestamp, described("When the level changed.")]
Key = Annotated[
    str,
    described("The idempotency key: a request that is sent again with the same key changes nothing twice.", "till-2/1"),
]
