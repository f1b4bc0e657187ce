"""Shaping: glyphs for text in any script, with joining, ligatures, marks and kerning by HarfBuzz, directions by `bidi`.

A text is one paragraph. It is divided wherever its level, script or face changes, and each part is shaped separately. A
line is shaped again from its characters, so that letters join only within a line.

Rule: a line is as wide as its glyphs, with the ink that extends beyond its ends.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Literal
from unicodedata import category, east_asian_width

import uharfbuzz as hb

from barcodesvc.drawing.faces import Face
from barcodesvc.drawing.glyphs import Glyph, Line, ShapedRun
from barcodesvc.drawing.plain import ACCENTED_ASCENT, DESCENT, ELLIPSIS
from barcodesvc.labels.text.bidi import levels_of, line_runs

_END = 4
"""The number of glyphs at each end of a run that may extend beyond it: a letter and its marks."""
_FIRST_EAST_ASIAN = "\u1100"
_BREAKS_BEHIND = frozenset("-/_")
_JOINER = "\u200d"
_CONTINUING = frozenset({"Mn", "Me", "Mc", "Cf"})
_ENDS_A_LINE_NEVER = frozenset({"Ps", "Pi"})
_BEGINS_A_LINE_NEVER = frozenset({"Pe", "Pf", "Po", "Lm", "Zs"}) | _CONTINUING
_Direction = Literal["ltr", "rtl"]


class UnicodeWords:
    """A text to be broken into lines; `faces` has the face of each of its characters."""

    def __init__(self, text: str, faces: Sequence[Face], ellipsis_face: Face) -> None:
        self._text = text
        self._faces = faces
        self._ellipsis_face = ellipsis_face
        self._levels = levels_of(text)
        self._scripts = _scripts(text)
        self._whole = list(self._runs(0, len(text)))
        self.ascent = max([ACCENTED_ASCENT, *(_ascent(run) for run in self._whole)])
        self.descent = max([DESCENT, *(_descent(run) for run in self._whole)])
        self._starts, self.advances = _measured(text, self._whole)
        self.breaks = [at for at, start in enumerate(self._starts) if at and _may_break(text, start)]

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return len(self._starts)

    def after_blanks(self, start: int) -> int:
        """Return the first cluster from `start` on that is not a blank."""
        while start < len(self._starts) and self._text[self._starts[start]] == " ":
            start += 1
        return start

    def line(self, start: int, stop: int) -> Line:
        """Return a line from cluster `start` up to `stop`, without the blanks at its ends."""
        return self._line(*self._stripped(start, stop), "")

    def cut_line(self, start: int, stop: int) -> Line:
        """Return the same with an ellipsis instead of the following text."""
        return self._line(*self._stripped(start, stop), ELLIPSIS)

    def _stripped(self, start: int, stop: int) -> tuple[int, int]:
        ends = [*self._starts, len(self._text)]
        first, end = ends[start], ends[stop]
        while end > first and self._text[end - 1] == " ":
            end -= 1
        while first < end and self._text[first] == " ":
            first += 1
        return first, end

    def _line(self, start: int, stop: int, tail: str) -> Line:
        shaped = self._whole if (start, stop) == (0, len(self._text)) else list(self._runs(start, stop))
        if tail:
            last = _shaped(stop, tail, self._ellipsis_face, "ltr")
            shaped = [last, *shaped] if self._levels.base else [*shaped, last]
        before, after = _overhang(shaped)
        runs, left = [], before
        for run in shaped:
            runs.append(replace(run, left=left))
            left += run.width
        return Line(tuple(runs), self._text[start:stop] + tail, left + after)

    def _runs(self, start: int, stop: int) -> Iterator[ShapedRun]:
        """Yield the runs of a line in visual order."""
        for first, end, level in line_runs(self._text, self._levels, start, stop):
            direction: _Direction = "rtl" if level % 2 else "ltr"
            runs = [
                _shaped(begin, self._text[begin:after], self._faces[begin], direction)
                for begin, after in _divided(self._faces, self._scripts, first, end)
            ]
            yield from reversed(runs) if level % 2 else runs


def _shaped(start: int, text: str, face: Face, direction: _Direction) -> ShapedRun:
    buffer = hb.Buffer()
    buffer.cluster_level = hb.BufferClusterLevel.MONOTONE_CHARACTERS
    buffer.flags = hb.BufferFlags.REMOVE_DEFAULT_IGNORABLES | hb.BufferFlags.DO_NOT_INSERT_DOTTED_CIRCLE
    buffer.add_str(text)
    buffer.guess_segment_properties()
    buffer.direction = direction
    hb.shape(face.font, buffer)
    return ShapedRun(start, text, face, direction == "rtl", tuple(_glyphs(buffer, len(text))))


def _glyphs(buffer: hb.Buffer, length: int) -> Iterator[Glyph]:
    """Yield the glyphs from left to right, with the characters of each."""
    infos = buffer.glyph_infos
    spans = _spans([info.cluster for info in infos], length)
    if buffer.direction == "rtl":
        spans.reverse()
    pen = 0
    for info, span, position in zip(infos, spans, buffer.glyph_positions, strict=True):
        yield Glyph(info.codepoint, *span, pen + position.x_offset, position.y_offset, position.x_advance)
        pen += position.x_advance


def _spans(clusters: Sequence[int], length: int) -> list[tuple[int, int]]:
    """Return the characters of each glyph in logical order: one each, and the remaining ones for the last of a cluster.

    If a cluster has more glyphs than characters, the last glyphs have none.
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
    """Yield the start and stop of each run of one face and one script, in logical order."""
    if all(items[start:stop].count(items[start]) == stop - start for items in (faces, scripts)):
        yield start, stop
        return
    for _, group in groupby(range(start, stop), key=lambda index: (id(faces[index]), scripts[index])):
        indexes = list(group)
        yield indexes[0], indexes[-1] + 1


