"""The layout of one label, in dots.

A symbol's modules are whole dots of the printer and start on whole dots, and so do lines of text. The origin is the
label's upper left corner, y increases downwards.

From the top: the texts that belong above the symbol, the symbol, its text, then further texts, the description first,
with a gap of 0.7 mm on either side of the symbol. All of it is centred in the label, inside a padding of 1.5 mm or 5 %
of the label's shorter side, whichever is less. The text of a matrix symbol is to its right if the symbol does not fit
otherwise, or on a label twice as wide as high, if this makes the symbol larger by a quarter. Quiet zones belong to the
symbol, which is as large as its room allows.

    bars      not higher than 0.6 of the width, and than the layout says
    text      in as many lines as it needs while bars keep 8 mm and the modules of a matrix 5 dots (0.42 mm); then
              smaller, to 70 % but not below 4 points; then cut; then one line each, and the symbol gets smaller;
              the digits of a linear symbol shrink with it, to 4 points

Guards extend down next to the text, an add-on begins lower (ISO/IEC 15420 4.2), and bearer bars are at both ends of the
bars. The quiet zone remains empty, except for the bearer bars.

Rule: nothing extends beyond the label or touches the symbol; a label that is too small for this has no drawing.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from barcodesvc.codes.layout import GUARD_MODULES, bar_extents, matrix_image
from barcodesvc.drawing.plain import ASCENT, DESCENT, code_line
from barcodesvc.drawing.shapes import BarImage, Drawing, Rectangle, Text
from barcodesvc.labels.resolution import PADDING_PER_SIDE, ROUNDING, Resolution
from barcodesvc.labels.text_lines import (
    Baseline,
    Paragraph,
    TextSize,
    caption_lines,
    code_lines,
    least_code_room,
    least_height,
    text_lines,
    whole_text_lines,
)
from barcodesvc.symbols.modules import Bars, Caption, Matrix, Symbol

_BAR_HEIGHT_PER_WIDTH = 0.6
_LEAST_SIZE_PART = 0.7
_LEAST_POINTS = 4
_WIDE = 2
"""Ratio of width to height from which text may be to the right of a symbol that also fits above it."""
_WORTHWHILE = 1.25
"""How many times as large the symbol must become for that."""


@dataclass(frozen=True)
class LabelArea:
    """The area of one label, in dots of a printer's resolution; `left` and `top` are its corner next to a picture."""

    width: int
    height: int
    resolution: Resolution
    left: int = 0
    top: int = 0

    @cached_property
    def padding(self) -> int:
        """The strip along each edge that remains empty."""
        return min(self.resolution.greatest_padding, int(min(self.width, self.height) * PADDING_PER_SIDE))

    @cached_property
    def inner_width(self) -> int:
        """The width without padding."""
        return self.width - 2 * self.padding

    @cached_property
    def inner_height(self) -> int:
        """The height without padding."""
        return self.height - 2 * self.padding


@dataclass(frozen=True, slots=True)
class Attempt:
    """How text is set, and the smallest symbol that must remain, in dots."""

    size: TextSize
    least_caption: float
    set_texts: Callable[[Sequence[Paragraph], int, float, TextSize], tuple[Baseline, ...] | None]
    bar_height: int
    matrix_module: int
    breaks_code: bool


def draw_label(
    symbol: Symbol, code: str, texts: Sequence[Paragraph], area: LabelArea, attempts: Sequence[Attempt]
) -> Drawing | None:
    """Lay out one label in the first way in which it fits; None if its area is too small for a symbol that scans."""
    for attempt in attempts:
        drawing = _Fitting(symbol, code, texts, area, attempt).drawing()
        if drawing is not None:
            return drawing
    return None


