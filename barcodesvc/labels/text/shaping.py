"""Glyphs for text in any script: joining, ligatures, marks and kerning by HarfBuzz, directions by `bidi`.

A text is one paragraph. It is divided wherever its level, script or face changes, and each part is shaped by itself.
A line is shaped anew out of its own characters, so that letters join within a line only.

Rule: the text of a line can be copied out of the document. Glyphs are shown from left to right, as everywhere in PDF,
and each stands for a text of its own (`GlyphUse`). Where text runs to the left, that is one character, a ligature
being followed by blanks for the others, because readers turn such text around character by character. How a line of
both directions is put in order again is up to the reader.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple
from unicodedata import category, east_asian_width

import uharfbuzz as hb

from barcodesvc.labels.text.bidi import levels_of, line_runs
from barcodesvc.labels.text.helvetica import ACCENTED_ASCENT, DESCENT
from barcodesvc.labels.text.typefaces import Face

ELLIPSIS = "…"
_END = 4
"""The glyphs at the ends of a part that may reach over them: a letter and its marks."""
_WIDE_GAP = 0.1
"""From here on, in parts of the size, a gap is made part of the glyph before it: readers take it for a space."""
_NOTHING = "\u2060"
"""The word joiner, for a glyph that stands for no text: readers need one for each."""
_FIRST_EAST_ASIAN = "\u1100"
_BREAKS_BEHIND = frozenset("-/_")
_JOINER = "\u200d"
_CONTINUING = frozenset({"Mn", "Me", "Mc", "Cf"})
_ENDS_A_LINE_NEVER = frozenset({"Ps", "Pi"})
_BEGINS_A_LINE_NEVER = frozenset({"Pe", "Pf", "Po", "Lm", "Zs"}) | _CONTINUING


class GlyphUse(NamedTuple):
    """A glyph, the text that it stands for, and its advance in units of the face's design."""

    face: Face
    glyph: int
    text: str
    advance: int


class _Glyph(NamedTuple):
    """A glyph as it is shaped: its origin, rise and advance in units, and the characters that it stands for."""

    number: int
    start: int
    stop: int
    origin: int
    rise: int
    advance: int


@dataclass(slots=True)
class GlyphUses:
    """The glyphs that a document has used so far, each with a number from 0 on."""

    numbers: dict[GlyphUse, int] = field(default_factory=dict)

    def number(self, use: tuple[Face, int, str, int]) -> int:
        """Return the number of a use, a new one for a new use."""
        if use not in self.numbers:
            self.numbers[GlyphUse(*use)] = len(self.numbers)
        return self.numbers[use]  # type: ignore[index]  # equal tuples are equal keys, and sooner made


@dataclass(frozen=True, slots=True)
class GlyphRun:
    """Glyphs of one face from `left`, in parts of the size.

    `placed` has three numbers for each glyph: of its use, the shift to the right before it and the rise above the
    baseline, the last two in units of the face's design.
    """

    face: Face
    left: float
    placed: array[int]


@dataclass(frozen=True, slots=True)
class GlyphLine:
    """A shaped line, its width in parts of the size; `spoken` is its text where the glyphs alone do not tell it."""

    runs: tuple[GlyphRun, ...]
    width: float
    spoken: str


@dataclass(frozen=True, slots=True)
class _Part:
    """Shaped text of one face: its place in the paragraph and its left end in parts of the size."""

    start: int
    text: str
    face: Face
    leftward: bool
    glyphs: tuple[_Glyph, ...]
    left: float = 0.0

    @property
    def width(self) -> float:
        return sum(glyph.advance for glyph in self.glyphs) / self.face.units


