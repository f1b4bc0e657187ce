"""Label sheets: where labels lie on a page, in millimetres.

A `Sheet` is a grid: equal labels, equal pitch, filled row by row from the top left. Its origin is the
page's top left corner, x grows to the right and y downwards. A sheet is either computed here from a count
of rows and columns (`simple_sheet`) or written down from a maker's table; nothing behind it knows the
difference.

Rule: a sheet never reaches over its page: left + (columns - 1) x pitch_x + label_width <= page width, and
likewise downwards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from barcodesvc.errors import FieldProblem, InvalidInput

LABELS_PER_ROW = 3
"""What a row has where `labels_per_row` is not given."""
LEAST_LABEL_HEIGHT = 25.0
"""What `labels_per_column` keeps to where it is not given, mm."""

_MARGIN = 10.0
_GAP = 2.0
_WIDEST_ROLL = 104.0
"""The print head of a desktop label printer, mm: a page that fits it is a roll label and needs no margin."""
LEAST_LABEL_SIDE = 5.0
"""The least label, and so the least page, which may be one label of a roll, mm."""
_GREATEST_PAGE_SIDE = 1200.0
_LONGEST_NAME = 40
_CUSTOM = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)x(\d{1,4}(?:\.\d{1,3})?)mm", re.ASCII)


@dataclass(frozen=True, slots=True)
class PageSize:
    """A page in upright reading position, mm."""

    width: float
    height: float


_NAMED = {
    "a3": PageSize(297.0, 420.0),
    "a4": PageSize(210.0, 297.0),
    "a5": PageSize(148.0, 210.0),
    "a6": PageSize(105.0, 148.0),
    "letter": PageSize(215.9, 279.4),
    "legal": PageSize(215.9, 355.6),
}
PAGE_SIZES = ("A3", "A4", "A5", "A6", "Letter", "Legal")
_SIDE = r"([5-9]|[1-9][0-9]|[1-9][0-9]{2}|1[01][0-9]{2})(\.[0-9]{1,3})?"
CUSTOM_SIZE = f"^{_SIDE}x{_SIDE}mm$"
"""As a pattern of JSON Schema: the sizes that `page_size` takes beside the named ones, in their plain spelling."""


@dataclass(frozen=True, slots=True)
class Corner:
    """The top left corner of one label, mm from the page's top left corner."""

    left: float
    top: float


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page of equal labels, mm; `left` and `top` are the corner of the first one, the pitches lead to the next."""

    page: PageSize
    columns: int
    rows: int
    label_width: float
    label_height: float
    left: float
    top: float
    pitch_x: float
    pitch_y: float

    @property
    def labels_per_page(self) -> int:
        """How many labels one page takes."""
        return self.columns * self.rows

    @property
    def right(self) -> float:
        """Where the last column ends, mm from the page's left edge."""
        return self.left + (self.columns - 1) * self.pitch_x + self.label_width

    @property
    def bottom(self) -> float:
        """Where the last row ends, mm from the page's top edge."""
        return self.top + (self.rows - 1) * self.pitch_y + self.label_height

    def corners(self) -> tuple[Corner, ...]:
        """Return every label's corner in the order in which a page is filled: row by row from the top."""
        return tuple(
            Corner(self.left + column * self.pitch_x, self.top + row * self.pitch_y)
            for row in range(self.rows)
            for column in range(self.columns)
        )


def page_size(name: str, field: str = "page_size") -> PageSize:
    """Return the page A3, A4, A5, A6, Letter, Legal, or `WxHmm` such as `100x50mm`, in any case.

    Raises InvalidInput that names the accepted forms, also where a side is outside 5 to 1200 mm.
    """
    form = name.replace(" ", "").lower() if len(name) <= _LONGEST_NAME else ""
    if form in _NAMED:
        return _NAMED[form]
    custom = _CUSTOM.fullmatch(form)
    if custom is None:
        raise _refused(field, "must be A3, A4, A5, A6, Letter, Legal or width x height such as 100x50mm", name[:40])
    page = PageSize(float(custom[1]), float(custom[2]))
    if not all(LEAST_LABEL_SIDE <= side <= _GREATEST_PAGE_SIDE for side in (page.width, page.height)):
        raise _refused(field, f"each side must be {LEAST_LABEL_SIDE:g} to {_GREATEST_PAGE_SIDE:g} mm", name[:40])
    return page


def simple_sheet(page: PageSize, labels_per_row: int, labels_per_column: int | None) -> Sheet:
    """Divide a page evenly into labels 2 mm apart, inside a margin of 10 mm.

    A page not wider than 104 mm on its shorter side is a roll label: its margin is 0. Without
    `labels_per_column` there are as many rows as keep a label at least 25 mm high, and at least one.

    Raises InvalidInput where a label would be narrower or lower than 5 mm; it says how many fit.
    """
    margin = 0.0 if min(page.width, page.height) <= _WIDEST_ROLL else _MARGIN
    width, height = page.width - 2 * margin, page.height - 2 * margin
    rows = max(1, _most(height, LEAST_LABEL_HEIGHT)) if labels_per_column is None else labels_per_column
    label_width = _side(width, labels_per_row, "labels_per_row")
    label_height = _side(height, rows, "labels_per_column")
    return Sheet(
        page=page,
        columns=labels_per_row,
        rows=rows,
        label_width=label_width,
        label_height=label_height,
        left=margin,
        top=margin,
        pitch_x=label_width + _GAP,
        pitch_y=label_height + _GAP,
    )


def _most(length: float, side: float) -> int:
    return int((length + _GAP) // (side + _GAP))


def _side(length: float, count: int, field: str) -> float:
    most = _most(length, LEAST_LABEL_SIDE)
    if not 1 <= count <= most:
        raise _refused(field, f"must be 1 to {most} on this page: a label is at least {LEAST_LABEL_SIDE:g} mm", count)
    return (length - (count - 1) * _GAP) / count


def _refused(field: str, message: str, value: str | int) -> InvalidInput:
    return InvalidInput.of(FieldProblem(f"layout.{field}", message, value))
