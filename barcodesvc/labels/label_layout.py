"""The layout inside one label, in dots.

A symbol's modules are whole dots of the printer (`resolution`) and lie on whole dots. The origin is the label's bottom
left corner, y grows upwards as in PDF.

From the top: the symbol, a gap of 0.7 mm, its text, then further texts, the description first; all of it is centred in
the label, inside a padding of 1.5 mm or 5 % of the label's shorter side, whichever is less. The text of a matrix
symbol stands to its right where that makes the symbol possible at all, or on a label twice as wide as high larger by
a quarter. Quiet zones belong to the symbol, which is as large as its place allows.

    bars      not higher than 0.6 of the width
    text      in as many lines as it needs while bars keep 8 mm and the modules of a matrix 5 dots (0.42 mm); then
              smaller, to 70 % but not below 4 points; then cut; then one line each, and the symbol gets smaller;
              the digits of a linear symbol shrink with it, to 4 points

Rule: nothing leaves the label or touches the symbol; a label too small for that has no arrangement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from barcodesvc.labels.resolution import PADDING_PER_SIDE, Resolution
from barcodesvc.labels.text.helvetica import ASCENT, DESCENT, encode_code
from barcodesvc.labels.text.typesetting import Words
from barcodesvc.labels.text.wrapping import SetLine, least_code_room, width
from barcodesvc.labels.text_lines import (
    LEAST_TEXT,
    TextLine,
    TextSize,
    caption_rows,
    code_rows,
    least_height,
    text_rows,
    whole_text_rows,
)
from barcodesvc.symbols.modules import Bars, Caption, Matrix, Symbol

_BAR_HEIGHT_PER_WIDTH = 0.6
_GUARD_MODULES = 5
"""How far guards reach down beside the text (ISO/IEC 15420 4.2)."""
_SETTINGS_KEPT = 16
_LEAST_SIZE_PART = 0.7
_LEAST_POINTS = 4
_ROUNDING = 1e-6
_WIDE = 2
"""Widths to the height of a label on which text stands beside a symbol by choice, ..."""
_WORTH_STANDING_BESIDE = 1.25
"""... and how much larger that has to make the symbol."""


@dataclass(frozen=True, slots=True)
class LabelArea:
    """The area of one label, in dots of a printer's resolution."""

    width: int
    height: int
    resolution: Resolution

    @property
    def padding(self) -> int:
        """The strip along every edge that stays empty."""
        return min(self.resolution.greatest_padding, int(min(self.width, self.height) * PADDING_PER_SIDE))

    @property
    def inner_width(self) -> int:
        """What the padding leaves of the width."""
        return self.width - 2 * self.padding

    @property
    def inner_height(self) -> int:
        """What the padding leaves of the height."""
        return self.height - 2 * self.padding


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, its size, and where its baseline begins."""

    text: SetLine
    size: float
    left: float
    baseline: float


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where a symbol and its text stand.

    Ordinary bars end at `bottom`, guards and an add-on `guard_depth` deeper; an add-on begins `add_on_drop` lower.
    """

    module: int
    left: int
    bottom: int
    height: int
    guard_depth: int
    add_on_drop: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class _Setting:
    """How text is set, and the least symbol that must remain beside it, in dots."""

    resolution: Resolution
    size: TextSize
    least_caption: float
    set_texts: Callable[[Sequence[Words], int, float, TextSize], tuple[TextLine, ...] | None]
    bar_height: int
    matrix_module: int

    @property
    def is_tight(self) -> bool:
        """Whether this is the last one that is tried."""
        return self.matrix_module < self.resolution.easy_matrix_module


def arrange(symbol: Symbol, code: str, texts: Sequence[Words], area: LabelArea, font_size: float) -> Arrangement | None:
    """Lay one label out, `font_size` in points; None where the area is too small for a symbol that scans."""
    for setting in _settings(font_size, area.resolution):
        found = _arranged(symbol, code, texts, area, setting)
        if found is not None:
            return found
    return None


def least_area(symbol: Symbol, code: str, texts: Sequence[Words], area: LabelArea, font_size: float) -> LabelArea:
    """Return a small area that takes the label, high enough for all widths from its own up to that of `area`.

    Text stands beside a matrix symbol if the area is wide enough for it, because less height is needed then.
    """
    setting = _settings(font_size, area.resolution)[-1]
    if isinstance(symbol, Matrix):
        beside = _least_beside(symbol, code, texts, setting)
        if beside.width <= area.width:
            return beside
    return _least_above(symbol, code, texts, area, setting)


@lru_cache(maxsize=_SETTINGS_KEPT)
def _settings(font_size: float, resolution: Resolution) -> tuple[_Setting, ...]:
    wanted = font_size * resolution.dots_per_point
    least = min(font_size, max(font_size * _LEAST_SIZE_PART, _LEAST_POINTS)) * resolution.dots_per_point
    easy = _Setting(
        resolution=resolution,
        size=TextSize(wanted, least),
        least_caption=least,
        set_texts=whole_text_rows,
        bar_height=resolution.easy_bar_height,
        matrix_module=resolution.easy_matrix_module,
    )
    tight = _Setting(
        resolution=resolution,
        size=TextSize(least, least),
        least_caption=_LEAST_POINTS * resolution.dots_per_point,
        set_texts=text_rows,
        bar_height=resolution.least_bar_height,
        matrix_module=resolution.least_matrix_module,
    )
    return easy, replace(easy, set_texts=text_rows), tight


