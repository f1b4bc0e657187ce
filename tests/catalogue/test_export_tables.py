"""What exports and the template contain, and that an import gives it back."""

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, strategies as st
from openpyxl import load_workbook

from barcodesvc.catalogue.export_tables import (
    EXAMPLE,
    catalogue_table,
    catalogue_template,
    history_table,
    level_table,
    levels_with_history_table,
)
from barcodesvc.catalogue.importing import CatalogueFile
from barcodesvc.catalogue.table import Selection
from barcodesvc.errors import ExportFailure
from barcodesvc.models import MAX_LEVEL, LevelUpdate, ProductDraft
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.spreadsheets.read import FileFormat
from barcodesvc.store import inventory
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.staging import SKIP, Entry
from barcodesvc.texts import shows_nothing
from tests.catalogue.exported import NOW, TEXTS, content, csv_export, csv_rows, exporter, sheets, stock, xlsx_export
from tests.catalogue.imported import alone, importer
from tests.engines import Places
from tests.properties import examples
from tests.stock import insert_all, set_level

LEVEL_COLUMNS = ["id", "product_id", "product_code", "description", "current_level", "minimum_level", "maximum_level"]
LEVEL_COLUMNS += ["last_updated", "updated_by", "category", "unit_of_measure"]
CHANGE_COLUMNS = ["change_id", "old_level", "new_level", "change_reason", "change_updated_by", "change_updated_at"]
HISTORY_SHEET = ["product_id", "id", "product_code", "old_level", "new_level", "change_reason"]
HISTORY_SHEET += ["updated_by", "updated_at"]
TRICKY = [*TEXTS, "'", "''=1", "'x'", '"x"', '"', "\ufffe", "\uffff", "a\ufffeb"]
TRICKY += ["_x000D_", "_xFFFF_x", "_x005F_x0041_"]
TRICKY += ["a\u200b", "\ufeffa", "👩‍🔬", "a  b", "TRUE", "2026-01-31", "1/2", "SKU", "product_code", "]]>", "<b>&amp;"]
TRICKY += ["x" * 64, ";',\"=1", "a|=b;c", "sep=;"]


async def test_a_csv_is_utf_8_with_bom_and_rfc_4180(database: Database, threads: WorkerThreads) -> None:
    """One BOM, CRLF after every line, quotes doubled where a field needs them."""
    await stock(database, "A-1", description='ü "x", y', category="Bolts", minimum_level=1, maximum_level=9)
    exported = await content(csv_export(exporter(database, threads), level_table))
    assert exported.decode("utf-8") == (
        "\ufeff"
        + ",".join(f'"{name}"' for name in LEVEL_COLUMNS)
        + f'\r\n1,1,"A-1","ü ""x"", y",5,1,9,"{NOW}","system","Bolts","pcs"\r\n'
    )


async def test_a_csv_with_history_repeats_each_level(database: Database, threads: WorkerThreads) -> None:
    """One row per change, with its columns after the level's; a level without changes has them empty."""
    await stock(database, "A-1")
    await stock(database, "A-2", initial_level=0)
    update = LevelUpdate(new_level=7, change_reason="count", updated_by="Ann")
    await set_level(database, 1, update, NOW)
    header, *rows = csv_rows(await content(csv_export(exporter(database, threads), levels_with_history_table)))
    assert header == LEVEL_COLUMNS + CHANGE_COLUMNS
    assert [row[2:5:2] + row[11:] for row in rows] == [
        ["A-1", "7", "1", "0", "5", "initial level", "system", NOW],
        ["A-1", "7", "2", "5", "7", "count", "Ann", NOW],
        ["A-2", "0", "", "", "", "", "", ""],
    ]


