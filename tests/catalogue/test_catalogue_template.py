import tempfile
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import load_workbook

from barcodesvc.catalogue.export_tables import EXAMPLE, catalogue_template
from barcodesvc.errors import ExportFailure
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import inventory
from barcodesvc.store.database import Database
from barcodesvc.store.staging import SKIP
from tests.catalogue.imported import imported


async def test_the_template_imports_its_example(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """Unchanged, it is a catalogue of one product: the example row, in every field."""
    path = tmp_path / "template.xlsx"
    path.write_bytes(catalogue_template())
    result = await imported(database, threads, path, SKIP)
    assert (result.imported, result.skipped, result.errors) == (1, 0, [])
    async with database.snapshot() as connection:
        assert [rows async for rows in inventory.exported_products(connection)] == [[(*EXAMPLE, "{}")]]


def test_codes_typed_into_the_template_keep_their_zeros() -> None:
    """The whole column of codes is formatted as text, and its example has leading zeros."""
    sheet = load_workbook(BytesIO(catalogue_template()))["Products"]
    assert sheet.column_dimensions["A"].number_format == sheet["A2"].number_format == "@"
    assert (sheet["A1"].value, sheet["A2"].value, sheet["A2"].data_type) == ("product_code", EXAMPLE[0], "s")
    assert (sheet.freeze_panes, sheet["A1"].font.b) == ("A2", True)


def test_the_template_tells_the_rule_of_every_column() -> None:
    """The sheet Help has a line for each column of Products, in order, one on attributes, and one on the example."""
    book = load_workbook(BytesIO(catalogue_template()))
    columns = [cell.value for cell in book["Products"][1]]
    message = list(book["Help"].iter_rows(min_row=2, values_only=True))
    assert [row[0] for row in message if row[0]] == [*columns, "attr:price"]
    assert all(rule for _, rule in message)
    assert "example" in str(message[-1][1])


def test_the_template_is_the_same_each_time() -> None:
    """The file does not contain the time of its creation."""
    assert catalogue_template.__wrapped__() == catalogue_template()


def test_a_template_that_cannot_be_written_is_an_export_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full or missing disk is a readable error."""
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with pytest.raises(ExportFailure, match="free disk space"):
        catalogue_template.__wrapped__()
