"""Warnings about a printed symbol: its data differ from the requested content, or lack something that they should have.

A check digit is added, hyphens are left out, a book's number becomes an EAN-13. A scan then yields the data of the
symbol, and a system that only knows the requested content does not find them. The encoder has accepted the content.
"""

from __future__ import annotations

from collections.abc import Callable

from barcodesvc.gs1.gtin import gtin14
from barcodesvc.symbols import check_digits
from barcodesvc.symbols.drawn_gtins import drawn_gtin, drawn_upce
from barcodesvc.symbols.gs1_content import as_printed, missing_companions
from barcodesvc.symbols.linear import framed

_GTIN_AI = "(01)"
_GTIN14_DIGITS = 14


def print_warnings(name: str, content: str) -> tuple[str, ...]:
    """Return the warnings, in sentences, for content printed in a symbology of this name."""
    change = _change(content, held_content(name, content))
    missing = missing_companions(content) if name in _ELEMENT_STRINGS else ()
    return (*filter(None, (change,)), *missing)


def held_content(name: str, content: str) -> str:
    """Return the data of a symbol, written as a product code: add-on after `+`, elements in brackets, PZN bare."""
    if name in _WITH_ADD_ON:
        main, plus, add_on = content.partition("+")
        return _WITH_ADD_ON[name](main) + plus + add_on
    return _HELD[name](content) if name in _HELD else content


def _change(content: str, held: str) -> str:
    """Return a sentence about the change of the content, "" if there is none.

    A check digit added to a GTIN that already has one makes another number of it, as for a UPC-A printed as EAN-13.
    This is the only change after which no scan can find the product, because the number identifies another trade item.
    """
    if held == content:
        return ""
    given, shown = (text.removeprefix(_GTIN_AI).partition("+")[0] for text in (content, held))
    if not shown.isdecimal() or shown[:-1] != given:
        return f"the symbol holds {held}, not {content}"
    added = f"the check digit {shown[-1]} is added: the symbol holds {held}"
    if gtin14(given) is None or gtin14(shown) is None:
        return added
    return (
        f"{added}; but {given} is already a GTIN and {shown} is that of another trade item, so a scan will not find "
        f"this product; with {len(shown)} digits its GTIN is {given.zfill(len(shown))}"
    )


def _gtin(length: int) -> Callable[[str], str]:
    def held(content: str) -> str:
        prefix = _GTIN_AI if length == _GTIN14_DIGITS and content.startswith(_GTIN_AI) else ""
        return prefix + drawn_gtin("GTIN", content, length)

    return held


_WITH_ADD_ON = {
    "EAN13": _gtin(13),
    "JAN": _gtin(13),
    "UPCA": _gtin(12),
    "UPCE": drawn_upce,
    "ISBN13": check_digits.completed_isbn13,
    "ISBN10": check_digits.ean_of_isbn10,
    "ISSN": check_digits.ean_of_issn,
}
_ELEMENT_STRINGS = ("GS1-128", "DATABAREXPANDED", "DATABAREXPANDEDSTACKED", "GS1QR", "GS1DATAMATRIX")
_GTINS_14 = ("ITF14", "DATABAROMNI", "DATABARSTACKED", "DATABARSTACKEDOMNI", "DATABARLIMITED")
_HELD: dict[str, Callable[[str], str]] = {
    "EAN8": _gtin(8),
    "CODABAR": lambda content: framed(content).upper(),
    "MSI": lambda content: content + check_digits.luhn_digit(content),
    "PZN": check_digits.completed_pzn,
    **dict.fromkeys(_GTINS_14, _gtin(14)),
    **dict.fromkeys(_ELEMENT_STRINGS, as_printed),
}
"""The data of a symbol for its content, by symbology; other symbologies hold the content unchanged."""
