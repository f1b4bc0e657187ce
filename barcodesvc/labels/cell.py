"""The layout inside one label, in dots.

A symbol's modules are whole dots of the printer (`raster`) and lie on whole dots. The origin is the label's bottom
left corner, y grows upwards as in PDF.

From the top: the symbol, a gap of 0.7 mm, its text, then further texts, the description first; all of it is centred in
the label, inside a padding of 1.5 mm or 5 % of the label's shorter side, whichever is less. Quiet zones belong to the
symbol, which is as large as its place allows.

    bars      not higher than 0.6 of the width
    text      the wanted size; smaller, to 70 % but not below 4 points, before anything is cut or refused, and
              before bars get lower than 8 mm or the modules of a matrix smaller than 5 dots (0.42 mm)

Rule: nothing leaves the label or touches the symbol; a label too small for that has no arrangement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from barcodesvc.labels.helvetica import ASCENT, DESCENT, encode_code
from barcodesvc.labels.raster import PADDING_PER_SIDE, Raster
from barcodesvc.labels.text import SetLine, fit_code, fit_words, least_code_room, width
from barcodesvc.labels.typesetting import Words
from barcodesvc.symbols.modules import Bars, Caption, Matrix, Symbol

_BAR_HEIGHT_PER_WIDTH = 0.6
_GUARD_MODULES = 5
"""How far guards reach down beside the text (ISO/IEC 15420 4.2)."""
_SETTINGS_KEPT = 16
_LEAST_SIZE_PART = 0.7
_LEAST_POINTS = 4
_LEAST_TEXT = 3
"""The least room for a text, in parts of its size: two letters and the ellipsis."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The area of one label, in dots of a printer's raster."""

    width: int
    height: int
    raster: Raster

    @property
    def padding(self) -> int:
        """The strip along every edge that stays empty."""
        return min(self.raster.greatest_padding, int(min(self.width, self.height) * PADDING_PER_SIDE))

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
    """How text is set, sizes in dots, and the least symbol that must remain beside it.

    text_lines: lines that the first of the further texts may take; those behind it take one.
    """

    raster: Raster

    size: float
    least_size: float
    text_lines: int
    bar_height: int
    matrix_module: int


@dataclass(frozen=True, slots=True)
class _Row:
    """Texts on one baseline, each with the column on which it is centred."""

    texts: tuple[tuple[SetLine, float], ...]
    size: float
    ascent: float = ASCENT
    descent: float = DESCENT

    @property
    def height(self) -> float:
        return self.size * (self.ascent + self.descent)


def arrange(symbol: Symbol, code: str, texts: Sequence[Words], cell: Cell, font_size: float) -> Arrangement | None:
    """Lay one label out, `font_size` in points; None where the cell is too small for a symbol that scans.

    Room is won by setting every text in one line, then by setting all text smaller.
    """
    for setting in _settings(font_size, cell.raster):
        found = _arranged(symbol, code, texts, cell, setting)
        if found is not None:
            return found
    return None


def least_cell(symbol: Symbol, code: str, texts: Sequence[Words], cell: Cell, font_size: float) -> Cell:
    """Return a cell of least width that takes the label, high enough for all widths up to that of `cell`.

    Captions grow with the width and codes need fewer lines, so that the greatest height is at one of the ends.
    """
    setting = _settings(font_size, cell.raster)[-1]
    narrow = _least_width(symbol, code, texts, setting)
    width = _padded(narrow, cell.raster)
    height = max(_least_height(symbol, code, texts, room, setting) for room in (narrow, max(width, cell.width)))
    return Cell(width, _padded(height, cell.raster), cell.raster)


def _padded(inner: int, raster: Raster) -> int:
    """Return a side that leaves so much inside of its padding, whatever the other side is."""
    return min(inner + 2 * raster.greatest_padding, math.ceil(inner / (1 - 2 * PADDING_PER_SIDE)) + 1)


@lru_cache(maxsize=_SETTINGS_KEPT)
def _settings(font_size: float, raster: Raster) -> tuple[_Setting, ...]:
    size = font_size * raster.dots_per_point
    least = min(font_size, max(font_size * _LEAST_SIZE_PART, _LEAST_POINTS)) * raster.dots_per_point
    return (
        _Setting(raster, size, least, 2, raster.easy_bar_height, raster.easy_matrix_module),
        _Setting(raster, size, least, 1, raster.easy_bar_height, raster.easy_matrix_module),
        _Setting(raster, least, least, 1, raster.least_bar_height, raster.least_matrix_module),
    )


def _arranged(symbol: Symbol, code: str, texts: Sequence[Words], cell: Cell, setting: _Setting) -> Arrangement | None:
    rows = _rows(symbol, code, texts, cell.inner_width, setting)
    if rows is None:
        return None
    text_height = _text_height(rows, setting)
    module, height = _symbol_size(symbol, cell, text_height, setting)
    if not module:
        return None
    bottom = int((cell.height - height - text_height) / 2 + text_height)
    arrangement = Arrangement(
        module=module,
        left=(cell.width - module * symbol.width) // 2,
        bottom=bottom,
        height=height,
        guard_depth=_guard_depth(symbol, module, rows, setting),
        add_on_drop=0,
        lines=_lines(rows, cell.width / 2, bottom - setting.raster.gap),
    )
    if isinstance(symbol, Matrix) or symbol.add_on is None:
        return arrangement
    return _with_add_on(arrangement, symbol.add_on.caption, rows[0].size, setting)


