r"""The ranked candidates of a scan: which stored keys to compare with which values, the best rule first.

    exact               the text as sent, then without white space and control characters at its ends
    json                `product_code` of the service's QR payload
    aim                 the text after a symbology identifier such as `]E0` (ISO/IEC 15424), or an ECI such as
                        `\000026`, or between the start and stop asterisks of Code 39
    gs1, digital_link   the elements of a GS1 element string, the GTIN in them or in a web address, also that of the
                        contents (02); before the rule above if the identifier, or 0x1D in the text, announces GS1
    gtin                the text is a GTIN, ISBN, ISSN, UPC-E or SSCC in any spelling; all codes of the same number
                        match equally
    in_store            the item of an in-store code with a price, a weight or a count inside: its number with zeros in
                        place of the value, or the digits before the value alone
    add_on              the number with its add-on, then the number alone
    shortened_gtin      the GTIN of the rules above, compared with stored codes that lost their leading zeros
    pzn                 the text is a pharmaceutical number, with or without `-`, `PZN` and check digit; then the GTIN
                        (NTIN) with that PZN in it, or vice versa
    hibc                the product's part of an HIBC code, with or without secondary data and check character
    code39_full_ascii   pairs of Code 39 characters such as `+A`, read as the letter `a`, or vice versa
    code32              the nine digits that six characters of Code 39 encode, and the `A` printed before them
    vin                 the number of a vehicle behind the `I` of imported ones
    codabar             the text without, or the stored code with, start and stop letters
    check_digit         the text without, or with, a check digit that the product code lacks, or has
    add_on              the number with any add-on, which the scanner may have omitted
    case_insensitive    letters whose case Code 39 or Caps Lock changed; digits alone need no second look

The order goes from knowledge to guesswork. A stored code wins over everything that it could mean: a shop may call a
product `]C1-A` or `(01)X`, and that name must find it. A structure that announces a GTIN wins over digits that look
like one. Lost zeros, additions and omissions of scanners, and changed case come last, because they can confuse two
products.

If no candidate matches, `rereading` has further ones. A candidate is one number or text; its comparisons are the
equally good spellings of it. The first candidate that any code matches decides, the own codes of products before
further ones of the same rule; see `deciding`. If several products match it, none is chosen.

The hint `code_type` decides which of two readings comes first, and adds candidates after those that need no hint, since
a check digit or a UPC-E number alone is not evidence. A wrong hint hides no product: the other reading comes after all
rules except the last one.

Rule: pure, total, bounded. Any text yields at most 64 comparisons in linear time and no exception. 62 are the spellings
of digits that are both EAN-8 and UPC-E; most texts have six to twelve. Values that no product code can have (up to 64
characters of printable ASCII) are left out, so that lone surrogates never reach the database.
"""

from collections.abc import Sequence
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from barcodesvc.gs1.element_strings import Element, to_bracketed
from barcodesvc.gs1.gtin import gtin14
from barcodesvc.scanning.element_string import elements_as_sent
from barcodesvc.scanning.linear_variants import (
    digits_of_code32,
    full_ascii,
    in_full_ascii,
    other_check_digits,
    vehicle_of,
    without_letters,
)
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.scanning.scanned_numbers import NO_NUMBERS
from barcodesvc.scanning.spellings import (
    bare_location,
    completed_element,
    less_likely,
    location,
    ntin_of_pzn,
    pzn_of_ntin,
    same_number,
    shortened,
    with_any_add_on,
    without_check_digit,
)
from barcodesvc.store.scans import Comparison, Found, Key
from barcodesvc.symbols.alphabets import CODABAR
from barcodesvc.texts import LONGEST_CODE

_CODABAR = frozenset(CODABAR)
_LEAST_CODABAR = 6
_WITHOUT_ADD_ONS = frozenset({8, 14})
"""Digits of the symbols without add-ons; a UPC-E, whose digits differ from its GTIN, may have one."""


class Match(StrEnum):
    """The rule that leads to a product: `data.match` of the response."""

    EXACT = "exact"
    JSON = "json"
    AIM = "aim"
    GS1 = "gs1"
    DIGITAL_LINK = "digital_link"
    GTIN = "gtin"
    IN_STORE = "in_store"
    ADD_ON = "add_on"
    SHORTENED_GTIN = "shortened_gtin"
    PZN = "pzn"
    HIBC = "hibc"
    FULL_ASCII = "code39_full_ascii"
    CODE32 = "code32"
    VEHICLE = "vin"
    CODABAR = "codabar"
    CHECK_DIGIT = "check_digit"
    CASE = "case_insensitive"
    NFKC = "nfkc"
    KEYBOARD = "keyboard_layout"


class ScanCandidate(NamedTuple):
    """One candidate: a product that any of its comparisons finds matches by the rule `match`."""

    match: Match
    comparisons: tuple[Comparison, ...]