class UnicodeWords:
    """A text to be broken into lines; `faces` has the face of each of its characters."""

    def __init__(self, text: str, faces: Sequence[Face], ellipsis_face: Face, uses: GlyphUses) -> None:
        self._text = text
        self._faces = faces
        self._ellipsis_face = ellipsis_face
        self._uses = uses
        self._levels = levels_of(text)
        self._scripts = _scripts(text)
        self._whole = list(self._parts(0, len(text)))
        self.ascent = max([ACCENTED_ASCENT, *(_ascent(part) for part in self._whole)])
        self.descent = max([DESCENT, *(_descent(part) for part in self._whole)])
        self._starts, self.advances = _measured(text, self._whole)
        self.breaks = _breaks(text, self._starts)

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return len(self._starts)

    def after_blanks(self, start: int) -> int:
        """Return the first cluster from `start` on that is no blank."""
        while start < len(self._starts) and self._text[self._starts[start]] == " ":
            start += 1
        return start

    def line(self, start: int, stop: int) -> GlyphLine:
        """Return a line from cluster `start` up to `stop`, without the blanks at its ends."""
        return self._line(*self._stripped(start, stop), "")

    def cut_line(self, start: int, stop: int) -> GlyphLine:
        """Return the same with an ellipsis in place of all that follows."""
        return self._line(*self._stripped(start, stop), ELLIPSIS)

    def _stripped(self, start: int, stop: int) -> tuple[int, int]:
        ends = [*self._starts, len(self._text)]
        first, end = ends[start], ends[stop]
        while end > first and self._text[end - 1] == " ":
            end -= 1
        while first < end and self._text[first] == " ":
            first += 1
        return first, end

    def _line(self, start: int, stop: int, tail: str) -> GlyphLine:
        parts = self._whole if (start, stop) == (0, len(self._text)) else list(self._parts(start, stop))
        if tail:
            last = _part(stop, tail, self._ellipsis_face, leftward=False)
            parts = [last, *parts] if self._levels.base else [*parts, last]
        before, after = _overhang(parts)
        placed, left = [], before
        for part in parts:
            placed.append(_Part(part.start, part.text, part.face, part.leftward, part.glyphs, left))
            left += part.width
        runs = tuple(self._run(list(group)) for _, group in groupby(placed, key=lambda part: id(part.face)))
        spoken = self._text[start:stop] + tail if _needs_speaking(placed) else ""
        return GlyphLine(runs, left + after, spoken)

    def _parts(self, start: int, stop: int) -> Iterator[_Part]:
        """Yield the parts of a line in the order of sight."""
        for first, end, level in line_runs(self._text, self._levels, start, stop):
            parts = [
                _part(place, self._text[place:after], self._faces[place], leftward=level % 2 == 1)
                for place, after in _divided(self._faces, self._scripts, first, end)
            ]
            yield from reversed(parts) if level % 2 else parts

    def _run(self, parts: Sequence[_Part]) -> GlyphRun:
        """Join neighbouring parts of one face into one run."""
        face, left = parts[0].face, parts[0].left
        placed = [
            (part, glyph, round((part.left - left) * face.units) + glyph.origin)
            for part in parts
            for glyph in part.glyphs
        ]
        numbers, pen = array("i"), 0
        for (part, glyph, origin), following in zip(placed, [*placed[1:], None], strict=True):
            shift, advance = origin - pen, face.font.get_glyph_h_advance(glyph.number)
            gap = following[2] - origin - advance if following else 0
            if gap > _WIDE_GAP * face.units and face.has_quadratic_outlines:
                advance += gap
            for use in _standing(part, glyph, advance):
                numbers.extend((self._uses.number(use), shift, glyph.rise))
                shift = 0
            pen = origin + advance
        return GlyphRun(face, left, numbers)


