"""Variants of the code of a linear symbol, which a scanner sends depending on its settings.

    without_asterisks   Code 39: the start and stop characters, `*AB-1*` for `AB-1`
    vehicle_of          Code 39: the I of an imported vehicle before the number of a vehicle
    full_ascii          Code 39: pairs such as `+A` for `a` (ISO/IEC 16388, annex A), sent literally
    without_letters     Codabar: the start and stop letters, `A123B` for `123` (AIM BC3)
    digits_of_code32    Code 32: six characters of Code 39 that encode nine digits
    other_check_digits  an optional check digit that is sent, but not in the product code, or vice versa

One number in ten has a valid check digit by chance. So one is removed or added only for symbologies in which it is
optional, and only with evidence of that symbology.
"""

import re
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase

from barcodesvc.gs1.gtin import gtin14, is_digits
from barcodesvc.numbers.check_digits import CODE39, luhn_digit
from barcodesvc.symbols.alphabets import CODABAR
from barcodesvc.symbols.registry import SYMBOLOGIES

_BETWEEN_ASTERISKS = re.compile(rf"\*([{re.escape(CODE39)}]+)\*")
_VEHICLE = re.compile("I([A-HJ-NPR-Z0-9]{17})")
_SHIFTED = re.compile(r"[$%/+][A-Z]")
_ASCII_OF_PAIRS = (
    {f"+{capital}": small for capital, small in zip(ascii_uppercase, ascii_lowercase, strict=True)}
    | {f"/{capital}": chr(0x21 + index) for index, capital in enumerate("ABCDEFGHIJKLMNO")}
    | {"/Z": ":", "%V": "@", "%W": "`"}
    | dict(zip(("%F", "%G", "%H", "%I", "%J"), ";<=>?", strict=True))
    | dict(zip(("%K", "%L", "%M", "%N", "%O"), "[\\]^_", strict=True))
    | dict(zip(("%P", "%Q", "%R", "%S"), "{|}~", strict=True))
)
"""The pairs of printable characters; no product code contains control characters."""
_PAIRS_OF_ASCII = {meant: pair for pair, meant in _ASCII_OF_PAIRS.items() if meant not in CODE39}
_FRAMED = re.compile(rf"[A-Da-d]([{re.escape(CODABAR)}]+)[A-Da-d]")
_CODE32_VALUES = {character: value for value, character in enumerate("0123456789BCDFGHJKLMNPQRSTUVWXYZ")}
_CODE32_LENGTH, _CODE32_DIGITS = 6, 9
_CHECKS = {symbology.name: symbology.optional_check for symbology in SYMBOLOGIES}
_LEAST = 3
"""Characters below which a check digit is not evidence."""
_LEAST_MSI = 2
"""The same for MSI, which always has a check digit."""
_CODABAR_VALUES = {character: value for value, character in enumerate("0123456789-$:/.+ABCD")}


def without_asterisks(text: str) -> str:
    """Return the text between the start and stop asterisks of Code 39, or the whole text if there are none."""
    between = _BETWEEN_ASTERISKS.fullmatch(text)
    return between[1] if between else text


def vehicle_of(text: str) -> str:
    """Return the number of a vehicle (ISO 3779), which contains no I, behind the I of imported ones; otherwise ""."""
    found = _VEHICLE.fullmatch(text)
    return found[1] if found else ""


def full_ascii(text: str) -> str:
    """Return a text with its pairs of Code 39 characters decoded; "" if it has no pairs or other characters."""
    if not _SHIFTED.search(text) or not set(text) <= set(CODE39):
        return ""
    return _SHIFTED.sub(lambda pair: _ASCII_OF_PAIRS.get(pair[0], pair[0]), text)


def in_full_ascii(text: str) -> str:
    """Return a text as Code 39 spells it, with a pair for each character that it lacks, such as `+A` for `a`."""
    return "".join(_PAIRS_OF_ASCII.get(character, character) for character in text)


def without_letters(text: str) -> str | None:
    """Return the text between the start and stop letters of Codabar, None if there are none."""
    framed = _FRAMED.fullmatch(text)
    return framed[1] if framed else None


def other_check_digits(symbology: str, text: str) -> Iterator[str]:
    """Yield the text without its check digit, if that is valid, and with one, if the symbology has an optional one."""
    if symbology == "CODABAR":
        yield from _codabar(text)
        return
    check = _CHECKS.get(symbology)
    if check is None or len(text) < (_LEAST_MSI if symbology == "MSI" else _LEAST):
        return
    if check(text[:-1]) == text[-1]:
        yield text[:-1]
    added = check(text)
    if added and gtin14(text + added) is None:
        yield text + added


def digits_of_code32(text: str) -> str | None:
    """Return the nine digits of Code 32, the form of Code 39 in Italian pharmacies, or None.

    Its six characters are a number in base 32 without vowels. The last decimal digit is a check digit: the Luhn sum
    modulo 10, not its complement (decree of 10 June 1983).
    """
    if len(text) != _CODE32_LENGTH or not set(text) <= _CODE32_VALUES.keys():
        return None
    number = 0
    for character in text:
        number = 32 * number + _CODE32_VALUES[character]
    digits = f"{number:09}"
    is_valid = len(digits) == _CODE32_DIGITS and (int(luhn_digit(digits[:-1])) + int(digits[-1])) % 10 == 0
    return digits if is_valid else None


def _codabar(text: str) -> Iterator[str]:
    """Yield the number without its check digit: modulo 16 over all characters (AIM BC3), or Luhn's, for libraries."""
    body = without_letters(text)
    if body is None or len(body) < _LEAST:
        return
    is_valid_modulo_16 = sum(_CODABAR_VALUES[character] for character in text.upper()) % 16 == 0
    if is_valid_modulo_16 or (is_digits(body) and luhn_digit(body[:-1]) == body[-1]):
        yield body[:-1]
