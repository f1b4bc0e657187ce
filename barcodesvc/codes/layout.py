"""The layout of a code in whole pixels, computed once for all writers.

A writer gets bars, rows of modules and texts, and decides nothing, so SVG and PNG have the same geometry. A module is a
whole number of pixels; the quiet zones are part of the symbol.

Captions are below the bars, and guard bars extend down five modules next to them (GS1 General Specifications 5.2). An
add-on has its caption above its bars, which begin lower and end with the guards, or with the other bars if a digit is
next to the guards. Bearer bars are above and below the requested height, and include the quiet zones.
"""

from dataclasses import dataclass

from barcodesvc.drawing.shapes import BarImage, Drawing, Extent, MatrixImage, Rectangle, Text
from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.modules import Bars, Matrix

LARGEST_MODULE = 10
"""Up to this value, `width` is the width of one module, above it the maximum width of the image; both in pixels."""
MOST_PIXELS = 25_000_000
"""Pixels of the largest image, 3 MB before compression: slightly more than `width` and `height` alone can request."""

GUARD_MODULES = 5
"""How far guards extend down next to the text (ISO/IEC 15420 4.2)."""


@dataclass(frozen=True, slots=True)
class CodePicture:
    """A code drawn in pixels, with the size of its image."""

    width: int
    height: int
    drawing: Drawing

    @property
    def module(self) -> int:
        """The width of a module in pixels."""
        return self.drawing.image.module


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


def draw_bars(bars: Bars, module: int, bar_height: int) -> CodePicture:
    """Lay out a linear symbol without text."""
    top = bars.bearer * module
    drawing = _bar_drawing(bars, module, top, bar_extents(bars, bar_height))
    return _picture(bars.width * module, 2 * top + bar_height, drawing)


def draw_bars_with_text(bars: Bars, module: int, bar_height: int) -> CodePicture:
    """Lay out a linear symbol with its captions; bars too low for an add-on's caption begin lower."""
    from barcodesvc.codes import captions  # noqa: PLC0415 - loads the font library at the first caption

    size = captions.text_size(module)
    add_on_top = captions.height_above_bars(size) + module if bars.add_on else 0
    top = max(bars.bearer * module, add_on_top - bar_height // 2)
    extents = bar_extents(bars, bar_height, GUARD_MODULES * module, add_on_top - top)
    # text that is too large for the room between guards begins below them
    gap = (GUARD_MODULES - 1) * module if bars.guards and captions.is_oversize(module) else 1
    below = top + bar_height + bars.bearer * module + gap
    texts = captions.placed(bars.captions, module, below)
    bottoms = [text.baseline + captions.descent(round(text.size)) for text in texts]
    height = max(bottoms, default=below + captions.ascent(size) + captions.descent(size))
    if bars.add_on:
        texts += captions.placed([bars.add_on.caption], module, 0)
    drawing = _bar_drawing(bars, module, top, extents, tuple(texts))
    return _picture(bars.width * module, height, drawing)


def bar_extents(bars: Bars, height: int, guard_depth: int = 0, add_on_drop: int = 0) -> tuple[Extent, ...]:
    """Return the extent of each bar in dots.

    Ordinary bars are `height` high, guards extend `guard_depth` lower. An add-on begins `add_on_drop` lower than the
    others, and ends with the guards, or with ordinary bars if a digit is next to the guards.
    """
    extents = [Extent(0, height)] * ((len(bars.runs) + 1) // 2)
    for index in bars.guards:
        extents[index // 2] = Extent(0, height + guard_depth)
    if bars.add_on:
        add_on = Extent(add_on_drop, height - add_on_drop + (0 if bars.has_digit_in_gap else guard_depth))
        begin = bars.add_on.start // 2
        extents[begin:] = [add_on] * (len(extents) - begin)
    return tuple(extents)


def draw_matrix(matrix: Matrix, module: int) -> CodePicture:
    """Lay out a matrix symbol with its quiet zone."""
    return _matrix_at(matrix, module, matrix.width * module, matrix.height * module)


def draw_matrix_in_square(matrix: Matrix, side: int) -> CodePicture:
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


def matrix_image(matrix: Matrix, module: int, left: int, top: int) -> MatrixImage:
    """Return a matrix symbol, whose quiet zone begins at `left` and `top`."""
    quiet = matrix.quiet * module
    return MatrixImage(left + quiet, top + quiet, module, matrix.rows)


def _matrix_at(matrix: Matrix, module: int, width: int, height: int) -> CodePicture:
    left, top = (width - matrix.width * module) // 2, (height - matrix.height * module) // 2
    return _picture(width, height, Drawing(matrix_image(matrix, module, left, top), (), ()))


def _bar_drawing(
    bars: Bars, module: int, top: int, extents: tuple[Extent, ...], texts: tuple[Text, ...] = ()
) -> Drawing:
    """Return bars that begin at `top`, with the bearer bars above and below them."""
    width, bearer = bars.width * module, bars.bearer * module
    image = BarImage(bars.quiet_left * module, top, module, bars.runs, extents)
    edges = (top - bearer, top + extents[0].height) if bearer else ()  # none of these symbols has guards
    return Drawing(image, tuple(Rectangle(0, edge, width, bearer) for edge in edges), texts)


def _picture(width: int, height: int, drawing: Drawing) -> CodePicture:
    """Return a picture; raises InvalidContent for an image of more than MOST_PIXELS."""
    if width * height > MOST_PIXELS:
        raise InvalidContent(
            f"module_mm: the image would have {width} x {height} pixels, more than {MOST_PIXELS} in total",
            rule="module_mm",
            fits="a smaller module_mm, dpi or height",
        )
    return CodePicture(width, height, drawing)