def _arranged(
    symbol: Symbol, code: str, texts: Sequence[Words], area: LabelArea, setting: _Setting
) -> Arrangement | None:
    above = _above(symbol, code, texts, area, setting)
    if isinstance(symbol, Bars):
        return above
    if above is None:
        return _beside(symbol, code, texts, area, setting)
    if area.width < _WIDE * area.height:
        return above
    beside = _beside(symbol, code, texts, area, setting)
    return beside if beside and beside.module >= above.module * _WORTH_STANDING_BESIDE else above


def _above(symbol: Symbol, code: str, texts: Sequence[Words], area: LabelArea, setting: _Setting) -> Arrangement | None:
    """Lay a label out with its symbol above its text."""
    rows = _rows_below(symbol, code, texts, area, setting)
    if rows is None:
        return None
    text_height = _text_height(rows, setting)
    module, height = _symbol_size(symbol, area, text_height, setting)
    if not module:
        return None
    bottom = int((area.height - height - text_height) / 2 + text_height)
    arrangement = Arrangement(
        module=module,
        left=(area.width - module * symbol.width) // 2,
        bottom=bottom,
        height=height,
        guard_depth=_guard_depth(symbol, module, rows, setting),
        add_on_drop=0,
        lines=_lines(rows, area.width / 2, bottom - setting.resolution.gap),
    )
    if isinstance(symbol, Matrix) or symbol.add_on is None:
        return arrangement
    return _with_add_on(arrangement, symbol.add_on.caption, rows[0].size, setting)


