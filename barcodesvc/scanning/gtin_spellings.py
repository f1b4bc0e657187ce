"""How product codes spell a GTIN: all the codes that printing turns into a symbol of that number.

A symbol holds the whole GTIN; the product code may be the number of another system (ISBN, ISSN, UPC-E), may lack the
check digit that printing adds, or have hyphens and spaces that printing drops, and an add-on behind it.

Rule: a code that is a GTIN itself names its own trade item alone. Printed as a longer GTIN it becomes the number of
another one, so it is no spelling of that: `501234567890`, a UPC-A, is not `5012345678900`, its EAN-13.
"""

from __future__ import annotations

from collections.abc import Iterator

from barcodesvc.gs1.gtin import check_digit, gtin14, is_digits
from barcodesvc.symbols.check_digits import completed_isbn10, completed_issn
from barcodesvc.symbols.upce_numbers import expanded, suppressed

_NUMBER_SYSTEMS = "01"
_BOOKS, _ISBN10, _PERIODICALS = ("0978", "0979"), "0978", "0977"
_SIX = 6


def other_numbers(gtin: str) -> Iterator[str]:
    """Yield the numbers whose symbol holds this GTIN-14: ISBN-10, ISSN, UPC-E, with and without their check digits."""
    if gtin.startswith(_ISBN10):
        isbn = completed_isbn10(gtin[4:13])
        yield from (isbn, isbn[:-1])
    if gtin.startswith(_PERIODICALS):
        issn = completed_issn(gtin[4:11])
        yield from (issn, issn[:-1])
    upce = suppressed(gtin[2:13]) if gtin.startswith("00") else None
    if upce:
        yield from (upce + gtin[13], upce)
        if upce.startswith("0"):
            yield upce[1:]


def without_gtin_check_digit(gtin: str) -> Iterator[str]:
    """Yield the 13, 12, 11 and 7 digits that printing completes to this GTIN-14, but for those that are GTINs."""
    body = gtin[:-1]
    for zeros in ("", "0", "00", "000000"):
        code = body.removeprefix(zeros)
        if body.startswith(zeros) and gtin14(code) is None:
            yield code


def hyphenated_numbers(gtin: str) -> Iterator[str]:
    """Yield the numbers of this GTIN-14 that are printed without the hyphens and spaces they are written with."""
    if gtin.startswith(_BOOKS):
        yield gtin[1:]
        if gtin14(gtin[1:13]) is None:
            yield gtin[1:13]
    if gtin.startswith((_ISBN10, _PERIODICALS)):
        yield from other_numbers(gtin)


def numbers_beside_add_on(gtin: str) -> Iterator[str]:
    """Yield the spellings, without hyphens, that an add-on may stand behind: those of EAN-13, UPC-A and UPC-E."""
    for zeros in ("0", "00"):
        if gtin.startswith(zeros):
            yield gtin.removeprefix(zeros)
            if gtin14(gtin[len(zeros) : -1]) is None:
                yield gtin[len(zeros) : -1]
    yield from other_numbers(gtin)


def behind_gtin_ai(gtin: str) -> Iterator[str]:
    """Yield how a code spells this GTIN-14 alone in an element string, the 13 digits too that a DataBar completes."""
    yield f"(01){gtin}"
    if gtin14(gtin[:-1]) is None:
        yield f"(01){gtin[:-1]}"


def gtins_of_upce(text: str) -> tuple[str, ...]:
    """Return the GTIN-14s that UPC-E digits stand for, none for other texts.

    There are eight, with number system and check digit; seven without one of them, which may be either; or six.
    """
    if not is_digits(text) or not _SIX <= len(text) <= _SIX + 2:
        return ()
    wholes = {_SIX: (f"0{text}",), _SIX + 1: (text, f"0{text}"), _SIX + 2: (text,)}[len(text)]
    found = (_gtin_of_upce(whole) for whole in wholes)
    return tuple(gtin for gtin in found if gtin)


def _gtin_of_upce(number: str) -> str | None:
    """Return the GTIN-14 of a number system and six digits, perhaps with the check digit behind."""
    if number[0] not in _NUMBER_SYSTEMS:
        return None
    upca = expanded(number[:7])
    return gtin14(upca + (number[7:] or check_digit(upca)))
