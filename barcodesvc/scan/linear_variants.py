"""What a scanner may have added to the code of a linear symbol, or left out of it, by how it is set up.

    full_ascii          Code 39: pairs such as `+A` for `a` (ISO/IEC 16388, annex A), sent as they stand in the bars
    without_letters     Codabar: the start and stop letters, `A123B` for `123` (AIM BC3)
    other_numbers       a GTIN that stands for a number of another system: ISBN-10, ISSN, UPC-E
    other_check_digits  the optional check digit, sent though the product code has none, or the other way about

A check digit closes one number in ten by chance. So it is taken away or added only for symbologies where it is
optional, and only if something names that symbology.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from string import ascii_lowercase, ascii_uppercase

from barcodesvc.gtin import check_digit, gtin14, is_digits
from barcodesvc.symbols.alphabets import CODABAR, CODE39
from barcodesvc.symbols.check_digits import completed_isbn10, completed_issn
from barcodesvc.symbols.upce_numbers import suppressed

_SHIFTED = re.compile(r"[$%/+][A-Z]")
_ASCII_OF_PAIRS = (
    {f"+{capital}": small for capital, small in zip(ascii_uppercase, ascii_lowercase, strict=True)}
    | {f"/{capital}": chr(0x21 + place) for place, capital in enumerate("ABCDEFGHIJKLMNO")}
    | {"/Z": ":", "%V": "@", "%W": "`"}
    | dict(zip(("%F", "%G", "%H", "%I", "%J"), ";<=>?", strict=True))
    | dict(zip(("%K", "%L", "%M", "%N", "%O"), "[\\]^_", strict=True))
    | dict(zip(("%P", "%Q", "%R", "%S"), "{|}~", strict=True))
)
"""The pairs of printable characters; those of control characters stand in no product code."""
_FRAMED = re.compile(rf"[A-Da-d]([{re.escape(CODABAR)}]+)[A-Da-d]")
_CODABAR_VALUES = {character: value for value, character in enumerate("0123456789-$:/.+ABCD")}


def full_ascii(text: str) -> str | None:
    """Return what pairs of Code 39 characters stand for; None for a text without pairs or of other characters."""
    if not _SHIFTED.search(text) or not set(text) <= set(CODE39):
        return None
    return _SHIFTED.sub(lambda pair: _ASCII_OF_PAIRS.get(pair[0], pair[0]), text)


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
    if check is None or len(text) < _LEAST:
        return
    if check(text[:-1]) == text[-1]:
        yield text[:-1]
    added = check(text)
    if added and gtin14(text + added) is None:
        yield text + added


def other_numbers(gtin: str) -> Iterator[str]:
    """Yield the numbers whose symbol holds this GTIN-14: ISBN-10, ISSN, UPC-E, with and without their check digits."""
    if gtin.startswith("0978"):
        isbn = completed_isbn10(gtin[4:13])
        yield from (isbn, isbn[:-1])
    if gtin.startswith("0977"):
        issn = completed_issn(gtin[4:11])
        yield from (issn, f"{issn[:4]}-{issn[4:]}", issn[:-1], f"{issn[:4]}-{issn[4:-1]}")
    upce = suppressed(gtin[2:13]) if gtin.startswith("00") else None
    if upce:
        yield from (upce + gtin[13], upce, upce.removeprefix("0"))


def without_gtin_check_digit(gtin: str) -> Iterator[str]:
    """Yield the 13, 12, 11 and 7 digits that printing completes to this GTIN-14, but for those that are GTINs."""
    body = gtin[:-1]
    for zeros in ("", "0", "00", "000000"):
        code = body.removeprefix(zeros)
        if body.startswith(zeros) and gtin14(code) is None:
            yield code


def _codabar(text: str) -> Iterator[str]:
    """Yield the number without its check digit: modulo 16 over all characters (AIM BC3), or Luhn's, as in libraries."""
    body = without_letters(text)
    if body is None or len(body) < _LEAST:
        return
    closes_modulo_16 = sum(_CODABAR_VALUES[character] for character in text.upper()) % 16 == 0
    if closes_modulo_16 or _luhn(body[:-1]) == body[-1]:
        yield body[:-1]


def _modulo_43(text: str) -> str:
    if not set(text) <= set(CODE39):
        return ""
    return _CODE39_VALUES[sum(map(_CODE39_VALUES.index, text)) % 43]


def _modulo_10(text: str) -> str:
    return check_digit(text) if is_digits(text) else ""


def _luhn(text: str) -> str:
    if not is_digits(text):
        return ""
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in text[::-2])
    return str(-(doubled + sum(map(int, text[-2::-2]))) % 10)


_LEAST = 3
"""Characters below which a check digit says nothing."""
_CODE39_VALUES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%"
_CHECKS: dict[str, Callable[[str], str]] = {"CODE39": _modulo_43, "ITF": _modulo_10, "MSI": _luhn}
