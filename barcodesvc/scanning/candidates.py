"""The candidates of a scan, ranked: which stored key to compare with which value, best rule first.

    exact               the text as sent, then without white space and control characters at its ends
    json                `product_code` of the service's own QR payload, also as a keyboard has damaged it
    aim                 the text behind a symbology identifier such as `]E0` (ISO/IEC 15424)
    gs1, digital_link   the elements of a GS1 element string, the GTIN in them or in a web address; before the rule
                        above where the identifier, or 0x1D in the text, says that it is one
    gtin                the text is a GTIN itself; 8, 12, 13 and 14 digits are compared as 14, and as the ISBN, ISSN
                        or UPC-E number that it stands for, with hyphens or without
    add_on              the number with the add-on beside it; where scan or code lacks the add-on, the number alone
    shortened_gtin      the GTIN of the rules before, against stored codes that lost their zeros in front
    pzn                 a pharmaceutical number without the `-` and the check digit that its symbol has
    code39_full_ascii   pairs of Code 39 characters such as `+A`, read as the letter `a`, or the other way about
    code32              the nine digits that six characters of Code 39 stand for, and the `A` printed before them
    codabar             the text without, or the stored code with, start and stop letters
    check_digit         the text without, or with, a check digit that the product code has not, or has
    case_insensitive    letters flipped by Code 39 or Caps Lock

The order goes from knowledge to guess. A stored code wins over all that it could mean: a shop may call a
product `]C1-A` or `(01)X`, and that name must find it. A structure that says "GTIN" wins over digits that
look like one. Lost zeros, what scanners add or leave out, and flipped letters come last, since there two products can
be taken for each other: the first candidate that any product fits decides, and where two fit it, neither is it.

The hint `code_type` can only add candidates behind those that need none, for a check digit or a UPC-E number says
nothing by itself; a wrong hint hides no product.

Rule: pure, total, bounded. Any text gives at most 40 candidates in linear time and no exception: so many are the ways
to spell digits that are EAN-8 and UPC-E at once; most have six to ten. Values that no product code can have
(it is up to 64 characters of printable ASCII) are left out, so that lone surrogates never reach the database.
"""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1 import Element
from barcodesvc.gs1.gtin import gtin14
from barcodesvc.scanning.element_string import elements_as_sent
from barcodesvc.scanning.gtin_spellings import (
    behind_gtin_ai,
    hyphenated_numbers,
    numbers_beside_add_on,
    other_numbers,
    without_gtin_check_digit,
)
from barcodesvc.scanning.linear_variants import (
    digits_of_code32,
    full_ascii,
    in_full_ascii,
    other_check_digits,
    without_letters,
)
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.symbols.alphabets import CODABAR
from barcodesvc.symbols.check_digits import completed_pzn

_LONGEST_CODE = 64
_GTINS_REMEMBERED = 16384
_CODABAR = frozenset(CODABAR)
_LEAST_CODABAR = 6
_EAN_UPC_LENGTHS = frozenset({12, 13})
"""Digits of the symbols that an add-on may stand beside; UPC-E, whose digits are not the GTIN's own, is one as well."""


class Match(StrEnum):
    """The rule that leads to a product: `data.match` of the answer."""

    EXACT = "exact"
    JSON = "json"
    AIM = "aim"
    GS1 = "gs1"
    DIGITAL_LINK = "digital_link"
    GTIN = "gtin"
    ADD_ON = "add_on"
    SHORTENED_GTIN = "shortened_gtin"
    PZN = "pzn"
    FULL_ASCII = "code39_full_ascii"
    CODE32 = "code32"
    CODABAR = "codabar"
    CHECK_DIGIT = "check_digit"
    CASE = "case_insensitive"


class Key:
    """The stored key of a product that a candidate is compared with.

    CODE is the product code itself, GTIN and SHORT_GTIN are `gtin.gtin14` and `gtin.gtin14_of_shortened`
    of it, PRINTED is what is left of it without hyphens and spaces where printing drops these, MAIN is that in front of
    a `+` and an add-on, CODABAR is what stands between its start and stop letters, FOLDED is the product code in lower
    case.
    """

    CODE: Final = "code"
    GTIN: Final = "gtin"
    PRINTED: Final = "printed"
    MAIN: Final = "main"
    SHORT_GTIN: Final = "short_gtin"
    CODABAR: Final = "codabar"
    FOLDED: Final = "folded"


