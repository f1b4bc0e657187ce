"""The layout of one label, in dots.

A symbol's modules are whole dots of the printer and start on whole dots, and so do lines of text. The origin is the
label's upper left corner, y increases downwards.

From the top: the symbol, a gap of 0.7 mm, its text, then further texts, the description first. All of it is centred in
the label, inside a padding of 1.5 mm or 5 % of the label's shorter side, whichever is less. The text of a matrix symbol
is to its right if the symbol does not fit otherwise, or on a label twice as wide as high, if this makes the symbol
larger by a quarter. Quiet zones belong to the symbol, which is as large as its room allows.

    bars      not higher than 0.6 of the width
    text      in as many lines as it needs while bars keep 8 mm and the modules of a matrix 5 dots (0.42 mm); then
              smaller, to 70 % but not below 4 points; then cut; then one line each, and the symbol gets smaller;
              the digits of a linear symbol shrink with it, to 4 points

Rule: nothing extends beyond the label or touches the symbol; a label that is too small for this has no arrangement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from barcodesvc.labels.drawing import Text
from barcodesvc.labels.resolution import PADDING_PER_SIDE, Resolution
from barcodesvc.labels.text.plain import ASCENT, DESCENT, code_line
from barcodesvc.labels.text.wrapping import least_code_room
from barcodesvc.labels.text_lines import (
    Baseline,
    Paragraph,
    TextSize,
    caption_lines,
    code_lines,
    least_height,
    text_lines,
    whole_text_lines,
)
from barcodesvc.symbols.modules import Bars, Caption, Matrix, Symbol

_BAR_HEIGHT_PER_WIDTH = 0.6
_GUARD_MODULES = 5
"""How far guards extend down next to the text (ISO/IEC 15420 4.2)."""
_ATTEMPTS_KEPT = 16
_LEAST_SIZE_PART = 0.7
_LEAST_POINTS = 4
_ROUNDING = 1e-6
_WIDE = 2
"""Ratio of width to height from which text may be to the right of a symbol that also fits above it."""
_WORTHWHILE = 1.25
"""How many times as large the symbol has to become by that."""


@dataclass(frozen=True, slots=True)
class LabelArea:
    """The area of one label, in dots of a printer's resolution; `left` and `top` are its corner next to a picture."""

    width: int
    height: int
    resolution: Resolution
    left: int = 0
    top: int = 0

    @property
    def padding(self) -> int:
        """The strip along each edge that remains empty."""
        return min(self.resolution.greatest_padding, int(min(self.width, self.height) * PADDING_PER_SIDE))

    @property
    def inner_width(self) -> int:
        """The width without padding."""
        return self.width - 2 * self.padding

    @property
    def inner_height(self) -> int:
        """The height without padding."""
        return self.height - 2 * self.padding


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The positions of a symbol, with its quiet zones, and of its text.

    Ordinary bars are `height` high, guards and an add-on extend `guard_depth` lower; an add-on begins `add_on_drop`
    lower.
    """

    module: int
    left: int
    top: int
    height: int
    guard_depth: int
    add_on_drop: int
    texts: tuple[Text, ...]

    @property
    def bottom(self) -> int:
        """The end of ordinary bars."""
        return self.top + self.height


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One way to lay out a label: how text is set, and the smallest symbol that must remain, in dots."""

    resolution: Resolution
    size: TextSize
    least_caption: float
    set_texts: Callable[[Sequence[Paragraph], int, float, TextSize], tuple[Baseline, ...] | None]
    bar_height: int
    matrix_module: int

    @property
    def is_tight(self) -> bool:
        """Whether this is the last attempt."""
        return self.matrix_module < self.resolution.easy_matrix_module


def arrange(
    symbol: Symbol, code: str, texts: Sequence[Paragraph], area: LabelArea, font_size: float
) -> Arrangement | None:
    """Lay out one label, `font_size` in points; None if the area is too small for a symbol that scans."""
    for attempt in _attempts(font_size, area.resolution):
        found = _arranged(symbol, code, texts, area, attempt)
        if found is not None:
            return found
    return None