def attempts_at(font_size: float, resolution: Resolution) -> tuple[Attempt, ...]:
    """Return the ways to lay out the labels of a run, the best one first; `font_size` in points."""
    requested = font_size * resolution.dots_per_point
    least = min(font_size, max(font_size * _LEAST_SIZE_PART, _LEAST_POINTS)) * resolution.dots_per_point
    easy = Attempt(
        size=TextSize(requested, least),
        least_caption=least,
        set_texts=whole_text_lines,
        bar_height=resolution.easy_bar_height,
        matrix_module=resolution.easy_matrix_module,
        breaks_code=False,
    )
    tight = Attempt(
        size=TextSize(least, least),
        least_caption=_LEAST_POINTS * resolution.dots_per_point,
        set_texts=text_lines,
        bar_height=resolution.least_bar_height,
        matrix_module=resolution.least_matrix_module,
        breaks_code=True,
    )
    return easy, replace(easy, set_texts=text_lines), tight


@dataclass(frozen=True, slots=True)
class _Fitting:
    """A label that is laid out in one way; what does not fit is None."""

    symbol: Symbol
    code: str
    texts: Sequence[Paragraph]
    area: LabelArea
    attempt: Attempt

    def drawing(self) -> Drawing | None:
        """Return the drawing with the larger symbol, if its text may be on either side."""
        above = self._above()
        if isinstance(self.symbol, Bars) or (above and self.area.width < _WIDE * self.area.height):
            return above
        right = self._with_text_right(self.symbol)
        if above and right:
            return right if right.image.module >= above.image.module * _WORTHWHILE else above
        return above or right

    def _above(self) -> Drawing | None:
        """Lay out the symbol above its text."""
        symbol, area, gap = self.symbol, self.area, self.area.resolution.gap
        lines = self._lines_around()
        if lines is None:
            return None
        before, after = ([line for line in lines if line.is_above is above] for above in (True, False))
        room_before, room_after = (sum(line.height for line in part) + gap if part else 0 for part in (before, after))
        module, height = self._symbol_size(room_before + room_after)
        if not module:
            return None
        left, middle = area.left + (area.width - module * symbol.width) // 2, area.left + area.width / 2
        first = area.top + (area.height - height - room_before - room_after) / 2
        top = math.ceil(first + room_before)
        texts = (*_texts(before, middle, first), *_texts(after, middle, top + height + gap))
        if isinstance(symbol, Matrix):
            return Drawing(matrix_image(symbol, module, left, top), (), texts)
        digits_size = after[0].size if symbol.captions else 0
        return _bar_drawing(symbol, Rectangle(left, top, module * symbol.width, height), texts, digits_size, gap)

    def _lines_around(self) -> tuple[Baseline, ...] | None:
        """Set all text, centred on columns counted from the label's middle."""
        symbol, area, attempt = self.symbol, self.area, self.attempt
        least = attempt.matrix_module * symbol.height if isinstance(symbol, Matrix) else attempt.bar_height
        gaps = 2 if any(text.is_above for text in self.texts) else 1
        height = area.inner_height - least - gaps * area.resolution.gap
        if isinstance(symbol, Matrix):
            named = code_lines(self.code, area.inner_width, attempt.size)
            return None if named is None else self._with_texts(named, area.inner_width, height)
        module = max(self._bar_module(symbol), area.resolution.least_bar_module)
        fitting = (height - least_height(self.texts, attempt.size)) / (ASCENT + DESCENT)
        size = min(attempt.size.requested, max(fitting, attempt.least_caption))
        return self._with_texts(caption_lines(symbol, module, area.inner_width, size), area.inner_width, height)

    def _with_texts(self, named: tuple[Baseline, ...], room: int, height: float) -> tuple[Baseline, ...] | None:
        """Set further texts around the lines that name the product."""
        spare = height - sum(line.height for line in named)
        lines = self.attempt.set_texts(self.texts, room, spare, self.attempt.size)
        return None if lines is None else tuple(sorted((*named, *lines), key=lambda line: not line.is_above))

    def _symbol_size(self, text_height: float) -> tuple[int, int]:
        """Return the module and the height of the largest symbol that fits, zeros if it would be too small."""
        symbol, attempt, resolution = self.symbol, self.attempt, self.area.resolution
        room = int(self.area.inner_height - text_height + ROUNDING)
        if isinstance(symbol, Matrix):
            module = min(self.area.inner_width // symbol.width, room // symbol.height)
            return (module, module * symbol.height) if module >= attempt.matrix_module else (0, 0)
        module = self._bar_module(symbol)
        if module < resolution.least_bar_module or room < attempt.bar_height:
            return 0, 0
        requested = min(int(module * symbol.width * _BAR_HEIGHT_PER_WIDTH), resolution.greatest_bar_height)
        return module, min(room, max(requested, resolution.least_bar_height))

    def _bar_module(self, bars: Bars) -> int:
        return min(self.area.inner_width // bars.width, self.area.resolution.greatest_bar_module)

    def _with_text_right(self, matrix: Matrix) -> Drawing | None:
        """Lay out the text to the right of the symbol, which is as high as the label if there is room.

        The code is broken into pieces only in the last attempt.
        """
        area, attempt, size = self.area, self.attempt, self.attempt.size.least
        whole_code = 0 if attempt.breaks_code else code_line(self.code).width * size
        columns = (whole_code, least_code_room(self.code, size), *(text.least_room(size) for text in self.texts))
        room = area.inner_width - area.resolution.gap
        largest = min(area.inner_height // matrix.height, (room - math.ceil(max(columns))) // matrix.width)
        for module in range(largest, attempt.matrix_module - 1, -1):
            rest = room - module * matrix.width
            named = code_lines(self.code, rest, attempt.size)
            if named is None or sum(line.height for line in named) > area.inner_height:
                continue
            lines = self._with_texts(named, rest, area.inner_height)
            if lines is not None:
                return _side_by_side(matrix, module, lines, area)
        return None


def _side_by_side(matrix: Matrix, module: int, lines: Sequence[Baseline], area: LabelArea) -> Drawing:
    """Place a symbol and lines of text side by side in the middle of the label."""
    width, height, gap = module * matrix.width, module * matrix.height, area.resolution.gap
    widest = max(text.width * line.size for line in lines for text, _ in line.texts)
    left = area.left + max(int((area.width - width - gap - widest) / 2), area.padding)
    top = area.top + math.ceil((area.height - height) / 2)
    text_top = area.top + math.ceil((area.height - sum(line.height for line in lines)) / 2)
    shown = _texts(lines, left + width + gap + widest / 2, text_top)
    return Drawing(matrix_image(matrix, module, left, top), (), shown)


def _bar_drawing(bars: Bars, zone: Rectangle, texts: tuple[Text, ...], digits_size: float, gap: int) -> Drawing:
    """Draw bars in a zone that has room for their quiet zones, next to digits of a size, which is 0 without any."""
    module, add_on_drop = zone.width // bars.width, 0
    guard_depth = min(GUARD_MODULES * module, int(gap + digits_size * ASCENT)) if digits_size else 0
    if bars.add_on:
        digits = _above_add_on(bars.add_on.caption, module, zone, digits_size, gap)
        texts, add_on_drop = (*texts, digits), digits.baseline + gap - zone.top
    extents = bar_extents(bars, zone.height, guard_depth, add_on_drop)
    image = BarImage(zone.left + bars.quiet_left * module, zone.top, module, bars.runs, extents)
    bearer = bars.bearer * module
    edges = (zone.top, zone.top + zone.height - bearer) if bearer else ()
    return Drawing(image, tuple(Rectangle(zone.left, edge, zone.width, bearer) for edge in edges), texts)


def _above_add_on(caption: Caption, module: int, zone: Rectangle, size: float, gap: int) -> Text:
    """Return an add-on's digits above its bars, which keep at least half of their height."""
    line = code_line(caption.text)
    size = min(size, (zone.height / 2 - gap) / ASCENT, module * (caption.stop - caption.start) / line.width)
    middle = zone.left + module * (caption.start + caption.stop) / 2
    return Text(line, size, round(middle - line.width * size / 2), zone.top + math.ceil(size * ASCENT))


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
