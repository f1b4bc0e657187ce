"""A retail number and its add-on in one scan: the issue of a periodical, the price of a book.

Scanners send the two or five digits of the add-on behind those of the symbol, EAN-13, UPC-A or UPC-E, with nothing or a
space between; this service writes a `+` between. Glued together they look like any long number, so whoever calls asks
for evidence before a product without the add-on is found by them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from barcodesvc.gs1.gtin import gtin14, is_digits
from barcodesvc.scanning.gtin_spellings import gtins_of_upce

_APART = re.compile(r"([0-9]{8}|[0-9]{12,13})[ +]([0-9]{2}|[0-9]{5})")
_GLUED = {10: 8, 13: 8, 14: 12, 15: 13, 17: 12, 18: 13}
"""Lengths of number and add-on together, and of the number in them."""
_UPCE_DIGITS = 8


class Beside(NamedTuple):
    """A GTIN-14 and the add-on beside its symbol; `is_apart` where something stands between them."""

    gtin: str
    add_on: str
    is_apart: bool


def beside_add_on(text: str) -> Beside | None:
    """Return the number and its add-on, None for a text that is no such pair."""
    length = _GLUED.get(len(text))
    if length is not None and is_digits(text):
        return _beside(text[:length], text[length:], is_apart=False)
    parted = _APART.fullmatch(text)
    return _beside(parted[1], parted[2], is_apart=True) if parted else None


def _beside(number: str, add_on: str, *, is_apart: bool) -> Beside | None:
    gtin = next(iter(gtins_of_upce(number)), None) if len(number) == _UPCE_DIGITS else gtin14(number)
    return Beside(gtin, add_on, is_apart) if gtin else None
