"""The shapes of codes and labels, in whole dots: what a layout yields, and what any writer draws.

The origin is the upper left corner of the picture or label; x increases to the right, y downwards. Only font sizes may
be fractions. A pixel of a picture is a dot.
"""

from dataclasses import dataclass
from typing import NamedTuple

from barcodesvc.drawing.glyphs import Line


class Position(NamedTuple):
    """An upper left corner."""

    left: int
    top: int


class Rectangle(NamedTuple):
    """A rectangle, filled or an outline."""

    left: int
    top: int
    width: int
    height: int


class Extent(NamedTuple):
    """The distance of a bar from the top of its image, and its height."""

    top: int
    height: int


@dataclass(frozen=True, slots=True)
class BarImage:
    """Bars whose modules are `module` dots wide.

    runs: the widths of bar, space, bar, … bar in modules; extents: one for each bar.
    Bars differ in height if guards extend down next to digits, or an add-on begins below its digits.
    """

    left: int
    top: int
    module: int
    runs: tuple[int, ...]
    extents: tuple[Extent, ...]


@dataclass(frozen=True, slots=True)
class MatrixImage:
    """A matrix: `rows` has one byte for each module, 1 for dark; a module is a square of `module` dots."""

    left: int
    top: int
    module: int
    rows: tuple[bytes, ...]


class Text(NamedTuple):
    """A line of text, its size in dots, and the beginning of its baseline."""

    line: Line
    size: float
    left: int
    baseline: int

    @property
    def width(self) -> float:
        """Its width in dots."""
        return self.line.width * self.size


@dataclass(frozen=True, slots=True)
class Drawing:
    """A code or a label: the image of its symbol, its bearer bars, and its text."""

    image: BarImage | MatrixImage
    bearers: tuple[Rectangle, ...]
    texts: tuple[Text, ...]
