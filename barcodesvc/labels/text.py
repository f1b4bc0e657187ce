"""Text set into a given width: codes in pieces, other texts in words.

Lengths are in the unit of the given size. Which font a text is set in is decided before (`typesetting`): here it is
a row of clusters, each with its advance, that makes a line of any part of itself.

Rule: one description must not spoil a run of labels. A text that does not fit is broken into lines, then made
smaller, then cut with an ellipsis, in that order, and never within a cluster. A product code is never changed and
never cut.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from barcodesvc.labels.helvetica import helvetica_width
from barcodesvc.labels.shaping import GlyphLine
from barcodesvc.labels.typesetting import Words

_MOST_CODE_LINES = 3
_ROUNDING = 1e-6
_TOLERANCE = 1.02
"""How much a line's width may differ from that of its clusters, which join and kern otherwise in another line."""

SetLine = bytes | GlyphLine
"""A line in Helvetica, encoded, or one of shaped glyphs."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines and the one size in which they are set."""

    lines: tuple[SetLine, ...]
    size: float


@dataclass(frozen=True, slots=True)
class CodeParagraph:
    """The same for a product code, which is in Helvetica always."""

    lines: tuple[bytes, ...]
    size: float


def width(line: SetLine) -> float:
    """Return the width of a line in parts of its size."""
    return helvetica_width(line) if isinstance(line, bytes) else line.width


def fit_words(words: Words, room: float, size: float, least: float, most_lines: int) -> Paragraph:
    """Set text in one line, or two of similar length, not wider than `room`; below `least` it is cut instead.

    `room` must hold the ellipsis at the least size.
    """
    settings = [((0, words.clusters),), *_halves(words)][:most_lines]
    for spans in settings:
        if _expected(words, spans) * size <= room * _TOLERANCE:
            lines = tuple(words.line(*span) for span in spans)
            if _widest(lines) * size <= room:
                return Paragraph(lines, size)
    spans = settings[-1]
    if room >= _expected(words, spans) * least / _TOLERANCE:
        lines = tuple(words.line(*span) for span in spans)
        if room >= _widest(lines) * least:
            return Paragraph(lines, min(size, room / _widest(lines)))
    return Paragraph(_cut(words, room / least, most_lines), least)


def fit_code(code: bytes, room: float, size: float, least: float) -> CodeParagraph | None:
    """Set a product code in the fewest lines, up to three; None where it does not fit."""
    for count in range(1, _MOST_CODE_LINES + 1):
        lines = _pieces(code, count)
        fitting = min(size, room / _widest(lines))
        if fitting >= least:
            return CodeParagraph(lines, fitting)
    return None


def least_code_room(code: bytes, least: float) -> float:
    """Return the room that `fit_code` needs for a code at its least size."""
    return _widest(_pieces(code, _MOST_CODE_LINES)) * least


def _expected(words: Words, spans: Sequence[tuple[int, int]]) -> float:
    """Return the width of the widest line before it is set, with the blanks at its ends."""
    return max(sum(words.advances[start:stop]) for start, stop in spans) / 1000


def _widest(lines: Sequence[SetLine]) -> float:
    return max(map(width, lines))


def _pieces(code: bytes, count: int) -> tuple[bytes, ...]:
    length = -(-len(code) // count)
    return tuple(code[start : start + length] for start in range(0, len(code), length))


def _halves(words: Words) -> list[tuple[tuple[int, int], ...]]:
    """Return the two spans where both halves are most alike, or nothing where no line may end."""
    used = [0, *accumulate(words.advances)]
    whole = used[-1]
    at = min(words.breaks, key=lambda place: max(used[place], whole - used[place]), default=0)
    return [((0, at), (at, words.clusters))] if at else []


def _cut(words: Words, room: float, most_lines: int) -> tuple[SetLine, ...]:
    if most_lines == 1:
        return (_shortened(words, 0, room),)
    stop = _filled(words, room)
    return words.line(0, stop), _shortened(words, words.after_blanks(stop), room)


def _filled(words: Words, room: float) -> int:
    """Return where the first line ends: at its last break, or within a word that is longer than the line."""
    fitting = _fitting(words, 0, room)
    while True:
        stop = words.breaks[at - 1] if (at := bisect_right(words.breaks, fitting)) else fitting
        if stop <= 1 or width(words.line(0, stop)) <= room + _ROUNDING:
            return stop
        fitting = stop - 1


def _shortened(words: Words, start: int, room: float) -> SetLine:
    """Return the text from a cluster on, as it is or as much of it as fits before an ellipsis."""
    end = words.clusters
    if _expected(words, [(start, end)]) <= room * _TOLERANCE:
        rest = words.line(start, end)
        if width(rest) <= room:
            return rest
    stop = start + _fitting(words, start, room - width(words.cut_line(start, start)))
    while stop > start and width(words.cut_line(start, stop)) > room + _ROUNDING:
        stop -= 1
    return words.cut_line(start, stop)


def _fitting(words: Words, start: int, room: float) -> int:
    """Return how many clusters from one on fit the room."""
    return bisect_right(list(accumulate(words.advances[start:])), room * 1000)
