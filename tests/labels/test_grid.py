import contextlib

import pytest
from hypothesis import given, strategies as st

from barcodesvc.errors import InvalidInput
from barcodesvc.labels.grid import Measures, grid_sheet, require_agreement
from barcodesvc.labels.sheets import SHEETS, PageSize, Sheet, named_sheet, page_size
from tests.properties import examples
from tests.sweeps import sweep

A4 = page_size("A4")
LENGTHS = st.none() | st.floats(0, 300)
COUNTS = st.none() | st.integers(1, 100)
MEASURES = st.builds(Measures, st.none() | st.floats(1, 300), LENGTHS, st.none() | st.floats(1, 300), COUNTS)


def _across(sheet: Sheet) -> Measures:
    return Measures(sheet.label_width, sheet.left, sheet.pitch_x, sheet.columns)


def _down(sheet: Sheet) -> Measures:
    return Measures(sheet.label_height, sheet.top, sheet.pitch_y, sheet.rows)


@sweep("name", SHEETS)
def test_a_sheet_that_is_given_whole_is_that_sheet(name: str) -> None:
    """Every length and count of a real sheet is consistent when typed in, and is kept unchanged."""
    sheet = SHEETS[name]
    assert grid_sheet(sheet.page, _across(sheet), _down(sheet)) == sheet


def test_what_is_missing_is_derived() -> None:
    """Labels of 70 x 37 mm touch, as many as fit, centred on the page."""
    sheet = grid_sheet(A4, Measures(70), Measures(37))
    assert (sheet.columns, sheet.rows, sheet.pitch_x, sheet.pitch_y) == (3, 8, 70, 37)
    assert (sheet.left, sheet.top) == (0, 0.5)


def test_a_count_alone_shares_the_page() -> None:
    """Without lengths, labels divide the space inside the margins."""
    sheet = grid_sheet(A4, Measures(margin=5, number=4), Measures(number=10))
    assert (sheet.label_width, sheet.left, sheet.pitch_x) == (50, 5, 50)
    assert (sheet.label_height, sheet.top) == (29.7, 0)


def test_a_margin_alone_leaves_the_usual_labels() -> None:
    """There are three labels in a row, and as many in a column as stay 25 mm high, between equal margins."""
    sheet = grid_sheet(A4, Measures(margin=10.5), Measures())
    assert (sheet.columns, sheet.left, sheet.label_width) == (3, 10.5, 63)
    assert (sheet.rows, sheet.top, sheet.label_height) == (11, 0, 27)


def test_a_pitch_alone_makes_labels_that_touch() -> None:
    """The label is as long as the pitch, repeated from the margin as often as it fits."""
    sheet = grid_sheet(A4, Measures(pitch=64, margin=9), Measures(label=50, pitch=55, margin=0))
    assert (sheet.label_width, sheet.columns, sheet.left) == (64, 3, 9)
    assert (sheet.label_height, sheet.pitch_y, sheet.rows) == (50, 55, 5)


@pytest.mark.parametrize(
    ("across", "field", "numbers"),
    [
        (
            Measures(80, 10, 80, 3),
            "labels_per_row",
            "3 labels of 80 mm at a pitch of 80 mm, from 10 mm on, reach 250 mm",
        ),
        (Measures(80, None, 90, 3), "labels_per_row", "reach 260 mm; the page is 210 mm wide"),
        (Measures(300), "labels_per_row", "1 labels of 300 mm"),
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
@given(st.builds(PageSize, st.floats(10, 1200), st.floats(10, 1200)), MEASURES, MEASURES)
def test_whatever_closes_lies_on_its_page(page: PageSize, across: Measures, down: Measures) -> None:
    """Given lengths are kept, labels neither overlap nor leave the page, or the sheet is rejected."""
    with contextlib.suppress(InvalidInput):
        sheet = grid_sheet(page, across, down)
        assert sheet.left + (sheet.columns - 1) * sheet.pitch_x + sheet.label_width <= page.width + 0.02
        assert sheet.top + (sheet.rows - 1) * sheet.pitch_y + sheet.label_height <= page.height + 0.02
        assert min(sheet.pitch_x - sheet.label_width, sheet.pitch_y - sheet.label_height) >= -0.02
        assert min(sheet.label_width, sheet.label_height) >= 5
        for given_, own in zip((across.label, across.pitch, across.number), _across_given(sheet), strict=True):
            assert given_ in (None, own)


def _across_given(sheet: Sheet) -> tuple[float, float, int]:
    return sheet.label_width, sheet.pitch_x, sheet.columns


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