def _symbol_size(symbol: Symbol, cell: Cell, text_height: float, setting: _Setting) -> tuple[int, int]:
    """Return the module and the height of the largest symbol that fits, zeros where it would be too small."""
    room = int(cell.inner_height - text_height)
    if isinstance(symbol, Matrix):
        module = min(_matrix_module(symbol, cell.inner_width, setting), room // symbol.height)
        return (module, module * symbol.height) if module >= setting.matrix_module else (0, 0)
    module = _bar_module(symbol, cell.inner_width, setting)
    if module < setting.raster.least_bar_module or room < setting.bar_height:
        return 0, 0
    handsome = min(int(module * symbol.width * _BAR_HEIGHT_PER_WIDTH), setting.raster.greatest_bar_height)
    return module, min(room, max(handsome, setting.raster.least_bar_height))


def _bar_module(bars: Bars, inner_width: int, setting: _Setting) -> int:
    return min(inner_width // bars.width, setting.raster.greatest_bar_module)


def _matrix_module(matrix: Matrix, inner_width: int, setting: _Setting) -> int:
    return min(inner_width // matrix.width, setting.raster.greatest_matrix_module)


def _guard_depth(symbol: Symbol, module: int, rows: Sequence[_Row], setting: _Setting) -> int:
    if isinstance(symbol, Matrix) or not symbol.captions:
        return 0
    return min(_GUARD_MODULES * module, int(setting.raster.gap + rows[0].height))


def _rows(symbol: Symbol, code: str, texts: Sequence[Words], room: int, setting: _Setting) -> tuple[_Row, ...] | None:
    """Set all text, centred on columns counted from the label's middle; None where the room is too narrow."""
    if texts and room < setting.least_size * _LEAST_TEXT:
        return None
    named = _code_rows(code, room, setting) if isinstance(symbol, Matrix) else _caption_rows(symbol, room, setting)
    if named is None:
        return None
    return named + tuple(_text_rows(texts, room, setting))


def _caption_rows(bars: Bars, room: int, setting: _Setting) -> tuple[_Row, ...]:
    if not bars.captions:
        return ()
    module = max(_bar_module(bars, room, setting), setting.raster.least_bar_module)
    texts = [encode_code(caption.text) for caption in bars.captions]
    size = min(
        setting.size,
        *(
            _caption_room(caption, bars, module, room) / width(text)
            for caption, text in zip(bars.captions, texts, strict=True)
        ),
    )
    centres = [module * (caption.start + caption.stop - bars.width) / 2 for caption in bars.captions]
    return (_Row(tuple(zip(texts, centres, strict=True)), size),)


def _caption_room(caption: Caption, bars: Bars, module: int, room: int) -> float:
    """Return how wide a caption may be: one alone as wide as the label, several within their guards."""
    if len(bars.captions) == 1:
        return room - module * abs(caption.start + caption.stop - bars.width)
    return module * max(caption.stop - caption.start - 2, 1)


def _code_rows(code: str, room: int, setting: _Setting) -> tuple[_Row, ...] | None:
    paragraph = fit_code(encode_code(code), room, setting.size, setting.least_size)
    if paragraph is None:
        return None
    return tuple(_Row(((line, 0),), paragraph.size) for line in paragraph.lines)


def _text_rows(texts: Sequence[Words], room: int, setting: _Setting) -> Iterator[_Row]:
    for place, words in enumerate(texts):
        most_lines = 1 if place else setting.text_lines
        paragraph = fit_words(words, room, setting.size, setting.least_size, most_lines)
        for line in paragraph.lines:
            yield _Row(((line, 0),), paragraph.size, words.ascent, words.descent)


def _text_height(rows: Sequence[_Row], setting: _Setting) -> float:
    return setting.raster.gap + sum(row.height for row in rows) if rows else 0


def _with_add_on(at: Arrangement, caption: Caption, size: float, setting: _Setting) -> Arrangement:
    """Set an add-on's digits above its bars, which keep half of their height or more."""
    text, gap = encode_code(caption.text), setting.raster.gap
    size = min(size, (at.height / 2 - gap) / ASCENT, at.module * (caption.stop - caption.start) / width(text))
    middle = at.left + at.module * (caption.start + caption.stop) / 2
    line = Line(text, size, middle - width(text) * size / 2, at.bottom + at.height - size * ASCENT)
    return replace(at, add_on_drop=math.ceil(size * ASCENT) + gap, lines=(*at.lines, line))


def _lines(rows: Sequence[_Row], middle: float, top: float) -> tuple[Line, ...]:
    lines = []
    for row in rows:
        baseline = top - row.size * row.ascent
        lines += [
            Line(text, row.size, middle + centre - width(text) * row.size / 2, baseline) for text, centre in row.texts
        ]
        top -= row.height
    return tuple(lines)


def _least_width(symbol: Symbol, code: str, texts: Sequence[Words], setting: _Setting) -> int:
    least = setting.least_size * _LEAST_TEXT if texts else 0
    if isinstance(symbol, Bars):
        return math.ceil(max(symbol.width * setting.raster.least_bar_module, least))
    return math.ceil(
        max(
            symbol.width * setting.raster.least_matrix_module,
            least,
            least_code_room(encode_code(code), setting.least_size),
        )
    )


def _least_height(symbol: Symbol, code: str, texts: Sequence[Words], room: int, setting: _Setting) -> int:
    rows = _rows(symbol, code, texts, room, setting) or ()
    if isinstance(symbol, Bars):
        return math.ceil(setting.raster.least_bar_height + _text_height(rows, setting)) + 1
    return math.ceil(symbol.height * setting.raster.least_matrix_module + _text_height(rows, setting)) + 1