class ScanCandidate(NamedTuple):
    """One candidate: products whose stored `key` equals `value` fit by the rule `match`."""

    match: Match
    key: str
    value: str


def candidates_of(scan: ParsedScan) -> tuple[ScanCandidate, ...]:
    """Return at most 40 different candidates, best first; none where no product code could fit."""
    first: dict[tuple[str, str], ScanCandidate] = {}
    for candidate in _ranked(scan):
        first.setdefault(candidate[1:], candidate)
    return tuple(first.values())


def _ranked(scan: ParsedScan) -> list[ScanCandidate]:
    ranked = _codes(Match.EXACT, scan.sent, scan.text)
    if scan.code:
        ranked += _codes(Match.JSON, scan.code)
    aim = _codes(Match.AIM, scan.behind, scan.bare) if scan.bare is not scan.text else []
    gs1 = _gs1(scan) if scan.supposed else []
    ranked += gs1 + aim if scan.says_gs1 else aim + gs1
    if scan.linked:
        ranked += _digital_link(scan)
    if scan.gtins or scan.beside:
        ranked += _numbers(scan)
    if scan.bare.startswith("-"):
        ranked += _pzn(scan.bare)
    ranked += _code39(scan) + _codabar(scan) + _check_digit(scan)
    folded = {code.lower(): None for code in (scan.text, scan.code, scan.bare) if _is_storable(code)}
    return ranked + [ScanCandidate(Match.CASE, Key.FOLDED, code) for code in folded]


def _gs1(scan: ParsedScan) -> list[ScanCandidate]:
    """Compare the elements as a product code spells them in brackets, then the GTIN in them."""
    as_sent = elements_as_sent(scan.bare)
    ranked = _printed(Match.GS1, _bracketed(as_sent)) if as_sent else []
    ranked += _printed(Match.GS1, _bracketed(scan.supposed))
    if scan.gs1_gtin:
        ranked.append(ScanCandidate(Match.GS1, Key.GTIN, scan.gs1_gtin))
        ranked += _printed(Match.GS1, *behind_gtin_ai(scan.gs1_gtin)) if len(scan.supposed) == 1 else []
    return ranked


def _digital_link(scan: ParsedScan) -> list[ScanCandidate]:
    """Compare the primary key as a product code spells it in brackets, then GTINs."""
    ranked = _printed(Match.DIGITAL_LINK, _bracketed(scan.linked[:1])) if scan.linked[0].ai != "01" else []
    return ranked + [ScanCandidate(Match.DIGITAL_LINK, Key.GTIN, gtin) for gtin in scan.gtins]


def _numbers(scan: ParsedScan) -> list[ScanCandidate]:
    """Compare GTINs, then other numbers that stand for them, with add-ons, and without their zeros in front."""
    ranked = [ScanCandidate(Match.GTIN, Key.GTIN, gtin) for gtin in scan.digits]
    for gtin in scan.gtins:
        ranked += _spellings(gtin).numbers if gtin != scan.main else ()
    if scan.beside or scan.digits:
        ranked += _add_on(scan)
    return ranked + [ScanCandidate(Match.SHORTENED_GTIN, Key.SHORT_GTIN, gtin) for gtin in scan.gtins]


def _add_on(scan: ParsedScan) -> list[ScanCandidate]:
    """Compare the number with its add-on, then alone where that is certain; or one without with any add-on."""
    ranked: list[ScanCandidate] = []
    if scan.beside:
        numbers = numbers_beside_add_on(scan.beside.gtin)
        ranked += _printed(Match.ADD_ON, *(f"{number}+{scan.beside.add_on}" for number in numbers))
    if scan.main:
        ranked.append(ScanCandidate(Match.ADD_ON, Key.GTIN, scan.main))
        ranked += [candidate._replace(match=Match.ADD_ON) for candidate in _spellings(scan.main).numbers]
    text = scan.code or scan.bare
    for gtin in scan.digits:
        if len(text) in _EAN_UPC_LENGTHS or not gtin.endswith(text):
            ranked += _spellings(gtin).mains
    return ranked


