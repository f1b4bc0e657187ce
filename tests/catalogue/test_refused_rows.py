"""The workbook of the rows that an import refuses."""

import csv
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from barcodesvc.catalogue.importing import CatalogueFile
from barcodesvc.catalogue.refused_rows import write_refused_rows
from barcodesvc.catalogue.table import Selection
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store.database import Database
from barcodesvc.store.staging import SKIP, Entry
from tests.catalogue.imported import NOW, codes, counts, imported, importer, workbook

ROWS = (("A-1", "x", "Pens", 1), ("A-1", "again", "Pens", 1), (None, "no code", "", 7), ("A-2", "y", "", "ten"))


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
        [*importing_header(), "import error"],
        ["A-1", "again", "Pens", "1", "", "", "product_code: 'A-1' is already in row 2"],
        ["", "no code", "", "7", "", "", "product_code: required"],
    ]
    sheet["A2"], sheet["A3"], sheet["D4"] = "B-1", "B-2", 10
    book.save(corrected)
    assert counts(await imported(database, threads, corrected)) == (3, 0, 0, 0)
    assert await codes(database) == ["A-1", "B-1", "B-2", "A-2"]


def importing_header() -> list[str]:
    """Return the fields of the columns that are read."""
    return ["product_code", "description", "category", "current_level", "minimum_level", "maximum_level"]


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