def _standing(part: _Part, glyph: _Glyph, advance: int) -> Iterator[tuple[Face, int, str, int]]:
    """Yield the uses that draw a glyph: itself, and a blank for each further character that it stands for.

    They share its advance. Only a TrueType glyph can stand for different texts with different advances.
    """
    text = part.text[glyph.start : glyph.stop] or _NOTHING
    if not part.leftward or len(text) == 1 or not part.face.has_quadratic_outlines:
        yield part.face, glyph.number, text, advance
        return
    blank = part.face.font.get_nominal_glyph(ord(" ")) or 0
    share = advance // len(text)
    yield part.face, glyph.number, text[-1], advance - share * (len(text) - 1)
    for character in text[-2::-1]:
        yield part.face, blank, character, share


def _part(start: int, text: str, face: Face, *, leftward: bool) -> _Part:
    buffer = hb.Buffer()
    buffer.cluster_level = hb.BufferClusterLevel.MONOTONE_CHARACTERS
    buffer.flags = hb.BufferFlags.REMOVE_DEFAULT_IGNORABLES | hb.BufferFlags.DO_NOT_INSERT_DOTTED_CIRCLE
    buffer.add_str(text)
    buffer.guess_segment_properties()
    buffer.direction = "rtl" if leftward else "ltr"
    hb.shape(face.font, buffer)
    return _Part(start, text, face, leftward, tuple(_glyphs(buffer, len(text))))


def _glyphs(buffer: hb.Buffer, length: int) -> Iterator[_Glyph]:
    """Yield the glyphs from left to right with the characters that each stands for."""
    infos = buffer.glyph_infos
    spans = _spans([info.cluster for info in infos], length)
    if buffer.direction == "rtl":
        spans.reverse()
    pen = 0
    for info, span, position in zip(infos, spans, buffer.glyph_positions, strict=True):
        yield _Glyph(info.codepoint, *span, pen + position.x_offset, position.y_offset, position.x_advance)
        pen += position.x_advance


def _spans(clusters: Sequence[int], length: int) -> list[tuple[int, int]]:
    """Return the characters of each glyph in the order of reading: one each, all that are left the last of a cluster.

    A cluster of more glyphs than characters has none for the last of them.
    """
    starts = sorted(set(clusters))
    if len(starts) == len(clusters):
        return list(pairwise([*([0] * bool(starts)), *starts[1:], length]))
    spans: list[tuple[int, int]] = []
    counts = Counter(clusters)
    for (start, stop), cluster in zip(pairwise([0, *starts[1:], length]), starts, strict=True):
        last = counts[cluster] - 1
        cuts = [*(min(start + at, stop) for at in range(last + 1)), stop]
        spans += pairwise(cuts)
    return spans