async def test_a_workbook_has_the_levels(database: Database, threads: WorkerThreads) -> None:
    """One sheet, its header, numbers as numbers, texts as texts and timestamps as dates."""
    noon = datetime.fromisoformat(NOW).replace(tzinfo=None)
    await stock(database, "0042", minimum_level=1, category="Bolts")
    exported = sheets(await content(xlsx_export(exporter(database, threads), level_table)))
    assert exported == {
        "Inventory": [
            tuple(LEVEL_COLUMNS),
            (1, 1, "0042", "The 0042", 5, 1, 0, noon, "system", "Bolts", "pcs"),
        ]
    }


async def test_a_workbook_with_history_has_a_sheet_for_it(database: Database, threads: WorkerThreads) -> None:
    """Every change is on the second sheet, in the order of products and changes."""
    await stock(database, "A-1", "A-2")
    await set_level(database, 1, LevelUpdate(new_level=7), NOW)
    exported = sheets(await content(xlsx_export(exporter(database, threads), level_table, history_table)))
    assert list(exported) == ["Inventory", "History"]
    assert exported["History"][0] == tuple(HISTORY_SHEET)
    assert [row[:5] for row in exported["History"][1:]] == [
        (1, 1, "A-1", 0, 5),
        (1, 3, "A-1", 5, 7),
        (2, 2, "A-2", 0, 5),
    ]


async def test_an_empty_catalogue_is_a_header(database: Database, threads: WorkerThreads) -> None:
    """Without products, every table has its header and nothing else."""
    assert csv_rows(await content(csv_export(exporter(database, threads), level_table))) == [LEVEL_COLUMNS]
    assert csv_rows(await content(csv_export(exporter(database, threads), levels_with_history_table))) == [
        LEVEL_COLUMNS + CHANGE_COLUMNS
    ]
    exported = sheets(await content(xlsx_export(exporter(database, threads), level_table, history_table)))
    assert exported == {"Inventory": [tuple(LEVEL_COLUMNS)], "History": [tuple(HISTORY_SHEET)]}


async def test_an_export_of_levels_can_be_imported(database: Database, threads: WorkerThreads, places: Places) -> None:
    """As one of the catalogue: its other columns and the sheet of the history are ignored."""
    await stock(database, *TEXTS[:8], minimum_level=1, maximum_level=9)
    file = await content(xlsx_export(exporter(database, threads), level_table, history_table))
    assert await imported(places, threads, file, None) == await products(database)


@pytest.mark.each_engine
async def test_the_columns_are_those_of_the_queries(database: Database) -> None:
    """Every header has as many names as the rows below it have values; rows of low stock are marked, and no changes."""
    await stock(database, "A-1")
    low = ("current_level", "minimum_level")
    tables = {level_table: low, levels_with_history_table: low, catalogue_table: low, history_table: None}
    async with database.snapshot() as snapshot:
        for opened, marked in tables.items():
            table = await opened(snapshot)
            assert table.design.marked == marked
            async for [row] in table.batches:
                assert len(row) == len(table.design.header) == len(set(table.design.header))


async def test_an_export_has_a_column_for_each_attribute_in_use(database: Database, threads: WorkerThreads) -> None:
    """The columns are in the order of their names."""
    await stock(database, "A-1", attributes={"price": "2.99", "brand": "x"})
    await stock(database, "A-2", attributes={"shelf": "B 4"})
    header, *rows = csv_rows(await content(csv_export(exporter(database, threads), catalogue_table)))
    assert header[6:] == ["maximum_level", "other_codes", "attr:brand", "attr:price", "attr:shelf"]
    assert [row[8:] for row in rows] == [["x", "2.99", ""], ["", "", "B 4"]]


def text(longest: int, least: int = 0) -> st.SearchStrategy[str]:
    """Draw texts as people may send them, often difficult ones."""
    any_text = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=least, max_size=longest)
    like_xml = st.text("_x0F5D'=<&\uffff", min_size=least, max_size=min(longest, 12))
    return st.sampled_from(TRICKY) | any_text | like_xml


CODE = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=64).filter(
    lambda code: code == code.strip(" ")
) | st.sampled_from([text for text in TRICKY if text.isascii()])
LEVELS = st.integers(0, MAX_LEVEL) | st.integers(0, 9)


