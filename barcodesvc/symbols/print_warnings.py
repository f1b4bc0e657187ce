"""What people are warned of when a symbol is printed: it holds something else than was asked for, or not all it should.

A check digit is added, hyphens are left out, a book's number becomes an EAN-13: whoever scans the symbol gets what it
holds, and looks in vain for what was asked for where the catalogue does not know both. All of this is about
content that its encoder takes.
"""

from __future__ import annotations

from collections.abc import Callable

from barcodesvc.gs1.gtin import gtin14
from barcodesvc.symbols import check_digits
from barcodesvc.symbols.gs1_content import as_printed, missing_companions
from barcodesvc.symbols.linear import framed
from barcodesvc.symbols.msi import luhn_digit
from barcodesvc.symbols.upce_numbers import completed_upce

_GTIN_AI = "(01)"


def print_warnings(name: str, content: str) -> tuple[str, ...]:
    """Return the warnings, in sentences, for content that a symbology of this name prints."""
    change = _change(content, held_content(name, content))
    missing = missing_companions(content) if name in _ELEMENT_STRINGS else ()
    return (*filter(None, (change,)), *missing)


def held_content(name: str, content: str) -> str:
    """Return what a symbol holds, as product codes are written: add-on behind `+`, elements in brackets, PZN bare."""
    if name in _BESIDE_ADD_ON:
        main, plus, add_on = content.partition("+")
        return _BESIDE_ADD_ON[name](main) + plus + add_on
    return _HELD[name](content) if name in _HELD else content


def _change(content: str, held: str) -> str:
    """Return what printing changes, empty where it changes nothing.

    An added check digit makes another number of a GTIN that has one: that of a UPC-A printed as EAN-13. It is the one
    change after which no scan can find the product, for it names another trade item.
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
        f"{added}; but {given} is a GTIN by itself and {shown} is another trade item's, so that a scan will not find "
        f"this product; with {len(shown)} digits its GTIN is {given.zfill(len(shown))}"
    )


def _gtin(length: int) -> Callable[[str], str]:
    def held(content: str) -> str:
        digits = content.removeprefix(_GTIN_AI)
        return content[: len(content) - len(digits)] + check_digits.completed_gtin("GTIN", digits, length)

    return held


def _codabar(content: str) -> str:
    return framed(content).upper()


def _msi(content: str) -> str:
    return content + luhn_digit(content)


_BESIDE_ADD_ON = {
    "EAN13": _gtin(13),
    "JAN": _gtin(13),
    "UPCA": _gtin(12),
    "UPCE": completed_upce,
    "ISBN13": check_digits.completed_isbn13,
    "ISBN10": check_digits.ean_of_isbn10,
    "ISSN": check_digits.ean_of_issn,
}
_ELEMENT_STRINGS = ("GS1-128", "DATABAREXPANDED", "DATABAREXPANDEDSTACKED", "GS1QR", "GS1DATAMATRIX")
_GTINS_14 = ("ITF14", "DATABAROMNI", "DATABARSTACKED", "DATABARSTACKEDOMNI", "DATABARLIMITED")
_HELD = {
    "EAN8": _gtin(8),
    "CODABAR": _codabar,
    "MSI": _msi,
    "PZN": check_digits.completed_pzn,
    **dict.fromkeys(_GTINS_14, _gtin(14)),
    **dict.fromkeys(_ELEMENT_STRINGS, as_printed),
}
"""What a symbology holds of content, by its name; the others hold it as it is."""
