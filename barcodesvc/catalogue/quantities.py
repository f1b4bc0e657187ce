"""Quantities as people write them in texts: `10`, `10,00`, `1.000`, `1 000`, `12 Stk.`.

A sign before exactly three digits separates thousands in one country and decimals in another. Other quantities of the
file decide, such as `10,00` or `1.000.000`, then its language, if that leaves no doubt. Otherwise such a quantity is
refused with both readings.

Rule: a quantity is the number that its author meant, or an error that says what to type.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from barcodesvc.models import MAX_LEVEL
from barcodesvc.spreadsheets.cells import TypedText

_LONGEST = 40
_SURE_DIGITS = len(str(MAX_LEVEL)) - 1
"""Digits that are never beyond the greatest level."""
_SPACED = re.compile(r"[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f'\u2019]\d{3})+(?:[.,]\d*)?", re.ASCII)
"""Thousands that are separated by spaces or apostrophes, which no country uses for decimals."""
_SPACES = re.compile(r"[ \u00a0\u2009\u202f'\u2019]")
_BY_DECIMAL_SIGN = {
    ".": re.compile(r"(\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d*))?", re.ASCII),
    ",": re.compile(r"(\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,(\d*))?", re.ASCII),
}
_SEEN = re.compile(r"\d+(?:[.,]\d+)*", re.ASCII)
_NEGATIVE = re.compile("[-\N{MINUS SIGN}]|.*[-\N{MINUS SIGN}]$")
_GERMAN_OR_FRENCH = (
    "/artikelnummer/artikelnr/artnr/bezeichnung/artikelbezeichnung/beschreibung/kategorie/warengruppe/artikelgruppe/"
    "einheit/mengeneinheit/bestand/lagerbestand/menge/anzahl/mindestbestand/höchstbestand/"
    "référence/réf/codearticle/désignation/libellé/catégorie/famille/unité/quantité/stockminimal/stockmaximal/"
)
"""Headers of the languages whose decimal sign is the comma; that of Spanish depends on the country."""


class WrongQuantity(NamedTuple):
    """Why a text is not a quantity: the rule that it breaks, and a message that says what to type."""

    rule: Literal["whole number", "ambiguous", "range"]
    message: str


class _Reading(NamedTuple):
    whole: int
    decimals: str

    def __str__(self) -> str:
        return f"{self.whole}.{self.decimals}" if self.decimals else str(self.whole)


@dataclass(frozen=True)
class Quantities:
    """Reads the quantities of one file; `others` returns all of their texts, in case one has two readings."""

    headers: Sequence[str] = ()
    others: Callable[[], Iterable[str]] = field(default=tuple)

    def read(self, text: str) -> int | WrongQuantity:
        """Return the number in a text that is not blank and has no invisible characters at its ends."""
        if len(text) <= _SURE_DIGITS and text.isascii() and text.isdecimal():  # nearly every one
            return int(text)
        readings = _readings(text)
        reading = readings.get(self._decimal_sign) if len(readings) > 1 else next(iter(readings.values()), None)
        if reading is None and readings:
            message = f"{text!r} can be {_either(readings)}; type it without {'.' if '.' in text else ','!r}"
            return WrongQuantity("ambiguous", message)
        if reading is None:
            return WrongQuantity("whole number", f"{text[:_LONGEST]!r} is not a whole number from 0; {_advice(text)}")
        if reading.decimals:
            return WrongQuantity(
                "whole number", f"{text[:_LONGEST]!r} is not a whole number from 0; {_rounded(reading)}"
            )
        if reading.whole > MAX_LEVEL:
            return WrongQuantity("range", f"more than {MAX_LEVEL}, the greatest level")
        return reading.whole

    @cached_property
    def _decimal_sign(self) -> str:
        """The decimal sign that other quantities prove, or the language; empty if neither does."""
        proved = {sign for text in self.others() if (sign := proved_decimal_sign(text))}
        if proved:
            return proved.pop() if len(proved) == 1 else ""
        return "," if any(f"/{_plain_name(header)}/" in _GERMAN_OR_FRENCH for header in self.headers) else ""


def proved_decimal_sign(text: str) -> str:
    """Return the decimal sign of a quantity that can only be read in one way, or an empty text if it proves none."""
    if type(text) is not str or text.isdecimal():  # a number has the format of its cell
        return ""
    readings = _readings(text)
    return next(iter(readings)) if len(readings) == 1 and "" not in readings else ""


def _readings(text: str) -> dict[str, _Reading]:
    """Return the numbers that a text can be, by their decimal sign, which is empty if it does not matter."""
    if text.isascii() and text.isdecimal():
        return {"": _Reading(int(text), "")}
    plain = _SPACES.sub("", text) if _SPACED.fullmatch(text) else text
    # a number that is not typed as text has a point
    forms = {".": _BY_DECIMAL_SIGN["."]} if isinstance(text, TypedText) else _BY_DECIMAL_SIGN
    readings = {sign: _reading(match) for sign, form in forms.items() if (match := form.fullmatch(plain))}
    return {"": readings["."]} if len(readings) > 1 and readings["."] == readings[","] else readings


def _reading(match: re.Match[str]) -> _Reading:
    return _Reading(int(re.sub("[.,]", "", match[1])), (match[2] or "").rstrip("0"))


def _advice(text: str) -> str:
    """Return what to type instead of a text that is not a number."""
    if isinstance(text, TypedText) and text.kind in {"date", "time"}:
        return f"it is a {text.kind}; type one such as 10"
    seen = _SEEN.findall(text[:_LONGEST])
    if seen and _NEGATIVE.match(text):
        return "type 0 or more"
    readings = _readings(seen[0]) if len(seen) == 1 else {}
    if not readings or max(readings.values()).whole > MAX_LEVEL:
        return "type one such as 10, or leave the cell blank"
    return f"type {_either(readings)}" if len(readings) > 1 else _rounded(*readings.values())


def _rounded(reading: _Reading) -> str:
    return f"type {reading.whole} or {reading.whole + 1}" if reading.decimals else f"type {reading.whole}"


def _either(readings: dict[str, _Reading]) -> str:
    return " or ".join(map(str, readings.values()))


def _plain_name(header: str) -> str:
    return re.sub(r"[\W_]", "", header).casefold()
