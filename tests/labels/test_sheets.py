"""Sheets of labels: pages, those that are sold by name, and grids of lengths and counts."""

import contextlib

import pytest
from hypothesis import given, strategies as st

from barcodesvc.errors import InvalidInput
from barcodesvc.labels.grid import Measures, grid_sheet, require_agreement
from barcodesvc.labels.sheets import SHEETS, PageSize, Sheet, named_sheet, page_size, simple_sheet
from tests.properties import examples
from tests.sweeps import sweep

A4 = page_size("A4")
LENGTHS = st.none() | st.floats(0, 300)
COUNTS = st.none() | st.integers(1, 100)
MEASURES = st.builds(Measures, st.none() | st.floats(1, 300), LENGTHS, st.none() | st.floats(1, 300), COUNTS)
PAGES = st.builds(PageSize, st.floats(10, 1200), st.floats(10, 1200))


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("A4", PageSize(210, 297)),
        (" letter ", PageSize(215.9, 279.4)),
        ("25.4X10MM", PageSize(25.4, 10)),
        ("1200x10mm", PageSize(1200, 10)),
    ],
)
def test_named_and_custom_pages_are_known(name: str, page: PageSize) -> None:
    """A page is named in any case, or given as width and height with or without decimals."""
    assert page_size(name) == page


@pytest.mark.parametrize(
    "name", ["", "A0", "100x50", "-1x50mm", "1e2x50mm", "\u0663\u0660x50mm", "x" * 999, "A4" + " " * 99]
)
def test_unknown_pages_are_refused_with_the_accepted_forms(name: str) -> None:
    """An unknown page is rejected, and the message lists the known ones."""
    with pytest.raises(InvalidInput, match=r"A3, A4, A5, A6, Letter, Legal or .* such as 100x50mm") as refusal:
        page_size(name)
    assert refusal.value.details["errors"][0]["field"] == "layout.page_size"
    assert len(refusal.value.details["errors"][0]["value"]) <= 40


@pytest.mark.parametrize("name", ["4.999x50mm", "50x4.9mm", "1200.1x50mm"])
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


@pytest.mark.parametrize("name", ["50x25mm", "10x10mm", "102x152mm"])
def test_a_roll_label_fills_its_page(name: str) -> None:
    """A page as narrow as a label printer's roll has no margin: one label is the whole page."""
    page = page_size(name)
    sheet = simple_sheet(page, 1, None if page.height < 25 else 1)
    assert (sheet.label_width, sheet.label_height) == (page.width, page.height)
    assert (sheet.left, sheet.top, sheet.rows) == (0, 0, 1)


@pytest.mark.parametrize(
    ("columns", "rows", "field"), [(28, 1, "row"), (0, 1, "row"), (1, 41, "column"), (1, 0, "column")]
)
def test_counts_that_do_not_fit_are_refused_with_those_that_do(columns: int, rows: int, field: str) -> None:
    """More labels than fit, or none, are rejected by name with the greatest count."""
    with pytest.raises(InvalidInput, match=f"layout.labels_per_{field}: must be 1 to (27|39) on this page"):
        simple_sheet(page_size("A4"), columns, rows)


@given(PAGES, st.integers(1, 50), st.none() | st.integers(1, 50))
def test_a_sheet_never_leaves_its_page(page: PageSize, columns: int, rows: int | None) -> None:
    """Whatever the page and the counts, the labels do not touch and stay on the page, or the sheet is rejected."""
    try:
        sheet = simple_sheet(page, columns, rows)
    except InvalidInput:
        return
    last = sheet.corners()[-1]
    assert last.left + sheet.label_width <= page.width - sheet.left + 1e-9
    assert last.top + sheet.label_height <= page.height - sheet.top + 1e-9
    assert min(sheet.label_width, sheet.label_height) >= 5 - 1e-9
    assert sheet.pitch_x > sheet.label_width
    assert sheet.pitch_y > sheet.label_height


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


@pytest.mark.parametrize("written", ["L7160", " l-7160", "l_7160"])
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


def _across(sheet: Sheet) -> Measures:
    return Measures(sheet.label_width, sheet.left, sheet.pitch_x, sheet.columns)


def _down(sheet: Sheet) -> Measures:
    return Measures(sheet.label_height, sheet.top, sheet.pitch_y, sheet.rows)


@sweep("name", SHEETS)
def test_a_sheet_that_is_given_whole_is_that_sheet(name: str) -> None:
    """Every length and count of a real sheet is consistent when typed in, and is kept unchanged."""
    sheet = SHEETS[name]
    assert grid_sheet(sheet.page, _across(sheet), _down(sheet)) == sheet


