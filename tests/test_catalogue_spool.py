from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from openpyxl import Workbook

from barcodesvc.catalogue_spool import MOST_ERRORS, DrawnBatch, FirstErrors, RowError, draw, next_batch
from barcodesvc.catalogue_table import Selection
from barcodesvc.errors import InvalidFileFormat


def drawn(path: Path, told: list[int]) -> list[DrawnBatch]:
    """Draw a workbook into a spool beside it, and return the batches of the spool."""
    spool = path.with_suffix(".spool")
    assert draw(told.append, path, Selection(), spool).header_row == 1
    batches = []
    with spool.open("rb") as file:
        while (batch := next_batch(file)) is not None:
            batches.append(batch)
    return batches


def workbook(folder: Path, rows: Sequence[tuple[Any, ...]]) -> Path:
    """Write a workbook with a header and these rows, and return its path."""
    book = Workbook()
    for row in [("SKU", "Name", "Qty"), *rows]:
        book.worksheets[0].append(row)
    book.save(folder / "made.xlsx")
    return folder / "made.xlsx"


def test_every_row_is_in_one_batch_with_its_search_keys(tmp_path: Path) -> None:
    """Rows come in order and ready for the database; how many were read is told on the way."""
    told: list[int] = []
    batches = drawn(workbook(tmp_path, [(f"{96385074 + number}", "Été", 3) for number in range(1100)]), told)
    assert told == [500, 1000, 1100]
    rows = [row for batch in batches for row in batch.rows]
    assert [row.number for row in rows] == list(range(2, 1102))
    assert (rows[0].product.description_folded, rows[0].product.gtin) == ("été", "00000096385074")
    assert rows[0].filled == {"product_code", "description", "initial_level"}


def test_errors_beyond_the_first_thousand_are_only_counted(tmp_path: Path) -> None:
    """The spool of a file that is wrong throughout stays small."""
    batches = drawn(workbook(tmp_path, [(None, "x")] * 2600), [])
    assert sum(len(batch.errors) for batch in batches) == MOST_ERRORS
    assert sum(batch.errors_beyond for batch in batches) == 1600
    assert [error.row for batch in batches for error in batch.errors] == list(range(2, 1002))


def test_a_repeat_names_its_first_row_whether_that_is_valid_or_not(tmp_path: Path) -> None:
    """Of two rows with one code the second is the error, in another batch too."""
    rows = [("A", None), *((f"P{number}", "x") for number in range(600)), ("A", "x")]
    [first, second] = drawn(workbook(tmp_path, rows), [])
    assert [error.row for error in first.errors] == [2]
    assert [(error.row, error.error) for error in second.errors] == [(603, "product_code: 'A' is already in row 2")]


def test_what_is_no_workbook_is_refused(tmp_path: Path) -> None:
    """The refusal of the reader comes out."""
    (tmp_path / "made.xlsx").write_bytes(b"no workbook")
    with pytest.raises(InvalidFileFormat):
        drawn(tmp_path / "made.xlsx", [])


def test_an_empty_spool_has_no_batch() -> None:
    """Its end is no error."""
    assert next_batch(BytesIO()) is None


@given(st.lists(st.integers(1, 5000), unique=True, max_size=40), st.integers(1, 20))
def test_the_errors_of_the_lowest_rows_are_kept(rows: list[int], most: int) -> None:
    """In whatever order they come, the first ones by row are kept, in order, and all are counted."""
    errors = FirstErrors(most)
    errors.add_all([RowError(row, "x") for row in rows], beyond=7)
    assert [error.row for error in errors.in_order()] == sorted(rows)[:most]
    assert errors.count == len(rows) + 7
