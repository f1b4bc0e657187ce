"""Canonical numbers: one spelling for each GTIN, ISBN, ISSN, UPC-E, SSCC or PZN, whatever a product code looks like.

    4006381333931, 4 006381 333931, (01) 04006381333931     04006381333931
    0-8044-2957-X, 080442957x, 978 0 8044 2957 3            09780804429573
    1234-5679, 977-1234-567-003                             09771234567003
    04252614, 0 425261 4, 0-42100-00526-4                   00042100005264
    9771234567003+05, 1234-5679+05                          09771234567003+05
    3 4012345 000000000 0, (00) 340123450000000000          (00)340123450000000000
    PZN - 1234562, -12345626                                -12345626
    (10) LOT7 (21) 5                                        (10)LOT7(21)5

Only a number with a valid check digit has a canonical form; after `PZN` or `-` the check digit may be missing. Eight
bare digits can be a GTIN-8, a UPC-E or an ISSN. They are read as the GTIN-8 if its check digit is valid, otherwise as
the only other number whose check digit is valid. Hyphens and spaces in their usual places decide first: `1234-5679` is
an ISSN, `0 425261 4` a UPC-E and `1234 5670` a GTIN-8. Zeros alone are not a number.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from barcodesvc.gs1 import Gs1Error, parse_bracketed
from barcodesvc.gs1.gtin import check_digit, gtin14, is_closed, is_digits
from barcodesvc.symbols.check_digits import modulo_11_character, pzn_digit
from barcodesvc.symbols.upce_numbers import expanded, suppressed

_LONGEST = 64
_FIRST = frozenset("0123456789(-Pp")
_WRITTEN = re.compile(r"[0-9](?:[- ]*[0-9])*(?:[- ]*[Xx])?")
_PZN = re.compile(r"(?:PZN|-)[- ]*([0-9]{7,8})", re.IGNORECASE)
_WITH_ADD_ON = re.compile(r"(.+)\+([0-9]{2}|[0-9]{5})|([0-9]{12,13}) ([0-9]{2}|[0-9]{5})")
_AS_ISSN = re.compile(r"[0-9]{4}-[0-9]{3}[0-9Xx]")
_AS_UPCE = re.compile(r"[0-9][- ][0-9]{6}[- ][0-9]")
_AS_GTIN8 = re.compile(r"[0-9]{4} ?[0-9]{4}")
_COMPACT = re.compile(r"[0-9]+X?(?:\+(?:[0-9]{2}|[0-9]{5}))?")
_SSCC_LENGTH, _ISBN10_LENGTH, _EIGHT = 18, 10, 8
_NUMBER_SYSTEMS = "01"


class EightCharacters(NamedTuple):
    """The GTIN-14s of eight characters read as a GTIN-8, a UPC-E and an ISSN, None where the check digit is wrong."""

    gtin8: str | None
    upce: str | None
    issn: str | None

    @property
    def without_gtin8(self) -> tuple[str, ...]:
        """The numbers other than the GTIN-8; both are equally likely."""
        return tuple(number for number in (self.upce, self.issn) if number)


def number_key(code: str) -> str | None:
    """Return the key by which scans find a product code as a number, None if it is not a number.

    The key is the canonical number. That of a number in groups without a valid check digit is its characters, because
    its symbol completes it; that of an element string is the string without spaces.
    """
    if code[:1] not in _FIRST:
        return None
    number = canonical_number(code)
    if number:
        return number
    if code.startswith("("):
        return code.replace(" ", "")
    characters = compact(code)
    is_written = code[0].isdigit() and (characters != code or "+" in code)
    return characters if is_written and _COMPACT.fullmatch(characters) else None


def canonical_number(code: str) -> str | None:
    """Return the canonical spelling of a code that is a number, None for any other code."""
    if code[:1] not in _FIRST or len(code) > _LONGEST:
        return None
    if is_digits(code):
        return _number(code, code)
    if code[0] == "(":
        return _elements(code)
    pzn = _PZN.fullmatch(code)
    if pzn:
        return canonical_pzn(pzn[1])
    parted = _WITH_ADD_ON.fullmatch(code)
    if parted:
        number = _with_add_on(parted[1] or parted[3])
        return f"{number}+{parted[2] or parted[4]}" if number else None
    return _number(code, compact(code)) if _WRITTEN.fullmatch(code) else None


def compact(code: str) -> str:
    """Return a number without its hyphens and spaces, in capitals."""
    return code.replace("-", "").replace(" ", "").upper()


def eight_characters(characters: str) -> EightCharacters:
    """Return the readings of the eight characters of a number."""
    if not is_digits(characters):
        return EightCharacters(None, None, _issn(characters))
    return EightCharacters(gtin14(characters), _upce(characters), _issn(characters))


def canonical_pzn(digits: str) -> str | None:
    """Return a `-` and the eight digits of a PZN of seven or eight digits, None if they are not a PZN."""
    check = pzn_digit(digits[:7])
    return f"-{digits[:7]}{check}" if check and check.startswith(digits[7:]) else None


def gtin_of_isbn10(body: str) -> str:
    """Return the GTIN-14 of an ISBN-10, from its first nine digits (ISO 2108)."""
    return _closed(f"0978{body}")


def gtin_of_issn(body: str) -> str:
    """Return the GTIN-14 of an ISSN, from its first seven digits, with variant 00 (ISO 3297)."""
    return _closed(f"0977{body}00")


def _elements(code: str) -> str | None:
    """Return a bracketed element string without spaces; the GTIN-14 if its only element is a GTIN."""
    without_spaces = code.replace(" ", "")
    try:
        elements = parse_bracketed(without_spaces)
    except Gs1Error:
        return None
    is_gtin = len(elements) == 1 and elements[0].ai == "01"
    return gtin14(elements[0].value) if is_gtin else without_spaces


def _number(written: str, characters: str) -> str | None:
    length = len(characters)
    if not characters.strip("0"):
        return None
    if length == _EIGHT:
        return _of_eight(written, eight_characters(characters))
    if length == _ISBN10_LENGTH:
        closes = modulo_11_character(characters[:-1]) == characters[-1]
        return gtin_of_isbn10(characters[:-1]) if closes else None
    if length == _SSCC_LENGTH:
        return f"(00){characters}" if is_closed(characters) else None
    return gtin14(characters) if is_digits(characters) else None


def _of_eight(written: str, readings: EightCharacters) -> str | None:
    if readings.issn and _AS_ISSN.fullmatch(written):
        return readings.issn
    if readings.upce and _AS_UPCE.fullmatch(written):
        return readings.upce
    if readings.gtin8 and _AS_GTIN8.fullmatch(written):
        return readings.gtin8
    return _only(tuple(number for number in readings if number))


def _with_add_on(written: str) -> str | None:
    """Return the number of a symbol that may have an add-on, which a GTIN-8, a GTIN-14 and an SSCC may not."""
    if not _WRITTEN.fullmatch(written):
        return None
    characters = compact(written)
    if len(characters) == _EIGHT:
        readings = eight_characters(characters)
        return readings.issn if _AS_ISSN.fullmatch(written) and readings.issn else _only(readings.without_gtin8)
    return _number(written, characters) if len(characters) in {_ISBN10_LENGTH, 12, 13} else None


def _only(numbers: tuple[str, ...]) -> str | None:
    return numbers[0] if len(numbers) == 1 else None


def _upce(digits: str) -> str | None:
    """Return the GTIN-14 of a UPC-E with number system and check digit."""
    if digits[0] not in _NUMBER_SYSTEMS:
        return None
    upca = expanded(digits[:7])
    return gtin14(upca + digits[7]) if suppressed(upca) == digits[:7] else None


def _issn(characters: str) -> str | None:
    closes = characters.strip("0") and modulo_11_character(characters[:7]) == characters[7]
    return gtin_of_issn(characters[:7]) if closes else None


def _closed(body: str) -> str:
    return body + check_digit(body)
