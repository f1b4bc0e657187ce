"""Label sheets: the positions of labels on a page, in mm.

A `Sheet` is a grid: equal labels, equal pitch, filled row by row from the top left. Its origin is the page's top left
corner; x increases to the right, y downwards. A sheet is either computed from a number of rows and columns
(`simple_sheet`) or a common sheet, by the number on its box (`named_sheet`). The lengths of these are those of
LibreOffice's table of labels (extras/source/labels/labels.xml). Other public tables differ by up to 3 mm; `offset_x`
and `offset_y` compensate for this.

Rule: a sheet never extends beyond its page: left + (columns - 1) x pitch_x + label_width <= page width, and likewise
downwards.
"""

import difflib
import re
from dataclasses import dataclass, replace

from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.labels.resolution import GREATEST_PADDING, PADDING_PER_SIDE
from barcodesvc.symbols.registry import normal_name

LABELS_PER_ROW = 3
"""The default of `labels_per_row`."""
LEAST_LABEL_HEIGHT = 25.0
"""The minimum height of labels without `labels_per_column`, in mm."""

_MARGIN = 10.0
_GAP = 2.0
_WIDEST_ROLL = 104.0
"""The width of a desktop printer's printhead, in mm: a page that fits it is a roll label and needs no margin."""
LEAST_LABEL_SIDE = 5.0
"""The smallest label, and the smallest page, which may be one label of a roll, in mm."""
GREATEST_PAGE_SIDE = 1200.0
_LONGEST_NAME = 40
_CUSTOM = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)x(\d{1,4}(?:\.\d{1,3})?)mm", re.ASCII)


@dataclass(frozen=True, slots=True)
class PageSize:
    """A page in reading position, in mm."""

    width: float
    height: float


PAGE_SIZES = {
    "A3": PageSize(297.0, 420.0),
    "A4": PageSize(210.0, 297.0),
    "A5": PageSize(148.0, 210.0),
    "A6": PageSize(105.0, 148.0),
    "Letter": PageSize(215.9, 279.4),
    "Legal": PageSize(215.9, 355.6),
}
_BY_LOWER_CASE = {name.lower(): page for name, page in PAGE_SIZES.items()}
_SIDE = r"([5-9]|[1-9][0-9]|[1-9][0-9]{2}|1[01][0-9]{2})(\.[0-9]{1,3})?"
CUSTOM_SIZE = f"^{_SIDE}x{_SIDE}mm$"
"""The sizes that `page_size` takes in addition to the named ones, as a pattern of JSON Schema."""


@dataclass(frozen=True, slots=True)
class Corner:
    """The top left corner of a label, in mm from the page's top left corner."""

    left: float
    top: float


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page of equal labels, in mm; `left` and `top` are the corner of the first one, the pitches lead to the next."""

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
        """The number of labels on a page."""
        return self.columns * self.rows

    @property
    def is_roll(self) -> bool:
        """Whether each page is one label, as on the roll of a label printer."""
        return (self.label_width, self.label_height) == (self.page.width, self.page.height)

    @property
    def right(self) -> float:
        """The end of the last column, in mm from the page's left edge."""
        return self.left + (self.columns - 1) * self.pitch_x + self.label_width

    @property
    def bottom(self) -> float:
        """The end of the last row, in mm from the page's top edge."""
        return self.top + (self.rows - 1) * self.pitch_y + self.label_height

    def corners(self) -> tuple[Corner, ...]:
        """Return the labels' corners in the order in which a page is filled: row by row from the top."""
        return tuple(
            Corner(self.left + column * self.pitch_x, self.top + row * self.pitch_y)
            for row in range(self.rows)
            for column in range(self.columns)
        )


def page_size(name: str, field: str = "page_size") -> PageSize:
    """Return the page A3, A4, A5, A6, Letter, Legal, or `WxHmm` such as `100x50mm`, in any case.

    Raises InvalidInput for any other form, and for a side outside 5 to 1200 mm.
    """
    form = name.replace(" ", "").lower() if len(name) <= _LONGEST_NAME else ""
    if form in _BY_LOWER_CASE:
        return _BY_LOWER_CASE[form]
    custom = _CUSTOM.fullmatch(form)
    if custom is None:
        raise _refused(field, "must be A3, A4, A5, A6, Letter, Legal or width x height such as 100x50mm", name[:40])
    page = PageSize(float(custom[1]), float(custom[2]))
    if not all(LEAST_LABEL_SIDE <= side <= GREATEST_PAGE_SIDE for side in (page.width, page.height)):
        raise _refused(field, f"each side must be {LEAST_LABEL_SIDE:g} to {GREATEST_PAGE_SIDE:g} mm", name[:40])
    return page


