"""The layout inside one label, in dots.

A dot is 1/300 inch, the raster of the common printers; a symbol's modules are whole dots and lie on whole
dots, so that no bar becomes wider or narrower than its neighbour. The origin is the label's bottom left
corner, y grows upwards as in PDF.

From the top: the symbol, a gap of 0.7 mm, its text, then the description; all of it is centred in the
label, inside a padding of 1.5 mm or 5 % of the label's shorter side, whichever is less. Quiet zones belong
to the symbol.

    bars      module 2 to 11 dots (0.17 to 0.93 mm), height 5 to 40 mm and not over 0.6 of the width
    matrix    module 3 to 23 dots (0.25 to 1.95 mm)
    text      the wanted size; smaller, to 70 % but not below 4 points, before anything is cut or refused, and
              before bars get lower than 8 mm or the modules of a matrix smaller than 5 dots (0.42 mm)

Rule: nothing leaves the label or touches the symbol; a label too small for that has no arrangement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from barcodesvc.labels.text import (
    ACCENTED_ASCENT,
    ASCENT,
    DESCENT,
    encode,
    fit_code,
    fit_words,
    least_code_room,
    width,
)
from barcodesvc.symbols.modules import Bars, Caption, Matrix, Symbol

DOTS_PER_MM = 300 / 25.4
DOTS_PER_POINT = 300 / 72

_LEAST_BAR_MODULE = 2
_GREATEST_BAR_MODULE = 11
_LEAST_MATRIX_MODULE = 3
_GREATEST_MATRIX_MODULE = 23
_LEAST_BAR_HEIGHT = math.ceil(5 * DOTS_PER_MM)
_EASY_MATRIX_MODULE = 5
_EASY_BAR_HEIGHT = int(8 * DOTS_PER_MM)
_GREATEST_BAR_HEIGHT = int(40 * DOTS_PER_MM)
_BAR_HEIGHT_PER_WIDTH = 0.6
_GUARD_MODULES = 5
"""How far guards reach down beside the text (ISO/IEC 15420 4.2)."""
_GAP = 8
_GREATEST_PADDING = int(1.5 * DOTS_PER_MM)
_PADDING_PER_SIDE = 0.05
_LEAST_SIZE_PART = 0.7
_LEAST_POINTS = 4
_LEAST_DESCRIPTION = 3
"""The least room for a description, in parts of its size: two letters and the ellipsis."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The area of one label, dots."""

    width: int
    height: int

    @property
    def padding(self) -> int:
        """The strip along every edge that stays empty."""
        return min(_GREATEST_PADDING, int(min(self.width, self.height) * _PADDING_PER_SIDE))

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
    """Encoded text, its size, and where its baseline begins."""

    text: bytes
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
    """How text is set, sizes in dots, and the least symbol that must remain beside it."""

    size: float
    least_size: float
    description_lines: int
    bar_height: int
    matrix_module: int


@dataclass(frozen=True, slots=True)
class _Row:
    """Texts on one baseline, each with the column on which it is centred."""

    texts: tuple[tuple[bytes, float], ...]
    size: float
    ascent: float

    @property
    def height(self) -> float:
        return self.size * (self.ascent + DESCENT)


def arrange(symbol: Symbol, code: str, description: str, cell: Cell, font_size: float) -> Arrangement | None:
    """Lay one label out, `font_size` in points; None where the cell is too small for a symbol that scans.

    Room is won by setting the description in one line, then by setting all text smaller.
    """
    for setting in _settings(font_size):
        found = _arranged(symbol, code, description, cell, setting)
        if found is not None:
            return found
    return None


def least_cell(symbol: Symbol, code: str, description: str, cell: Cell, font_size: float) -> Cell:
    """Return a cell of least width that takes the label, high enough for all widths up to that of `cell`.

    Captions grow with the width and codes need fewer lines, so that the greatest height is at one of the ends.
    """
    setting = _settings(font_size)[-1]
    narrow = _least_width(symbol, code, description, setting)
    width = narrow + 2 * _GREATEST_PADDING
    height = max(_least_height(symbol, code, description, room, setting) for room in (narrow, max(width, cell.width)))
    return Cell(width, height + 2 * _GREATEST_PADDING)


def _settings(font_size: float) -> tuple[_Setting, ...]:
    size = font_size * DOTS_PER_POINT
    least = min(font_size, max(font_size * _LEAST_SIZE_PART, _LEAST_POINTS)) * DOTS_PER_POINT
    return (
        _Setting(size, least, 2, _EASY_BAR_HEIGHT, _EASY_MATRIX_MODULE),
        _Setting(size, least, 1, _EASY_BAR_HEIGHT, _EASY_MATRIX_MODULE),
        _Setting(least, least, 1, _LEAST_BAR_HEIGHT, _LEAST_MATRIX_MODULE),
    )


def _arranged(symbol: Symbol, code: str, description: str, cell: Cell, setting: _Setting) -> Arrangement | None:
    rows = _rows(symbol, code, description, cell.inner_width, setting)
    if rows is None:
        return None
    text_height = _text_height(rows)
    module, height = _symbol_size(symbol, cell, text_height, setting)
    if not module:
        return None
    bottom = int((cell.height - height - text_height) / 2 + text_height)
    arrangement = Arrangement(
        module=module,
        left=(cell.width - module * symbol.width) // 2,
        bottom=bottom,
        height=height,
        guard_depth=_guard_depth(symbol, module, rows),
        add_on_drop=0,
        lines=_lines(rows, cell.width / 2, bottom - _GAP),
    )
    if isinstance(symbol, Matrix) or symbol.add_on is None:
        return arrangement
    return _with_add_on(arrangement, symbol.add_on.caption, rows[0].size)


