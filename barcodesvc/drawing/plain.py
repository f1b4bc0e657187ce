"""Plain text, which is set without shaping: codes, captions, and descriptions in Latin letters.

Codes and captions are always in the plain face, FiraGO. Text that is set from a table of advances is faster than
text that is shaped, and lacks its kerning.

Rule: a text is plain throughout or not at all; `shaping` sets any other text.
"""

import re
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


class PlainWords:
    """A text to be broken into lines, with one character in each cluster.

    ascent, descent: how far it extends above and below the baseline, as fractions of the size; advances: the width of
    each character, in thousandths of the size.
    """

    def __init__(self, text: str, alphabet: Alphabet) -> None:
        self.text = text
        self.alphabet = alphabet
        letters, units = [alphabet.letters[character] for character in text], alphabet.face.units
        self.ascent = max(ACCENTED_ASCENT, max([letter.top for letter in letters], default=0) / units)
        self.descent = max(DESCENT, -min([letter.bottom for letter in letters], default=0) / units)
        scale = 1000 / units
        self.advances = [letter.advance * scale for letter in letters]

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return len(self.text)

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


def code_pieces(text: str, count: int) -> list[Line]:
    """Return a product code or caption as lines of equal length, at most `count`; raises what `code_line` raises."""
    length = -(-len(text) // count)
    return [code_line(text[start : start + length]) for start in range(0, len(text), length)]
