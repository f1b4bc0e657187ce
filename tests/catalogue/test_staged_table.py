import json
import sqlite3
import zipfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from barcodesvc.catalogue import staged_table
from barcodesvc.catalogue.rows import WrongRow
from barcodesvc.catalogue.staged_table import (
    MOST_ERRORS,
    FirstErrors,
    Progress,
    StagedTable,
    progress_from_json,
    stage_table,
    table_from_json,
)
from barcodesvc.catalogue.table import Selection
from barcodesvc.errors import DatabaseFailure, InvalidFileFormat
from barcodesvc.store.sqlite.staging import staging_file
from tests.workbooks import xlsx


def staged(path: Path, reported: list[Progress]) -> StagedTable:
    """Stage a workbook in a file next to it, and return the result."""
    crossed = stage_table(reported.append, path, Selection(), path.with_suffix(".staged"), staging_file)
    table = table_from_json(json.loads(json.dumps(crossed)))
    assert table.found.header_row == 1
    return table


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows that were staged from a workbook."""
    with closing(sqlite3.connect(path.with_suffix(".staged"))) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute("SELECT * FROM staged_rows ORDER BY position")]


def workbook(folder: Path, rows: Sequence[tuple[Any, ...]], header: tuple[str, ...] = ("SKU", "Name", "Qty")) -> Path:
    """Write a workbook with a header and these rows, and return its path."""
    (folder / "made.xlsx").write_bytes(xlsx([header, *rows]))
    return folder / "made.xlsx"


def renumber(path: Path, found: bytes, instead: bytes) -> None:
    """Replace some bytes of the sheet of a workbook."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    assert found in parts[sheet]
    parts[sheet] = parts[sheet].replace(found, instead)
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)


def test_every_row_is_in_the_staged_file_with_its_search_keys(tmp_path: Path) -> None:
    """Rows come in order and ready for the database; progress reports how many were read."""
    message: list[Progress] = []
    path = workbook(tmp_path, [(f"{96385074 + number}", "Été", 3) for number in range(1100)])
    assert (staged(path, message).rows, message) == (1100, [(500, 0), (1000, 0), (1100, 0)])
    rows = rows_of(path)
    assert [row["position"] for row in rows] == list(range(1, 1101))
    assert [row["number"] for row in rows] == list(range(2, 1102))
    assert (rows[0]["description_folded"], rows[0]["number_key"], rows[0]["initial_level"]) == (
        "ete",
        "00000096385074",
        3,
    )


def test_a_blank_cell_is_nothing_in_the_staged_file(tmp_path: Path) -> None:
    """A blank cell differs from a zero and from a default."""
    path = workbook(tmp_path, [("A", "x", 0, "Nuts"), ("B", "x", None, " ")], ("SKU", "Name", "Min", "Category"))
    staged(path, [])
    fields = ("category", "unit_of_measure", "initial_level", "minimum_level", "maximum_level")
    assert [[row[name] for name in fields] for row in rows_of(path)] == [
        ["Nuts", None, None, 0, None],
        [None, None, None, None, None],
    ]


def test_errors_beyond_the_first_thousand_are_only_counted(tmp_path: Path) -> None:
    """The report on a file that is wrong throughout stays small."""
    path = workbook(tmp_path, [(None, "x")] * 2600)
    message: list[Progress] = []
    table = staged(path, message)
    assert (table.rows, rows_of(path), table.refused.count) == (0, [], 2600)
    assert message[:2] == [(500, 500), (1000, 1000)]
    assert [error.row for error in table.refused.first] == list(range(2, MOST_ERRORS + 2))


def test_a_repeat_names_its_first_row_whether_that_is_valid_or_not(tmp_path: Path) -> None:
    """If two rows have one code, the second is the error, however far below."""
    rows = [("A", None), *((f"P{number}", "x") for number in range(600)), ("A", "x")]
    table = staged(workbook(tmp_path, rows), [])
    assert [(error.row, error.error) for error in table.refused.first] == [
        (2, "description: required"),
        (603, "product_code: 'A' is already in row 2"),
    ]
    assert [problem.first_row for error in table.refused.first for problem in error.problems] == [None, 2]
    assert table.rows == 600


@pytest.mark.parametrize("first", ["x", None])
def test_a_repeat_in_a_row_of_the_same_number_is_reported(tmp_path: Path, first: str | None) -> None:
    """Damaged files have two rows with one number; a repeated code is an error there too."""
    path = workbook(tmp_path, [("A", first), ("A", "x"), ("B", "x")])
    renumber(path, b'r="3"', b'r="2"')
    table = staged(path, [])
    assert (table.rows, table.refused.first[-1].error) == (
        2 if first else 1,
        "product_code: 'A' is already in row 2",
    )


def test_what_is_no_workbook_is_refused(tmp_path: Path) -> None:
    """The reader's refusal is passed on."""
    (tmp_path / "made.xlsx").write_bytes(b"no workbook")
    with pytest.raises(InvalidFileFormat):
        staged(tmp_path / "made.xlsx", [])


def test_a_staged_file_that_cannot_be_written_is_a_database_failure(tmp_path: Path) -> None:
    """A missing folder is a failure, without its path."""
    path = workbook(tmp_path, [("A", "x")])
    with pytest.raises(DatabaseFailure, match="could not be stored"):
        stage_table(lambda _: None, path, Selection(), tmp_path / "gone" / "staged", staging_file)


@given(st.lists(st.integers(1, 5000), unique=True, max_size=40), st.integers(1, 20))
def test_the_errors_of_the_lowest_rows_are_kept(rows: list[int], most: int) -> None:
    """Whatever their order, the first ones by row are kept, in order, and all are counted."""
    errors = FirstErrors()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(staged_table, "MOST_ERRORS", most)
        for row in rows:
            errors.add(WrongRow.of(row, ()))
    assert [error.row for error in errors.first] == sorted(rows)[:most]
    assert errors.count == len(rows)


def test_the_progress_of_a_process_crosses_unharmed() -> None:
    """It is the same after its way as JSON."""
    assert progress_from_json(json.loads(json.dumps(Progress(1101, 1100)))) == Progress(1101, 1100)


@pytest.mark.parametrize("result", [None, [], {}, {"found": {}, "rows": 1, "errors": [], "errors_count": 0}, "x"])
def test_what_is_no_table_is_refused(result: object) -> None:
    """A process that a file has taken over cannot return anything else."""
    with pytest.raises(ValueError, match="validation error"):
        table_from_json(result)
    with pytest.raises(ValueError, match="validation error"):
        progress_from_json(result)
