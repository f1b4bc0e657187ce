"""Whether two texts are notations of the same one, as makers of pictures and readers write it.

They differ in line ends, in how FNC1 and the brackets of AIs are written, and in the zero in front of a UPC-A. A reader
may also add what a maker leaves out: the symbology identifier, the (01) of a DataBar, an add-on or its plus, Codabar's
start and stop letters, and the zeros of a UPC-E. It may have the characters of a Code 39, not what its pairs or its
Code 32 mean.

Rule: a text that is only a part of the other one is another text.
"""

import re
from collections.abc import Iterator

from barcodesvc.numbers.upce import gtins_of_upce
from barcodesvc.scanning.linear_variants import digits_of_code32, full_ascii

_IDENTIFIER = re.compile(r"^\][A-Za-z][0-9]")
_BRACKETS = re.compile(r"\(([0-9]{2,4})\)")
_RETAIL = re.compile(r"([0-9]{12,13})(\+[0-9]{5}|\+[0-9]{2})?")
_GTIN_ELEMENT = re.compile(r"01([0-9]{14})")
_CODABAR = re.compile(r"[A-Da-d]([0-9$+./:-]+)[A-Da-d]")
_EAN13_DIGITS = 13
_UPCE_DIGITS = 8


def is_same(expected: str, text: str) -> bool:
    """Return whether a reader's text is the one that the maker of a picture expects."""
    return any(_plain(one) == _plain(other) for one in _with_more(expected) for other in _with_less(text))


def _plain(text: str) -> str:
    """Return the text without identifier, brackets and FNC1; of a UPC-A the digits of its EAN-13."""
    text = _IDENTIFIER.sub("", text)
    if text.startswith("("):
        text = _BRACKETS.sub(r"\1", text)
    text = text.replace("\x1d", "").replace("\r\n", "\n").replace("\r", "\n")
    retail = _RETAIL.fullmatch(text)
    return retail[1].zfill(_EAN13_DIGITS) + (retail[2] or "") if retail else text


def _with_more(text: str) -> Iterator[str]:
    """Yield the text of a maker, and the UPC-A of a UPC-E."""
    yield text
    if len(text) == _UPCE_DIGITS:
        yield from (gtin[1:] for gtin in gtins_of_upce(text))


def _with_less(text: str) -> Iterator[str]:
    """Yield the text of a reader, and it as makers write it."""
    yield from _with_more(text)
    plain = _plain(text)
    yield from (match[1] for kind in (_GTIN_ELEMENT, _CODABAR) if (match := kind.fullmatch(plain)))
    if _RETAIL.fullmatch(plain):
        yield from (plain.partition("+")[0], plain.replace("+", ""))
    digits = digits_of_code32(text)
    yield from (each for each in (full_ascii(text), digits and f"A{digits}") if each)