def _beside(
    matrix: Matrix, code: str, texts: Sequence[Words], area: LabelArea, setting: _Setting
) -> Arrangement | None:
    """Lay a label out with its text to the right of its symbol, which is as high as the label if it leaves room.

    The code is broken into pieces only where nothing else is left.
    """
    whole_code = 0 if setting.is_tight else width(encode_code(code)) * setting.size.least
    column = math.ceil(max(whole_code, _least_text_width(code, texts, setting)))
    most = area.inner_width - setting.resolution.gap - column
    module = min(area.inner_height // matrix.height, most // matrix.width)
    if module < setting.matrix_module:
        return None
    room = area.inner_width - setting.resolution.gap - module * matrix.width
    rows = _rows_beside(code, texts, room, area.inner_height, setting)
    if rows is None:
        return None
    widest = max(width(text) * row.size for row in rows for text, _ in row.texts)
    left = max(int((area.width - module * matrix.width - setting.resolution.gap - widest) / 2), area.padding)
    text_left = left + module * matrix.width + setting.resolution.gap
    top = (area.height + sum(row.height for row in rows)) / 2
    bottom = (area.height - module * matrix.height) // 2
    lines = _lines(rows, text_left + widest / 2, top)
    return Arrangement(module, left, bottom, module * matrix.height, 0, 0, lines)


def _rows_below(
    symbol: Symbol, code: str, texts: Sequence[Words], area: LabelArea, setting: _Setting
) -> tuple[TextLine, ...] | None:
    """Set all text, centred on columns counted from the label's middle; None where the room is too small."""
    spare: float = area.inner_height - _least_symbol_height(symbol, setting) - setting.resolution.gap
    if isinstance(symbol, Matrix):
        named = code_rows(code, area.inner_width, setting.size)
    else:
        named = _caption_rows(symbol, area, spare - least_height(texts, setting.size), setting)
    if named is None:
        return None
    spare -= sum(row.height for row in named)
    rows = setting.set_texts(texts, area.inner_width, spare, setting.size)
    return None if rows is None else named + rows


def _rows_beside(
    code: str, texts: Sequence[Words], room: int, height: int, setting: _Setting
) -> tuple[TextLine, ...] | None:
    """Set all text in a column."""
    named = code_rows(code, room, setting.size)
    if named is None:
        return None
    spare = height - sum(row.height for row in named)
    if spare < 0:
        return None
    rows = setting.set_texts(texts, room, spare, setting.size)
    return None if rows is None else named + rows


def _caption_rows(bars: Bars, area: LabelArea, height: float, setting: _Setting) -> tuple[TextLine, ...]:
    """Set captions at the wanted size, or smaller in a low label."""
    module = max(_bar_module(bars, area.inner_width, setting), setting.resolution.least_bar_module)
    fitting = max(height / (ASCENT + DESCENT), setting.least_caption)
    return caption_rows(bars, module, area.inner_width, min(setting.size.wanted, fitting))


def _symbol_size(symbol: Symbol, area: LabelArea, text_height: float, setting: _Setting) -> tuple[int, int]:
    """Return the module and the height of the largest symbol that fits, zeros where it would be too small."""
    room = int(area.inner_height - text_height + _ROUNDING)
    if isinstance(symbol, Matrix):
        module = min(area.inner_width // symbol.width, room // symbol.height)
        return (module, module * symbol.height) if module >= setting.matrix_module else (0, 0)
    module = _bar_module(symbol, area.inner_width, setting)
    if module < setting.resolution.least_bar_module or room < setting.bar_height:
        return 0, 0
    handsome = min(int(module * symbol.width * _BAR_HEIGHT_PER_WIDTH), setting.resolution.greatest_bar_height)
    return module, min(room, max(handsome, setting.resolution.least_bar_height))


def _least_symbol_height(symbol: Symbol, setting: _Setting) -> int:
    return setting.matrix_module * symbol.height if isinstance(symbol, Matrix) else setting.bar_height


def _bar_module(bars: Bars, inner_width: int, setting: _Setting) -> int:
    return min(inner_width // bars.width, setting.resolution.greatest_bar_module)


def _guard_depth(symbol: Symbol, module: int, rows: Sequence[TextLine], setting: _Setting) -> int:
    if isinstance(symbol, Matrix) or not symbol.captions:
        return 0
    return min(_GUARD_MODULES * module, int(setting.resolution.gap + rows[0].size * ASCENT))


def _text_height(rows: Sequence[TextLine], setting: _Setting) -> float:
    return setting.resolution.gap + sum(row.height for row in rows) if rows else 0


def _with_add_on(at: Arrangement, caption: Caption, size: float, setting: _Setting) -> Arrangement:
    """Set an add-on's digits above its bars, which keep half of their height or more."""
    text, gap = encode_code(caption.text), setting.resolution.gap
    size = min(size, (at.height / 2 - gap) / ASCENT, at.module * (caption.stop - caption.start) / width(text))
    middle = at.left + at.module * (caption.start + caption.stop) / 2
    line = Line(text, size, middle - width(text) * size / 2, at.bottom + at.height - size * ASCENT)
    return replace(at, add_on_drop=math.ceil(size * ASCENT) + gap, lines=(*at.lines, line))


def _lines(rows: Sequence[TextLine], middle: float, top: float) -> tuple[Line, ...]:
    lines = []
    for row in rows:
        baseline = top - row.size * row.ascent
        lines += [
            Line(text, row.size, middle + centre - width(text) * row.size / 2, baseline) for text, centre in row.texts
        ]
        top -= row.height
    return tuple(lines)


def _least_above(symbol: Symbol, code: str, texts: Sequence[Words], area: LabelArea, setting: _Setting) -> LabelArea:
    """Return the least area of a symbol above its text.

    Captions grow with the width and codes need fewer lines, so that the greatest height is at one of the ends.
    """
    narrow = _least_width(symbol, code, texts, setting)
    width = _padded(narrow, area.resolution)
    height = max(_least_height(symbol, code, texts, room, setting) for room in (narrow, max(width, area.width)))
    return LabelArea(width, _padded(height, area.resolution), area.resolution)


def _least_beside(matrix: Matrix, code: str, texts: Sequence[Words], setting: _Setting) -> LabelArea:
    """Return the least area of a matrix symbol with its text to its right."""
    room = math.ceil(_least_text_width(code, texts, setting))
    named = code_rows(code, room, setting.size) or ()
    text_height = sum(row.height for row in named) + least_height(texts, setting.size)
    module = setting.matrix_module
    wide = module * matrix.width + setting.resolution.gap + room
    high = max(module * matrix.height, math.ceil(text_height))
    return LabelArea(_padded(wide, setting.resolution), _padded(high, setting.resolution), setting.resolution)


def _padded(inner: int, resolution: Resolution) -> int:
    """Return a side that leaves so much inside of its padding, whatever the other side is."""
    return min(inner + 2 * resolution.greatest_padding, math.ceil(inner / (1 - 2 * PADDING_PER_SIDE)) + 1)


def _least_width(symbol: Symbol, code: str, texts: Sequence[Words], setting: _Setting) -> int:
    if isinstance(symbol, Matrix):
        least = symbol.width * setting.resolution.least_matrix_module
        return math.ceil(max(least, _least_text_width(code, texts, setting)))
    least = symbol.width * setting.resolution.least_bar_module
    return math.ceil(max(least, setting.size.least * LEAST_TEXT if texts else 0))


def _least_text_width(code: str, texts: Sequence[Words], setting: _Setting) -> float:
    size = setting.size.least
    return max(least_code_room(encode_code(code), size), size * LEAST_TEXT if texts else 0)


def _least_height(symbol: Symbol, code: str, texts: Sequence[Words], room: int, setting: _Setting) -> int:
    if isinstance(symbol, Matrix):
        named = code_rows(code, room, setting.size) or ()
    else:
        module = max(_bar_module(symbol, room, setting), setting.resolution.least_bar_module)
        named = caption_rows(symbol, module, room, setting.least_caption)
    text_height = sum(row.height for row in named) + least_height(texts, setting.size)
    gap = setting.resolution.gap if text_height else 0
    return math.ceil(_least_symbol_height(symbol, setting) + gap + text_height) + 1