def candidates_of(scan: ParsedScan) -> tuple[ScanCandidate, ...]:
    """Return the candidates, best first, with at most 64 different comparisons; none if no product code could match."""
    seen: set[Comparison] = set()
    candidates = []
    for candidate in _ranked(scan):
        match, comparisons = candidate
        if not seen.isdisjoint(comparisons):
            candidate = ScanCandidate(match, tuple(one for one in comparisons if one not in seen))  # noqa: PLW2901 - less
        if candidate.comparisons:
            seen.update(comparisons)
            candidates.append(candidate)
    return tuple(candidates)


def deciding(candidates: Sequence[ScanCandidate], matching: Sequence[Found]) -> list[Found]:
    """Return what decides a scan, by product: of the first rule that any code matches, own codes before further ones.

    A product is there once, or more often if its codes that match equally have different pack quantities.
    """
    if len(matching) < 2:  # noqa: PLR2004 - one decides
        return list(matching)
    first_of_rule = [0] * len(candidates)
    for rank in range(1, len(candidates)):
        is_same = candidates[rank].match is candidates[rank - 1].match
        first_of_rule[rank] = first_of_rule[rank - 1] if is_same else rank

    def order(found: Found) -> tuple[int, bool, int]:
        return first_of_rule[found.rank], not found.is_own, found.rank

    best = min(map(order, matching))
    equal = {(one.product.id, one.code.pack_quantity): one for one in matching if order(one) == best}
    return [equal[key] for key in sorted(equal)]


def _ranked(scan: ParsedScan) -> list[ScanCandidate]:
    ranked = _codes(Match.EXACT, scan.sent, scan.text) + _codes(Match.JSON, scan.code)
    aim = _codes(Match.AIM, scan.behind, scan.bare) if scan.bare is not scan.text else []
    gs1 = _gs1(scan) if scan.supposed else []
    ranked += gs1 + aim if scan.says_gs1 else aim + gs1
    if scan.linked:
        ranked += _digital_link(scan)
    is_number = bool(scan.gtins) or scan.numbers is not NO_NUMBERS
    if is_number:
        ranked += _numbers(scan)
    ranked += _code39(scan) + _codes(Match.VEHICLE, vehicle_of(scan.bare)) + _codabar(scan) + _check_digit(scan)
    if is_number:
        ranked += _left_out_add_on(scan)
        ranked += _unlikely(scan)
    lettered = (code for code in (scan.text, scan.code, scan.bare) if code.lower() != code.upper())
    folded = {code.lower(): None for code in lettered if _is_storable(code)}
    return ranked + [ScanCandidate(Match.CASE, ((Key.FOLDED, code),)) for code in folded]


def _gs1(scan: ParsedScan) -> list[ScanCandidate]:
    """Compare the elements in brackets, as a product code spells them, a pallet's number, then the GTIN in them."""
    as_sent = elements_as_sent(scan.bare)
    ranked = [_spelt(Match.GS1, as_sent)] if as_sent else []
    ranked.append(_spelt(Match.GS1, scan.supposed))
    if len(scan.supposed) == 1:
        ranked.append(_without_identifier(Match.GS1, scan.supposed[0]))
    if scan.supposed[0].ai == "00":
        ranked.append(_spelt(Match.GS1, scan.supposed[:1]))
    if scan.gs1_gtin:
        ranked.append(ScanCandidate(Match.GS1, same_number(scan.gs1_gtin)))
        if len(scan.supposed) == 1:
            ranked.append(ScanCandidate(Match.GS1, completed_element(scan.gs1_gtin)))
    return ranked


def _digital_link(scan: ParsedScan) -> list[ScanCandidate]:
    """Compare the primary key in brackets, then GTINs."""
    ranked = []
    if scan.linked[0].ai != "01":
        ranked.append(_spelt(Match.DIGITAL_LINK, scan.linked[:1]))
        ranked.append(_without_identifier(Match.DIGITAL_LINK, scan.linked[0]))
    return ranked + [ScanCandidate(Match.DIGITAL_LINK, same_number(gtin)) for gtin in scan.gtins]


def _numbers(scan: ParsedScan) -> list[ScanCandidate]:
    """Compare the numbers of the text, then their less likely readings, with add-ons, and without leading zeros."""
    likely, pzn, main = scan.numbers.likely, scan.numbers.pzn, scan.numbers.main
    ranked = [ScanCandidate(Match.GTIN, tuple(chain.from_iterable(map(same_number, likely))))] if likely else []
    if not main:
        ranked += [ScanCandidate(Match.GTIN, less_likely(gtin)) for gtin in scan.gtins]
    if scan.symbology is None and not scan.gs1_gtin:  # else the number is certainly not that of a location
        ranked += [ScanCandidate(Match.GTIN, location(gtin)) for gtin in scan.digits]
    ranked += [ScanCandidate(Match.GTIN, bare_location(number)) for number in likely]
    if scan.in_store:
        ranked.append(
            ScanCandidate(Match.IN_STORE, (*same_number(scan.in_store.gtin), (Key.CODE, scan.in_store.prefix)))
        )
    if scan.numbers.issue:
        ranked.append(ScanCandidate(Match.ADD_ON, same_number(scan.numbers.issue)))
    if main:
        ranked += [ScanCandidate(Match.ADD_ON, spelt(main)) for spelt in (same_number, less_likely)]
    ranked += [ScanCandidate(Match.SHORTENED_GTIN, shortened(gtin)) for gtin in scan.gtins]
    if pzn:
        ranked += [ScanCandidate(Match.PZN, spelt(pzn)) for spelt in (same_number, ntin_of_pzn)]
    ranked += [ScanCandidate(Match.PZN, pzn_of_ntin(gtin)) for gtin in scan.gtins]
    if scan.numbers.hibc:
        ranked.append(ScanCandidate(Match.HIBC, same_number(scan.numbers.hibc)))
    return ranked


