"""Text in Helvetica, one of the 14 standard fonts of every PDF reader (ISO 32000-1 9.6.2.2).

No font file is needed to measure it, and none has to be embedded, so sheets are small. A line is a run of characters in
the encoding WinAnsi (Windows code page 1252): Western European text. Widths are those of Adobe's font metrics for
Helvetica, in thousandths of the size.

Rule: a text is encoded completely or not at all; `shaping` sets any other text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from unicodedata import normalize

from barcodesvc.errors import InvalidContent

ASCENT = 0.74
"""How far ASCII extends above the baseline, as a fraction of the size."""
ACCENTED_ASCENT = 0.94
"""The same for capitals with accents."""
DESCENT = 0.225
"""How far any character extends below the baseline."""

_ELLIPSIS = "…".encode("cp1252")
_FIRST_PRINTABLE = 0x20
_DELETE = 0x7F
_BREAK = re.compile(rb" |(?<=[-/_])(?=[A-Za-z\xc0-\xff])")

# fmt: off
_WIDTHS = (0,) * 32 + (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, 0,
    556, 0, 222, 556, 333, 1000, 556, 556, 333, 1000, 667, 333, 1000, 0, 611, 0,
    0, 222, 222, 333, 333, 350, 556, 1000, 333, 1000, 500, 333, 944, 0, 500, 667,
    278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333,
    400, 584, 333, 333, 333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611,
    667, 667, 667, 667, 667, 667, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
    722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667, 667, 611,
    556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556, 278, 278, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556, 500,
)
# fmt: on


@dataclass(frozen=True, slots=True)
class HelveticaLine:
    """A line in Helvetica: its characters in the font's encoding, and its width as a fraction of the size."""

    text: bytes
    width: float


@dataclass(frozen=True)
class HelveticaWords:
    """A text to be broken into lines, with one character in each cluster."""

    text: bytes
    ascent: float = ACCENTED_ASCENT
    descent: float = DESCENT

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return len(self.text)

    @cached_property
    def advances(self) -> list[int]:
        """The width of each character, in thousandths of the size."""
        return [_WIDTHS[byte] for byte in self.text]

    @cached_property
    def breaks(self) -> list[int]:
        """The characters before which a line may end: at blanks, and after `-`, `/` and `_` if letters follow."""
        return [match.start() for match in _BREAK.finditer(self.text) if match.start()]

    def after_blanks(self, start: int) -> int:
        """Return the first cluster from `start` on that is not a blank."""
        return len(self.text) - len(self.text[start:].lstrip())

    def line(self, start: int, stop: int) -> HelveticaLine:
        """Return a line from cluster `start` up to `stop`, without the blanks at its ends."""
        return helvetica_line(self.text[start:stop].strip())

    def cut_line(self, start: int, stop: int) -> HelveticaLine:
        """Return the same with an ellipsis instead of the following text."""
        return helvetica_line(self.text[start:stop].strip() + _ELLIPSIS)


def encode(text: str) -> bytes | None:
    """Return the text in the font's encoding, with letters and their combining accents as one character.

    None if the font lacks a character.
    """
    composed = normalize("NFC", text)
    if composed.isascii() and composed.isprintable():
        return composed.encode()
    try:
        encoded = composed.encode("cp1252")
    except UnicodeEncodeError:
        return None
    return None if any(byte < _FIRST_PRINTABLE or byte == _DELETE for byte in encoded) else encoded


def helvetica_line(text: bytes) -> HelveticaLine:
    """Return encoded text as one line."""
    return HelveticaLine(text, sum(map(_WIDTHS.__getitem__, text)) / 1000)


def code_line(text: str) -> HelveticaLine:
    """Return a product code or caption as a line, unchanged; raises InvalidContent if the font lacks a character."""
    encoded = encode(text)
    if encoded is None:
        raise InvalidContent(f"{text!r} is not a code that can be printed below a symbol", rule="alphabet")
    return helvetica_line(encoded)