def _pzn(text: str) -> list[ScanCandidate]:
    """Compare the eight and the seven digits of a PZN8 symbol's text, such as `-12345678`."""
    with suppress(InvalidContent):
        if text == f"-{completed_pzn(text)}":
            numbers = text[1:], text[1:8]
            return _codes(Match.PZN, *numbers) + _printed(Match.PZN, *numbers, *(f"PZN{number}" for number in numbers))
    return []


def _code39(scan: ParsedScan) -> list[ScanCandidate]:
    if scan.symbology is not None and scan.symbology != "CODE39":
        return []
    meant = full_ascii(scan.bare)
    ranked = _codes(Match.FULL_ASCII, meant) if meant else []
    if scan.symbology == "CODE39" or scan.hint == "CODE39":
        ranked += _codes(Match.FULL_ASCII, in_full_ascii(scan.bare))
    digits = digits_of_code32(scan.bare)
    return ranked + _codes(Match.CODE32, f"A{digits}", digits) if digits else ranked


def _codabar(scan: ParsedScan) -> list[ScanCandidate]:
    """Compare a framed number with bare ones, or a bare one with framed ones; two frames are two numbers.

    A short one may as well be a part number, such as A4711C, where nothing says that it is Codabar.
    """
    if scan.symbology is not None and scan.symbology != "CODABAR":
        return []
    framed = without_letters(scan.bare)
    number = framed or scan.bare
    if not _CODABAR.issuperset(number):
        return []
    if len(number) < (1 if "CODABAR" in {scan.symbology, scan.hint} else _LEAST_CODABAR):
        return []
    if framed:
        return _codes(Match.CODABAR, number)
    return [ScanCandidate(Match.CODABAR, Key.CODABAR, number)]


def _check_digit(scan: ParsedScan) -> list[ScanCandidate]:
    ranked: list[ScanCandidate] = []
    for gtin in scan.gtins:
        ranked += _spellings(gtin).without_check_digit
    if scan.completed:
        of_completed = _spellings(scan.completed)
        others = of_completed.numbers + of_completed.mains + of_completed.without_check_digit
        ranked.append(ScanCandidate(Match.CHECK_DIGIT, Key.GTIN, scan.completed))
        ranked += [candidate._replace(match=Match.CHECK_DIGIT) for candidate in others]
    symbology = scan.symbology or scan.hint
    if not symbology:
        return ranked
    codes = other_check_digits(symbology, scan.bare)
    if symbology == "ITF" and scan.digits:  # a GTIN without its last digit may be the GTIN of another trade item
        codes = (code for code in codes if gtin14(code) is None)
    return ranked + _codes(Match.CHECK_DIGIT, *codes)


class _Spellings(NamedTuple):
    """The comparisons that a GTIN-14 has beside itself."""

    numbers: tuple[ScanCandidate, ...]
    mains: tuple[ScanCandidate, ...]
    without_check_digit: tuple[ScanCandidate, ...]


@lru_cache(maxsize=_GTINS_REMEMBERED)
def _spellings(gtin: str) -> _Spellings:
    """Return the comparisons of a GTIN-14.

    They are remembered, as a product has many serial numbers: that halves the time of such a scan.
    """
    return _Spellings(
        (*_codes(Match.GTIN, *other_numbers(gtin)), *_printed(Match.GTIN, *hyphenated_numbers(gtin))),
        tuple(ScanCandidate(Match.ADD_ON, Key.MAIN, number) for number in numbers_beside_add_on(gtin)),
        tuple(_codes(Match.CHECK_DIGIT, *without_gtin_check_digit(gtin))),
    )


def _bracketed(elements: tuple[Element, ...]) -> str:
    """Return the element string as a product code would spell it, empty where there is none."""
    return "".join(f"({element.ai}){element.value}" for element in elements)


def _codes(match: Match, *codes: str) -> list[ScanCandidate]:
    return [ScanCandidate(match, Key.CODE, code) for code in dict.fromkeys(codes) if _is_storable(code)]


def _printed(match: Match, *codes: str) -> list[ScanCandidate]:
    return [ScanCandidate(match, Key.PRINTED, code) for code in codes if _is_storable(code)]


def _is_storable(code: str) -> bool:
    return 0 < len(code) <= _LONGEST_CODE and code.isascii() and code.isprintable()