@pytest.mark.parametrize(
    ("across", "down", "columns", "rows"),
    [
        (Measures(70), Measures(37), (3, 70, 0, 70), (8, 37, 0.5, 37)),
        (Measures(margin=5, number=4), Measures(number=10), (4, 50, 5, 50), (10, 29.7, 0, 29.7)),
        (Measures(margin=10.5), Measures(), (3, 63, 10.5, 63), (11, 27, 0, 27)),
        (Measures(pitch=64, margin=9), Measures(50, 0, 55), (3, 64, 9, 64), (5, 50, 0, 55)),
    ],
    ids=["labels alone", "a count alone", "a margin alone", "a pitch alone"],
)
def test_what_is_missing_is_derived(
    across: Measures, down: Measures, columns: tuple[int, float, float, float], rows: tuple[int, float, float, float]
) -> None:
    """Labels touch, as many as fit, centred on the page; a count shares what the margins leave.

    Without a length or a count there are three in a row, and as many in a column as stay 25 mm high.
    """
    sheet = grid_sheet(A4, across, down)
    assert (sheet.columns, sheet.label_width, sheet.left, sheet.pitch_x) == columns
    assert (sheet.rows, sheet.label_height, sheet.top, sheet.pitch_y) == rows


@pytest.mark.parametrize(
    ("across", "field", "numbers"),
    [
        (
            Measures(80, 10, 80, 3),
            "labels_per_row",
            "3 labels of 80 mm at a pitch of 80 mm, from 10 mm on, reach 250 mm",
        ),
        (Measures(80, None, 90, 3), "labels_per_row", "reach 260 mm; the page is 210 mm wide"),
        (Measures(70, 0, 66), "pitch_x", "labels of 70 mm overlap at a pitch of 66 mm"),
        (
            Measures(margin=300),
            "margin_left",
            "3 labels inside margins of 300 mm on a page 210 mm wide would be -130 mm",
        ),
        (Measures(margin=100, number=4), "margin_left", "would be 2.5 mm; the smallest label is 5 mm"),
        (
            Measures(number=50),
            "labels_per_row",
            "50 labels inside margins of 0 mm on a page 210 mm wide would be 4.2 mm",
        ),
        (Measures(4), "label_width", "4 mm is too small; the smallest label is 5 mm"),
    ],
)
def test_what_does_not_close_is_refused_with_its_numbers(across: Measures, field: str, numbers: str) -> None:
    """The refusal names the length to change and the sum that is wrong."""
    with pytest.raises(InvalidInput, match=numbers) as refusal:
        grid_sheet(A4, across, Measures(50))
    assert [problem["field"] for problem in refusal.value.details["errors"]] == [f"layout.{field}"]


def test_problems_of_both_axes_are_reported_at_once() -> None:
    """A sheet that is inconsistent in both directions is rejected in both."""
    with pytest.raises(InvalidInput) as refusal:
        grid_sheet(A4, Measures(300), Measures(400))
    assert len(refusal.value.details["errors"]) == 2


@examples(500, derandomize=True)
@given(PAGES, MEASURES, MEASURES)
def test_whatever_closes_lies_on_its_page(page: PageSize, across: Measures, down: Measures) -> None:
    """Given lengths are kept, labels neither overlap nor leave the page, or the sheet is rejected."""
    with contextlib.suppress(InvalidInput):
        sheet = grid_sheet(page, across, down)
        assert sheet.left + (sheet.columns - 1) * sheet.pitch_x + sheet.label_width <= page.width + 0.02
        assert sheet.top + (sheet.rows - 1) * sheet.pitch_y + sheet.label_height <= page.height + 0.02
        assert min(sheet.pitch_x - sheet.label_width, sheet.pitch_y - sheet.label_height) >= -0.02
        assert min(sheet.label_width, sheet.label_height) >= 5
        assert across.label in (None, sheet.label_width)
        assert across.pitch in (None, sheet.pitch_x)
        assert across.number in (None, sheet.columns)


def test_lengths_next_to_a_named_sheet_have_to_be_its_own() -> None:
    """Lengths that agree within the rounding of tables are accepted; all others are rejected with both numbers."""
    sheet = named_sheet("L7160")
    require_agreement("L7160", sheet, sheet.page, _across(sheet), Measures(label=38.11))
    with pytest.raises(InvalidInput) as refusal:
        require_agreement("L7160", sheet, page_size("A5"), Measures(number=4), Measures(pitch=40))
    problems = {problem["field"]: problem["message"] for problem in refusal.value.details["errors"]}
    assert problems == {
        "layout.labels_per_row": "sheet L7160 has 3, not 4; leave one of them out",
        "layout.pitch_y": "sheet L7160 has 38.1, not 40; leave one of them out",
        "layout.page_size": "sheet L7160 is 210 x 297 mm; leave one of them out",
    }