@st.composite
def drafts(draw: st.DrawFn) -> ProductDraft:
    """Draw a product that the service accepts."""
    minimum = draw(LEVELS)
    return ProductDraft(
        product_code=draw(CODE),
        description=draw(text(500, least=1).filter(_has_words)),
        category=draw(text(64)),
        unit_of_measure=draw(text(64)),
        initial_level=draw(LEVELS),
        minimum_level=minimum,
        maximum_level=draw(st.just(0) | st.integers(minimum, MAX_LEVEL)),
        attributes=draw(st.dictionaries(st.sampled_from(["price", "brand_2"]), text(200, least=1).filter(_has_words))),
    )


def _has_words(description: str) -> bool:
    return not shows_nothing(description)


CATALOGUES = st.lists(drafts(), max_size=6, unique_by=lambda draft: draft.product_code)


@asynccontextmanager
async def fresh_database(places: Places) -> AsyncIterator[tuple[Database, Path]]:
    """Open an empty database in a new folder; yield the folder too."""
    with TemporaryDirectory() as folder, places.one() as place:
        async with open_database(place) as database:
            yield database, Path(folder)


async def products(database: Database) -> list[tuple[Any, ...]]:
    """Return every product as it is exported."""
    async with database.snapshot() as connection:
        return [row async for batch in inventory.exported_products(connection) for row in batch]


async def exported(
    places: Places, threads: WorkerThreads, stored: Sequence[ProductDraft], file_format: FileFormat | None
) -> tuple[bytes, list[tuple[Any, ...]]]:
    """Export a catalogue of these products; return the file, and what is stored."""
    async with fresh_database(places) as (database, _):
        await database.change(lambda: insert_all(stored, NOW))
        if file_format == "csv":
            return await content(csv_export(exporter(database, threads), catalogue_table)), await products(database)
        return await content(xlsx_export(exporter(database, threads), catalogue_table)), await products(database)


async def imported(
    places: Places, threads: WorkerThreads, file: bytes, file_format: FileFormat | None
) -> list[tuple[Any, ...]]:
    """Import a file into an empty database and return what is stored then."""
    async with fresh_database(places) as (database, folder):
        path = folder / "products"
        path.write_bytes(file)
        exported = CatalogueFile(path, SKIP, Entry(NOW), Selection(file_format=file_format))
        result = await importer(database, threads).run(exported, alone)
        assert (result.skipped, result.errors) == (0, [])
        return await products(database)


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example([ProductDraft(product_code="SKU", description="Name", category="Category", unit_of_measure="")])
@example([ProductDraft(product_code="product_code", description="description")])
@example([ProductDraft(product_code=f"P{n}", description=t, attributes={"a": t}) for n, t in enumerate(TRICKY)])
@example([ProductDraft(product_code=code, description=code) for code in ("4006381333931.0", "1.0")])
@example([ProductDraft(product_code=code, description=code) for code in ('="007"', "7")])
@given(CATALOGUES)
@pytest.mark.parametrize("file_format", [None, "csv"])
async def test_an_export_builds_the_same_catalogue_elsewhere(
    places: Places, threads: WorkerThreads, file_format: FileFormat | None, stored: list[ProductDraft]
) -> None:
    """Every field of every stored product comes back unchanged, levels included."""
    file, before = await exported(places, threads, stored, file_format)
    assert len(before) == len(stored)
    assert await imported(places, threads, file, file_format) == before


async def test_the_template_imports_its_example(places: Places, threads: WorkerThreads) -> None:
    """Unchanged, it is a catalogue of one product: the example row, in every field."""
    assert await imported(places, threads, catalogue_template(), None) == [(*EXAMPLE[:-1], "[]", "{}")]


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


def test_a_template_that_cannot_be_written_is_an_export_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full or missing disk is a readable error."""
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with pytest.raises(ExportFailure, match="free disk space"):
        catalogue_template.__wrapped__()
