"""What a layout yields and a writer needs: sheets of labels, drawn in whole dots, and nothing of any file's format.

A drawing has the resolution of the printer that it is for, `dpi` dots to the inch. Every length is a whole number of
dots; only the page is in mm, because paper is not cut to dots, and the size of letters is as exact as it is asked
for. The origin is the upper left corner, of the page for labels and of the label for what stands on it; x grows to the
right, y downwards.

Rule: the X-dimension of a symbol is a whole number of dots, and its edges lie on whole dots. A PDF has no dots of its
own: its drawing has those of the printer that the request names, 300 to the inch where it names none. A writer decides
nothing: what it puts out, at a pixel a dot, is the drawing dot by dot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from barcodesvc.labels.sheets import PageSize
from barcodesvc.labels.text.typesetting import Line


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


class Stroke(NamedTuple):
    """A straight line from a point as far to the right and down as `across` and `down` say."""

    left: int
    top: int
    across: int
    down: int


class Extent(NamedTuple):
    """How far below the top of its image a bar begins, and how high it is."""

    top: int
    height: int


@dataclass(frozen=True, slots=True)
class BarImage:
    """Bars, a module being `module` dots wide.

    runs: widths in modules of bar, space, bar, … bar; extents: one for each bar.
    Bars differ in height where guards reach down beside digits, or an add-on begins below its own.
    """

    left: int
    top: int
    module: int
    runs: tuple[int, ...]
    extents: tuple[Extent, ...]


@dataclass(frozen=True, slots=True)
class MatrixImage:
    """A matrix: `rows` holds one byte a module, 1 for dark; a module is a square of `module` dots."""

    left: int
    top: int
    module: int
    rows: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text, its size in dots, and where its baseline begins."""

    line: Line
    size: float
    left: int
    baseline: int


@dataclass(frozen=True, slots=True)
class LabelDrawing:
    """One label: the image of its symbol, the bearer bars along it, and its text."""

    image: BarImage | MatrixImage
    bearers: tuple[Rectangle, ...]
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """What is drawn in grey around the labels of each page, `thickness` wide, half of it to either side."""

    outlines: tuple[Rectangle, ...]
    strokes: tuple[Stroke, ...]
    thickness: int


@dataclass(frozen=True, slots=True)
class SheetDrawing:
    """All pages of a run of labels.

    positions: where the labels of a page lie, in the order in which it is filled; labels: each different label once,
    drawn while it is asked for, so that few are held at a time; order: which of them is printed, label by label;
    start: how many positions of the first page stay empty.
    """

    page: PageSize
    dpi: int
    label_width: int
    label_height: int
    positions: tuple[Position, ...]
    marks: Marks
    labels: Iterator[LabelDrawing]
    order: Sequence[int]
    start: int = 0

    def pages(self) -> Iterator[list[tuple[Position, int]]]:
        """Yield for each page which label is printed where, as its index among `labels`."""
        per_page = len(self.positions)
        first = self.order[: per_page - self.start]
        yield list(zip(self.positions[self.start :], first, strict=False))
        for begin in range(len(first), len(self.order), per_page):
            yield list(zip(self.positions, self.order[begin : begin + per_page], strict=False))
