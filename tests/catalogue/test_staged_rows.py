"""The rows of a workbook staged for a database, and the workbook of those that are refused."""

import csv
import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, strategies as st

from barcodesvc.catalogue import staged_table
from barcodesvc.catalogue.importing import CatalogueFile
from barcodesvc.catalogue.refused_rows import write_refused_rows
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
from barcodesvc.errors import DatabaseFailure
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store.database import Database
from barcodesvc.store.sqlite.staging import staging_file
from barcodesvc.store.staging import SKIP, Entry
from tests.catalogue.imported import HEADER as FIELDS, NOW, codes, counts, imported, importer, workbook

HEADER = ("SKU", "Name", "Qty")
ROWS = (("A-1", "x", "Pens", 1), ("A-1", "again", "Pens", 1), (None, "no code", "", 7), ("A-2", "y", "", "ten"))


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


def test_every_row_is_in_the_staged_file_with_its_search_keys(tmp_path: Path) -> None:
    """Rows come in order and ready for the database; progress reports how many were read."""
    message: list[Progress] = []
    path = workbook(tmp_path, *((f"{96385074 + number}", "Été", 3) for number in range(1100)), header=HEADER)
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
    path = workbook(tmp_path, ("A", "x", 0, "Nuts"), ("B", "x", None, " "), header=("SKU", "Name", "Min", "Category"))
    staged(path, [])
    fields = ("category", "unit_of_measure", "initial_level", "minimum_level", "maximum_level")
    assert [[row[name] for name in fields] for row in rows_of(path)] == [
        ["Nuts", None, None, 0, None],
        [None, None, None, None, None],
    ]


def test_errors_beyond_the_first_thousand_are_only_counted(tmp_path: Path) -> None:
    """The report on a file that is wrong throughout stays small."""
    path = workbook(tmp_path, *[(None, "x")] * 2600, header=HEADER)
    message: list[Progress] = []
    table = staged(path, message)
    assert (table.rows, rows_of(path), table.refused.count) == (0, [], 2600)
    assert message[:2] == [(500, 500), (1000, 1000)]
    assert [error.row for error in table.refused.first] == list(range(2, MOST_ERRORS + 2))


def test_a_repeat_names_its_first_row_whether_that_is_valid_or_not(tmp_path: Path) -> None:
    """If two rows have one code, the second is the error, however far below."""
    rows = [("A", None), *((f"P{number}", "x") for number in range(600)), ("A", "x")]
    table = staged(workbook(tmp_path, *rows, header=HEADER), [])
    assert [(error.row, error.error) for error in table.refused.first] == [
        (2, "description: required"),
        (603, "product_code: 'A' is already in row 2"),
    ]
    assert [problem.first_row for error in table.refused.first for problem in error.problems] == [None, 2]
    assert table.rows == 600


@pytest.mark.parametrize("first", ["x", None])
def test_a_repeat_in_a_row_of_the_same_number_is_reported(tmp_path: Path, first: str | None) -> None:
    """Damaged files have two rows with one number; a repeated code is an error there too."""
    path = workbook(tmp_path, ("A", first), ("A", "x"), ("B", "x"), header=HEADER)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part.replace(b'r="3"', b'r="2"') if "sheet1" in name else part)
    table = staged(path, [])
    assert (table.rows, table.refused.first[-1].error) == (
        2 if first else 1,
        "product_code: 'A' is already in row 2",
    )


def test_a_staged_file_that_cannot_be_written_is_a_database_failure(tmp_path: Path) -> None:
    """A missing folder is a failure, without its path."""
    path = workbook(tmp_path, ("A", "x"), header=HEADER)
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


@pytest.mark.parametrize("result", [None, [], {}, {"found": {}, "rows": 1, "errors": [], "errors_count": 0}, "x"])
def test_what_is_no_table_is_refused(result: object) -> None:
    """A process that a file has taken over cannot return anything else."""
    with pytest.raises(ValueError, match="validation error"):
        table_from_json(result)
    with pytest.raises(ValueError, match="validation error"):
        progress_from_json(result)


def read(content: Path) -> list[list[Any]]:
    """Return the cells of a workbook's rows."""
    return [list(row) for row in openpyxl.load_workbook(content).worksheets[0].iter_rows(values_only=True)]


async def test_refused_rows_are_imported_when_they_are_corrected(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """Their workbook says what is wrong, in a column that the import ignores."""
    path = workbook(tmp_path, *ROWS)
    assert counts(await imported(database, threads, path)) == (1, 0, 0, 3)
    corrected = tmp_path / "refused.xlsx"
    corrected.write_bytes(await importer(database, threads).refused_rows(CatalogueFile(path, SKIP, Entry(NOW))))
    book = openpyxl.load_workbook(corrected)
    sheet = book.worksheets[0]
    rows = [[cell or "" for cell in row] for row in read(corrected)]
    assert rows.pop()[:4] == ["A-2", "y", "", "ten"]
    assert rows == [
        [*FIELDS, "import error"],
        ["A-1", "again", "Pens", "1", "", "", "product_code: 'A-1' is already in row 2"],
        ["", "no code", "", "7", "", "", "product_code: required"],
    ]
    sheet["A2"], sheet["A3"], sheet["D4"] = "B-1", "B-2", 10
    book.save(corrected)
    assert counts(await imported(database, threads, corrected)) == (3, 0, 0, 0)
    assert await codes(database) == ["A-1", "B-1", "B-2", "A-2"]


async def test_rows_of_a_program_are_complete_and_not_completed_again(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """A variant has the description of its product, once; attributes have the headers of our own lists."""
    path = tmp_path / "shopify.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [
                ("Handle", "Title", "Option1 Value", "Variant SKU", "Variant Inventory Qty", "Variant Price"),
                ("tee", "T-shirt", "S", "TEE-S", "3", "19.90"),
                ("tee", "", "M", "TEE-M", "-2", "19.90"),
            ]
        )
    selected = CatalogueFile(path, SKIP, Entry(NOW), Selection(file_format="csv"))
    content = await importer(database, threads).refused_rows(selected)
    (tmp_path / "refused.xlsx").write_bytes(content)
    header, row = read(tmp_path / "refused.xlsx")
    filled = dict(zip(header, row, strict=True))
    assert (filled["product_code"], filled["description"], filled["attr:price"]) == ("TEE-M", "T-shirt M", "19.90")
    filled["current_level"] = "0"
    path = workbook(tmp_path, tuple(filled.values()), header=tuple(filled))
    assert counts(await imported(database, threads, path)) == (1, 0, 0, 0)


def test_the_workbook_of_refused_rows_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some characters no further row is written: a small file can have many."""
    monkeypatch.setattr("barcodesvc.catalogue.refused_rows.MOST_CHARACTERS", 60)
    path, target = workbook(tmp_path, *ROWS), tmp_path / "refused.xlsx"
    written: list[int] = []
    write_refused_rows(written.append, path, Selection(), {3: "a" * 20, 4: "b" * 40, 5: "c"}, target)
    assert (written, len(read(target))) == ([2], 3)
