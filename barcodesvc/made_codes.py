"""The pattern of the codes that the service makes for products that come without one.

    P{n:05}     P and a number of at least five digits: P00001, P00002 ... P99999, P100000
    ean13:20    an EAN-13 that begins with 20, then the number, then the check digit: 2000000000015

GS1 leaves the EAN-13s that begin with 02, 04 or 20 to 29 to each shop (GS1 General Specifications 1.4.2, 2.1.11).
"""

import re
from dataclasses import dataclass

_FORM = re.compile(r"([!-z|~]*)\{n(?::0([1-9][0-9]?))?\}([!-z|~]*)")
_EAN13 = re.compile(r"ean13:((?:02|04|2[0-9])[0-9]{0,6})")
_EAN13_BODY = 12
_LONGEST_NUMBER, _LONGEST_CODE = 15, 64


@dataclass(frozen=True, slots=True)
class MadeCodes:
    """A pattern: what comes before and after the number, its least digits, and its greatest value."""

    pattern: str
    before: str
    after: str
    digits: int
    greatest: int
    is_ean13: bool

    def __str__(self) -> str:
        """Return the pattern, as it is written in the settings."""
        return self.pattern

    def code(self, number: int) -> str:
        """Return the code of a number, from 1; an EAN-13 comes without its check digit."""
        return f"{self.before}{number:0{self.digits}}{self.after}"


def made_codes(text: str) -> MadeCodes:
    """Return the pattern; raises ValueError for one that makes no codes."""
    pattern = text.strip()
    if ean13 := _EAN13.fullmatch(pattern.lower()):
        digits = _EAN13_BODY - len(ean13[1])
        return MadeCodes(pattern.lower(), ean13[1], "", digits, 10**digits - 1, is_ean13=True)
    form = _FORM.fullmatch(pattern)
    if form is None:
        raise ValueError(f"{text!r} is neither a text with a number, such as 'P{{n:05}}', nor such as 'ean13:20'")
    before, digits, after = form[1], int(form[2] or 1), form[3]
    if len(before) + max(digits, _LONGEST_NUMBER) + len(after) > _LONGEST_CODE:
        raise ValueError(f"{text!r} makes codes of more than {_LONGEST_CODE} characters; shorten it")
    return MadeCodes(pattern, before, after, digits, 10**_LONGEST_NUMBER - 1, is_ean13=False)
