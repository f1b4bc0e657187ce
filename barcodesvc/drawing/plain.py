"""Plain text, which is set without shaping: codes, captions, and descriptions in Latin letters.

Codes and captions are always in the plain face, FiraGO. Text that is set from a table of advances is faster than
text that is shaped, and lacks its kerning.

Rule: a text is plain completely or not at all; `shaping` sets any other text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from barcodesvc.drawing.faces import plain_face
from barcodesvc.drawing.glyphs import Alphabet, Line, alphabet
from barcodesvc.errors import InvalidContent

ASCENT = 0.85
"""How far ASCII extends above the baseline, as a fraction of the size."""
ACCENTED_ASCENT = 0.97
"""The same for capitals with accents."""
DESCENT = 0.25
"""How far Western European characters extend below the baseline."""
ELLIPSIS = "…"

_BREAK = re.compile(r" |(?<=[-/_])(?=[^\W\d_])")


@dataclass(frozen=True)
class PlainWords:
    """A text to be broken into lines, with one character in each cluster."""

    text: str
    alphabet: Alphabet

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return len(self.text)

    @cached_property
    def ascent(self) -> float:
        """How far the text extends above the baseline, as a fraction of the size."""
        letters, units = self.alphabet.letters, self.alphabet.face.units
        return max([ACCENTED_ASCENT, *(letters[character].top / units for character in set(self.text))])

    @cached_property
    def descent(self) -> float:
        """How far it extends below the baseline."""
        letters, units = self.alphabet.letters, self.alphabet.face.units
        return max([DESCENT, *(-letters[character].bottom / units for character in set(self.text))])

    @cached_property
    def advances(self) -> list[float]:
        """The width of each character, in thousandths of the size."""
        letters, scale = self.alphabet.letters, 1000 / self.alphabet.face.units
        return [letters[character].advance * scale for character in self.text]

    @cached_property
    def breaks(self) -> list[int]:
        """The characters before which a line may end: at blanks, and after `-`, `/` and `_` if letters follow."""
        return [match.start() for match in _BREAK.finditer(self.text) if match.start()]

    def after_blanks(self, start: int) -> int:
        """Return the first cluster from `start` on that is not a blank."""
        return len(self.text) - len(self.text[start:].lstrip(" "))

    def line(self, start: int, stop: int) -> Line:
        """Return a line from cluster `start` up to `stop`, without the blanks at its ends."""
        return self.alphabet.line(self.text[start:stop].strip(" "))

    def cut_line(self, start: int, stop: int) -> Line:
        """Return the same with an ellipsis instead of the following text."""
        return self.alphabet.line(self.text[start:stop].strip(" ") + ELLIPSIS)


def code_line(text: str) -> Line:
    """Return a product code or caption as a line, unchanged; raises InvalidContent if the face lacks a character."""
    letters = alphabet(plain_face())
    if not letters.has(text):
        raise InvalidContent(f"{text!r} is not a code that can be printed below a symbol", rule="alphabet")
    return letters.line(text)
