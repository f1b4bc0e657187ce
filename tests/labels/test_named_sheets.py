from __future__ import annotations

import pytest

from barcodesvc.errors import InvalidInput
from barcodesvc.labels.named_sheets import SHEETS, named_sheet
from barcodesvc.labels.sheets import page_size

GRIDS = {
    "5160": (3, 10),
    "5161": (2, 10),
    "5163": (2, 5),
    "5164": (2, 3),
    "5167": (4, 20),
    "3474": (3, 8),
    "L7159": (3, 8),
    "L7160": (3, 7),
    "L7162": (2, 8),
    "L7163": (2, 7),
    "L7165": (2, 4),
    "L7651": (5, 13),
    "4731": (7, 27),
}


def test_the_sheets_that_are_sold_everywhere() -> None:
    """Thirteen sheets are known, each with the grid that stands on its box."""
    assert {name: (sheet.columns, sheet.rows) for name, sheet in SHEETS.items()} == GRIDS


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_closes_on_its_page(name: str) -> None:
    """The last label ends on the page, labels don't overlap, and the margins on both sides are alike."""
    sheet = SHEETS[name]
    right = sheet.left + (sheet.columns - 1) * sheet.pitch_x + sheet.label_width
    bottom = sheet.top + (sheet.rows - 1) * sheet.pitch_y + sheet.label_height
    assert right <= sheet.page.width
    assert bottom <= sheet.page.height
    assert sheet.label_width <= sheet.pitch_x
    assert sheet.label_height <= sheet.pitch_y
    assert sheet.page.width - right == pytest.approx(sheet.left, abs=0.6)
    assert sheet.page.height - bottom == pytest.approx(sheet.top, abs=0.6)


@pytest.mark.parametrize("written", ["L7160", "l7160", " L-7160", "l_7160"])
def test_names_are_compared_without_case_and_separators(written: str) -> None:
    """A sheet is found however its name is spelt."""
    assert named_sheet(written) is SHEETS["L7160"]
    assert named_sheet(written).page == page_size("A4")


@pytest.mark.parametrize(("written", "offered"), [("L7161", "L7160"), ("516", "5160"), ("zzz", "there are 5160, 5161")])
def test_an_unknown_sheet_is_answered_with_near_ones(written: str, offered: str) -> None:
    """The refusal names the field and offers the nearest names, or all of them."""
    with pytest.raises(InvalidInput, match=offered) as refusal:
        named_sheet(written)
    assert refusal.value.details["errors"][0]["field"] == "layout.sheet"
