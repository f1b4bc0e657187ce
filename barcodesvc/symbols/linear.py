"""Linear symbologies, encoded by python-barcode: content in, Bars out.

Each encoder checks the content against its symbology's rules first, so that a refusal names the rule, the position
and what would fit; only then is the library asked. Its `build()` yields a string of 1 and 0, a character a module;
its own writers are not used (they cannot be shared between threads). Narrow to wide is 1:3 throughout, which every
two-width symbology's standard allows and which keeps all elements whole modules.

Quiet zones are those of the symbology's standard, in modules: ISO/IEC 15420 (EAN, UPC), 16388 (Code 39),
16390 (ITF), AIM BC3 (Codabar), GS1 General Specifications 5 (ITF-14).
"""

from __future__ import annotations

import re
from itertools import groupby

from barcode.codabar import CODABAR
from barcode.codex import Code39
from barcode.ean import EAN8, EAN13
from barcode.itf import ITF
from barcode.upc import UPCA

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols import check_digits
from barcodesvc.symbols.alphabets import CODE39, CODE39_FITS, DIGITS, require_alphabet
from barcodesvc.symbols.modules import Bars, Caption, captioned_bars

_CODABAR_ALPHABET = "0123456789-$:/.+"
_NARROW, _WIDE = 1, 3


def code39(content: str) -> Bars:
    """Encode A-Z, 0-9 and `space - . $ / + %` as Code 39 without a check character (ISO/IEC 16388)."""
    require_alphabet("CODE39", content, CODE39, CODE39_FITS)
    return captioned_bars(_runs(Code39(content, add_checksum=False).build()[0]), content)


def pzn(content: str) -> Bars:
    """Encode a German pharmaceutical number, 7 or 8 digits, as Code 39 `-` and 8 digits (IFA PZN8)."""
    digits = check_digits.completed_pzn(content)
    return captioned_bars(_runs(Code39(f"-{digits}", add_checksum=False).build()[0]), f"PZN - {digits}")


def codabar(content: str) -> Bars:
    """Encode Codabar with the start and stop letters A-D given, or `A` and `A` around a bare number (AIM BC3)."""
    is_framed = re.fullmatch("[A-Da-d].*[A-Da-d]", content) is not None
    framed = content if is_framed else f"A{content}A"
    fits = "0-9 and - $ : / . +, or these between two letters A-D"
    require_alphabet("CODABAR", framed[1:-1], _CODABAR_ALPHABET, fits, offset=int(is_framed))
    return captioned_bars(_runs(CODABAR(framed.upper(), narrow=_NARROW, wide=_WIDE).build()[0]), content)


def itf(content: str) -> Bars:
    """Encode an even number of digits as Interleaved 2 of 5, without a check digit (ISO/IEC 16390)."""
    require_alphabet("ITF", content, DIGITS, "an even number of digits 0-9")
    if len(content) % 2:
        raise InvalidContent(
            f"ITF: {len(content)} digits; it holds them in pairs", rule="length", fits="an even number of digits 0-9"
        )
    return captioned_bars(_runs(ITF(content, narrow=_NARROW, wide=_WIDE).build()[0]), content)


def itf14(content: str) -> Bars:
    """Encode a GTIN-14 of 13 or 14 digits as ITF-14 (GS1 General Specifications 5.3)."""
    digits = check_digits.completed_gtin("ITF14", content, 14)
    return captioned_bars(_runs(ITF(digits, narrow=_NARROW, wide=_WIDE).build()[0]), digits)


def ean13(content: str) -> Bars:
    """Encode 12 or 13 digits as EAN-13 (ISO/IEC 15420)."""
    return _ean13(check_digits.completed_gtin("EAN13", content, 13))


def ean8(content: str) -> Bars:
    """Encode 7 or 8 digits as EAN-8 (ISO/IEC 15420)."""
    digits = check_digits.completed_gtin("EAN8", content, 8)
    captions = (Caption(digits[:4], 10, 38), Caption(digits[4:], 43, 71))
    return Bars(_runs(EAN8(digits).build()[0]), 7, 7, captions, frozenset({0, 2, 20, 22, 40, 42}))


def upca(content: str) -> Bars:
    """Encode 11 or 12 digits as UPC-A; the first and last digit's bars are as long as the guards (ISO/IEC 15420)."""
    digits = check_digits.completed_gtin("UPCA", content, 12)
    captions = (
        Caption(digits[0], 0, 9),
        Caption(digits[1:6], 19, 54),
        Caption(digits[6:11], 59, 94),
        Caption(digits[11], 104, 113),
    )
    guards = frozenset({0, 2, 4, 6, 28, 30, 52, 54, 56, 58})
    return Bars(_runs(UPCA(digits).build()[0]), 9, 9, captions, guards)


def isbn13(content: str) -> Bars:
    """Encode an ISBN-13, hyphens or not, as EAN-13 with prefix 978 or 979 (ISO 2108)."""
    return _ean13(check_digits.completed_isbn13(content))


def issn(content: str) -> Bars:
    """Encode an ISSN (7 or 8 characters, hyphen or not) as EAN-13 977, seven digits, variant 00 (ISO 3297)."""
    return _ean13(check_digits.completed_gtin("ISSN", f"977{check_digits.completed_issn(content)[:7]}00", 13))


def _ean13(digits: str) -> Bars:
    captions = (Caption(digits[0], 0, 11), Caption(digits[1:7], 14, 56), Caption(digits[7:], 61, 103))
    return Bars(_runs(EAN13(digits).build()[0]), 11, 7, captions, frozenset({0, 2, 28, 30, 56, 58}))


def _runs(pattern: str) -> tuple[int, ...]:
    return tuple(len(list(run)) for _, run in groupby(pattern))