@lru_cache(maxsize=_ATTEMPTS_KEPT)
def _attempts(font_size: float, resolution: Resolution) -> tuple[_Attempt, ...]:
    requested = font_size * resolution.dots_per_point
    least = min(font_size, max(font_size * _LEAST_SIZE_PART, _LEAST_POINTS)) * resolution.dots_per_point
    easy = _Attempt(
        resolution=resolution,
        size=TextSize(requested, least),
        least_caption=least,
        set_texts=whole_text_lines,
        bar_height=resolution.easy_bar_height,
        matrix_module=resolution.easy_matrix_module,
    )
    tight = _Attempt(
        resolution=resolution,
        size=TextSize(least, least),
        least_caption=_LEAST_POINTS * resolution.dots_per_point,
        set_texts=text_lines,
        bar_height=resolution.least_bar_height,
        matrix_module=resolution.least_matrix_module,
    )
    return easy, replace(easy, set_texts=text_lines), tight


def _arranged(
    symbol: Symbol, code: str, texts: Sequence[Paragraph], area: LabelArea, attempt: _Attempt
) -> Arrangement | None:
    above = _above(symbol, code, texts, area, attempt)
    if isinstance(symbol, Bars):
        return above
    if above is None:
        return _with_text_right(symbol, code, texts, area, attempt)
    if area.width < _WIDE * area.height:
        return above
    larger = _with_text_right(symbol, code, texts, area, attempt)
    return larger if larger and larger.module >= above.module * _WORTHWHILE else above


def _above(
    symbol: Symbol, code: str, texts: Sequence[Paragraph], area: LabelArea, attempt: _Attempt
) -> Arrangement | None:
    """Lay out a label with its symbol above its text."""
    lines = _lines_below(symbol, code, texts, area, attempt)
    if lines is None:
        return None
    text_height = _text_height(lines, attempt)
    module, height = _symbol_size(symbol, area, text_height, attempt)
    if not module:
        return None
    top = area.top + math.ceil((area.height - height - text_height) / 2)
    arrangement = Arrangement(
        module=module,
        left=area.left + (area.width - module * symbol.width) // 2,
        top=top,
        height=height,
        guard_depth=_guard_depth(symbol, module, lines, attempt),
        add_on_drop=0,
        texts=_texts(lines, area.left + area.width / 2, top + height + attempt.resolution.gap),
    )
    if isinstance(symbol, Matrix) or symbol.add_on is None:
        return arrangement
    return _with_add_on(arrangement, symbol.add_on.caption, lines[0].size, attempt)


