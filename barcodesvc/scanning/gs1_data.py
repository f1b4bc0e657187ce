"""The meaning of GS1 elements, for apps: the GTIN, the lot, an expiry as a date, a weight as a number.

Source: GS1 General Specifications 3 (AIs). Rule: an invalid element, such as a date that does not exist, is listed
among the elements, but not interpreted.
"""

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired, cast

from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc.fields import described
from barcodesvc.gs1.application_identifiers import NAMED_AIS
from barcodesvc.gs1.dates import date_of
from barcodesvc.gs1.element_strings import Element

_DECIMALS = {
    **{f"310{decimals}": "net_weight_kg" for decimals in range(6)},
    **{f"392{decimals}": "price" for decimals in range(10)},
}
"""Numbers; the last digit of the AI is the number of decimals."""

ADate = Annotated[str, Field(json_schema_extra={"format": "date"})]


class Gs1Data(TypedDict):
    """What GS1 data says: `elements` maps each AI to its value."""

    gtin: NotRequired[Annotated[str, described("The GTIN, with 14 digits.", "04006381333931")]]
    lot: NotRequired[Annotated[str, described("The batch or lot number.", "LOT7")]]
    serial: NotRequired[Annotated[str, described("The serial number.", "S-17")]]
    expiry: NotRequired[Annotated[ADate, described("The expiry date.", "2027-06-30")]]
    net_weight_kg: NotRequired[Annotated[float, described("The net weight in kg.", 1.25)]]
    price: NotRequired[Annotated[float, described("The price, in a currency that the code does not name.", 4.99)]]
    elements: Annotated[
        dict[str, str],
        described("The value of each application identifier (AI), as sent.", {"01": "04006381333931", "10": "LOT7"}),
    ]


def gtin_of(elements: Sequence[Element], ai: str = "01") -> str | None:
    """Return the GTIN-14 under this AI, None if there is none or several differ."""
    gtins = {element.value for element in elements if element.ai == ai}
    if len(gtins) != 1:
        return None
    gtin = gtins.pop()  # with a valid check digit, as in every element
    return gtin if gtin.strip("0") else None


def gs1_data(elements: Sequence[Element], year: int) -> Gs1Data:
    """Return the meaning of the elements that are present, and all of them as `elements`, by AI.

    `year` is the current one, which determines the century of a date. The first of several elements of one AI counts.
    """
    values: dict[str, str] = {}
    for element in elements:
        values.setdefault(element.ai, element.value)
    gtin = gtin_of(elements)
    named: dict[str, Any] = {"gtin": gtin} if gtin else {}
    named |= {name: values[ai] for name, ai in NAMED_AIS.items() if ai in values}
    expiry = date_of(named.pop("expiry", ""), year)
    if expiry:
        named["expiry"] = expiry.isoformat()
    for ai, value in values.items():
        name = _DECIMALS.get(ai)
        if name:
            named.setdefault(name, int(value) / 10 ** int(ai[-1]))
    return cast("Gs1Data", named | {"elements": values})  # fields of the tables above
