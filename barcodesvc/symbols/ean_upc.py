"""Retail symbols, EAN and UPC (ISO/IEC 15420), and the numbers of books and periodicals that are printed as EAN-13.

UPC-E comes from zxing-cpp, the others from python-barcode. Digits stand between the guards; the quiet zones are 11 and
7 modules (EAN-13), 7 and 7 (EAN-8), 9 and 9 (UPC-A), 9 and 7 (UPC-E). An add-on of two or five digits may follow behind
`+`, but not behind EAN-8: the trade knows symbol and add-on together only as `]E3`, which is EAN-13, UPC-A or UPC-E
(GS1 General Specifications 5.1.2).
"""

from __future__ import annotations

import zxingcpp

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols import barcode_modules, check_digits
from barcodesvc.symbols.add_ons import with_add_on
from barcodesvc.symbols.modules import Bars, Caption
from barcodesvc.symbols.upce_numbers import completed_upce
from barcodesvc.symbols.zxing_modules import runs_of

_OUTER = 0.7
"""Size of the digits of UPC that stand in the quiet zones, beside those between the guards."""
_JAPANESE_PREFIXES = ("45", "49")


def ean13(content: str) -> Bars:
    """Encode 12 or 13 digits as EAN-13."""
    return with_add_on("EAN13", content, lambda main: _ean13(check_digits.completed_gtin("EAN13", main, 13)))


def ean8(content: str) -> Bars:
    """Encode 7 or 8 digits as EAN-8."""
    main, plus, _ = content.partition("+")
    digits = check_digits.completed_gtin("EAN8", main, 8)
    if plus:
        position = len(main) + 1
        raise InvalidContent(
            f"EAN8: '+' at position {position} begins an add-on, and EAN-8 takes none",
            rule="alphabet",
            position=position,
            fits="7 or 8 digits without an add-on",
        )
    captions = (Caption(digits[:4], 10, 38), Caption(digits[4:], 43, 71))
    return Bars(barcode_modules.runs_of("ean8", digits), 7, 7, captions, frozenset({0, 2, 20, 22, 40, 42}))


def upca(content: str) -> Bars:
    """Encode 11 or 12 digits as UPC-A; the first and last digit's bars are as long as the guards."""
    return with_add_on("UPCA", content, lambda main: _upca(check_digits.completed_gtin("UPCA", main, 12)))


def upce(content: str) -> Bars:
    """Encode 6, 7 or 8 digits, or the 11 or 12 of a UPC-A whose zeros can be left out, as UPC-E."""
    return with_add_on("UPCE", content, lambda main: _upce(completed_upce(main)))


def jan(content: str) -> Bars:
    """Encode a Japanese article number, 12 or 13 digits with prefix 45 or 49, as EAN-13 (JIS X 0501)."""
    return with_add_on("JAN", content, _jan)


def isbn13(content: str) -> Bars:
    """Encode an ISBN-13, hyphens or not, as EAN-13 with prefix 978 or 979 (ISO 2108)."""
    return with_add_on("ISBN13", content, lambda main: _ean13(check_digits.completed_isbn13(main)))


def isbn10(content: str) -> Bars:
    """Encode an ISBN of ten characters, hyphens or not, as EAN-13 978 and its first nine digits (ISO 2108)."""
    return with_add_on("ISBN10", content, lambda main: _ean13(check_digits.ean_of_isbn10(main)))


def issn(content: str) -> Bars:
    """Encode an ISSN (7 or 8 characters, hyphen or not) as EAN-13 977, seven digits, variant 00 (ISO 3297)."""
    return with_add_on("ISSN", content, lambda main: _ean13(check_digits.ean_of_issn(main)))


def _jan(content: str) -> Bars:
    digits = check_digits.completed_gtin("JAN", content, 13)
    if not digits.startswith(_JAPANESE_PREFIXES):
        raise InvalidContent(
            f"JAN: prefix {digits[:2]} at position 1 is neither 45 nor 49",
            rule="prefix",
            position=1,
            fits="45… or 49…",
        )
    return _ean13(digits)


def _ean13(digits: str) -> Bars:
    captions = (Caption(digits[0], 0, 11), Caption(digits[1:7], 14, 56), Caption(digits[7:], 61, 103))
    return Bars(barcode_modules.runs_of("ean13", digits), 11, 7, captions, frozenset({0, 2, 28, 30, 56, 58}))


def _upca(digits: str) -> Bars:
    captions = (
        Caption(digits[0], 0, 9, _OUTER),
        Caption(digits[1:6], 19, 54),
        Caption(digits[6:11], 59, 94),
        Caption(digits[11], 104, 113, _OUTER),
    )
    guards = frozenset({0, 2, 4, 6, 28, 30, 52, 54, 56, 58})
    return Bars(barcode_modules.runs_of("upca", digits), 9, 9, captions, guards)


def _upce(digits: str) -> Bars:
    captions = (
        Caption(digits[0], 0, 9, _OUTER),
        Caption(digits[1:7], 12, 54),
        Caption(digits[7], 60, 67, _OUTER),
    )
    runs = runs_of(zxingcpp.create_barcode(digits, zxingcpp.BarcodeFormat.UPCE))
    return Bars(runs, 9, 7, captions, frozenset({0, 2, 28, 30, 32}))
