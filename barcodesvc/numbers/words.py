"""The word that people write before a number, and what it says the number is.

    ISBN 978-0-306-40615-7, ISBN-13: 9780306406157, ISSN 0317-8471, EAN 4006381333931, PZN: 04987629

`Code`, `Nr`, `No` or `Number` may follow the word, and the number of its characters or a letter, as in `EAN-Code`,
`ISBN-10`, `GTIN 13`, `UPC-A` and `ISSN-L`. Then come colons, full stops, `#`, hyphens and spaces, or nothing.

Rule: a word only says what a number should be. The number must be one of that kind, else word and number are a text.
"""

import re
from typing import NamedTuple

from barcodesvc.gs1.gtin import GTIN14_DIGITS

FIRST_LETTERS = frozenset("EGIJNPSUegijnpsu")
_NOUN = "(?:[- ]?(?:CODE|NUMMER|NUMBER|NR|NO))"
_SIZE = r"(?:[- ]?[AEL](?![0-9A-Z])|(?:-?(?:[78]|1[02348])| 1[034])(?![0-9A-Z]))"
_WORDED = re.compile(
    rf"(?:(?:[EP]-?)?(ISBN|ISSN)|(ISMN|EAN|GTIN|UPC|JAN|NTIN|SSCC|GLN|PZN|PPN)){_NOUN}?{_SIZE}?[-:.# ]*([0-9(].*)",
    re.IGNORECASE | re.ASCII,
)
_BEGINNINGS = {
    "ISBN": ("0978", "0979"),
    "ISMN": ("09790",),
    "ISSN": ("0977",),
    "NTIN": ("04150",),
    "SSCC": ("(00)",),
}
_GTINS = frozenset({"EAN", "GTIN", "UPC", "JAN"})


_OTHER_SPACES = "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_OTHER_HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
_PLAIN = str.maketrans(dict.fromkeys(_OTHER_SPACES, " ") | dict.fromkeys(_OTHER_HYPHENS, "-") | {"\u00ad": ""})


class WordedNumber(NamedTuple):
    """A word in capitals, and what is written after it."""

    word: str
    number: str

    def fits(self, number: str) -> bool:
        """Return whether a canonical number is what the word says."""
        if self.word in _GTINS:
            return len(number.partition("+")[0]) == GTIN14_DIGITS
        return number.startswith(_BEGINNINGS.get(self.word, ()))


def with_plain_separators(text: str) -> str:
    """Return a text with ASCII in place of no-break spaces, dashes and the like, which web pages put between digits."""
    return text if text.isascii() else text.translate(_PLAIN)


def worded_number(text: str) -> WordedNumber | None:
    """Return the word and the number of a text, None if it does not begin with such a word."""
    found = _WORDED.fullmatch(text)
    return WordedNumber((found[1] or found[2]).upper(), found[3]) if found else None


def without_word(text: str, *words: str) -> str:
    """Return a text without the word before its number, if it is one of these."""
    found = worded_number(text)
    return found.number if found and found.word in words else text
