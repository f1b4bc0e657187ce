"""Check digits that a symbology demands: a missing one is added, a present one verified.

A refusal names the expected digit. GTIN: GS1 General Specifications 7.9 (weights 3 and 1 from the right);
ISSN and ISBN-10: ISO 3297 and ISO 2108 (modulo 11, weights down to 2, X for ten); PZN: IFA (modulo 11, weights 1 to 7).
"""

from __future__ import annotations

import re

from barcodesvc.errors import InvalidContent
from barcodesvc.gtin import check_digit

_ISBN_PREFIXES = ("978", "979")
_SEPARATORS = "- "


def completed_gtin(name: str, content: str, length: int, offset: int = 0) -> str:
    """Return the `length` digits of a GTIN given with or without its check digit.

    `offset` is how many characters stood before `content`. Raises InvalidContent for other characters, other lengths
    and a check digit that does not close.
    """
    require_digits(name, content, offset=offset)
    _require_length(name, content, length)
    return closed(name, content, content[: length - 1] + check_digit(content[: length - 1]))


def completed_isbn13(content: str) -> str:
    """Return the 13 digits of an ISBN-13; hyphens and spaces are dropped."""
    require_digits("ISBN13", content, ignored=_SEPARATORS)
    digits = _without_separators(content)
    if not digits.startswith(_ISBN_PREFIXES):
        raise InvalidContent("ISBN13: must begin with 978 or 979", rule="prefix", position=1, fits="978… or 979…")
    return completed_gtin("ISBN13", digits, 13)


def completed_isbn10(content: str) -> str:
    """Return the ten characters of an ISBN-10; the last may be X; hyphens and spaces are dropped."""
    return _completed_modulo_11("ISBN10", content, 10)


def completed_issn(content: str) -> str:
    """Return the eight characters of an ISSN; the last may be X; hyphens and spaces are dropped."""
    return _completed_modulo_11("ISSN", content, 8)


def completed_pzn(content: str) -> str:
    """Return the eight digits of a PZN8, written with or without `PZN` or `-` in front.

    A number whose check digit would be 10 is never assigned.
    """
    digits = re.sub(r"^(PZN)?[ -]*", "", content, flags=re.IGNORECASE)
    require_digits("PZN", digits, offset=len(content) - len(digits))
    _require_length("PZN", digits, 8)
    remainder = sum(weight * int(digit) for weight, digit in enumerate(digits[:7], start=1)) % 11
    if remainder == 10:  # noqa: PLR2004 - modulo 11 has eleven remainders, and ten digits
        raise InvalidContent(
            "PZN: this number has no check digit and is never assigned", rule="check digit", fits="an assigned PZN"
        )
    return closed("PZN", digits, f"{digits[:7]}{remainder}")


def require_digits(name: str, content: str, *, ignored: str = "", offset: int = 0) -> None:
    """Raise InvalidContent at the first character that is no digit; `ignored` ones are passed over."""
    for position, character in enumerate(content, start=1 + offset):
        if not "0" <= character <= "9" and character not in ignored:
            raise InvalidContent(
                f"{name}: character {character!r} at position {position} is not a digit",
                rule="alphabet",
                position=position,
                fits="digits 0-9",
            )


def closed(name: str, given: str, completed: str) -> str:
    """Return the completed number; raises InvalidContent if it was given whole with another check digit."""
    if len(given) == len(completed) and given != completed:
        raise InvalidContent(
            f"{name}: check digit {given[-1]} does not close {given}; expected {completed[-1]}",
            rule="check digit",
            expected=completed[-1],
            fits=completed,
        )
    return completed


def _completed_modulo_11(name: str, content: str, length: int) -> str:
    number = _without_separators(content).upper()
    ends_in_x = len(number) == length and number.endswith("X")
    require_digits(name, content[:-1] if ends_in_x else content, ignored=_SEPARATORS)
    _require_length(name, number, length)
    body = number[: length - 1]
    remainder = sum(weight * int(digit) for weight, digit in zip(range(length, 1, -1), body, strict=True)) % 11
    return closed(name, number, body + "0X987654321"[remainder])


def _without_separators(content: str) -> str:
    return content.translate({ord(separator): None for separator in _SEPARATORS})


def _require_length(name: str, content: str, length: int) -> None:
    if len(content) not in (length - 1, length):
        raise InvalidContent(
            f"{name}: {len(content)} digits; it holds {length - 1}, or {length} with the check digit",
            rule="length",
            fits=f"{length - 1} or {length} digits",
        )