def _with_text_right(
    matrix: Matrix, code: str, texts: Sequence[Paragraph], area: LabelArea, attempt: _Attempt
) -> Arrangement | None:
    """Lay out a label with its text to the right of its symbol, which is as high as the label if there is room.

    The code is broken into pieces only in the last attempt.
    """
    whole_code = 0 if attempt.is_tight else code_line(code).width * attempt.size.least
    column = math.ceil(max(whole_code, _least_text_width(code, texts, attempt)))
    room = area.inner_width - attempt.resolution.gap
    largest = min(area.inner_height // matrix.height, (room - column) // matrix.width)
    for module in range(largest, attempt.matrix_module - 1, -1):
        lines = _lines_right(code, texts, room - module * matrix.width, area.inner_height, attempt)
        if lines is not None:
            return _side_by_side(matrix, module, lines, area)
    return None


def _side_by_side(matrix: Matrix, module: int, lines: Sequence[Baseline], area: LabelArea) -> Arrangement:
    """Place a symbol and lines of text side by side in the middle of the label."""
    width, height, gap = module * matrix.width, module * matrix.height, area.resolution.gap
    widest = max(text.width * line.size for line in lines for text, _ in line.texts)
    left = area.left + max(int((area.width - width - gap - widest) / 2), area.padding)
    top = area.top + math.ceil((area.height - height) / 2)
    text_top = area.top + math.ceil((area.height - sum(line.height for line in lines)) / 2)
    shown = _texts(lines, left + width + gap + widest / 2, text_top)
    return Arrangement(module, left, top, height, 0, 0, shown)


def _lines_below(
    symbol: Symbol, code: str, texts: Sequence[Paragraph], area: LabelArea, attempt: _Attempt
) -> tuple[Baseline, ...] | None:
    """Set all text, centred on columns counted from the label's middle; None if the room is too small."""
    spare: float = area.inner_height - _least_symbol_height(symbol, attempt) - attempt.resolution.gap
    if isinstance(symbol, Matrix):
        named = code_lines(code, area.inner_width, attempt.size)
    else:
        named = _caption_lines(symbol, area, spare - least_height(texts, attempt.size), attempt)
    if named is None:
        return None
    spare -= sum(line.height for line in named)
    lines = attempt.set_texts(texts, area.inner_width, spare, attempt.size)
    return None if lines is None else named + lines


def _lines_right(
    code: str, texts: Sequence[Paragraph], room: int, height: int, attempt: _Attempt
) -> tuple[Baseline, ...] | None:
    """Set all text in a column."""
    named = code_lines(code, room, attempt.size)
    if named is None:
        return None
    spare = height - sum(line.height for line in named)
    if spare < 0:
        return None
    lines = attempt.set_texts(texts, room, spare, attempt.size)
    return None if lines is None else named + lines


def _caption_lines(bars: Bars, area: LabelArea, height: float, attempt: _Attempt) -> tuple[Baseline, ...]:
    """Set captions at the requested size, or smaller in a low label."""
    module = max(_bar_module(bars, area.inner_width, attempt), attempt.resolution.least_bar_module)
    fitting = max(height / (ASCENT + DESCENT), attempt.least_caption)
    return caption_lines(bars, module, area.inner_width, min(attempt.size.requested, fitting))


def _symbol_size(symbol: Symbol, area: LabelArea, text_height: float, attempt: _Attempt) -> tuple[int, int]:
    """Return the module and the height of the largest symbol that fits, zeros if it would be too small."""
    room = int(area.inner_height - text_height + _ROUNDING)
    if isinstance(symbol, Matrix):
        module = min(area.inner_width // symbol.width, room // symbol.height)
        return (module, module * symbol.height) if module >= attempt.matrix_module else (0, 0)
    module = _bar_module(symbol, area.inner_width, attempt)
    if module < attempt.resolution.least_bar_module or room < attempt.bar_height:
        return 0, 0
    requested = min(int(module * symbol.width * _BAR_HEIGHT_PER_WIDTH), attempt.resolution.greatest_bar_height)
    return module, min(room, max(requested, attempt.resolution.least_bar_height))


def _least_symbol_height(symbol: Symbol, attempt: _Attempt) -> int:
    return attempt.matrix_module * symbol.height if isinstance(symbol, Matrix) else attempt.bar_height


def _bar_module(bars: Bars, inner_width: int, attempt: _Attempt) -> int:
    return min(inner_width // bars.width, attempt.resolution.greatest_bar_module)


def _guard_depth(symbol: Symbol, module: int, lines: Sequence[Baseline], attempt: _Attempt) -> int:
    if isinstance(symbol, Matrix) or not symbol.captions:
        return 0
    return min(_GUARD_MODULES * module, int(attempt.resolution.gap + lines[0].size * ASCENT))


def _text_height(lines: Sequence[Baseline], attempt: _Attempt) -> float:
    return attempt.resolution.gap + sum(line.height for line in lines) if lines else 0


def _with_add_on(at: Arrangement, caption: Caption, size: float, attempt: _Attempt) -> Arrangement:
    """Set an add-on's digits above its bars, which keep at least half of their height."""
    line, gap = code_line(caption.text), attempt.resolution.gap
    size = min(size, (at.height / 2 - gap) / ASCENT, at.module * (caption.stop - caption.start) / line.width)
    middle, ascent = at.left + at.module * (caption.start + caption.stop) / 2, math.ceil(size * ASCENT)
    text = Text(line, size, round(middle - line.width * size / 2), at.top + ascent)
    return replace(at, add_on_drop=ascent + gap, texts=(*at.texts, text))


def _texts(lines: Sequence[Baseline], middle: float, top: float) -> tuple[Text, ...]:
    texts = []
    for line in lines:
        baseline = int(top + line.size * line.ascent)
        texts += [
            Text(text, line.size, round(middle + centre - text.width * line.size / 2), baseline)
            for text, centre in line.texts
        ]
        top += line.height
    return tuple(texts)


def _least_text_width(code: str, texts: Sequence[Paragraph], attempt: _Attempt) -> float:
    size = attempt.size.least
    return max([least_code_room(code, size), *(text.least_room(size) for text in texts)])
