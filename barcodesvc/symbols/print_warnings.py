"""Warnings about a printed symbol: its data differ from the requested content, or lack something that they should have.

A check digit is added, hyphens are left out, a book's number becomes an EAN-13. A scan then yields the data of the
symbol, and a system that only knows the requested content does not find them. The encoder has accepted the content.
"""

from barcodesvc.gs1.gtin import GTIN_AI, gtin14
from barcodesvc.gs1.printable import missing_companions
from barcodesvc.symbols.gs1_content import elements_of
from barcodesvc.symbols.registry import Symbology


def print_warnings(symbology: Symbology, content: str) -> tuple[str, ...]:
    """Return the warnings, in sentences, for content printed in a symbology."""
    change = _change(content, symbology.encoded_content(content))
    missing = missing_companions(elements_of(content)) if symbology.takes_elements else ()
    return (*filter(None, (change,)), *missing)


def _change(content: str, held: str) -> str:
    """Return a sentence about the change of the content, "" if there is none.

    A check digit added to a GTIN that already has one makes another number of it, as for a UPC-A printed as EAN-13.
    This is the only change after which no scan can find the product, because the number identifies another trade item.
    """
    if held == content:
        return ""
    given, shown = (text.removeprefix(GTIN_AI).partition("+")[0] for text in (content, held))
    if not shown.isdecimal() or shown[:-1] != given:
        return f"the symbol holds {held}, not {content}"
    added = f"the check digit {shown[-1]} is added: the symbol holds {held}"
    if gtin14(given) is None or gtin14(shown) is None:
        return added
    return (
        f"{added}; but {given} is already a GTIN and {shown} is that of another trade item, so a scan will not find "
        f"this product; with {len(shown)} digits its GTIN is {given.zfill(len(shown))}"
    )
