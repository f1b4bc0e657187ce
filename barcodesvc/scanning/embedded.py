"""Values inside codes: the price, the weight or the count in an in-store code, in GS1 elements or in an HIBC code.

Of several values of GS1 elements, a count comes first, then a weight, then a price: the first two can be counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from barcodesvc.fields import described
from barcodesvc.gs1.element_strings import Element
from barcodesvc.gs1.gtin import with_check_digit
from barcodesvc.in_store_patterns import EmbeddedKind, InStorePattern
from barcodesvc.numbers.canonical import canonical_number

_OF_AIS: tuple[tuple[tuple[str, ...], EmbeddedKind], ...] = (
    (("37", "30"), "count"),
    (tuple(f"{ai}{decimals}" for ai in (310, 320) for decimals in range(6)), "weight"),
    (tuple(f"{ai}{decimals}" for ai in (392, 393) for decimals in range(10)), "price"),
)
"""The AIs of each kind (GS1 General Specifications 3)."""
_CURRENCY_DIGITS = {"393": 3}
"""Digits of the currency (ISO 4217) before a price."""
_WITH_DECIMALS = 4
"""Digits of an AI of which the last one is the number of decimals."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A value inside a code: `value` is exact, and `units` are its digits as a whole number."""

    kind: Annotated[EmbeddedKind, described("What the value is.", "weight")]
    value: Annotated[str, described("The value with its decimals, exact.", "1.234")]
    units: Annotated[int, described("The value without its decimal point: what a scan can count.", 1234)]


@dataclass(frozen=True, slots=True)
class ScannedInStoreNumber:
    """What an in-store code says: its value, and the item as a GTIN-14 and as the digits before the value."""

    embedded: Embedded
    gtin: str
    prefix: str

    def is_item(self, code: str) -> bool:
        """Return whether a product code names the item, and not the whole number."""
        return code == self.prefix or canonical_number(code) == self.gtin


def in_store_number(gtins: Sequence[str], patterns: Sequence[InStorePattern]) -> ScannedInStoreNumber | None:
    """Return what the first GTIN-14 that fits a pattern says, None if none does."""
    for gtin in gtins:
        for pattern in patterns:
            if number := pattern.number(gtin):
                embedded = _embedded(number.kind, number.units, number.decimals)
                return ScannedInStoreNumber(embedded, with_check_digit(number.body), number.prefix)
    return None


def embedded_in_elements(elements: Sequence[Element]) -> Embedded | None:
    """Return the value in GS1 elements, None if there is none."""
    values = {element.ai: element.value for element in reversed(elements)}
    for ais, kind in _OF_AIS:
        for ai in ais:
            if ai in values:
                digits = values[ai][_CURRENCY_DIGITS.get(ai[:-1], 0) :]
                return _embedded(kind, int(digits), int(ai[-1]) if len(ai) == _WITH_DECIMALS else 0)
    return None


def embedded_in_pack(said: Mapping[str, str]) -> Embedded | None:
    """Return the quantity in the code of a pack, None if there is none."""
    quantity = said.get("quantity")
    return _embedded("count", int(quantity), 0) if quantity else None


def _embedded(kind: EmbeddedKind, units: int, decimals: int) -> Embedded:
    digits = f"{units:0{decimals + 1}}"
    return Embedded(kind, f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits, units)
