"""What a scanner may have added to the code of a linear symbol, or left out of it, by how it is set up.

    full_ascii          Code 39: pairs such as `+A` for `a` (ISO/IEC 16388, annex A), sent as they stand in the bars
    without_letters     Codabar: the start and stop letters, `A123B` for `123` (AIM BC3)
    digits_of_code32    Code 32: six characters of Code 39 that stand for nine digits
    other_check_digits  the optional check digit, sent though the product code has none, or the other way about

A check digit closes one number in ten by chance. So it is taken away or added only for symbologies where it is
optional, and only if something names that symbology.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from string import ascii_lowercase, ascii_uppercase

from barcodesvc.gs1.gtin import check_digit, gtin14, is_digits
from barcodesvc.symbols.alphabets import CODABAR, CODE39
from barcodesvc.symbols.msi import luhn_digit

_SHIFTED = re.compile(r"[$%/+][A-Z]")
_ASCII_OF_PAIRS = (
    {f"+{capital}": small for capital, small in zip(ascii_uppercase, ascii_lowercase, strict=True)}
    | {f"/{capital}": chr(0x21 + index) for index, capital in enumerate("ABCDEFGHIJKLMNO")}
    | {"/Z": ":", "%V": "@", "%W": "`"}
    | dict(zip(("%F", "%G", "%H", "%I", "%J"), ";<=>?", strict=True))
    | dict(zip(("%K", "%L", "%M", "%N", "%O"), "[\\]^_", strict=True))
    | dict(zip(("%P", "%Q", "%R", "%S"), "{|}~", strict=True))
)
"""The pairs of printable characters; those of control characters stand in no product code."""
_PAIRS_OF_ASCII = {meant: pair for pair, meant in _ASCII_OF_PAIRS.items() if meant not in CODE39}
_FRAMED = re.compile(rf"[A-Da-d]([{re.escape(CODABAR)}]+)[A-Da-d]")
_CODABAR_VALUES = {character: value for value, character in enumerate("0123456789-$:/.+ABCD")}


def full_ascii(text: str) -> str | None:
    """Return what pairs of Code 39 characters stand for; None for a text without pairs or of other characters."""
    if not _SHIFTED.search(text) or not set(text) <= set(CODE39):
        return None
    return _SHIFTED.sub(lambda pair: _ASCII_OF_PAIRS.get(pair[0], pair[0]), text)


def in_full_ascii(text: str) -> str:
    """Return how Code 39 spells a text: a pair for each character that it does not have, such as `+A` for `a`."""
    return "".join(_PAIRS_OF_ASCII.get(character, character) for character in text)


def without_letters(text: str) -> str | None:
    """Return what stands between the start and stop letters of Codabar, None where there are none."""
    framed = _FRAMED.fullmatch(text)
    return framed[1] if framed else None


def other_check_digits(symbology: str | None, text: str) -> Iterator[str]:
    """Yield the text without its check digit, if one closes it, and with one, if the symbology has an optional one."""
    if symbology == "CODABAR":
        yield from _codabar(text)
        return
    check = _CHECKS.get(symbology or "")
    if check is None or len(text) < (_LEAST_MSI if symbology == "MSI" else _LEAST):
        return
    if check(text[:-1]) == text[-1]:
        yield text[:-1]
    added = check(text)
    if added and gtin14(text + added) is None:
        yield text + added


def digits_of_code32(text: str) -> str | None:
    """Return the nine digits that six characters of Code 32 hold, Italian pharmacies' form of Code 39, or None.

    They are a number in base 32 without vowels, whose last digit is a check digit modulo 10 (decree of 10 June 1983).
    """
    if len(text) != _CODE32_LENGTH or not set(text) <= _CODE32_VALUES.keys():
        return None
    number = 0
    for character in text:
        number = 32 * number + _CODE32_VALUES[character]
    digits = f"{number:09}"
    return digits if len(digits) == _CODE32_DIGITS and _code32_check(digits[:-1]) == digits[-1] else None


def _codabar(text: str) -> Iterator[str]:
    """Yield the number without its check digit: modulo 16 over all characters (AIM BC3), or Luhn's, as in libraries."""
    body = without_letters(text)
    if body is None or len(body) < _LEAST:
        return
    closes_modulo_16 = sum(_CODABAR_VALUES[character] for character in text.upper()) % 16 == 0
    if closes_modulo_16 or _luhn(body[:-1]) == body[-1]:
        yield body[:-1]


def _code32_check(digits: str) -> str:
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[1::2])
    return str((doubled + sum(map(int, digits[::2]))) % 10)


def _modulo_43(text: str) -> str:
    if not set(text) <= set(CODE39):
        return ""
    return _CODE39_VALUES[sum(map(_CODE39_VALUES.index, text)) % 43]


def _modulo_10(text: str) -> str:
    return check_digit(text) if is_digits(text) else ""


def _luhn(text: str) -> str:
    return luhn_digit(text) if is_digits(text) else ""


_LEAST = 3
"""Characters below which a check digit says nothing."""
_LEAST_MSI = 2
"""Its check digit is always there."""
_CODE32_VALUES = {character: value for value, character in enumerate("0123456789BCDFGHJKLMNPQRSTUVWXYZ")}
_CODE32_LENGTH, _CODE32_DIGITS = 6, 9
_CODE39_VALUES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%"
_CHECKS: dict[str, Callable[[str], str]] = {"CODE39": _modulo_43, "ITF": _modulo_10, "MSI": _luhn}
