"""Line breaking: text is set into a given width, in words.

Lengths are fractions of the text's size. The font has been chosen before (`typesetting`): here a text is a sequence of
clusters with advances, any part of which can become a line.

Rule: a line is never wider than its room, and never broken within a cluster. A text can be cut, so that one long
description does not spoil a run of labels.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from barcodesvc.drawing.glyphs import Line
from barcodesvc.labels.resolution import ROUNDING
from barcodesvc.labels.text.typesetting import Words

_TOLERANCE = 1.02
"""How much a line's width may differ from that of its clusters, which join and kern differently in another line."""
_HALVINGS = 7
"""Steps of the search for the narrowest room of a number of lines, with an error of less than 1 %."""

_Span = tuple[int, int]


def wrapped(words: Words, room: float, most_lines: int) -> tuple[Line, ...] | None:
    """Set a whole text in as few lines as possible, of similar length; None if it needs more than `most_lines`."""
    if most_lines < 1:
        return None
    whole = _set_within(words, [(0, words.clusters)], room)
    if whole is not None:
        return whole
    used = _used(words)
    for narrower in (1, 1 / _TOLERANCE):
        spans = _spans(words, used, room * narrower, most_lines)
        lines = spans and _set_within(words, _balanced(words, used, spans, room * narrower), room)
        if lines:
            return lines
    return None


def cut(words: Words, room: float, most_lines: int) -> tuple[Line, ...]:
    """Set as much of a text as fits the lines, and an ellipsis for the rest.

    The ellipsis must fit `room`. A word that is longer than a line is continued on the next one.
    """
    used, lines, start = _used(words), [], 0
    for _ in range(most_lines - 1):
        stop = _filled(words, used, start, room)
        if stop >= words.clusters:
            break
        lines.append(words.line(start, stop))
        start = words.after_blanks(stop)
    return (*lines, _shortened(words, used, start, room))


def _used(words: Words) -> list[float]:
    """Return the start of each cluster in one long line, and the end of the last one, in thousandths."""
    return [0, *accumulate(words.advances)]


def _set_within(words: Words, spans: Sequence[_Span], room: float) -> tuple[Line, ...] | None:
    """Set lines; None if one of them is too wide, which is usually known from its clusters."""
    if max(sum(words.advances[start:stop]) for start, stop in spans) > room * _TOLERANCE * 1000:
        return None
    lines = tuple(words.line(*span) for span in spans)
    return lines if _widest(lines) <= room + ROUNDING else None


def _spans(words: Words, used: Sequence[float], room: float, most_lines: int) -> list[_Span] | None:
    """Fill line after line, each up to its last break; None if a word or the text is too long."""
    spans: list[_Span] = []
    start = words.after_blanks(0)
    while start < words.clusters:
        stop = _last_break(words, start, _fitting(used, start, room))
        if stop is None or len(spans) == most_lines:
            return None
        spans.append((start, stop))
        start = words.after_blanks(stop)
    return spans


def _balanced(words: Words, used: Sequence[float], spans: list[_Span], room: float) -> list[_Span]:
    """Return spans of the same number of lines in the narrowest room, so that no word is alone on the last one."""
    too_narrow, wide = min(used[-1] / len(spans) / 1000, room), room
    for _ in range(_HALVINGS):
        middle = (too_narrow + wide) / 2
        found = _spans(words, used, middle, len(spans))
        if found is None:
            too_narrow = middle
        else:
            spans, wide = found, middle
    return spans


def _last_break(words: Words, start: int, fitting: int) -> int | None:
    """Return the end of a line from `start` on, at most `fitting`; None if there is no break before that."""
    if fitting >= words.clusters:
        return words.clusters
    index = bisect_right(words.breaks, fitting)
    return words.breaks[index - 1] if index and words.breaks[index - 1] > start else None


def _fitting(used: Sequence[float], start: int, room: float) -> int:
    """Return the end of the clusters from `start` on that fit the room."""
    return bisect_right(used, used[start] + room * 1000 + ROUNDING, start) - 1


def _filled(words: Words, used: Sequence[float], start: int, room: float) -> int:
    """Return the end of a full line: its last break, or a cluster of a word that is longer than the line."""
    fitting = _fitting(used, start, room)
    while True:
        stop = _last_break(words, start, fitting) or fitting
        if stop <= start + 1 or words.line(start, stop).width <= room + ROUNDING:
            return max(stop, start + 1)
        fitting = stop - 1


def _shortened(words: Words, used: Sequence[float], start: int, room: float) -> Line:
    """Return the text from a cluster on, complete or as much of it as fits before an ellipsis."""
    rest = _set_within(words, [(start, words.clusters)], room)
    if rest is not None:
        return rest[0]
    stop = _fitting(used, start, room - words.cut_line(start, start).width)
    while stop > start and words.cut_line(start, stop).width > room + ROUNDING:
        stop -= 1
    return words.cut_line(start, max(stop, start))


def _widest(lines: Sequence[Line]) -> float:
    return max(line.width for line in lines)