def _symbol_size(symbol: Symbol, cell: Cell, text_height: float, setting: _Setting) -> tuple[int, int]:
    """Return the module and the height of the largest symbol that fits, zeros where it would be too small."""
    room = int(cell.inner_height - text_height)
    if isinstance(symbol, Matrix):
        module = min(_matrix_module(symbol, cell.inner_width), room // symbol.height)
        return (module, module * symbol.height) if module >= setting.matrix_module else (0, 0)
    module = _bar_module(symbol, cell.inner_width)
    if module < _LEAST_BAR_MODULE or room < setting.bar_height:
        return 0, 0
    handsome = min(int(module * symbol.width * _BAR_HEIGHT_PER_WIDTH), _GREATEST_BAR_HEIGHT)
    return module, min(room, max(handsome, _LEAST_BAR_HEIGHT))


def _bar_module(bars: Bars, inner_width: int) -> int:
    return min(inner_width // bars.width, _GREATEST_BAR_MODULE)


def _matrix_module(matrix: Matrix, inner_width: int) -> int:
    return min(inner_width // matrix.width, _GREATEST_MATRIX_MODULE)


def _guard_depth(symbol: Symbol, module: int, rows: Sequence[_Row]) -> int:
    if isinstance(symbol, Matrix) or not symbol.captions:
        return 0
    return min(_GUARD_MODULES * module, int(_GAP + rows[0].height))


def _rows(symbol: Symbol, code: str, description: str, room: int, setting: _Setting) -> tuple[_Row, ...] | None:
    """Set all text, centred on columns counted from the label's middle; None where the room is too narrow."""
    if description and room < setting.least_size * _LEAST_DESCRIPTION:
        return None
    named = _code_rows(code, room, setting) if isinstance(symbol, Matrix) else _caption_rows(symbol, room, setting)
    if named is None:
        return None
    return named + _description_rows(description, room, setting)


def _caption_rows(bars: Bars, room: int, setting: _Setting) -> tuple[_Row, ...]:
    if not bars.captions:
        return ()
    module = max(_bar_module(bars, room), _LEAST_BAR_MODULE)
    texts = [encode(caption.text) for caption in bars.captions]
    size = min(
        setting.size,
        *(
            _caption_room(caption, bars, module, room) / width(text)
            for caption, text in zip(bars.captions, texts, strict=True)
        ),
    )
    centres = [module * (caption.start + caption.stop - bars.width) / 2 for caption in bars.captions]
    return (_Row(tuple(zip(texts, centres, strict=True)), size, ASCENT),)


def _caption_room(caption: Caption, bars: Bars, module: int, room: int) -> float:
    """Return how wide a caption may be: one alone as wide as the label, several within their guards."""
    if len(bars.captions) == 1:
        return room - module * abs(caption.start + caption.stop - bars.width)
    return module * max(caption.stop - caption.start - 2, 1)


def _code_rows(code: str, room: int, setting: _Setting) -> tuple[_Row, ...] | None:
    paragraph = fit_code(encode(code), room, setting.size, setting.least_size)
    if paragraph is None:
        return None
    return tuple(_Row(((line, 0),), paragraph.size, ASCENT) for line in paragraph.lines)


def _description_rows(description: str, room: int, setting: _Setting) -> tuple[_Row, ...]:
    if not description:
        return ()
    paragraph = fit_words(encode(description), room, setting.size, setting.least_size, setting.description_lines)
    return tuple(_Row(((line, 0),), paragraph.size, ACCENTED_ASCENT) for line in paragraph.lines)


def _text_height(rows: Sequence[_Row]) -> float:
    return _GAP + sum(row.height for row in rows) if rows else 0


def _with_add_on(at: Arrangement, caption: Caption, size: float) -> Arrangement:
    """Set an add-on's digits above its bars, which keep half of their height or more."""
    text = encode(caption.text)
    size = min(size, (at.height / 2 - _GAP) / ASCENT, at.module * (caption.stop - caption.start) / width(text))
    middle = at.left + at.module * (caption.start + caption.stop) / 2
    line = Line(text, size, middle - width(text) * size / 2, at.bottom + at.height - size * ASCENT)
    return replace(at, add_on_drop=math.ceil(size * ASCENT) + _GAP, lines=(*at.lines, line))


def _lines(rows: Sequence[_Row], middle: float, top: float) -> tuple[Line, ...]:
    lines = []
    for row in rows:
        baseline = top - row.size * row.ascent
        lines += [
            Line(text, row.size, middle + centre - width(text) * row.size / 2, baseline) for text, centre in row.texts
        ]
        top -= row.height
    return tuple(lines)


def _least_width(symbol: Symbol, code: str, description: str, setting: _Setting) -> int:
    least = setting.least_size * _LEAST_DESCRIPTION if description else 0
    if isinstance(symbol, Bars):
        return math.ceil(max(symbol.width * _LEAST_BAR_MODULE, least))
    return math.ceil(max(symbol.width * _LEAST_MATRIX_MODULE, least, least_code_room(encode(code), setting.least_size)))


def _least_height(symbol: Symbol, code: str, description: str, room: int, setting: _Setting) -> int:
    rows = _rows(symbol, code, description, room, setting) or ()
    symbol_height = _LEAST_BAR_HEIGHT if isinstance(symbol, Bars) else symbol.height * _LEAST_MATRIX_MODULE
    return math.ceil(symbol_height + _text_height(rows)) + 1
