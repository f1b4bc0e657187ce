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
    written = WrittenNumber(name, content, offset=offset)
    written.require_digits()
    _require_length(written, length)
    return verified(written, content[: length - 1] + check_digit(content[: length - 1]))


def completed_isbn13(content: str) -> str:
    """Return the 13 digits of an ISBN-13; hyphens and spaces are dropped."""
    written = WrittenNumber("ISBN13", content, _SEPARATORS)
    _require_digits_before_x(written, _ISBN10_LENGTH)
    _require_length(written, _ISBN13_LENGTH, {_ISBN10_LENGTH: "ISBN10"})
    digits = written.characters
    if not digits.startswith(_ISBN_PREFIXES):
        position = written.position(0)
        raise InvalidContent(
            f"ISBN13: prefix {digits[:3]} at position {position} is neither 978 nor 979",
            rule="prefix",
            position=position,
            fits="978… or 979…",
        )
    return verified(written, digits[:12] + check_digit(digits[:12]))


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
    written = WrittenNumber("PZN", digits, offset=len(content) - len(digits))
    written.require_digits()
    _require_length(written, 8)
    remainder = sum(weight * int(digit) for weight, digit in enumerate(digits[:7], start=1)) % 11
    if remainder == 10:  # noqa: PLR2004 - modulo 11 has eleven remainders, and ten digits
        raise InvalidContent(
            f"PZN: {digits[:7]} is never assigned, since no check digit at position {written.position(7)} closes it",
            rule="check digit",
            position=written.position(7),
            fits="an assigned PZN",
        )
    return verified(written, f"{digits[:7]}{remainder}")


def verified(written: WrittenNumber, completed: str) -> str:
    """Return the completed number; raises InvalidContent if it was given whole with another check digit."""
    given = written.characters.upper()
    if len(given) == len(completed) and given != completed:
        position = written.position(len(given) - 1)
        raise InvalidContent(
            f"{written.name}: check digit {given[-1]} at position {position} does not close {given}; "
            f"expected {completed[-1]}",
            rule="check digit",
            position=position,
            expected=completed[-1],
            fits=completed,
        )
    return completed


def _completed_modulo_11(name: str, content: str, length: int, formats: dict[int, str] | None = None) -> str:
    written = WrittenNumber(name, content, _SEPARATORS)
    _require_digits_before_x(written, length)
    _require_length(written, length, formats)
    body = written.characters[: length - 1]
    remainder = sum(weight * int(digit) for weight, digit in zip(range(length, 1, -1), body, strict=True)) % 11
    return verified(written, body + "0X987654321"[remainder])


def _require_digits_before_x(written: WrittenNumber, length: int) -> None:
    """Raise InvalidContent at the first character that is no digit, except an X at this last position."""
    ends_in_x = len(written.characters) == length and written.content[-1] in "Xx"
    (replace(written, content=written.content[:-1]) if ends_in_x else written).require_digits()


def _require_length(written: WrittenNumber, length: int, formats: dict[int, str] | None = None) -> None:
    """Raise InvalidContent for other lengths; `formats` are those that take numbers of another length."""
    holds, fits = f"{length - 1}, or {length} with the check digit", f"{length - 1} or {length} digits"
    count = len(written.characters)
    if formats and count in formats:
        holds, fits = f"{holds}; {formats[count]} takes {count}", f"{fits}, or {formats[count]} as the format"
    written.require_length((length - 1, length), holds, fits)
