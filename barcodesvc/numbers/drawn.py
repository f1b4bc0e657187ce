"""The GTIN that a symbol of retail or logistics is drawn from: whatever counts as that number can be drawn as it.

    4 006381 333931, EAN 4006381333931, (01)04006381333931, 04006381333931   as EAN13: 4006381333931
    4006381333931, 400638133393                                             as EAN13: the same, by its length alone

Digits alone of the symbol's length, or of one less, are its number with or without check digit. Any other text is the
number that it is for scans (`canonical`), if the symbol has room for it.
"""

from barcodesvc.gs1.gtin import GTIN_AI, is_digits
from barcodesvc.numbers.canonical import canonical_gtin
from barcodesvc.numbers.check_digits import completed_gtin
from barcodesvc.numbers.upce import UPCE_LENGTHS, completed_upce, upces_of_gtin
from barcodesvc.numbers.words import without_word

_WORDS = ("EAN", "GTIN", "UPC", "JAN", "NTIN", "ISBN", "ISMN")
_WORDS_OF_EIGHT = ("EAN", "GTIN", "JAN")
"""Eight digits after `UPC` are a UPC-E, and the other words name longer numbers."""
_GTIN8_DIGITS = 8


def drawn_gtin(name: str, content: str, length: int) -> str:
    """Return the `length` digits of the GTIN that a symbology of this name holds; raises InvalidContent."""
    if not is_digits(content) or len(content) not in {length - 1, length}:
        gtin = canonical_gtin(content)
        if gtin and not gtin[:-length].strip("0"):
            return gtin[-length:]
    words = _WORDS_OF_EIGHT if length == _GTIN8_DIGITS else _WORDS
    written = without_word(content, *words).removeprefix(GTIN_AI)
    return completed_gtin(name, written, length, offset=len(content) - len(written))


def drawn_upce(content: str) -> str:
    """Return the eight digits of the UPC-E that content means; raises InvalidContent."""
    if not is_digits(content) or len(content) not in UPCE_LENGTHS:
        gtin = canonical_gtin(content)
        if gtin and upces_of_gtin(gtin):
            return upces_of_gtin(gtin)[0]
    return completed_upce(content)