def _scripts(text: str) -> list[str]:
    """Return the script of each character; a character of many scripts gets that of its neighbour."""
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


def _measured(text: str, runs: Sequence[ShapedRun]) -> tuple[list[int], list[float]]:
    """Return the start of each cluster and its advance in thousandths of the size, in logical order.

    Marks, and the character after a joiner, belong to the cluster before them (Unicode Standard Annex 29, GB9, GB9a,
    GB11), and so does a glyph without text, such as the second half of a Thai vowel.
    """
    widths: dict[int, float] = {}
    for run in runs:
        scale = 1000 / run.face.units
        begun = sorted({glyph.start for glyph in run.glyphs if glyph.stop > glyph.start})
        for glyph in run.glyphs:
            index = run.start + begun[bisect_right(begun, glyph.start - (glyph.stop == glyph.start)) - 1]
            widths[index] = widths.get(index, 0) + glyph.advance * scale
    starts: list[int] = []
    advances: list[float] = []
    continuing = {character for character in set(text) if category(character) in _CONTINUING}
    for index in sorted(widths):
        if starts and (text[index] in continuing or text[index - 1] == _JOINER):
            advances[-1] += widths[index]
        else:
            starts.append(index)
            advances.append(widths[index])
    return starts, advances


def _may_break(text: str, index: int) -> bool:
    """Return whether a line may end before a character (UAX 14).

    It may end at blanks, after `-`, `/` and `_` if letters follow, and next to East Asian characters (ID).
    """
    character, before = text[index], text[index - 1]
    if character == " " or before == " ":
        return character == " "
    if before in _BREAKS_BEHIND:
        return character.isalpha()
    if max(character, before) < _FIRST_EAST_ASIAN:
        return False
    if category(character) in _BEGINS_A_LINE_NEVER or category(before) in _ENDS_A_LINE_NEVER:
        return False
    return "W" in (east_asian_width(character), east_asian_width(before))


def _ascent(run: ShapedRun) -> float:
    return max([run.face.ascent * run.leftward, *(top for top, _ in _extents(run))])


def _descent(run: ShapedRun) -> float:
    """Return the descent of a run, wherever it is cut: a letter at the end of a line has a different form."""
    uncut = [-bottom for _, bottom in _extents(run)]
    if not run.leftward:
        return max(uncut, default=0.0)
    return max([run.face.descent, *uncut, *(_last_letter_descent(run.face, each) for each in set(run.text))])


@lru_cache(4096)
def _last_letter_descent(face: Face, letter: str) -> float:
    """Return the descent of the last letter of a line, joined to the one before it or not."""
    forms = (_shaped(0, before + letter, face, "rtl") for before in (_JOINER, ""))
    return max((-bottom for form in forms for _, bottom in _extents(form)), default=0.0)


def _extents(run: ShapedRun) -> Iterator[tuple[float, float]]:
    """Yield the top and bottom of each glyph as fractions of the size."""
    for number, rise in {(glyph.number, glyph.rise) for glyph in run.glyphs}:
        _, _, top, bottom = run.face.ink(number)
        yield (top + rise) / run.face.units, (bottom + rise) / run.face.units


def _overhang(runs: Sequence[ShapedRun]) -> tuple[float, float]:
    """Return how far the ink of a line extends beyond its left and right end, as fractions of the size."""
    lefts, rights, pen = [0.0], [0.0], 0.0
    for run in runs:
        units = run.face.units
        for glyph in (*run.glyphs[:_END], *run.glyphs[-_END:]):
            ink = run.face.ink(glyph.number)
            lefts.append(pen + (glyph.origin + ink[0]) / units)
            rights.append(pen + (glyph.origin + ink[1]) / units)
        pen += run.width
    return -min(lefts), max(0.0, max(rights) - pen)
