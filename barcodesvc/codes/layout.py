"""The layout of a code in whole pixels, computed once for all writers.

A writer gets bands of bars, rows of modules and texts, and decides nothing, so SVG and PNG have the same geometry. A
module is a whole number of pixels; the quiet zones are part of the symbol.

Captions are below the bars, ten modules high. One that is wider than its room is drawn smaller, down to a legible size,
and then broken into lines. Guard bars extend down five modules next to the captions (GS1 General Specifications 5.2).
An add-on has its caption above its bars, which begin lower and end with the guards, or with the other bars if a digit
is next to the guards. Bearer bars are above and below the requested height, and include the quiet zones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from barcodesvc.codes.text import ascent, descent, text_width
from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.modules import Bars, Caption, Matrix

LARGEST_MODULE = 10
"""Up to this value, `width` is the width of one module, above it the greatest width of the image; both in pixels."""
MOST_PIXELS = 25_000_000
"""Pixels of the largest image, 3 MB before compression: slightly more than `width` and `height` alone can request."""

_GUARD_MODULES = 5
_TEXT_MODULES = 10
_LEGIBLE_FONT = 12


@dataclass(frozen=True, slots=True)
class Band:
    """Bars with the same `top` and `height`, in pixels.

    bars: the start of each bar, from the left edge of the image, and its width, both in modules.
    """

    top: int
    height: int
    bars: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PlacedText:
    """Text centred on `middle`, `width` wide, on `baseline`; `size` is the font size; all in pixels."""

    text: str
    middle: int
    baseline: int
    size: int
    width: int


@dataclass(frozen=True, slots=True)
class BarsDrawing:
    """A finished drawing of a linear symbol, in pixels; `module` is the pixel width of one module."""

    width: int
    height: int
    module: int
    bands: tuple[Band, ...]
    texts: tuple[PlacedText, ...] = ()


@dataclass(frozen=True, slots=True)
class MatrixDrawing:
    """A finished drawing of a matrix symbol; `left` and `top` are the pixels of the upper left module of `rows`."""

    width: int
    height: int
    module: int
    left: int
    top: int
    rows: tuple[bytes, ...]


Drawing = BarsDrawing | MatrixDrawing


@dataclass(frozen=True, slots=True)
class ModuleWidth:
    """A requested width of one module, in pixels."""

    pixels: int

    def module(self, modules: int) -> int:  # noqa: ARG002 - as GreatestWidth
        """Return the width of one module in a symbol of this many modules, in pixels."""
        return self.pixels


@dataclass(frozen=True, slots=True)
class GreatestWidth:
    """A requested greatest width of the image, in pixels."""

    pixels: int

    def module(self, modules: int) -> int:
        """Return the width of one module in a symbol of this many modules, in pixels.

        Raises InvalidContent, which names the least possible width, if the symbol is wider than the image may be.
        """
        if self.pixels < modules:
            raise InvalidContent(
                f"width: the symbol has {modules} modules, so the image is at least {modules} pixels wide",
                rule="width",
                least_width=modules,
            )
        return self.pixels // modules


Width = ModuleWidth | GreatestWidth


def normal_width(width: float) -> Width:
    """Return a requested `width` in whole pixels, so that 2 and 2.2 are the same; small ones are those of a module.

    The width of a module is rounded, and the greatest width of an image rounded down; neither becomes the other.
    """
    if width <= LARGEST_MODULE:
        return ModuleWidth(max(1, int(width + 0.5)))
    return GreatestWidth(int(width))


def draw_bars(bars: Bars, module: int, bar_height: int) -> BarsDrawing:
    """Lay out a linear symbol without text."""
    top = bars.bearer * module
    bottom = top + bar_height
    edges = _Edges(top, bottom, bottom, top, bottom)
    size = _image_size(bars.width * module, bottom + top)
    return BarsDrawing(*size, module, _bands(bars, module, edges))


def draw_bars_with_text(bars: Bars, module: int, bar_height: int) -> BarsDrawing:
    """Lay out a linear symbol with its captions."""
    size = _text_size(module)
    edges = _edges(bars, module, bar_height, size)
    top = edges.bottom + bars.bearer * module + _text_gap(bars, module)
    image_size = _image_size(bars.width * module, top + ascent(size) + descent(size))
    texts = _placed(bars.captions, module, top, size)
    if texts:
        image_size = _image_size(bars.width * module, max(text.baseline + descent(text.size) for text in texts))
    if bars.add_on:
        texts += _placed([bars.add_on.caption], module, 0, size)
    return BarsDrawing(*image_size, module, _bands(bars, module, edges), tuple(texts))


def draw_matrix(matrix: Matrix, module: int) -> MatrixDrawing:
    """Lay out a matrix symbol with its quiet zone."""
    return _matrix_at(matrix, module, matrix.width * module, matrix.height * module)


def draw_matrix_in_square(matrix: Matrix, side: int) -> MatrixDrawing:
    """Lay out a matrix symbol in the middle of a square image of exactly `side` pixels.

    Raises InvalidContent, which names the least possible size, if there is less than one pixel for a module.
    """
    if side < matrix.width:
        raise InvalidContent(
            f"size: the symbol has {matrix.width} modules a side, so the image is at least {matrix.width} pixels",
            rule="size",
            least_size=matrix.width,
        )
    return _matrix_at(matrix, side // matrix.width, side, side)


@dataclass(frozen=True, slots=True)
class _Edges:
    """The top and bottom of the symbol's bars, its guards, and the bars of its add-on."""

    top: int
    bottom: int
    guard_bottom: int
    add_on_top: int
    add_on_bottom: int


