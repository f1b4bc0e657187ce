"""Check digits that a symbology demands: a missing one is added, a present one verified.

A refusal names the expected digit. GTIN: GS1 General Specifications 7.9 (weights 3 and 1 from the right);
ISSN and ISBN-10: ISO 3297 and ISO 2108 (modulo 11, weights down to 2, X for ten); PZN: IFA (modulo 11, weights 1 to 7).
"""

from __future__ import annotations

import re
from dataclasses import replace

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1.gtin import check_digit
from barcodesvc.symbols.written_numbers import WrittenNumber

_ISBN_PREFIXES = ("978", "979")
_SEPARATORS = "- "
_ISBN10_LENGTH, _ISBN13_LENGTH = 10, 13


def completed_gtin(name: str, content: str, length: int, offset: int = 0) -> str:
    """Return the `length` digits of a GTIN given with or without its check digit.

    `offset` is how many characters stood before `content`. Raises InvalidContent for other characters, other lengths
    and a check digit that does not close.
    """
    asked = WrittenNumber(name, content, offset=offset)
    asked.require_digits()
    _require_length(asked, length)
    return closed(asked, content[: length - 1] + check_digit(content[: length - 1]))


def completed_isbn13(content: str) -> str:
    """Return the 13 digits of an ISBN-13; hyphens and spaces are dropped."""
    asked = WrittenNumber("ISBN13", content, _SEPARATORS)
    _require_digits_before_x(asked, _ISBN10_LENGTH)
    _require_length(asked, _ISBN13_LENGTH, {_ISBN10_LENGTH: "ISBN10"})
    digits = asked.characters
    if not digits.startswith(_ISBN_PREFIXES):
        position = asked.position(0)
        raise InvalidContent(
            f"ISBN13: prefix {digits[:3]} at position {position} is neither 978 nor 979",
            rule="prefix",
            position=position,
            fits="978… or 979…",
        )
    return closed(asked, digits[:12] + check_digit(digits[:12]))


def completed_isbn10(content: str) -> str:
    """Return the ten characters of an ISBN-10; the last may be X; hyphens and spaces are dropped."""
    return _completed_modulo_11("ISBN10", content, _ISBN10_LENGTH, {_ISBN13_LENGTH: "ISBN13"})


def ean_of_isbn10(content: str) -> str:
    """Return the EAN-13 of an ISBN-10: 978 and its first nine digits (ISO 2108)."""
    return completed_gtin("ISBN10", f"978{completed_isbn10(content)[:9]}", 13)


def ean_of_issn(content: str) -> str:
    """Return the EAN-13 of an ISSN: 977, its first seven digits and variant 00 (ISO 3297)."""
    return completed_gtin("ISSN", f"977{completed_issn(content)[:7]}00", 13)


def completed_issn(content: str) -> str:
    """Return the eight characters of an ISSN; the last may be X; hyphens and spaces are dropped."""
    return _completed_modulo_11("ISSN", content, 8)


def completed_pzn(content: str) -> str:
    """Return the eight digits of a PZN8, written with or without `PZN` or `-` in front.

    A number whose check digit would be 10 is never assigned.
    """
    digits = re.sub(r"^(PZN)?[ -]*", "", content, flags=re.IGNORECASE)
    asked = WrittenNumber("PZN", digits, offset=len(content) - len(digits))
    asked.require_digits()
    _require_length(asked, 8)
    remainder = sum(weight * int(digit) for weight, digit in enumerate(digits[:7], start=1)) % 11
    if remainder == 10:  # noqa: PLR2004 - modulo 11 has eleven remainders, and ten digits
        raise InvalidContent(
            f"PZN: {digits[:7]} is never assigned, since no check digit at position {asked.position(7)} closes it",
            rule="check digit",
            position=asked.position(7),
            fits="an assigned PZN",
        )
    return closed(asked, f"{digits[:7]}{remainder}")


def closed(asked: WrittenNumber, completed: str) -> str:
    """Return the completed number; raises InvalidContent if it was given whole with another check digit."""
    given = asked.characters.upper()
    if len(given) == len(completed) and given != completed:
        position = asked.position(len(given) - 1)
        raise InvalidContent(
            f"{asked.name}: check digit {given[-1]} at position {position} does not close {given}; "
            f"expected {completed[-1]}",
            rule="check digit",
            position=position,
            expected=completed[-1],
            fits=completed,
        )
    return completed


def _completed_modulo_11(name: str, content: str, length: int, formats: dict[int, str] | None = None) -> str:
    asked = WrittenNumber(name, content, _SEPARATORS)
    _require_digits_before_x(asked, length)
    _require_length(asked, length, formats)
    body = asked.characters[: length - 1]
    remainder = sum(weight * int(digit) for weight, digit in zip(range(length, 1, -1), body, strict=True)) % 11
    return closed(asked, body + "0X987654321"[remainder])


def _require_digits_before_x(asked: WrittenNumber, length: int) -> None:
    """Raise InvalidContent at the first character that is no digit, except an X at this last position."""
    ends_in_x = len(asked.characters) == length and asked.content[-1] in "Xx"
    (replace(asked, content=asked.content[:-1]) if ends_in_x else asked).require_digits()


def _require_length(asked: WrittenNumber, length: int, formats: dict[int, str] | None = None) -> None:
    """Raise InvalidContent for other lengths; `formats` are those that take numbers of another length."""
    holds, fits = f"{length - 1}, or {length} with the check digit", f"{length - 1} or {length} digits"
    count = len(asked.characters)
    if formats and count in formats:
        holds, fits = f"{holds}; {formats[count]} takes {count}", f"{fits}, or {formats[count]} as the format"
    asked.require_length((length - 1, length), holds, fits)
