"""How lines of text are spelled in a PDF, so that they look as drawn and can be searched and copied out.

Text in Helvetica is shown as it is. A shaped line is spelled in characters of embedded fonts (`pdf_fonts`), and every
use of a glyph is a character of its own, so that one glyph can stand for different texts. Glyphs are shown from left
to right, as everywhere in PDF. Where text runs to the left, each stands for one character, a ligature being followed
by blanks for the others, because readers turn such text around character by character. How a line of both directions
is put in order again is up to the reader.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from barcodesvc.labels.text.helvetica import HelveticaLine
from barcodesvc.labels.text.shaping import Glyph, GlyphLine, GlyphRun
from barcodesvc.labels.text.typefaces import Face

_WIDE_GAP = 0.1
"""From here on, in parts of the size, a gap is made part of the glyph before it: readers take it for a space."""
_NOTHING = "\u2060"
"""The word joiner, for a glyph that stands for no text: readers need one for each."""
_ESCAPED = {byte: b"\\" + bytes([byte]) for byte in b"()\\"}


class Character(NamedTuple):
    """A glyph, the text that it stands for, and its advance in units of the face's design."""

    face: Face
    glyph: int
    text: str
    advance: int


@dataclass(frozen=True, slots=True)
class SpelledRun:
    """Characters of one face from `left`, in parts of the size.

    `placed` has three numbers for each: of the character, the shift to the right before it and the rise above the
    baseline, the last two in units of the face's design.
    """

    face: Face
    left: float
    placed: array[int]


@dataclass(frozen=True, slots=True)
class SpelledText:
    """A spelled line, its size and where its baseline begins; `actual_text` is its text if the glyphs do not say it."""

    runs: tuple[SpelledRun, ...]
    actual_text: str
    size: float
    left: int
    baseline: int


@dataclass(frozen=True, slots=True)
class Spelling:
    """The characters that a document has used so far, each with a number from 0 on."""

    numbers: dict[Character, int] = field(default_factory=dict)

    def spelled(self, line: GlyphLine, size: float, left: int, baseline: int) -> SpelledText:
        """Spell a shaped line."""
        runs = tuple(self._run(list(group)) for _, group in groupby(line.runs, key=lambda run: id(run.face)))
        return SpelledText(runs, line.text if _needs_actual_text(line.runs) else "", size, left, baseline)

    def _run(self, runs: Sequence[GlyphRun]) -> SpelledRun:
        """Join neighbouring runs of one face into one."""
        face, left = runs[0].face, runs[0].left
        placed = [
            (run, glyph, round((run.left - left) * face.units) + glyph.origin) for run in runs for glyph in run.glyphs
        ]
        numbers, pen = array("i"), 0
        for (run, glyph, origin), following in zip(placed, [*placed[1:], None], strict=True):
            shift, advance = origin - pen, face.advance(glyph.number)
            gap = following[2] - origin - advance if following else 0
            if gap > _WIDE_GAP * face.units and face.has_quadratic_outlines:
                advance += gap
            for character in _characters(run, glyph, advance):
                numbers.extend((self._number(character), shift, glyph.rise))
                shift = 0
            pen = origin + advance
        return SpelledRun(face, left, numbers)

    def _number(self, character: tuple[Face, int, str, int]) -> int:
        """Return the number of a character, a new one for a new character."""
        if character not in self.numbers:
            self.numbers[Character(*character)] = len(self.numbers)
        return self.numbers[character]  # type: ignore[index]  # equal tuples are equal keys, and sooner made


def shown_in_helvetica(line: HelveticaLine, size: float, left: int, baseline: int) -> bytes:
    """Return the operators that show a line in Helvetica, the font `/F`, lengths in the unit of the page."""
    return b"BT /F %.2f Tf %d %d Td %b Tj ET\n" % (size, left, baseline, literal(line.text))


def literal(text: bytes) -> bytes:
    """Return encoded text as a PDF string (ISO 32000-1 7.3.4.2)."""
    if not any(byte in text for byte in _ESCAPED):
        return b"(%b)" % text
    return b"(%b)" % b"".join(_ESCAPED.get(byte, bytes([byte])) for byte in text)


def _characters(run: GlyphRun, glyph: Glyph, advance: int) -> Iterator[tuple[Face, int, str, int]]:
    """Yield what draws a glyph: itself, and a blank for each further character that it stands for.

    They share its advance. Only a TrueType glyph can stand for different texts with different advances.
    """
    text = run.text[glyph.start : glyph.stop] or _NOTHING
    if not run.leftward or len(text) == 1 or not run.face.has_quadratic_outlines:
        yield run.face, glyph.number, text, advance
        return
    share = advance // len(text)
    yield run.face, glyph.number, text[-1], advance - share * (len(text) - 1)
    for character in text[-2::-1]:
        yield run.face, run.face.blank, character, share


def _needs_actual_text(runs: Sequence[GlyphRun]) -> bool:
    """Whether a line that runs to the right throughout has a glyph without a text of its own."""
    if any(run.leftward for run in runs):
        return False
    return any(glyph.start == glyph.stop for run in runs for glyph in run.glyphs)
