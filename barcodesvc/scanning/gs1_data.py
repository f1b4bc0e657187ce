"""What GS1 elements say, for apps: the GTIN, the lot, an expiry as a date, a weight as a number.

Sources: GS1 General Specifications 3 (AIs), 7.12 (the century of a date). Rule: an element that contradicts itself,
such as a date that does not exist, is still among the elements, but nothing is made of it.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, NotRequired, cast

from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc.gs1 import Element

_TEXTS = {"lot": "10", "serial": "21"}
_DECIMALS = {
    **{f"310{decimals}": "net_weight_kg" for decimals in range(6)},
    **{f"392{decimals}": "price" for decimals in range(10)},
}
"""Numbers whose AI ends in how many decimals they have."""
_CENTURY = 100
_FARTHEST_AHEAD = 50


ADate = Annotated[str, Field(json_schema_extra={"format": "date"})]


class Gs1Data(TypedDict):
    """What GS1 data says: `elements` maps each AI to its value."""

    gtin: NotRequired[str]
    lot: NotRequired[str]
    serial: NotRequired[str]
    expiry: NotRequired[ADate]
    net_weight_kg: NotRequired[float]
    price: NotRequired[float]
    elements: dict[str, str]


def gtin_of(elements: Sequence[Element]) -> str | None:
    """Return the GTIN-14 under AI (01), None where there is none or where several contradict each other."""
    gtins = {element.value for element in elements if element.ai == "01"}
    if len(gtins) != 1:
        return None
    gtin = gtins.pop()  # its check digit closes, or it were no element
    return gtin if gtin.strip("0") else None


def gs1_data(elements: Sequence[Element], year: int) -> Gs1Data:
    """Return what the elements say, as far as they are there, and all of them as `elements`, by AI.

    `year` is the present one, from which the century of a date follows. An AI that comes twice counts the first time.
    """
    values: dict[str, str] = {}
    for element in elements:
        values.setdefault(element.ai, element.value)
    gtin = gtin_of(elements)
    named: dict[str, Any] = {"gtin": gtin} if gtin else {}
    named |= {name: values[ai] for name, ai in _TEXTS.items() if ai in values}
    expiry = date_of(values.get("17", ""), year)
    if expiry:
        named["expiry"] = expiry.isoformat()
    for ai, value in values.items():
        name = _DECIMALS.get(ai)
        if name:
            named.setdefault(name, int(value) / 10 ** int(ai[-1]))
    return cast("Gs1Data", named | {"elements": values})  # fields by the tables above


def date_of(digits: str, year: int) -> date | None:
    """Return the day that YYMMDD means in the present `year`, None for no such day.

    A year from 51 to 99 after the present one lies in the century before, one from 50 to 99 before it in the next
    (GS1 General Specifications 7.12). Day 00 is the last one of its month.
    """
    if len(digits) != len("YYMMDD"):
        return None
    short, month, day = int(digits[:2]), int(digits[2:4]), int(digits[4:])
    full = year - year % _CENTURY + short
    if full > year + _FARTHEST_AHEAD:
        full -= _CENTURY
    elif full <= year - _FARTHEST_AHEAD:
        full += _CENTURY
    try:
        return date(full, month, day or monthrange(full, month)[1])
    except ValueError:
        return None