def _edges(bars: Bars, module: int, height: int, text_size: int) -> _Edges:
    """Return the edges of bars next to text; bars too low for an add-on's caption begin lower."""
    add_on_top = ascent(text_size) + module + 1 if bars.add_on else 0
    top = max(bars.bearer * module, add_on_top - height // 2)
    bottom = top + height
    guard_bottom = bottom + _GUARD_MODULES * module
    return _Edges(top, bottom, guard_bottom, add_on_top, bottom if bars.has_digit_in_gap else guard_bottom)


def _bands(bars: Bars, module: int, edges: _Edges) -> tuple[Band, ...]:
    """Return the bars of the symbol, its guards, its add-on and its bearer bars, if it has them."""
    dark = tuple(zip(accumulate(bars.runs, initial=bars.quiet_left), bars.runs, strict=False))[::2]
    symbol = dark[: bars.add_on.start // 2] if bars.add_on else dark
    plain = tuple(bar for index, bar in enumerate(symbol) if 2 * index not in bars.guards) if bars.guards else symbol
    guards = tuple(dark[index // 2] for index in sorted(bars.guards))
    bearer = bars.bearer * module
    bands = (
        Band(edges.top - bearer, bearer, ((0, bars.width),) if bearer else ()),
        Band(edges.top, edges.bottom - edges.top, plain),
        Band(edges.top, edges.guard_bottom - edges.top, guards),
        Band(edges.add_on_top, edges.add_on_bottom - edges.add_on_top, dark[len(symbol) :]),
        Band(edges.bottom, bearer, ((0, bars.width),) if bearer else ()),
    )
    return tuple(band for band in bands if band.bars)


def _image_size(width: int, height: int) -> tuple[int, int]:
    """Return the size; raises InvalidContent for an image of more than MOST_PIXELS."""
    if width * height > MOST_PIXELS:
        raise InvalidContent(
            f"module_mm: the image would have {width} x {height} pixels, more than {MOST_PIXELS} in total",
            rule="module_mm",
            fits="a smaller module_mm, dpi or height",
        )
    return width, height


def _text_size(module: int) -> int:
    return max(_TEXT_MODULES * module, _LEGIBLE_FONT)


def _text_gap(bars: Bars, module: int) -> int:
    """Return the pixels between bars and text; text that is too large for the room between guards begins below them."""
    is_oversize = _text_size(module) > _TEXT_MODULES * module
    return (_GUARD_MODULES - 1) * module if bars.guards and is_oversize else 1


def _placed(captions: Sequence[Caption], module: int, top: int, size: int) -> list[PlacedText]:
    """Place captions next to each other on one baseline, the first of them below `top`."""
    fitted = [_fitted(caption, module, max(round(size * caption.share), _LEGIBLE_FONT)) for caption in captions]
    first = top + ascent(max((line_size for _, line_size in fitted), default=size))
    texts = []
    for caption, (lines, line_size) in zip(captions, fitted, strict=True):
        middle = ((caption.start + caption.stop) * module + 1) // 2
        pitch = ascent(line_size) + descent(line_size)
        texts += [
            PlacedText(line, middle, first + number * pitch, line_size, text_width(line, line_size))
            for number, line in enumerate(lines)
        ]
    return texts


def _fitted(caption: Caption, module: int, size: int) -> tuple[list[str], int]:
    """Return a caption in as few lines as possible at a legible size, and that size."""
    room = (caption.stop - caption.start) * module
    while size > _LEGIBLE_FONT and (width := text_width(caption.text, size)) > room:
        size = max(min(size - 1, size * room // width), _LEGIBLE_FONT)
    for count in range(1, len(caption.text) + 1):
        length = -(-len(caption.text) // count)
        lines = [caption.text[start : start + length] for start in range(0, len(caption.text), length)]
        if all(text_width(line, size) <= room for line in lines):
            break
    return lines, size


def _matrix_at(matrix: Matrix, module: int, width: int, height: int) -> MatrixDrawing:
    left = (width - matrix.width * module) // 2 + matrix.quiet * module
    top = (height - matrix.height * module) // 2 + matrix.quiet * module
    return MatrixDrawing(*_image_size(width, height), module, left, top, matrix.rows)