def simple_sheet(page: PageSize, labels_per_row: int, labels_per_column: int | None) -> Sheet:
    """Divide a page evenly into labels 2 mm apart, inside a margin of 10 mm.

    A page whose shorter side is at most 104 mm is a roll label: its margin is 0. Without `labels_per_column` there are
    as many rows as keep a label at least 25 mm high, and at least one.

    Raises InvalidInput if a label would be narrower or lower than 5 mm; it says how many fit.
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
    return InvalidInput.of(field_problem(f"layout.{field}", message, value))


_A4, _LETTER = PAGE_SIZES["A4"], PAGE_SIZES["Letter"]


def _sheet(
    page: PageSize,
    grid: tuple[int, int],
    label: tuple[float, float],
    corner: tuple[float, float],
    pitch: tuple[float, float],
) -> Sheet:
    return Sheet(page, *grid, *label, *corner, *pitch)


SHEETS = {
    "5160": _sheet(_LETTER, (3, 10), (66.68, 25.40), (4.78, 12.70), (69.85, 25.40)),
    "5161": _sheet(_LETTER, (2, 10), (101.60, 25.40), (3.96, 12.70), (106.36, 25.40)),
    "5163": _sheet(_LETTER, (2, 5), (101.60, 50.80), (3.96, 12.70), (106.36, 50.80)),
    "5164": _sheet(_LETTER, (2, 3), (101.60, 84.67), (3.96, 12.70), (106.36, 84.67)),
    "5167": _sheet(_LETTER, (4, 20), (44.45, 12.70), (7.14, 12.70), (52.40, 12.70)),
    "L7159": _sheet(_A4, (3, 8), (64.00, 33.86), (6.46, 13.06), (66.54, 33.86)),
    "L7160": _sheet(_A4, (3, 7), (63.50, 38.10), (7.20, 15.15), (66.04, 38.10)),
    "L7162": _sheet(_A4, (2, 8), (99.06, 33.87), (4.67, 13.02), (101.60, 33.87)),
    "L7163": _sheet(_A4, (2, 7), (99.06, 38.10), (4.67, 15.15), (101.60, 38.10)),
    "L7165": _sheet(_A4, (2, 4), (99.06, 67.73), (4.67, 13.04), (101.60, 67.73)),
    "L7651": _sheet(_A4, (5, 13), (38.10, 21.17), (4.67, 10.90), (40.64, 21.17)),
    "3474": _sheet(_A4, (3, 8), (70.00, 37.10), (0.00, 0.00), (70.00, 37.10)),
    "4731": _sheet(_A4, (7, 27), (25.40, 10.00), (8.48, 13.43), (27.94, 10.00)),
}
"""Grids are columns and rows, labels width and height, corners left and top of the first label."""


def page_name(page: PageSize) -> str:
    """Return the name by which `page_size` finds the page."""
    named = (name for name, other in PAGE_SIZES.items() if other == page)
    return next(named, f"{page.width:.7g}x{page.height:.7g}mm")


def named_sheet(name: str) -> Sheet:
    """Return the sheet of this name, compared without case, `-`, `_` and space; `WxHmm` is a roll of such labels.

    Raises InvalidInput, which suggests similar names.
    """
    known = _NAMES.get(normal_name(name))
    found = SHEETS[known] if known else _roll(name)
    if found is None:
        near = [_NAMES[one] for one in difflib.get_close_matches(normal_name(name), _NAMES, n=5)]
        offered = f"did you mean {', '.join(near)}" if near else f"there are {', '.join(SHEETS)}"
        raise _refused("sheet", f"no such sheet; {offered}", name[:_LONGEST_NAME])
    return found


def _roll(name: str) -> Sheet | None:
    """Return a page of one label, None for a name of another form."""
    if not name.strip().lower().endswith("mm"):
        return None
    page = page_size(name, "sheet")
    return Sheet(page, 1, 1, page.width, page.height, 0, 0, page.width, page.height)


_NAMES = {normal_name(name): name for name in SHEETS}


def corrected(sheet: Sheet, scale: float, offset_x: float, offset_y: float) -> Sheet:
    """Return the sheet with its lengths scaled, then moved, to compensate for the error of a printer.

    Symbols are fitted into the labels afterwards, in whole dots. Raises InvalidInput if a label would extend beyond the
    page by more than its empty padding.
    """
    if (scale, offset_x, offset_y) == (1, 0, 0):
        return sheet
    moved = replace(
        sheet,
        label_width=sheet.label_width * scale,
        label_height=sheet.label_height * scale,
        left=sheet.left * scale + offset_x,
        top=sheet.top * scale + offset_y,
        pitch_x=sheet.pitch_x * scale,
        pitch_y=sheet.pitch_y * scale,
    )
    padding = min(GREATEST_PADDING, PADDING_PER_SIDE * min(moved.label_width, moved.label_height))
    for field, first, last, page in (
        ("offset_x", moved.left, moved.right, sheet.page.width),
        ("offset_y", moved.top, moved.bottom, sheet.page.height),
    ):
        if first < -padding or last > page + padding:
            message = f"labels would extend from {first:.2f} to {last:.2f} mm on a page of {page:g} mm"
            raise InvalidInput.of(field_problem(f"layout.{field}", f"{message}; change it or the scale"))
    return moved
