"""Glyph runs, the only form of text on a label: what typesetting yields, and what any writer draws.

A run has glyphs of one face, one script and one direction, always in order from left to right. A `ShapedRun` lists
them. In a `PlainRun` each character is one glyph, and begins where the one before it ends, so that the text is enough.

Rule: a run contains everything needed to draw it (face, glyph numbers, origins, advances) and the characters of each
glyph. The writer of a format adds what the format needs, such as text that can be copied out of its files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # the service draws its first label later, and starts without the font library
    from barcodesvc.drawing.faces import Face

PLAIN = frozenset(
    [*(bytes([byte]).decode("cp1252", "ignore") for byte in range(0x80, 0xA0)), *map(chr, range(0x20, 0x180))]
) - {"", "\u00ad", *map(chr, range(0x7F, 0xA0))}
"""The letters that need no shaping: Latin, with the signs of Windows code page 1252."""


class Glyph(NamedTuple):
    """A glyph: its number in the face, its characters in the run from `start` to `stop`, and its origin.

    Origin (from the run's left end), rise (above the baseline) and advance are in units of the face's design. It is a
    tuple because a line has thirty of them, and creating a frozen dataclass takes several times as long.
    """

    number: int
    start: int
    stop: int
    origin: int
    rise: int
    advance: int


@dataclass(frozen=True, slots=True)
class ShapedRun:
    """Glyphs that were shaped.

    start: the index of its text in the paragraph; left: its left end within its line, as a fraction of the size.
    """

    start: int
    text: str
    face: Face
    leftward: bool
    glyphs: tuple[Glyph, ...]
    left: float = 0.0

    @property
    def width(self) -> float:
        """The width as a fraction of the size."""
        return sum(glyph.advance for glyph in self.glyphs) / self.face.units


class PlainRun(NamedTuple):
    """Characters of an alphabet; `left` is its left end within its line, as a fraction of the size."""

    text: str
    alphabet: Alphabet
    left: float
    leftward: bool = False

    @property
    def face(self) -> Face:
        """The face of its glyphs."""
        return self.alphabet.face

    @property
    def glyphs(self) -> tuple[Glyph, ...]:
        """The glyphs, made when they are asked for: not every writer needs them."""
        glyphs, origin = [], 0
        for at, character in enumerate(self.text):
            letter = self.alphabet.letters[character]
            glyphs.append(Glyph(letter.glyph, at, at + 1, origin, 0, letter.advance))
            origin += letter.advance
        return tuple(glyphs)


Run = ShapedRun | PlainRun


class Line(NamedTuple):
    """A line of text: its runs from left to right, its text in logical order, its width as a fraction of the size.

    Lines, plain runs and texts are tuples for the reason that glyphs are: each label makes several.
    """

    runs: tuple[Run, ...]
    text: str
    width: float


class Letter(NamedTuple):
    """A plain letter in units of its face's design: its glyph, its advance, and the extents of its ink."""

    glyph: int
    advance: int
    left: int
    right: int
    top: int
    bottom: int


@dataclass(frozen=True, slots=True, eq=False)
class Alphabet:
    """The plain letters of a face; lines with the same alphabet are compared by their text."""

    face: Face
    letters: dict[str, Letter] = field(repr=False)
    characters: frozenset[str] = field(repr=False)

    def has(self, text: str) -> bool:
        """Return whether a text can be set in these letters alone."""
        return self.characters.issuperset(text)

    def line(self, text: str) -> Line:
        """Set a text on one line, whose ends include the ink that extends beyond the first and the last letter."""
        if not text:
            return Line((), "", 0)
        letters, units = self.letters, self.face.units
        first, last = letters[text[0]], letters[text[-1]]
        before, after = max(-first.left, 0), max(last.right - last.advance, 0)
        width = sum([letters[character].advance for character in text])
        return Line((PlainRun(text, self, before / units),), text, (before + width + after) / units)


@cache
def alphabet(face: Face) -> Alphabet:
    """Return the plain letters that a face has."""
    found = {character: face.nominal(character) for character in sorted(PLAIN) if ord(character) in face.covered}
    letters = {character: Letter(glyph, face.advance(glyph), *face.ink(glyph)) for character, glyph in found.items()}
    return Alphabet(face, letters, frozenset(letters))
