"""The interface between layout and writers: sheets of labels drawn in whole dots, independent of any file format.

A drawing has the resolution of its printer. Lengths are whole numbers of dots, except for the page, which is in mm, and
font sizes, which are exact. The origin is the upper left corner of the page for labels, and of the label for its
content; x increases to the right, y downwards.

Rule: the X-dimension of a symbol is a whole number of dots, and its edges are on whole dots. A PDF has no dots: its
drawing has those of the printer that the request names, by default 300 per inch. A writer decides nothing: its output,
with one pixel for each dot, equals the drawing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from barcodesvc.drawing.shapes import Drawing, MatrixImage, Position, Rectangle
from barcodesvc.labels.resolution import Resolution
from barcodesvc.labels.sheets import PageSize

SIDEWAYS = (90, 270)
"""The turns that swap width and height."""


class Stroke(NamedTuple):
    """A straight line from a point, `across` to the right and `down` downwards."""

    left: int
    top: int
    across: int
    down: int


@dataclass(frozen=True, slots=True)
class Marks:
    """Grey lines around the labels of each page, `thickness` wide, half of it on either side."""

    outlines: tuple[Rectangle, ...]
    strokes: tuple[Stroke, ...]
    thickness: int


@dataclass(frozen=True, slots=True)
class SheetDrawing:
    """All pages of a run of labels.

    positions: the labels of a page, in the order in which it is filled; labels: each different label once; order: the
    index of each printed label among them; start: the number of positions of the first page that remain empty; rotate:
    by how many degrees the content of each label is turned clockwise, 0, 90, 180 or 270; picture: what the content of
    every label has in addition.
    """

    page: PageSize
    resolution: Resolution
    label_width: int
    label_height: int
    positions: tuple[Position, ...]
    marks: Marks
    labels: list[Drawing]
    order: Sequence[int]
    start: int = 0
    rotate: int = 0
    picture: MatrixImage | None = None

    @property
    def content_size(self) -> tuple[int, int]:
        """The width and height of a label's content before it is turned."""
        size = self.label_width, self.label_height
        return size[::-1] if self.rotate in SIDEWAYS else size

    @property
    def page_size(self) -> tuple[int, int]:
        """The width and height of a page in whole dots."""
        return self.resolution.whole_dots(self.page.width), self.resolution.whole_dots(self.page.height)

    @property
    def page_count(self) -> int:
        """The number of pages."""
        return -(-(self.start + len(self.order)) // len(self.positions))

    def drawn_pages(self) -> Iterator[list[tuple[Position, Drawing]]]:
        """Yield the labels of each page with their positions."""
        return ([(position, self.labels[number]) for position, number in page] for page in self.pages())

    def pages(self) -> Iterator[list[tuple[Position, int]]]:
        """Yield for each page the positions and the indexes of their labels among `labels`."""
        per_page = len(self.positions)
        first = self.order[: per_page - self.start]
        yield list(zip(self.positions[self.start :], first, strict=False))
        for begin in range(len(first), len(self.order), per_page):
            yield list(zip(self.positions, self.order[begin : begin + per_page], strict=False))
