"""The lines of text of one label, lengths in dots: the symbol's captions or the product code, then further texts.

All further texts have one size. It is the wanted one where they fit whole, each in as many lines as it needs; else a
smaller one, to the least; and what is still too long at the least size is cut with an ellipsis.

Rule: lines never reach over the room that they are given, and every text keeps at least one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from barcodesvc.labels.text.helvetica import ASCENT, DESCENT, code_line
from barcodesvc.labels.text.typesetting import Line, Words
from barcodesvc.labels.text.wrapping import cut, fit_code, wrapped
from barcodesvc.symbols.modules import Bars, Caption

LEAST_TEXT = 3
"""The least room for a text, in parts of its size: two letters and the ellipsis."""
_STEPS = (1.0, 0.9, 0.8)
"""Sizes that are tried before the least one, in parts of the wanted one."""
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class TextSize:
    """How large text is set, in dots: the size wanted and the least to which it may shrink."""

    wanted: float
    least: float

    def steps(self) -> Iterator[float]:
        """Yield the sizes to try, the largest first."""
        yield from (self.wanted * step for step in _STEPS if self.wanted * step > self.least)
        yield self.least


@dataclass(frozen=True, slots=True)
class Baseline:
    """Texts on one baseline, each with the column on which it is centred, counted from the middle of them all."""

    texts: tuple[tuple[Line, float], ...]
    size: float
    ascent: float = ASCENT
    descent: float = DESCENT

    @property
    def height(self) -> float:
        """How high the line is with all accents and descenders."""
        return self.size * (self.ascent + self.descent)


def caption_lines(bars: Bars, module: int, room: int, size: float) -> tuple[Baseline, ...]:
    """Set what a linear symbol shows under itself, each caption under its bars, as wide as the bars are at most."""
    if not bars.captions:
        return ()
    texts = [code_line(caption.text) for caption in bars.captions]
    rooms = [_caption_room(caption, bars, module, room) for caption in bars.captions]
    fitting = min(size, *(room / text.width for room, text in zip(rooms, texts, strict=True)))
    centres = [module * (caption.start + caption.stop - bars.width) / 2 for caption in bars.captions]
    return (Baseline(tuple(zip(texts, centres, strict=True)), fitting),)


def code_lines(code: str, room: int, size: TextSize) -> tuple[Baseline, ...] | None:
    """Set a product code; None where it does not fit, because it is never cut."""
    paragraph = fit_code(code, room, size.wanted, size.least)
    if paragraph is None:
        return None
    return tuple(Baseline(((line, 0),), paragraph.size) for line in paragraph.lines)


def whole_text_lines(texts: Sequence[Words], room: int, height: float, size: TextSize) -> tuple[Baseline, ...] | None:
    """Set texts below each other within a width and a height; None where they do not fit whole."""
    found = (_whole(texts, room, height, step) for step in size.steps())
    return next((lines for lines in found if lines is not None), None)


def text_lines(texts: Sequence[Words], room: int, height: float, size: TextSize) -> tuple[Baseline, ...] | None:
    """Do the same, and cut what does not fit; None where not every text would have a line."""
    whole = whole_text_lines(texts, room, height, size)
    if whole is not None:
        return whole
    if room < size.least * LEAST_TEXT or height < least_height(texts, size) - _ROUNDING:
        return None
    return tuple(_cut(texts, room, height, size.least))


def least_height(texts: Sequence[Words], size: TextSize) -> float:
    """Return the height of one line each at the least size."""
    return sum(_line_height(words, size.least) for words in texts)


def _caption_room(caption: Caption, bars: Bars, module: int, room: int) -> float:
    """Return how wide a caption may be: one alone as wide as the label, several within their guards."""
    if len(bars.captions) == 1:
        return room - module * abs(caption.start + caption.stop - bars.width)
    return module * max(caption.stop - caption.start - 2, 1)


def _whole(texts: Sequence[Words], room: int, height: float, size: float) -> tuple[Baseline, ...] | None:
    baselines: list[Baseline] = []
    for words in texts:
        lines = wrapped(words, room / size, int(height / _line_height(words, size) + _ROUNDING))
        if lines is None:
            return None
        height -= len(lines) * _line_height(words, size)
        baselines += _baselines(words, lines, size)
    return tuple(baselines)


def _cut(texts: Sequence[Words], room: int, height: float, size: float) -> Iterator[Baseline]:
    """Yield lines of which the first texts get all that the others leave with a line each."""
    spare = height - sum(_line_height(words, size) for words in texts)
    for words in texts:
        most_lines = 1 + max(int(spare / _line_height(words, size)), 0)
        lines = wrapped(words, room / size, most_lines) or cut(words, room / size, most_lines)
        spare -= (len(lines) - 1) * _line_height(words, size)
        yield from _baselines(words, lines, size)


def _baselines(words: Words, lines: Sequence[Line], size: float) -> Iterator[Baseline]:
    return (Baseline(((line, 0),), size, words.ascent, words.descent) for line in lines)


def _line_height(words: Words, size: float) -> float:
    return size * (words.ascent + words.descent)
