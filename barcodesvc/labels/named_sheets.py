"""The label sheets that are sold everywhere, by the number on their box; lengths in mm.

The measures are those of LibreOffice's table of labels (extras/source/labels/labels.xml); other public tables differ
from it by up to 3 mm, which is what `offset_x` and `offset_y` are for.
"""

from __future__ import annotations

import difflib

from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.labels.sheets import PageSize, Sheet, page_size
from barcodesvc.symbols.names import normal_name

_A4, _LETTER = page_size("A4"), page_size("Letter")
_LONGEST_NAME = 40


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
"""Grids are columns and rows, labels width and height, corners the left and top of the first label."""

PAGE_NAMES = {_A4: "A4", _LETTER: "Letter"}


def named_sheet(name: str) -> Sheet:
    """Return the sheet of this name, compared without case, `-`, `_` and space; `WxHmm` is a roll of such labels.

    Raises InvalidInput that offers near names.
    """
    found = _BY_NAME.get(normal_name(name)) or _roll(name)
    if found is None:
        near = difflib.get_close_matches(normal_name(name), _BY_NAME, n=5)
        offered = f"did you mean {', '.join(map(str.upper, near))}" if near else f"there are {', '.join(SHEETS)}"
        problem = FieldProblem("layout.sheet", f"no such sheet; {offered}", name[:_LONGEST_NAME])
        raise InvalidInput.of(problem)
    return found


def _roll(name: str) -> Sheet | None:
    """Return a page that is one label, None for a name of another form."""
    if not name.strip().lower().endswith("mm"):
        return None
    page = page_size(name, "sheet")
    return Sheet(page, 1, 1, page.width, page.height, 0, 0, page.width, page.height)


_BY_NAME = {normal_name(name): sheet for name, sheet in SHEETS.items()}
