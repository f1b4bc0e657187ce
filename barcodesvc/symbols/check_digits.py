"""Check digits that a symbology demands: a missing one is added, a present one verified.

A refusal names the expected digit. GTIN: GS1 General Specifications 7.9 (weights 3 and 1 from the right);
ISSN: ISO 3297 (modulo 11, weights 8 to 2); PZN: IFA (modulo 11, weights 1 to 7).
"""

from __future__ import annotations

import re

from barcodesvc.errors import InvalidContent
from barcodesvc.gtin import check_digit

_ISBN_PREFIXES = ("978", "979")
_ISSN_LENGTH = 8
_SEPARATORS = "- "


def completed_gtin(name: str, content: str, length: int) -> str:
    """Return the `length` digits of a GTIN given with or without its check digit.

    Raises InvalidContent for other characters, other lengths and a check digit that does not close.
    """
    _require_digits(name, content)
    _require_length(name, content, length)
    return _closed(name, content, content[: length - 1] + check_digit(content[: length - 1]))


def completed_isbn13(content: str) -> str:
    """Return the 13 digits of an ISBN-13; hyphens and spaces are dropped."""
    _require_digits("ISBN13", content, ignored=_SEPARATORS)
    digits = _without_separators(content)
    if not digits.startswith(_ISBN_PREFIXES):
        raise InvalidContent("ISBN13: must begin with 978 or 979", rule="prefix", position=1, fits="978… or 979…")
    return completed_gtin("ISBN13", digits, 13)


def completed_issn(content: str) -> str:
    """Return the eight characters of an ISSN; the last may be X; hyphens and spaces are dropped."""
    issn = _without_separators(content).upper()
    ends_in_x = len(issn) == _ISSN_LENGTH and issn.endswith("X")
    _require_digits("ISSN", content[:-1] if ends_in_x else content, ignored=_SEPARATORS)
    _require_length("ISSN", issn, _ISSN_LENGTH)
    remainder = sum(weight * int(digit) for weight, digit in zip(range(8, 1, -1), issn[:7], strict=True)) % 11
    return _closed("ISSN", issn, issn[:7] + "0X987654321"[remainder])


def completed_pzn(content: str) -> str:
    """Return the eight digits of a PZN8, written with or without `PZN` or `-` in front.

    A number whose check digit would be 10 is never assigned.
    """
    digits = re.sub(r"^(PZN)?[ -]*", "", content, flags=re.IGNORECASE)
    _require_digits("PZN", digits, offset=len(content) - len(digits))
    _require_length("PZN", digits, 8)
    remainder = sum(weight * int(digit) for weight, digit in enumerate(digits[:7], start=1)) % 11
    if remainder == 10:  # noqa: PLR2004 - modulo 11 has eleven remainders, and ten digits
        raise InvalidContent(
            "PZN: this number has no check digit and is never assigned", rule="check digit", fits="an assigned PZN"
        )
    return _closed("PZN", digits, f"{digits[:7]}{remainder}")


def _without_separators(content: str) -> str:
    return content.translate({ord(separator): None for separator in _SEPARATORS})


def _require_digits(name: str, content: str, *, ignored: str = "", offset: int = 0) -> None:
    for position, character in enumerate(content, start=1 + offset):
        if not "0" <= character <= "9" and character not in ignored:
            raise InvalidContent(
                f"{name}: character {character!r} at position {position} is not a digit",
                rule="alphabet",
                position=position,
                fits="digits 0-9",
            )


def _require_length(name: str, content: str, length: int) -> None:
    if len(content) not in (length - 1, length):
        raise InvalidContent(
            f"{name}: {len(content)} digits; it holds {length - 1}, or {length} with the check digit",
            rule="length",
            fits=f"{length - 1} or {length} digits",
        )


def _closed(name: str, given: str, completed: str) -> str:
    if len(given) == len(completed) and given != completed:
        raise InvalidContent(
            f"{name}: check digit {given[-1]} does not close {given}; expected {completed[-1]}",
            rule="check digit",
            expected=completed[-1],
            fits=completed,
        )
    return completed
