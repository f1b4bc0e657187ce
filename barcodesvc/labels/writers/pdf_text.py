"""The text of a PDF: lines in characters of embedded fonts (`pdf_fonts`), two bytes each.

The character is the glyph, and means the text of its first use. Glyphs are shown from left to right, as always in PDF;
readers reverse text that runs to the left character by character, so a ligature in it means its letters from the last
to the first. The order of a line with both directions depends on the reader.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from barcodesvc.drawing.faces import Face
from barcodesvc.drawing.glyphs import Line, PlainRun, Run

_NOTHING = "\u2060"
"""The word joiner, for a glyph without text: readers need a text for each glyph."""


@dataclass(frozen=True, slots=True)
class UsedFont:
    """A face of a document, by the name of its resource, with the text of each glyph, and the code of each letter."""

    resource: str
    face: Face
    texts: dict[int, str] = field(default_factory=dict)
    letters: dict[str, str] = field(default_factory=dict)

    def code(self, glyph: int, text: str) -> str:
        """Return the code of a glyph, four hexadecimal digits."""
        self.texts.setdefault(glyph, text or _NOTHING)
        return f"{glyph:04X}"

    def plain(self, run: PlainRun) -> str:
        """Return a plain run as a string of the page."""
        for letter in run.text:
            if letter not in self.letters:
                self.letters[letter] = self.code(run.alphabet.letters[letter].glyph, letter)
        return f"<{''.join([self.letters[letter] for letter in run.text])}> Tj"

    def shaped(self, runs: Sequence[Run], size: float) -> str:
        """Return adjacent runs as an array of the page, with the moves between glyphs that kerning and marks take."""
        units, parts, pen, rise = self.face.units, ["["], 0, 0
        for run in runs:
            left = round((run.left - runs[0].left) * units)
            for glyph in run.glyphs:
                if glyph.rise != rise:
                    rise = glyph.rise
                    parts.append(f"] TJ {rise / units * size:.2f} Ts [")
                if left + glyph.origin != pen:
                    parts.append(f"{round((pen - left - glyph.origin) * 1000 / units):d}")
                text = run.text[glyph.start : glyph.stop]
                parts.append(f"<{self.code(glyph.number, text[::-1] if run.leftward else text)}>")
                pen = left + glyph.origin + self.face.advance(glyph.number)
        parts.append("] TJ" + " 0 Ts" * (rise != 0))
        return "".join(parts).replace("><", "")


@dataclass(frozen=True, slots=True)
class UsedFonts:
    """The fonts of a document so far."""

    fonts: dict[Face, UsedFont] = field(default_factory=dict)

    def show(self, line: Line, size: float, left: int, baseline: int) -> bytes:
        """Return the operators that show a line, with lengths in the unit of the page."""
        shown = []
        for face, group in groupby(line.runs, key=lambda run: run.face):
            first, *others = group
            used, at = self._used(face), left + first.left * size
            text = used.plain(first) if isinstance(first, PlainRun) else used.shaped((first, *others), size)
            shown.append(f"BT /{used.resource} {size:.2f} Tf {at:.2f} {baseline:d} Td {text} ET\n")
        return "".join(shown).encode()

    def _used(self, face: Face) -> UsedFont:
        used = self.fonts.get(face)
        if used is None:
            used = self.fonts[face] = UsedFont(f"F{len(self.fonts) + 1}", face)
        return used