def _left_out_add_on(scan: ParsedScan) -> list[ScanCandidate]:
    """Compare a number that was scanned without an add-on with codes that have one."""
    text = scan.code or scan.bare
    return [
        ScanCandidate(Match.ADD_ON, with_any_add_on(gtin))
        for gtin in scan.digits
        if len(text) not in _WITHOUT_ADD_ONS or not gtin.endswith(text)
    ]


def _unlikely(scan: ParsedScan) -> list[ScanCandidate]:
    """Compare the readings of the text if the hint is wrong."""
    ranked = []
    for gtin in scan.numbers.unlikely:
        ranked.append(ScanCandidate(Match.GTIN, same_number(gtin)))
        ranked.append(ScanCandidate(Match.SHORTENED_GTIN, shortened(gtin)))
        ranked.append(ScanCandidate(Match.CHECK_DIGIT, without_check_digit(gtin)))
    return ranked


def _code39(scan: ParsedScan) -> list[ScanCandidate]:
    if scan.symbology is not None and scan.symbology != "CODE39":
        return []
    ranked = _codes(Match.FULL_ASCII, full_ascii(scan.bare))
    if scan.symbology == "CODE39" or scan.hint == "CODE39":
        ranked += _codes(Match.FULL_ASCII, in_full_ascii(scan.bare))
    digits = digits_of_code32(scan.bare)
    return ranked + _equally_good(Match.CODE32, f"A{digits}", digits) if digits else ranked


def _codabar(scan: ParsedScan) -> list[ScanCandidate]:
    """Compare a framed number with itself in the other case, then without its letters, or a bare one with framed ones.

    Two frames are two numbers. Without evidence of Codabar, a short one may as well be a part number, such as A4711C.
    """
    if scan.symbology is not None and scan.symbology != "CODABAR":
        return []
    framed = without_letters(scan.bare)
    number = framed or scan.bare
    if not _CODABAR.issuperset(number) or not _is_storable(number):
        return []
    if len(number) < (1 if "CODABAR" in {scan.symbology, scan.hint} else _LEAST_CODABAR):
        return []
    if framed:
        in_other_letters = ScanCandidate(Match.CODABAR, ((Key.FOLDED, scan.bare.lower()),))
        return [in_other_letters, *_codes(Match.CODABAR, number)]
    return [ScanCandidate(Match.CODABAR, ((Key.CODABAR, number),))]


def _check_digit(scan: ParsedScan) -> list[ScanCandidate]:
    ranked = [ScanCandidate(Match.CHECK_DIGIT, without_check_digit(gtin)) for gtin in scan.gtins]
    if scan.completed:
        ranked += [
            ScanCandidate(Match.CHECK_DIGIT, spelt(scan.completed))
            for spelt in (same_number, less_likely, without_check_digit, with_any_add_on)
        ]
    symbology = scan.symbology or scan.hint
    if not symbology:
        return ranked
    codes = other_check_digits(symbology, scan.bare)
    if symbology == "ITF" and scan.digits:  # a GTIN without its last digit may be the GTIN of another trade item
        codes = (code for code in codes if gtin14(code) is None)
    return ranked + _equally_good(Match.CHECK_DIGIT, *codes)


def _spelt(match: Match, elements: tuple[Element, ...]) -> ScanCandidate:
    """Compare elements in brackets, as product codes spell them."""
    if len(elements) == 1 and elements[0].ai == "01":
        return ScanCandidate(match, same_number(elements[0].value))
    text = to_bracketed(elements)
    return ScanCandidate(match, ((Key.NUMBER, text),) if _is_storable(text) else ())


def _without_identifier(match: Match, element: Element) -> ScanCandidate:
    """Compare the number of a location without its AI."""
    return ScanCandidate(match, bare_location(to_bracketed((element,))))


def _codes(match: Match, *codes: str) -> list[ScanCandidate]:
    """Compare product codes, one after the other, except empty ones."""
    return [ScanCandidate(match, ((Key.CODE, code),)) for code in dict.fromkeys(codes) if _is_storable(code)]


def _equally_good(match: Match, *codes: str) -> list[ScanCandidate]:
    """Compare product codes that are equally good."""
    return [ScanCandidate(match, tuple((Key.CODE, code) for code in codes if _is_storable(code)))]


def _is_storable(code: str) -> bool:
    return 0 < len(code) <= LONGEST_CODE and code.isascii() and code.isprintable()
