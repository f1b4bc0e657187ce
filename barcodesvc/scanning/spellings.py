"""The spellings of a number in product codes: the comparisons that find all codes with the same symbol.

Most codes are found by their canonical number, which the database holds. Other codes have none: those without the check
digit that printing adds, and eight bare digits that may also be another number.

Rule: a code that is a GTIN identifies only its own trade item. Printed as a longer GTIN it becomes the number of
another one, so it is not a spelling of that one: `501234567890`, a UPC-A, is not `5012345678900`, its EAN-13.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from barcodesvc.gs1.gtin import GTIN_AI, GTIN_LENGTHS, gtin14, with_check_digit
from barcodesvc.numbers.canonical import canonical_pzn, eight_characters, number_key
from barcodesvc.numbers.check_digits import gtin_of_issn, modulo_11_character, modulo_43_character
from barcodesvc.numbers.upce import upces_of_gtin
from barcodesvc.store.scans import Comparison, Key

_NUMBERS_REMEMBERED = 16384
"""A product has many serial numbers, so the spellings of its number are cached; this halves the time of such a scan."""
_ISBN10, _BOOKS, _PERIODICALS = "0978", ("0978", "0979"), "0977"
_WITH_OTHER_SPELLINGS = ("00", *_BOOKS, _PERIODICALS)
_GERMAN_PACKS = "04150"
"""The prefix of the numbers of medicines, by the German agency IFA; then come the PZN and a check digit."""
_LOCATION = re.compile(r"\(41[0-7]\)([0-9]{13})")
"""The AIs of GLNs. (414) is that of a location; only with it, a label identifies one."""
_VARIANT_00 = slice(11, 13)
_SHORTENED = [length for length in range(4, 12) if length not in GTIN_LENGTHS]
"""Digits of a GTIN that a spreadsheet has shortened; eight may be a GTIN-8."""
_SIX = 6


@lru_cache(_NUMBERS_REMEMBERED)
def same_number(number: str) -> tuple[Comparison, ...]:
    """Return the comparisons that find the codes of a canonical number in any spelling."""
    if number.startswith("+"):
        checked = number + modulo_43_character(number)
        return ((Key.NUMBER, number), *_codes(number, number[1:], checked[1:]))
    main, plus, add_on = number.partition("+")
    if plus:
        return tuple((Key.NUMBER, f"{spelling}+{add_on}") for spelling in _before_add_on(main))
    if number.startswith("-"):
        pzn = number[1:]
        return ((Key.NUMBER, number), *_written(pzn, pzn[:-1], *([pzn[1:]] if pzn.startswith("0") else [])))
    if number.startswith("(") or not number.startswith(_WITH_OTHER_SPELLINGS):
        return ((Key.NUMBER, number),)
    others = (code for code in _other_spellings(number) if number_key(code) != number)
    return ((Key.NUMBER, number), *_written(*others), *_gtin8(number))


@lru_cache(_NUMBERS_REMEMBERED)
def less_likely(gtin: str) -> tuple[Comparison, ...]:
    """Return the comparisons that find codes which may be this GTIN-14, but are more likely something else.

    They are UPC-E numbers without check digit or number system, or that are also a GTIN-8, and the ISSN of a variant.
    """
    if not gtin.startswith(_WITH_OTHER_SPELLINGS):
        return ()
    digits = [code for code in upces_of_gtin(gtin) if len(code) <= _SIX + 1 or gtin14(code)]
    is_variant = gtin.startswith(_PERIODICALS) and gtin[_VARIANT_00] != "00"
    return (*_written(*digits), *(same_number(gtin_of_issn(gtin[4:11])) if is_variant else ()))


def location(gtin: str) -> tuple[Comparison, ...]:
    """Return the comparison that finds a location (GLN) with the thirteen digits of this GTIN-14."""
    return ((Key.NUMBER, f"(414){gtin[1:]}"),) if gtin.startswith("0") else ()


def bare_location(number: str) -> tuple[Comparison, ...]:
    """Return the comparison that finds a location by its bare GLN, none for another number."""
    found = _LOCATION.fullmatch(number)
    return ((Key.NUMBER, f"0{found[1]}"),) if found else ()


def pzn_of_ntin(gtin: str) -> tuple[Comparison, ...]:
    """Return the comparisons that find the PZN in the GTIN-14 of a German pack (NTIN), none without a right one."""
    pzn = canonical_pzn(gtin[len(_GERMAN_PACKS) : -1]) if gtin.startswith(_GERMAN_PACKS) else None
    return same_number(pzn) if pzn else ()


def ntin_of_pzn(pzn: str) -> tuple[Comparison, ...]:
    """Return the comparison that finds the GTIN-14 (NTIN) which the packs with this canonical PZN have."""
    return ((Key.NUMBER, with_check_digit(f"{_GERMAN_PACKS}{pzn[1:]}")),)


@lru_cache(_NUMBERS_REMEMBERED)
def with_any_add_on(gtin: str) -> tuple[Comparison, ...]:
    """Return the comparisons that find the codes of this GTIN-14 with any add-on."""
    return tuple((Key.MAIN, spelling) for spelling in _before_add_on(gtin))


@lru_cache(_NUMBERS_REMEMBERED)
def without_check_digit(gtin: str) -> tuple[Comparison, ...]:
    """Return the comparisons for the 13, 12, 11 and 7 digits that printing completes to this GTIN-14, except GTINs."""
    return _codes(*_bodies(gtin, ("", "0", "00", "000000")))


@lru_cache(_NUMBERS_REMEMBERED)
def shortened(gtin: str) -> tuple[Comparison, ...]:
    """Return the comparisons for this GTIN-14 without its leading zeros, which spreadsheets remove."""
    if not gtin.startswith("000"):
        return ()
    return _written(*(gtin[-length:] for length in _SHORTENED if not gtin[:-length].strip("0")))


def completed_element(gtin: str) -> tuple[Comparison, ...]:
    """Return the comparison for 13 digits under (01) that a DataBar completes to this GTIN-14, except a GTIN-13."""
    return ((Key.NUMBER, f"{GTIN_AI}{gtin[:-1]}"),) if gtin14(gtin[:-1]) is None else ()


def _other_spellings(gtin: str) -> Iterator[str]:
    """Yield the ISBN of this GTIN-14 without its check digit, its ISSN, and its UPC-E unless that is also a GTIN-8."""
    if gtin.startswith(_ISBN10):
        yield gtin[4:13]
    if gtin.startswith(_BOOKS):
        yield from _bodies(gtin, "0")
    if gtin.startswith(_PERIODICALS) and gtin[_VARIANT_00] == "00":
        yield gtin[4:11] + modulo_11_character(gtin[4:11])
        yield gtin[4:11]
    yield from (code for code in upces_of_gtin(gtin)[:1] if gtin14(code) is None)


def _gtin8(gtin: str) -> tuple[Comparison, ...]:
    """Return the comparison that finds a GTIN-8 in groups that could also be another number."""
    if not gtin.startswith("000000"):
        return ()
    is_other = any(eight_characters(gtin[6:]).without_gtin8)
    return ((Key.NUMBER, gtin[6:]),) if is_other else ()


def _before_add_on(gtin: str) -> Iterator[str]:
    """Yield the spellings, without hyphens, that an add-on may follow: those of EAN-13, UPC-A and UPC-E."""
    yield gtin
    if gtin.startswith(_PERIODICALS):
        issn = gtin[4:11] + modulo_11_character(gtin[4:11])
        yield from (issn, issn[:-1])
        if gtin[_VARIANT_00] != "00":
            yield gtin_of_issn(issn[:-1])
    if gtin.startswith(_ISBN10):
        yield gtin[4:13]
    yield from _bodies(gtin, ("0", "00"))
    yield from upces_of_gtin(gtin)


def _bodies(gtin: str, zeros: Iterable[str]) -> Iterator[str]:
    """Yield the GTIN-14 without its check digit and these leading zeros, unless that is also a GTIN."""
    body = gtin[:-1]
    for prefix in zeros:
        code = body.removeprefix(prefix)
        if body.startswith(prefix) and gtin14(code) is None:
            yield code


def _codes(*codes: str) -> tuple[Comparison, ...]:
    return tuple((Key.CODE, code) for code in codes)


def _written(*codes: str) -> tuple[Comparison, ...]:
    """Return the comparisons that find codes as they are, and with hyphens and spaces."""
    return tuple((key, code) for code in codes for key in (Key.CODE, Key.NUMBER))
