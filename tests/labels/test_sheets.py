import pytest
from hypothesis import given, strategies as st

from barcodesvc.errors import InvalidInput
from barcodesvc.labels.sheets import SHEETS, PageSize, named_sheet, page_size, simple_sheet
from tests.sweeps import sweep

SIDES = st.floats(10, 1200)
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


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("A4", PageSize(210, 297)),
        (" letter ", PageSize(215.9, 279.4)),
        ("100x50mm", PageSize(100, 50)),
        ("25.4X10MM", PageSize(25.4, 10)),
        ("1200x10mm", PageSize(1200, 10)),
    ],
)
def test_named_and_custom_pages_are_known(name: str, page: PageSize) -> None:
    """A page is named in any case, or given as width and height with or without decimals."""
    assert page_size(name) == page


@pytest.mark.parametrize(
    "name", ["", "A0", "100x50", "100 by 50mm", "-1x50mm", "1e2x50mm", "\u0663\u0660x50mm", "x" * 999, "A4" + " " * 99]
)
def test_unknown_pages_are_refused_with_the_accepted_forms(name: str) -> None:
    """An unknown page is rejected, and the message lists the known ones."""
    with pytest.raises(InvalidInput, match=r"A3, A4, A5, A6, Letter, Legal or .* such as 100x50mm") as refusal:
        page_size(name)
    assert refusal.value.details["errors"][0]["field"] == "layout.page_size"
    assert len(refusal.value.details["errors"][0]["value"]) <= 40


@pytest.mark.parametrize("name", ["4.9x50mm", "50x4.999mm", "1200.1x50mm", "0x0mm", "9999x9999mm"])
def test_pages_out_of_bounds_are_refused(name: str) -> None:
    """A side under 5 mm or over 1200 mm is rejected, and the message names the limits."""
    with pytest.raises(InvalidInput, match="each side must be 5 to 1200 mm"):
        page_size(name)


def test_default_sheet_of_a4() -> None:
    """A4 in three columns has ten rows of labels that are at least 25 mm high, 2 mm apart, margin 10 mm."""
    sheet = simple_sheet(page_size("A4"), 3, None)
    assert (sheet.columns, sheet.rows, sheet.labels_per_page) == (3, 10, 30)
    assert (sheet.label_width, sheet.label_height) == (62.0, 25.9)
    assert (sheet.left, sheet.top, sheet.pitch_x, sheet.pitch_y) == (10, 10, 64, 27.9)


@pytest.mark.parametrize("name", ["50x25mm", "50x20mm", "10x10mm", "102x152mm"])
def test_a_roll_label_fills_its_page(name: str) -> None:
    """A page as narrow as a label printer's roll has no margin: one label is the whole page."""
    page = page_size(name)
    sheet = simple_sheet(page, 1, 1)
    assert (sheet.label_width, sheet.label_height) == (page.width, page.height)
    assert (sheet.left, sheet.top) == (0, 0)


def test_rows_default_to_one_on_a_low_page() -> None:
    """A page lower than 25 mm still has one row."""
    assert simple_sheet(page_size("50x20mm"), 1, None).rows == 1


def test_cells_run_along_the_rows() -> None:
    """The labels of a page come row by row from the top left."""
    corners = simple_sheet(PageSize(200, 110), 2, 2).corners()
    assert [(corner.left, corner.top) for corner in corners] == [(10, 10), (101, 10), (10, 56), (101, 56)]


@pytest.mark.parametrize(
    ("columns", "rows", "field"), [(28, 1, "row"), (0, 1, "row"), (1, 41, "column"), (1, 0, "column")]
)
def test_counts_that_do_not_fit_are_refused_with_those_that_do(columns: int, rows: int, field: str) -> None:
    """More labels than fit, or none, are rejected by name with the greatest count."""
    with pytest.raises(InvalidInput, match=f"layout.labels_per_{field}: must be 1 to (27|39) on this page"):
        simple_sheet(page_size("A4"), columns, rows)


@given(SIDES, SIDES, st.integers(1, 50), st.none() | st.integers(1, 50))
def test_a_sheet_never_leaves_its_page(width: float, height: float, columns: int, rows: int | None) -> None:
    """Whatever the page and the counts, the labels do not touch and stay on the page, or the sheet is rejected."""
    try:
        sheet = simple_sheet(PageSize(width, height), columns, rows)
    except InvalidInput:
        return
    last = sheet.corners()[-1]
    assert last.left + sheet.label_width <= width - sheet.left + 1e-9
    assert last.top + sheet.label_height <= height - sheet.top + 1e-9
    assert min(sheet.label_width, sheet.label_height) >= 5 - 1e-9
    assert sheet.pitch_x > sheet.label_width
    assert sheet.pitch_y > sheet.label_height


def test_the_sheets_that_are_sold_everywhere() -> None:
    """Thirteen sheets and more are known, each with the grid printed on its box."""
    assert GRIDS.items() <= {name: (sheet.columns, sheet.rows) for name, sheet in SHEETS.items()}.items()


@sweep("name", SHEETS)
def test_a_sheet_closes_on_its_page(name: str) -> None:
    """The last label ends on the page, labels do not overlap, and the margins on both sides are equal."""
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
    """A sheet is found in any spelling of its name."""
    assert named_sheet(written) is SHEETS["L7160"]
    assert named_sheet(written).page == page_size("A4")


@pytest.mark.parametrize(("written", "offered"), [("L7161", "L7160"), ("516", "5160"), ("zzz", "there are 5160, 5161")])
def test_a_refusal_of_an_unknown_sheet_suggests_similar_ones(written: str, offered: str) -> None:
    """The refusal names the field and offers the nearest names, or all of them."""
    with pytest.raises(InvalidInput, match=offered) as refusal:
        named_sheet(written)
    assert refusal.value.details["errors"][0]["field"] == "layout.sheet"
