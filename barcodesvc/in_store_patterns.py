"""The patterns of in-store codes: numbers that a shop's scales print, with a price, a weight or a count inside.

    21IIIIIPPPPPC:2   an EAN-13: 21, five digits of the item, a price of five digits, two of them decimals, check digit
    20IIIIIWWWWWC:3   the same with a weight in kg, three digits of it decimals
    28IIIINNNNNNC     the same with a count
    2IIIIIVPPPPC:2    a UPC-A whose price has a check digit of its own

GS1 leaves the numbers 02 and 20 to 29 to each shop (GS1 General Specifications 2.1.11), and gives the check digit of a
price of four or five digits (7.9.4).

Rules: fixed digits come first, then those of the item, those of the value with its check digit `V` before or behind
them, and `C`, the check digit of all. No number fits two patterns. A leading zero changes no number: a UPC-A is the
EAN-13 with a zero before it.
"""

import re
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

EmbeddedKind = Literal["price", "weight", "count"]

MOST_PATTERNS = 32
_KINDS: dict[str, EmbeddedKind] = {"P": "price", "W": "weight", "N": "count"}
_PATTERN = re.compile(r"([0-9]+I+(?:V?(P+|W+|N+)|(P+)V)C)(?::([0-9]{1,2}))?")
_EXAMPLE = "such as '21IIIIIPPPPPC:2'"
_LENGTHS = (8, 12, 13)
_GTIN14 = 14
_TWO_MINUS = (0, 2, 4, 6, 8, 9, 1, 3, 5, 7)
_THREE = (0, 3, 6, 9, 2, 5, 8, 1, 4, 7)
_FIVE_PLUS = (0, 5, 1, 6, 2, 7, 3, 8, 4, 9)
_FIVE_MINUS = (0, 5, 9, 4, 8, 3, 7, 2, 6, 1)
"""The weighted products of the digits 0 to 9."""
_WEIGHTS = {
    4: (_TWO_MINUS, _TWO_MINUS, _THREE, _FIVE_MINUS),
    5: (_FIVE_PLUS, _TWO_MINUS, _FIVE_MINUS, _FIVE_PLUS, _TWO_MINUS),
}


@dataclass(frozen=True, slots=True)
class InStoreNumber:
    """What a number says by a pattern: a value in units, with so many decimals, and two spellings of its item.

    `body` is the GTIN-14 with zeros in place of the value, without its check digit; `prefix` is the digits of the code
    before its value.
    """

    kind: EmbeddedKind
    units: int
    decimals: int
    body: str
    prefix: str


@dataclass(frozen=True, slots=True)
class InStorePattern:
    """One pattern: its characters, 14 of them with zeros before those written, and the decimals of its value."""

    characters: str
    written: int
    letter: str
    decimals: int

    def number(self, gtin: str) -> InStoreNumber | None:
        """Return what a GTIN-14 says, None if it does not fit or the check digit of its price is wrong."""
        if any(one.isdigit() and one != digit for one, digit in zip(self.characters, gtin, strict=True)):
            return None
        value = self._digits(gtin, self.letter)
        if self._digits(gtin, "V") not in {"", price_check_digit(value)}:
            return None
        body = "".join("0" if one in "PWNV" else digit for one, digit in zip(self.characters, gtin, strict=True))
        prefix = gtin[_GTIN14 - self.written : self.characters.rindex("I") + 1]
        return InStoreNumber(_KINDS[self.letter], int(value), self.decimals, body[:-1], prefix)

    def may_be(self, other: "InStorePattern") -> bool:
        """Return whether a number may fit both patterns."""
        pairs = zip(self.characters, other.characters, strict=True)
        return all(one == another for one, another in pairs if one.isdigit() and another.isdigit())

    def may_begin(self, digits: str) -> bool:
        """Return whether an EAN-13 that begins with these digits may fit."""
        pairs = zip(self.characters[1:], digits, strict=False)
        return all(one == digit for one, digit in pairs if one.isdigit())

    def _digits(self, gtin: str, letter: str) -> str:
        return "".join(digit for one, digit in zip(self.characters, gtin, strict=True) if one == letter)


def price_check_digit(price: str) -> str:
    """Return the check digit of a price of four or five digits, an empty text for any other (GS1 7.9.4)."""
    weights = _WEIGHTS.get(len(price))
    if weights is None:
        return ""
    total = sum(weight[int(digit)] for weight, digit in zip(weights, price, strict=True))
    if len(price) == 4:  # noqa: PLR2004 - the two rules of the clause
        return str(total * 3 % 10)
    return str(_FIVE_MINUS.index(-total % 10))


def in_store_patterns(text: str) -> tuple[InStorePattern, ...]:
    """Return comma-separated patterns; raises ValueError for a wrong one, and for two that a number may both fit."""
    written = [one.strip().upper() for one in text.split(",") if one.strip()]
    if len(written) > MOST_PATTERNS:
        raise ValueError(f"{len(written)} patterns; at most {MOST_PATTERNS} are possible")
    patterns = [_pattern(one) for one in written]
    for (first, one), (second, another) in combinations(zip(written, patterns, strict=True), 2):
        if one.may_be(another):
            raise ValueError(f"{first!r} and {second!r}: a number may fit both; give them different digits")
    return tuple(patterns)


def _pattern(written: str) -> InStorePattern:
    found = _PATTERN.fullmatch(written)
    if found is None:
        message = "fixed digits, the item I, its value P, W or N, and C at the end"
        raise ValueError(f"{written!r} is not a pattern {_EXAMPLE}: {message}")
    form, value, decimals = found[1], found[2] or found[3], int(found[4] or 0)
    if len(form) not in _LENGTHS:
        raise ValueError(f"{written!r} has {len(form)} characters; an EAN-13 has 13, a UPC-A 12, an EAN-8 8")
    if decimals > len(value):
        raise ValueError(f"{written!r}: a value of {len(value)} digits has no {decimals} decimals")
    if value[0] == "N" and decimals:
        raise ValueError(f"{written!r}: a count has no decimals")
    if "V" in form and (value[0] != "P" or len(value) not in _WEIGHTS):
        raise ValueError(f"{written!r}: only a price of four or five digits has a check digit V")
    return InStorePattern(form.rjust(_GTIN14, "0"), len(form), value[0], decimals)