def _divided(faces: Sequence[Face], scripts: Sequence[str], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield where the parts of one face and one script begin and end, in the order of reading."""
    if all(items[start:stop].count(items[start]) == stop - start for items in (faces, scripts)):
        yield start, stop
        return
    for _, group in groupby(range(start, stop), key=lambda place: (id(faces[place]), scripts[place])):
        places = list(group)
        yield places[0], places[-1] + 1


def _scripts(text: str) -> list[str]:
    """Return the script of each character; one that is common to many takes that of its neighbour."""
    scripts = []
    known = next(filter(None, map(_script, text)), "")
    for character in text:
        known = _script(character) or known
        scripts.append(known)
    return scripts


@lru_cache(4096)
def _script(character: str) -> str:
    buffer = hb.Buffer()
    buffer.add_str(character)
    buffer.guess_segment_properties()
    return buffer.script or ""


def _measured(text: str, parts: Sequence[_Part]) -> tuple[list[int], list[float]]:
    """Return where each cluster begins and its advance in thousandths of the size, in the order of reading.

    Marks and what follows a joiner belong to the cluster before (Unicode Standard Annex 29, GB9, GB9a, GB11), and so
    does a glyph that stands for no text, such as the second half of a Thai vowel.
    """
    widths: dict[int, float] = {}
    for part in parts:
        scale = 1000 / part.face.units
        begun = sorted({glyph.start for glyph in part.glyphs if glyph.stop > glyph.start})
        for glyph in part.glyphs:
            place = part.start + begun[bisect_right(begun, glyph.start - (glyph.stop == glyph.start)) - 1]
            widths[place] = widths.get(place, 0) + glyph.advance * scale
    starts: list[int] = []
    advances: list[float] = []
    continuing = {character for character in set(text) if category(character) in _CONTINUING}
    for place in sorted(widths):
        if starts and (text[place] in continuing or text[place - 1] == _JOINER):
            advances[-1] += widths[place]
        else:
            starts.append(place)
            advances.append(widths[place])
    return starts, advances


def _breaks(text: str, starts: Sequence[int]) -> list[int]:
    """Return the clusters before which a line may end."""
    return [at for at, start in enumerate(starts) if at and _may_break(text, start)]


def _may_break(text: str, place: int) -> bool:
    """Whether a line may end before a character (UAX 14).

    It may at blanks, behind `-`, `/` and `_` that letters follow, and beside East Asian characters (ID).
    """
    character, before = text[place], text[place - 1]
    if character == " " or before == " ":
        return character == " "
    if before in _BREAKS_BEHIND:
        return character.isalpha()
    if max(character, before) < _FIRST_EAST_ASIAN:
        return False
    if category(character) in _BEGINS_A_LINE_NEVER or category(before) in _ENDS_A_LINE_NEVER:
        return False
    return "W" in (east_asian_width(character), east_asian_width(before))


def _ascent(part: _Part) -> float:
    return max([part.face.ascent * part.leftward, *(top for top, _ in _extents(part))])


def _descent(part: _Part) -> float:
    """Return how deep a part reaches, wherever it is cut: a letter at the end of a line has a form of its own."""
    own = [-bottom for _, bottom in _extents(part)]
    if not part.leftward:
        return max(own, default=0.0)
    return max([part.face.descent, *own, *(_last_letter_descent(part.face, each) for each in set(part.text))])


@lru_cache(4096)
def _last_letter_descent(face: Face, letter: str) -> float:
    """Return how deep a letter reaches that joins the one before it, or none, and is the last of its line."""
    forms = (_part(0, before + letter, face, leftward=True) for before in (_JOINER, ""))
    return max((-bottom for form in forms for _, bottom in _extents(form)), default=0.0)


def _extents(part: _Part) -> Iterator[tuple[float, float]]:
    """Yield the top and bottom of each glyph in parts of the size."""
    for number, rise in {(glyph.number, glyph.rise) for glyph in part.glyphs}:
        _, _, top, bottom = _ink(part.face, number)
        yield (top + rise) / part.face.units, (bottom + rise) / part.face.units


def _overhang(parts: Sequence[_Part]) -> tuple[float, float]:
    """Return how far the ink of a line reaches over its left and right end, in parts of the size."""
    lefts, rights, pen = [0.0], [0.0], 0.0
    for part in parts:
        units = part.face.units
        for glyph in (*part.glyphs[:_END], *part.glyphs[-_END:]):
            ink = _ink(part.face, glyph.number)
            lefts.append(pen + (glyph.origin + ink[0]) / units)
            rights.append(pen + (glyph.origin + ink[1]) / units)
        pen += part.width
    return -min(lefts), max(0.0, max(rights) - pen)


@lru_cache(16384)
def _ink(face: Face, number: int) -> tuple[int, int, int, int]:
    """Return how far a glyph reaches from its origin: left, right, top and bottom."""
    extents = face.font.get_glyph_extents(number)
    if extents is None:
        return 0, 0, 0, 0
    left, top = extents.x_bearing, extents.y_bearing
    return left, left + extents.width, top, top + extents.height


def _needs_speaking(parts: Sequence[_Part]) -> bool:
    """Whether a line that runs to the right throughout has a glyph without a text of its own."""
    if any(part.leftward for part in parts):
        return False
    return any(glyph.start == glyph.stop for part in parts for glyph in part.glyphs)
