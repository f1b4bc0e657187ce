"""The canonical numbers that a scanned text may be, grouped by likelihood, and the add-on after a retail number.

Eight digits can be a GTIN-8, a UPC-E, an ISSN or a PZN; without a hint they are a GTIN-8 if its check digit is valid. A
hint decides which number comes first: `]E0`, which precedes UPC-E but not EAN-8, or a `code_type`. Six and seven digits
are a UPC-E only with such a hint.

Scanners send the two or five digits of an add-on directly after those of an EAN-13, UPC-A or UPC-E, or after a space;
this service writes a `+` between them. Without a separator they look like any long number, so a product without the
add-on is found only if there is evidence for an add-on.
"""

import re
from typing import NamedTuple

from barcodesvc.gs1.gtin import gtin14, is_digits
from barcodesvc.numbers.canonical import canonical_number, canonical_pzn, eight_characters
from barcodesvc.numbers.upce import gtins_of_upce
from barcodesvc.numbers.words import FIRST_LETTERS, with_plain_separators
from barcodesvc.scanning.identifiers import ADDED_ON, EAN_UPC
from barcodesvc.symbols.registry import SYMBOLOGIES
from barcodesvc.texts import LONGEST_CODE

_EAN13_LENGTH = 13
_SHORT_UPCE = frozenset({6, 7})
_EIGHT = 8
_WITH_IDENTIFIER = frozenset({16, 20})
"""Digits of a GTIN-14 or an SSCC with its AI, which are read as an element string."""
_FIRST = frozenset("0123456789-+*") | FIRST_LETTERS
_HINTS_OF_ADD_ONS = frozenset(symbology.hint for symbology in SYMBOLOGIES if symbology.has_add_on)
_WITH_ADD_ON = re.compile(r"([0-9]{8}|[0-9]{12,13})([ +]?)([0-9]{2}|[0-9]{5})")
"""A number of 8, 12 or 13 digits and its add-on; the length of both together tells where the number ends."""


class WithAddOn(NamedTuple):
    """A GTIN-14 and its add-on; `is_apart` if something separates them."""

    gtin: str
    add_on: str
    is_apart: bool


class Evidence(NamedTuple):
    """Evidence of the symbology of a text: identifier, symbology and hint, each empty or None if there is none."""

    identifier: str
    symbology: str | None
    hint: str

    @property
    def is_upce(self) -> bool:
        """Whether there is evidence of a UPC-E rather than an EAN-8."""
        return self.hint == "UPCE" or self.symbology == "UPCE" or self.identifier == EAN_UPC


class ScannedNumbers(NamedTuple):
    """The numbers of a text.

    likely    equally likely canonical numbers; none if an add-on is certain
    unlikely  the numbers if the hint is wrong
    pzn       the canonical PZN
    hibc      the canonical primary data of an HIBC code
    issue     the canonical number with an add-on, if the text looks like one
    main      the GTIN-14 before the add-on, if that is certain
    """

    likely: tuple[str, ...] = ()
    unlikely: tuple[str, ...] = ()
    pzn: str | None = None
    hibc: str | None = None
    issue: str | None = None
    main: str | None = None


NO_NUMBERS = ScannedNumbers()


def scanned_numbers(text: str, evidence: Evidence) -> ScannedNumbers:
    """Return the numbers that a text may be."""
    text = with_plain_separators(text)
    if not text or len(text) > LONGEST_CODE or text[0] not in _FIRST:
        return NO_NUMBERS
    if len(text) in _WITH_IDENTIFIER and is_digits(text):
        return NO_NUMBERS
    if len(text) in _SHORT_UPCE:
        return ScannedNumbers(gtins_of_upce(text) if evidence.is_upce else ())
    if len(text) == _EIGHT and is_digits(text):
        return _of_eight(text, evidence)
    return _with_add_on(text, evidence)


def _of_eight(text: str, evidence: Evidence) -> ScannedNumbers:
    gtin8, _, issn = eight_characters(text)
    upce = gtins_of_upce(text)
    if evidence.is_upce and upce:
        return ScannedNumbers(upce, _some(gtin8))
    if evidence.hint == "ISSN" and issn:
        return ScannedNumbers((issn,), _some(gtin8))
    if gtin8 or evidence.symbology or evidence.identifier:
        return ScannedNumbers(_some(gtin8))
    return ScannedNumbers((*upce, *_some(issn)), pzn=canonical_pzn(text))


def _with_add_on(text: str, evidence: Evidence) -> ScannedNumbers:
    number = canonical_number(text)
    if number and number.startswith("-"):
        return ScannedNumbers(pzn=number)
    if number and number.startswith("+"):
        return ScannedNumbers(hibc=number)
    if number and "+" in number:
        return ScannedNumbers(issue=number, main=number.partition("+")[0])
    is_ean13 = number and len(text) == _EAN13_LENGTH and evidence.hint != "UPCE"
    found = None if is_ean13 else split_add_on(text)
    issue = f"{found.gtin}+{found.add_on}" if found else None
    if found and (found.is_apart or _says_add_on(text, evidence)):
        return ScannedNumbers(issue=issue, main=found.gtin)
    return ScannedNumbers(_some(number), issue=issue)


def _says_add_on(text: str, evidence: Evidence) -> bool:
    """Return whether an add-on is certain; for digits that are a GTIN, only an identifier makes it certain."""
    if evidence.identifier == ADDED_ON and len(text) != _EAN13_LENGTH:
        return True
    return gtin14(text) is None and (evidence.identifier == ADDED_ON or evidence.hint in _HINTS_OF_ADD_ONS)


def _some(number: str | None) -> tuple[str, ...]:
    return (number,) if number else ()


def split_add_on(text: str) -> WithAddOn | None:
    """Return the number and its add-on, None for any other text."""
    found = _WITH_ADD_ON.fullmatch(text)
    if found is None:
        return None
    number, separator, add_on = found.groups()
    gtin = next(iter(gtins_of_upce(number)), None) if len(number) == _EIGHT else gtin14(number)
    return WithAddOn(gtin, add_on, bool(separator)) if gtin else None
