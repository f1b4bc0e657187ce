"""What a scanner sent, turned into candidates: which stored key to compare with which value, best rule first.

    exact               the text as sent, then without white space and control characters at its ends
    json                `product_code` of the service's own QR payload, also as a keyboard has damaged it
    aim                 the text behind a symbology identifier such as `]E0` (ISO/IEC 15424)
    gs1, digital_link   the GTIN in a GS1 element string or in the path of a web address
    gtin                the text is a GTIN itself; 8, 12, 13 and 14 digits are compared as 14, and as the ISBN-10,
                        ISSN or UPC-E number that it stands for
    shortened_gtin      the GTIN of the rules before, against stored codes that lost their zeros in front
    pzn                 a pharmaceutical number without the `-` and the check digit that its symbol has
    code39_full_ascii   pairs of Code 39 characters such as `+A`, read as the letter `a`
    codabar             the text without, or the stored code with, start and stop letters
    check_digit         the text without, or with, a check digit that the product code has not, or has
    case_insensitive    letters flipped by Code 39 or Caps Lock

The order goes from knowledge to guess. A stored code wins over every reading of it: a shop may call a
product `]C1-A` or `(01)X`, and that name must find it. A structure that says "GTIN" wins over digits that
look like one. Lost zeros, what scanners add or leave out, and flipped letters come last, since there two products can
be taken for each other: the first candidate that any product fits decides, and where two fit it, neither is it.

The hint `code_type` can only add candidates behind those that need none, for a check digit or a UPC-E number says
nothing by itself; a wrong hint hides no product.

Rule: pure, total, bounded. Any text gives at most 32 candidates in linear time and no exception. Values
that no product code can have (it is up to 64 characters of printable ASCII) are left out, so that lone surrogates
never reach the database.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1 import Element
from barcodesvc.gtin import check_digit, gtin14, is_digits
from barcodesvc.names import normal_name
from barcodesvc.scan.digital_link import elements_of_link
from barcodesvc.scan.element_string import readable_elements
from barcodesvc.scan.gs1_data import gtin_of
from barcodesvc.scan.identifiers import ADDED_ON, WITHOUT_CHECK_DIGIT, Identified, identified
from barcodesvc.scan.linear_variants import (
    full_ascii,
    other_check_digits,
    other_numbers,
    without_gtin_check_digit,
    without_letters,
)
from barcodesvc.scan.payload import Payload, payload_of
from barcodesvc.symbols.alphabets import CODABAR
from barcodesvc.symbols.check_digits import completed_pzn
from barcodesvc.symbols.upce_numbers import expanded

_EDGES = "".join(map(chr, range(0x21))) + "\x7f\x85\xa0\u200b\u2028\u2029\u3000\ufeff"
_ADD_ON_LENGTHS = (15, 18)
_LONGEST_CODE = 64
_GTINS_REMEMBERED = 16384
_SHORTEST_WITH_GTIN = len("01") + 14
_CODABAR = frozenset(CODABAR)
_LEAST_CODABAR = 6
_HINTS = {"code39": "CODE39", "itf": "ITF", "codabar": "CODABAR", "msi": "MSI", "upce": "UPCE"}
"""The hints that add candidates."""


class Match(StrEnum):
    """The rule that leads to a product: `data.match` of the answer."""

    EXACT = "exact"
    JSON = "json"
    AIM = "aim"
    GS1 = "gs1"
    DIGITAL_LINK = "digital_link"
    GTIN = "gtin"
    SHORTENED_GTIN = "shortened_gtin"
    PZN = "pzn"
    FULL_ASCII = "code39_full_ascii"
    CODABAR = "codabar"
    CHECK_DIGIT = "check_digit"
    CASE = "case_insensitive"


class Key:
    """The stored key of a product that a candidate is compared with.

    CODE is the product code itself, GTIN and SHORT_GTIN are `gtin.gtin14` and `gtin.gtin14_of_shortened`
    of it, CODABAR is what stands between its start and stop letters, FOLDED is the product code in lower case.
    """

    CODE: Final = "code"
    GTIN: Final = "gtin"
    SHORT_GTIN: Final = "short_gtin"
    CODABAR: Final = "codabar"
    FOLDED: Final = "folded"


class Candidate(NamedTuple):
    """One comparison: products whose stored `key` equals `value` fit by the rule `match`."""

    match: Match
    key: str
    value: str


class Reading(NamedTuple):
    """What a scan was understood as, whether a product fits it or not.

    `text` is what is left without edges and identifier; `elements` is empty unless the text says that it is GS1 data.
    """

    text: str
    symbology: str | None
    elements: tuple[Element, ...]
    payload: Payload | None
    candidates: tuple[Candidate, ...]


def read(code_data: str, code_type: str = "", symbology: str | None = None) -> Reading:
    """Return what a scan means: at most 32 different candidates, best first, none where no product code could fit.

    `code_type` is a hint; `symbology` is one that is certain, by its canonical name, as for a code read from an image.
    """
    text = code_data.strip(_EDGES)
    found = identified(text)
    certain = symbology or found.symbology
    scan = _Scan(code_data, text, Identified(found.identifier, found.text.strip(_EDGES)), code_type, certain)
    return Reading(scan.bare, certain, scan.elements, scan.payload, scan.ranked())


class _Scan:
    """One scan and its readings."""

    def __init__(self, code_data: str, text: str, found: Identified, code_type: str, symbology: str | None) -> None:
        self.sent = code_data
        self.text = text
        self.identified = found
        self.bare = found.text
        self.symbology = symbology
        self.hint = _HINTS.get(normal_name(code_type)) if code_type else None
        self.payload = payload_of(self.bare)
        self.code = self.payload.product_code if self.payload else ""
        self.linked = elements_of_link(self.bare)
        self._readable = self.linked or self._readable_elements()
        self._gtin = gtin_of(self._readable)
        is_gs1 = self.identified.is_gs1 and gtin14(self.bare) is None
        told = is_gs1 or self.bare.startswith("(") or self._gtin
        self.elements = self._readable if told else ()  # 4006381333931 begins with a valid AI (400), but by chance only

    def _readable_elements(self) -> tuple[Element, ...]:
        """Read elements where they would be told; a text without other evidence needs the room for a GTIN."""
        if len(self.bare) < _SHORTEST_WITH_GTIN and not (self.identified.is_gs1 or self.bare.startswith("(")):
            return ()
        return readable_elements(self.bare)

    def ranked(self) -> tuple[Candidate, ...]:
        """Return the candidates, best rule first, none that was compared before."""
        first: dict[tuple[str, str], Candidate] = {}
        for candidate in self._all_ranked():
            first.setdefault((candidate.key, candidate.value), candidate)
        return tuple(first.values())

    def _all_ranked(self) -> list[Candidate]:
        ranked = _codes(Match.EXACT, self.sent, self.text)
        ranked += _codes(Match.JSON, self.code)
        ranked += _codes(Match.AIM, self.bare)
        ranked += _codes(Match.GS1, self._bracketed())
        found = list(self._gtins())
        ranked += [Candidate(match, Key.GTIN, gtin) for match, gtin in found]
        for _, gtin in found:
            ranked += _spellings(gtin)
        if not found:
            ranked += self._variants()
        folded = [code.lower() for code in (self.text, self.code, self.bare) if _is_storable(code)]
        ranked += [Candidate(Match.CASE, Key.FOLDED, code) for code in folded]
        return ranked

    def _bracketed(self) -> str:
        """Return the element string as a product code would spell it, empty where there is none."""
        if self.linked:
            return ""
        return "".join(f"({element.ai}){element.value}" for element in self.elements)

    def _gtins(self) -> Iterator[tuple[Match, str]]:
        if self._gtin:
            yield Match.DIGITAL_LINK if self.linked else Match.GS1, self._gtin
        for digits in self._digits():
            number = gtin14(digits)
            if number:
                yield Match.GTIN, number

    def _digits(self) -> Iterator[str]:
        text = self.code or self.bare
        yield text
        if self.identified.identifier == ADDED_ON and len(text) in _ADD_ON_LENGTHS:
            yield text[:13]
        if self.hint == "UPCE" and len(text) == 8 and is_digits(text):  # noqa: PLR2004 - a UPC-E number has eight digits
            yield expanded(text[:7]) + text[7]

    def _variants(self) -> list[Candidate]:
        text = self.bare
        ranked = _codes(Match.PZN, *_pzns(text)) + _codes(Match.FULL_ASCII, full_ascii(text) or "")
        ranked += self._codabar()
        if (self.identified.identifier, len(text)) in WITHOUT_CHECK_DIGIT and is_digits(text):
            gtin = gtin14(text + check_digit(text))
            ranked += [Candidate(Match.CHECK_DIGIT, Key.GTIN, gtin)] if gtin else []
        return ranked + _codes(Match.CHECK_DIGIT, *other_check_digits(self.symbology or self.hint, text))

    def _codabar(self) -> list[Candidate]:
        """Compare a framed number with bare ones, or a bare one with framed ones; two frames are two numbers.

        A short one may as well be a part number, such as A4711C, where nothing says that it is Codabar.
        """
        symbology = self.symbology or self.hint
        framed = without_letters(self.bare)
        number = framed or self.bare
        if symbology not in {None, "CODABAR"} or not _CODABAR.issuperset(number):
            return []
        if len(number) < (1 if symbology else _LEAST_CODABAR):
            return []
        if framed:
            return _codes(Match.CODABAR, number)
        return [Candidate(Match.CODABAR, Key.CODABAR, number)]


@lru_cache(maxsize=_GTINS_REMEMBERED)
def _spellings(gtin: str) -> tuple[Candidate, ...]:
    """Return the comparisons that a GTIN-14 has beside itself; remembered, as a product has many serial numbers."""
    return (
        *_codes(Match.GTIN, *other_numbers(gtin)),
        Candidate(Match.SHORTENED_GTIN, Key.SHORT_GTIN, gtin),
        *_codes(Match.CHECK_DIGIT, *without_gtin_check_digit(gtin)),
    )


def _pzns(text: str) -> Iterator[str]:
    """Yield the eight and the seven digits of a PZN8 symbol's text, such as `-12345678`."""
    if not text.startswith("-"):
        return
    with suppress(InvalidContent):
        if text == f"-{completed_pzn(text)}":
            yield from (text[1:], text[1:8])


def _codes(match: Match, *codes: str) -> list[Candidate]:
    return [Candidate(match, Key.CODE, code) for code in codes if _is_storable(code)]


def _is_storable(code: str) -> bool:
    return 0 < len(code) <= _LONGEST_CODE and code.isascii() and code.isprintable()
