"""The spelling of lines of text in a PDF, so that they look as drawn and can be searched and copied.

A line is spelled in characters of embedded fonts (`pdf_fonts`), two bytes each. Each use of a glyph for another text is
a separate character, so that one glyph can mean different texts; in the Compact Font Format the character is the glyph,
and means the text of its first use. Glyphs are shown from left to right, as always in PDF. In text that runs to the
left, each glyph means one character, and blanks follow a ligature for its other characters, because readers reverse
such text character by character. The order of a line with both directions depends on the reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from barcodesvc.labels.text.glyphs import Glyph, Line, PlainRun, Run, ShapedRun
from barcodesvc.labels.text.typefaces import Face

_WIDE_GAP = 0.1
"""Gaps from this fraction of the size on become part of the glyph before them, because readers see a space in them."""
_NOTHING = "\u2060"
"""The word joiner, for a glyph without text: readers need a text for each glyph."""


class Character(NamedTuple):
    """A glyph, its text, and its advance in units of the face's design."""

    glyph: int
    text: str
    advance: int


@dataclass(slots=True)
class UsedFont:
    """A face of a document, and its characters by their numbers (CID).

    `codes` has the numbers as they are written, `plain` those of plain letters.
    """

    resource: str
    face: Face
    characters: dict[int, Character] = field(default_factory=dict)
    codes: dict[Character, str] = field(default_factory=dict)
    plain: dict[str, str] = field(default_factory=dict)

    def code(self, character: Character) -> str:
        """Return the number of a character in hexadecimal digits, a new one for a new character."""
        code = self.codes.get(character)
        if code is None:
            number = len(self.characters) + 1 if self.face.has_quadratic_outlines else character.glyph
            self.characters.setdefault(number, character)
            code = self.codes[character] = f"{number:04X}"
        return code

    def spelled(self, run: PlainRun) -> str:
        """Return a plain run as a string of the page."""
        letters, codes = run.alphabet.letters, self.plain
        for letter in run.text:
            if letter not in codes:
                codes[letter] = self.code(Character(letters[letter].glyph, letter, letters[letter].advance))
        return f"<{''.join([codes[letter] for letter in run.text])}> Tj"


@dataclass(frozen=True, slots=True)
class Spelling:
    """The fonts of a document so far."""

    fonts: dict[Face, UsedFont] = field(default_factory=dict)

    def show(self, line: Line, size: float, left: int, baseline: int) -> bytes:
        """Return the operators that show a line, with lengths in the unit of the page."""
        shown = []
        for face, group in groupby(line.runs, key=lambda run: run.face):
            runs = tuple(group)
            used = self._used(face)
            text = used.spelled(runs[0]) if isinstance(runs[0], PlainRun) else _spelled(used, runs, size)
            at = left + runs[0].left * size
            shown.append(f"BT /{used.resource} {size:.2f} Tf {at:.2f} {baseline:d} Td {text} ET\n")
        operators = "".join(shown)
        if _needs_actual_text(line.runs):
            operators = f"/Span <</ActualText <FEFF{utf16(line.text)}>>> BDC\n{operators}EMC\n"
        return operators.encode()

    def _used(self, face: Face) -> UsedFont:
        used = self.fonts.get(face)
        if used is None:
            used = self.fonts[face] = UsedFont(f"F{len(self.fonts) + 1}", face)
        return used


def utf16(text: str) -> str:
    """Return a text in hexadecimal digits of UTF-16."""
    return text.encode("utf-16-be").hex().upper()


def _spelled(font: UsedFont, runs: Sequence[Run], size: float) -> str:
    """Return adjacent runs of one face as one array of the page."""
    face, left = font.face, runs[0].left
    placed = [
        (run, glyph, round((run.left - left) * face.units) + glyph.origin) for run in runs for glyph in run.glyphs
    ]
    parts, pen, rise = ["["], 0, 0
    for (run, glyph, origin), following in zip(placed, [*placed[1:], None], strict=True):
        advance = face.advance(glyph.number)
        gap = following[2] - origin - advance if following else 0
        if gap > _WIDE_GAP * face.units and face.has_quadratic_outlines:
            advance += gap
        if glyph.rise != rise:
            rise = glyph.rise
            parts.append(f"] TJ {rise / face.units * size:.2f} Ts [")
        if origin != pen:
            parts.append(f"{round((pen - origin) * 1000 / face.units):d}")
        parts += [f"<{font.code(character)}>" for character in _characters(run, glyph, advance)]
        pen = origin + advance
    parts.append("] TJ" + " 0 Ts" * (rise != 0))
    return "".join(parts).replace("><", "")


def _characters(run: Run, glyph: Glyph, advance: int) -> Iterator[Character]:
    """Yield the characters that draw a glyph: itself, and a blank for each further character of its text.

    They share its advance. Only a TrueType glyph can have different texts with different advances.
    """
    text = run.text[glyph.start : glyph.stop] or _NOTHING
    if not _is_leftward(run) or len(text) == 1 or not run.face.has_quadratic_outlines:
        yield Character(glyph.number, text, advance)
        return
    share = advance // len(text)
    yield Character(glyph.number, text[-1], advance - share * (len(text) - 1))
    for character in text[-2::-1]:
        yield Character(run.face.blank, character, share)


def _is_leftward(run: Run) -> bool:
    return isinstance(run, ShapedRun) and run.leftward


def _needs_actual_text(runs: Sequence[Run]) -> bool:
    """Return whether a line that runs only to the right has a glyph without text."""
    shaped = [run for run in runs if isinstance(run, ShapedRun)]
    if any(run.leftward for run in shaped):
        return False
    return any(glyph.start == glyph.stop for run in shaped for glyph in run.glyphs)
