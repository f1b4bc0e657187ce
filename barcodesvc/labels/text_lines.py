"""The lines of text of one label, in dots: the symbol's captions or the product code, then further texts.

All further texts have one size, or one in proportion to it: the requested size if they fit completely, otherwise a
smaller one. A text that is still too long at the smallest size is cut with an ellipsis.

Rule: lines never extend beyond their room, and every text keeps at least one line. A product code is never changed or
cut, but can be broken into pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from barcodesvc.drawing.glyphs import Line
from barcodesvc.drawing.plain import ASCENT, DESCENT, code_line, code_pieces
from barcodesvc.labels.resolution import ROUNDING
from barcodesvc.labels.text.typesetting import Words
from barcodesvc.labels.text.wrapping import cut, wrapped
from barcodesvc.symbols.modules import Bars, Caption

_MOST_CODE_LINES = 3
_LEAST_TEXT = 3
"""The minimum room for a text, relative to its size: two letters and the ellipsis."""
_STEPS = (1.0, 0.9, 0.8)
"""Sizes that are tried before the smallest one, relative to the requested one."""


@dataclass(frozen=True)
class TextSize:
    """The size of text in dots: the requested size, and the smallest size."""

    requested: float
    least: float

    @cached_property
    def steps(self) -> tuple[float, ...]:
        """The sizes to try, the largest one first."""
        larger = (self.requested * step for step in _STEPS)
        return (*(size for size in larger if size > self.least), self.least)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A further text, above the symbol or below it; `scale` is its size in proportion to that of the others."""

    words: Words
    scale: float = 1
    is_above: bool = False

    def line_height(self, size: float) -> float:
        """Return the height of a line, where other texts have this size."""
        return size * self.scale * (self.words.ascent + self.words.descent)

    def least_room(self, size: float) -> float:
        """Return the minimum width."""
        return size * self.scale * _LEAST_TEXT

    def wrapped(self, room: float, size: float, most_lines: int) -> tuple[Line, ...] | None:
        """Set the whole text; None if it needs more lines."""
        return wrapped(self.words, room / (size * self.scale), most_lines)

    def cut(self, room: float, size: float, most_lines: int) -> tuple[Line, ...]:
        """Set as much of it as fits."""
        return cut(self.words, room / (size * self.scale), most_lines)

    def baselines(self, lines: Sequence[Line], size: float) -> list[Baseline]:
        """Return its lines."""
        dots = size * self.scale
        ascent, descent = self.words.ascent, self.words.descent
        return [Baseline(((line, 0),), dots, ascent, descent, self.is_above) for line in lines]


class Baseline(NamedTuple):
    """Texts on one baseline, each with the column on which it is centred, counted from the middle of all of them."""

    texts: tuple[tuple[Line, float], ...]
    size: float
    ascent: float = ASCENT
    descent: float = DESCENT
    is_above: bool = False

    @property
    def height(self) -> float:
        """The height of the line, including accents and descenders."""
        return self.size * (self.ascent + self.descent)


def caption_lines(bars: Bars, module: int, room: int, size: float) -> tuple[Baseline, ...]:
    """Set the captions of a linear symbol below their bars, at most as wide as these."""
    if not bars.captions:
        return ()
    texts = [code_line(caption.text) for caption in bars.captions]
    rooms = [_caption_room(caption, bars, module, room) for caption in bars.captions]
    fitting = min(size, *(room / text.width for room, text in zip(rooms, texts, strict=True)))
    centres = [module * (caption.start + caption.stop - bars.width) / 2 for caption in bars.captions]
    return (Baseline(tuple(zip(texts, centres, strict=True)), fitting),)


def code_lines(code: str, room: float, size: TextSize) -> tuple[Baseline, ...] | None:
    """Set a product code in the fewest lines, up to three; None if it does not fit."""
    for count in range(1, _MOST_CODE_LINES + 1):
        pieces = code_pieces(code, count)
        fitting = min(size.requested, room / _widest(pieces))
        if fitting >= size.least:
            return tuple(Baseline(((piece, 0),), fitting) for piece in pieces)
    return None


def least_code_room(code: str, least: float) -> float:
    """Return the room that `code_lines` needs for a code at its smallest size."""
    return _widest(code_pieces(code, _MOST_CODE_LINES)) * least


def whole_text_lines(
    texts: Sequence[Paragraph], room: int, height: float, size: TextSize
) -> tuple[Baseline, ...] | None:
    """Set texts below each other within a width and a height; None if they do not fit completely."""
    for step in size.steps:
        lines = _whole(texts, room, height, step)
        if lines is not None:
            return lines
    return None


def text_lines(texts: Sequence[Paragraph], room: int, height: float, size: TextSize) -> tuple[Baseline, ...] | None:
    """Set texts below each other, and cut those that do not fit; None if there is not a line for every text."""
    whole = whole_text_lines(texts, room, height, size)
    if whole is not None:
        return whole
    if any(room < text.least_room(size.least) for text in texts) or height < least_height(texts, size) - ROUNDING:
        return None
    return tuple(_cut(texts, room, height, size.least))


def least_height(texts: Sequence[Paragraph], size: TextSize) -> float:
    """Return the height of one line each at the smallest size."""
    return sum(text.line_height(size.least) for text in texts)


def _widest(lines: Sequence[Line]) -> float:
    return max(line.width for line in lines)


def _caption_room(caption: Caption, bars: Bars, module: int, room: int) -> float:
    """Return the room of a caption: the width of the label if it is alone, otherwise the width between its guards."""
    if len(bars.captions) == 1:
        return room - module * abs(caption.start + caption.stop - bars.width)
    return module * max(caption.stop - caption.start - 2, 1)


def _whole(texts: Sequence[Paragraph], room: int, height: float, size: float) -> tuple[Baseline, ...] | None:
    baselines: list[Baseline] = []
    for text in texts:
        line_height = text.line_height(size)
        lines = text.wrapped(room, size, int(height / line_height + ROUNDING))
        if lines is None:
            return None
        height -= len(lines) * line_height
        baselines += text.baselines(lines, size)
    return tuple(baselines)


def _cut(texts: Sequence[Paragraph], room: int, height: float, size: float) -> Iterator[Baseline]:
    """Yield the lines of all texts; the first texts get all the room that the others, with a line each, leave."""
    spare = height - sum(text.line_height(size) for text in texts)
    for text in texts:
        most_lines = 1 + max(int(spare / text.line_height(size)), 0)
        lines = text.wrapped(room, size, most_lines) or text.cut(room, size, most_lines)
        spare -= (len(lines) - 1) * text.line_height(size)
        yield from text.baselines(lines, size)
