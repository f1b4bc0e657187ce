"""The spelling of lines of text in a PDF, so that they look as drawn and can be searched and copied.

Text in Helvetica is shown directly. A shaped line is spelled in characters of embedded fonts (`pdf_fonts`). Each use of
a glyph for another text is a separate character, so that one glyph can mean different texts. Glyphs are shown from left
to right, as always in PDF. In text that runs to the left, each glyph means one character, and blanks follow a ligature
for its other characters, because readers reverse such text character by character. The order of a line with both
directions depends on the reader.
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
"""Gaps from this fraction of the size on become part of the glyph before them, because readers see a space in them."""
_NOTHING = "\u2060"
"""The word joiner, for a glyph without text: readers need a text for each glyph."""
_ESCAPED = {byte: b"\\" + bytes([byte]) for byte in b"()\\"}


class Character(NamedTuple):
    """A glyph, its text, and its advance in units of the face's design."""

    face: Face
    glyph: int
    text: str
    advance: int


@dataclass(frozen=True, slots=True)
class SpelledRun:
    """Characters of one face from `left`, as a fraction of the size.

    `placed` has three numbers for each: its number, the shift to the right before it and the rise above the baseline,
    the last two in units of the face's design.
    """

    face: Face
    left: float
    placed: array[int]


@dataclass(frozen=True, slots=True)
class SpelledText:
    """A spelled line, its size and the beginning of its baseline; `actual_text` is its text if the glyphs lack it."""

    runs: tuple[SpelledRun, ...]
    actual_text: str
    size: float
    left: int
    baseline: int


@dataclass(frozen=True, slots=True)
class Spelling:
    """The characters of a document so far, each with a number from 0 on."""

    numbers: dict[Character, int] = field(default_factory=dict)

    def spelled(self, line: GlyphLine, size: float, left: int, baseline: int) -> SpelledText:
        """Spell a shaped line."""
        runs = tuple(self._run(list(group)) for _, group in groupby(line.runs, key=lambda run: id(run.face)))
        return SpelledText(runs, line.text if _needs_actual_text(line.runs) else "", size, left, baseline)

    def _run(self, runs: Sequence[GlyphRun]) -> SpelledRun:
        """Return adjacent runs of one face as one."""
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
        return self.numbers[character]  # type: ignore[index]  # equal tuples are equal keys, and faster to create


def shown_in_helvetica(line: HelveticaLine, size: float, left: int, baseline: int) -> bytes:
    """Return the operators that show a line in Helvetica, the font `/F`, with lengths in the unit of the page."""
    return b"BT /F %.2f Tf %d %d Td %b Tj ET\n" % (size, left, baseline, literal(line.text))


def literal(text: bytes) -> bytes:
    """Return encoded text as a PDF string (ISO 32000-1 7.3.4.2)."""
    if not any(byte in text for byte in _ESCAPED):
        return b"(%b)" % text
    return b"(%b)" % b"".join(_ESCAPED.get(byte, bytes([byte])) for byte in text)


def _characters(run: GlyphRun, glyph: Glyph, advance: int) -> Iterator[tuple[Face, int, str, int]]:
    """Yield the characters that draw a glyph: itself, and a blank for each further character of its text.

    They share its advance. Only a TrueType glyph can have different texts with different advances.
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
    """Return whether a line that runs only to the right has a glyph without text."""
    if any(run.leftward for run in runs):
        return False
    return any(glyph.start == glyph.stop for run in runs for glyph in run.glyphs)
