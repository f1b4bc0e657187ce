"""Where everything stands, in whole pixels: computed once, drawn by every writer alike.

A writer gets rectangles and texts and decides nothing, which is why SVG and PNG show the same geometry. One module
is a whole number of pixels; the quiet zones come with the symbol. Captions stand below the bars, ten modules high but
never so small that a 6 looks like an 8; guard bars reach down five modules beside them (GS1 General Specifications
5.2). A caption wider than its place is drawn smaller.
"""

from __future__ import annotations

from dataclasses import dataclass

from barcodesvc.errors import InvalidContent
from barcodesvc.render.text import ascent, descent, text_width
from barcodesvc.symbols.modules import Bars, Caption, Matrix

LARGEST_MODULE = 10
"""Up to here `width` is the width of one module, above it the greatest width of the image; both in pixels."""

_GUARD_MODULES = 5
_TEXT_MODULES = 10
_LEGIBLE_FONT = 12


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A dark rectangle in pixels, x and y of its upper left corner."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class PlacedText:
    """Text centred on `middle`, `width` wide, standing on `baseline`; `size` is the font size; all in pixels."""

    text: str
    middle: int
    baseline: int
    size: int
    width: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """A finished drawing, in pixels; `module` is the pixel width of one module."""

    width: int
    height: int
    module: int
    rectangles: tuple[Rectangle, ...]
    texts: tuple[PlacedText, ...] = ()


def module_pixels(asked: int, modules: int) -> int:
    """Return the pixel width of one module for a width as `rendering.normal_width` gives it.

    Raises InvalidContent naming the least possible width if the symbol is wider than the image may be.
    """
    if asked <= LARGEST_MODULE:
        return asked
    if asked < modules:
        raise InvalidContent(
            f"width: the symbol has {modules} modules, so the image is at least {modules} pixels wide",
            rule="width",
            least_width=modules,
        )
    return asked // modules


def draw_bars(bars: Bars, module: int, bar_height: int) -> Drawing:
    """Lay out a linear symbol without text."""
    rectangles = tuple(_bar_rectangles(bars, module, bar_height, 0))
    return Drawing(bars.width * module, bar_height, module, rectangles)


def draw_bars_with_text(bars: Bars, module: int, bar_height: int) -> Drawing:
    """Lay out a linear symbol with its captions below."""
    rectangles = tuple(_bar_rectangles(bars, module, bar_height, _GUARD_MODULES * module))
    size = _text_size(module)
    top = bar_height + _text_gap(bars, module)
    texts = tuple(_placed(caption, module, top, size) for caption in bars.captions)
    return Drawing(bars.width * module, top + ascent(size) + descent(size), module, rectangles, texts)


def draw_matrix(matrix: Matrix, module: int) -> Drawing:
    """Lay out a matrix symbol with its quiet zone."""
    return _matrix_at(matrix, module, matrix.width * module, matrix.height * module)


def draw_matrix_in_square(matrix: Matrix, side: int) -> Drawing:
    """Lay out a matrix symbol in the middle of a square image of exactly `side` pixels.

    Raises InvalidContent naming the least possible size if not even one pixel a module fits.
    """
    if side < matrix.width:
        raise InvalidContent(
            f"size: the symbol has {matrix.width} modules a side, so the image is at least {matrix.width} pixels",
            rule="size",
            least_size=matrix.width,
        )
    return _matrix_at(matrix, side // matrix.width, side, side)


def _bar_rectangles(bars: Bars, module: int, height: int, guard_extra: int) -> list[Rectangle]:
    rectangles: list[Rectangle] = []
    x = bars.quiet_left * module
    for index, run in enumerate(bars.runs):
        if index % 2 == 0:
            tall = height + guard_extra if index in bars.guards else height
            rectangles.append(Rectangle(x, 0, run * module, tall))
        x += run * module
    return rectangles


def _text_size(module: int) -> int:
    return max(_TEXT_MODULES * module, _LEGIBLE_FONT)


def _text_gap(bars: Bars, module: int) -> int:
    """Return the pixels between bars and text; text too large to stand between guards begins below them."""
    is_oversize = _text_size(module) > _TEXT_MODULES * module
    return (_GUARD_MODULES - 1) * module if bars.guards and is_oversize else 1


def _placed(caption: Caption, module: int, top: int, size: int) -> PlacedText:
    room = (caption.stop - caption.start) * module
    while size > 1 and (width := text_width(caption.text, size)) > room:
        size = min(size - 1, size * room // width)
    middle = ((caption.start + caption.stop) * module + 1) // 2
    return PlacedText(caption.text, middle, top + ascent(size), size, text_width(caption.text, size))


def _matrix_at(matrix: Matrix, module: int, width: int, height: int) -> Drawing:
    left = (width - matrix.width * module) // 2 + matrix.quiet * module
    top = (height - matrix.height * module) // 2 + matrix.quiet * module
    rectangles = tuple(
        Rectangle(left + start * module, top + row * module, length * module, module)
        for row, modules in enumerate(matrix.rows)
        for start, length in _dark_runs(modules)
    )
    return Drawing(width, height, module, rectangles)


def _dark_runs(modules: bytes) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    start = modules.find(1)
    while start >= 0:
        stop = modules.find(0, start)
        stop = len(modules) if stop < 0 else stop
        runs.append((start, stop - start))
        start = modules.find(1, stop)
    return runs
