from __future__ import annotations

import asyncio
import csv
import shutil
import tempfile
import threading
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from barcodesvc import inventory_export
from barcodesvc.catalogue_import import import_catalogue, skip_existing
from barcodesvc.errors import DatabaseFailure, ExportFailure, ExportOverload
from barcodesvc.inventory_export import HISTORY, INVENTORY, INVENTORY_WITH_HISTORY, csv_export, xlsx_export
from barcodesvc.models import LevelUpdate, ProductDraft
from barcodesvc.store import database as database_module, inventory
from barcodesvc.store.database import Connection, Database, Row, open_database
from barcodesvc.store.products import insert_products, list_products
from barcodesvc.store.queries import QUERIES

NOW = "2026-01-31T12:00:00.000Z"
TEXTS = ["=1+1", "+49 30", "-5", "@home", "'=quoted", "''x", "#N/A", "1e5", "0042", 'say "hi", ok', "ü €", "_x0041_"]
LEVEL = ["id", "product_id", "product_code", "description", "current_level", "minimum_level", "maximum_level"]
LEVEL += ["last_updated", "updated_by", "category", "unit_of_measure"]
CHANGE = ["change_id", "old_level", "new_level", "change_reason", "change_updated_by", "change_updated_at"]
HISTORY_SHEET = [
    "product_id",
    "id",
    "product_code",
    "old_level",
    "new_level",
    "change_reason",
    "updated_by",
    "updated_at",
]


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    """Return a pool that writes files."""
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which temporary files are made during the test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def names(folder: Path) -> list[str]:
    """Return the names of the files in a folder."""
    return [path.name for path in folder.iterdir()]


async def stock(database: Database, *codes: str, **fields: Any) -> None:
    """Insert products of these codes with a level of 5."""
    drafts = [
        ProductDraft(**{"product_code": c, "description": f"The {c}", "initial_level": 5, **fields}) for c in codes
    ]
    await database.write(lambda connection: insert_products(connection, drafts, NOW))


async def content(chunks: AsyncGenerator[bytes]) -> bytes:
    """Return a whole export."""
    return b"".join([chunk async for chunk in chunks])


def csv_rows(exported: bytes) -> list[list[str]]:
    """Read a CSV export, header and rows."""
    return list(csv.reader(StringIO(exported.decode("utf-8-sig"), newline=""), strict=True))


def sheets(exported: bytes) -> dict[str, list[tuple[Any, ...]]]:
    """Read a workbook: the rows of each sheet by its name."""
    book = load_workbook(BytesIO(exported))
    return {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book.worksheets}


async def test_a_csv_is_utf_8_with_bom_and_rfc_4180(database: Database, threads: ThreadPoolExecutor) -> None:
    """One BOM, CRLF after every line, quotes doubled where a field needs them."""
    await stock(database, "A-1", description='ü "x", y', category="Bolts", minimum_level=1, maximum_level=9)
    exported = await content(csv_export(database, threads, INVENTORY))
    assert exported.decode("utf-8") == (
        "\ufeff" + ",".join(LEVEL) + f'\r\n1,1,A-1,"ü ""x"", y",5,1,9,{NOW},system,Bolts,pcs\r\n'
    )


async def test_a_csv_with_history_repeats_each_level(database: Database, threads: ThreadPoolExecutor) -> None:
    """One row a change with its columns behind the level's; a level without changes has them empty."""
    await stock(database, "A-1")
    await stock(database, "A-2", initial_level=0)
    update = LevelUpdate(new_level=7, change_reason="count", updated_by="Ann")
    await inventory.set_level(database, 1, update, NOW)
    header, *rows = csv_rows(await content(csv_export(database, threads, INVENTORY_WITH_HISTORY)))
    assert header == LEVEL + CHANGE
    assert [row[2:5:2] + row[11:] for row in rows] == [
        ["A-1", "7", "1", "0", "5", "initial level", "system", NOW],
        ["A-1", "7", "2", "5", "7", "count", "Ann", NOW],
        ["A-2", "0", "", "", "", "", "", ""],
    ]


async def test_a_workbook_has_the_levels(database: Database, threads: ThreadPoolExecutor) -> None:
    """One sheet, its header, numbers as numbers and texts as texts."""
    await stock(database, "0042", minimum_level=1, category="Bolts")
    exported = sheets(await content(xlsx_export(database, threads, (INVENTORY,))))
    assert exported == {"Inventory": [tuple(LEVEL), (1, 1, "0042", "The 0042", 5, 1, 0, NOW, "system", "Bolts", "pcs")]}


async def test_a_workbook_with_history_has_a_sheet_for_it(database: Database, threads: ThreadPoolExecutor) -> None:
    """Every change stands on the second sheet, in the order of products and changes."""
    await stock(database, "A-1", "A-2")
    await inventory.set_level(database, 1, LevelUpdate(new_level=7), NOW)
    exported = sheets(await content(xlsx_export(database, threads, (INVENTORY, HISTORY))))
    assert list(exported) == ["Inventory", "History"]
    assert exported["History"][0] == tuple(HISTORY_SHEET)
    assert [row[:5] for row in exported["History"][1:]] == [
        (1, 1, "A-1", 0, 5),
        (1, 3, "A-1", 5, 7),
        (2, 2, "A-2", 0, 5),
    ]


async def test_an_empty_catalogue_is_a_header(database: Database, threads: ThreadPoolExecutor) -> None:
    """Without products, every table has its header and nothing else."""
    assert csv_rows(await content(csv_export(database, threads, INVENTORY))) == [LEVEL]
    assert csv_rows(await content(csv_export(database, threads, INVENTORY_WITH_HISTORY))) == [LEVEL + CHANGE]
    exported = sheets(await content(xlsx_export(database, threads, (INVENTORY, HISTORY))))
    assert exported == {"Inventory": [tuple(LEVEL)], "History": [tuple(HISTORY_SHEET)]}


async def test_texts_like_formulas_are_shown_not_run(database: Database, threads: ThreadPoolExecutor) -> None:
    """In CSV an apostrophe disarms them; in a workbook they are text cells, never formulas."""
    for number, text in enumerate(TEXTS):
        await stock(database, f"P{number}", description=text, category=text[:64])
    rows = csv_rows(await content(csv_export(database, threads, INVENTORY)))[1:]
    guarded = ["'=1+1", "'+49 30", "'-5", "'@home", "''=quoted"]
    assert [row[3] for row in rows] == [row[9] for row in rows] == guarded + TEXTS[len(guarded) :]
    book = load_workbook(BytesIO(await content(xlsx_export(database, threads, (INVENTORY,)))))
    assert {cell.data_type for row in book.worksheets[0].iter_rows(min_col=3, max_col=4) for cell in row} == {"s"}


async def test_an_exported_workbook_is_imported_unharmed(
    database: Database, threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    """Codes, texts and levels come back as they were, formulas, zeros and apostrophes included."""
    for number, text in enumerate(TEXTS):
        code = text if text.isascii() else f"P{number}"
        await stock(database, code, description=text, category=text, minimum_level=1, maximum_level=9)
    path = tmp_path / "export.xlsx"
    path.write_bytes(await content(xlsx_export(database, threads, (INVENTORY, HISTORY))))
    async with open_database(tmp_path / "other.db") as other:
        result = await import_catalogue(other, threads, path, skip_existing, NOW)
        assert (result.imported, result.errors) == (len(TEXTS), [])
        whole = {"limit": 100, "offset": 0, "search": None, "category": None}
        assert await list_products(other, **whole) == await list_products(database, **whole)  # type: ignore[arg-type]  # one dict for both calls
        assert [row async for row in inventory.levels(other)] == [row async for row in inventory.levels(database)]


async def test_an_export_of_many_batches_has_every_row(
    database: Database, threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of rows is right in every format, whatever the batches and chunks."""
    monkeypatch.setattr(inventory, "BATCH", 7)
    monkeypatch.setattr(inventory_export, "_CHUNK", 100)
    codes = [f"P{number}" for number in range(50)]
    await stock(database, *codes)
    for table in (INVENTORY, INVENTORY_WITH_HISTORY):
        rows = csv_rows(await content(csv_export(database, threads, table)))
        assert [row[2] for row in rows[1:]] == codes
    exported = sheets(await content(xlsx_export(database, threads, (INVENTORY, HISTORY))))
    assert [[row[2] for row in rows[1:]] for rows in exported.values()] == [codes, codes]


async def test_an_export_shows_one_moment(
    database: Database, threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Levels that change between two batches, and between two sheets, are not in it: levels and history agree."""
    monkeypatch.setattr(inventory, "BATCH", 5)
    await stock(database, *(f"P{number}" for number in range(20)))

    async def busy_shop() -> None:
        for level in range(100):
            await inventory.set_level(database, level % 20 + 1, LevelUpdate(new_level=level), NOW)

    selling = asyncio.create_task(busy_shop())
    for _ in range(3):
        exported = sheets(await content(xlsx_export(database, threads, (INVENTORY, HISTORY))))
        newest = {row[0]: row[4] for row in exported["History"][1:]}
        assert {row[1]: row[4] for row in exported["Inventory"][1:]} == newest
    await selling


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_temporary_files_are_gone_afterwards(
    database: Database, threads: ThreadPoolExecutor, temporary: Path, form: str
) -> None:
    """Whether an export is read to its end or dropped after a first chunk, no file stays."""
    await stock(database, *(f"P{number}" for number in range(30)))
    await content(export(database, threads, form))
    assert names(temporary) == []
    async with aclosing(export(database, threads, form)) as chunks:
        assert await anext(chunks)
        assert names(temporary) != []
    assert names(temporary) == []


def export(database: Database, threads: ThreadPoolExecutor, form: str) -> AsyncGenerator[bytes]:
    """Return an export with history in this format."""
    if form == "csv":
        return csv_export(database, threads, INVENTORY_WITH_HISTORY)
    return xlsx_export(database, threads, (INVENTORY, HISTORY))


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_a_slow_client_holds_no_snapshot(
    database: Database, threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """However many clients stop reading, the next export has its place, since the database is already read."""
    monkeypatch.setattr(database_module, "SNAPSHOT_WAIT", 0.01)
    await stock(database, "A-1")
    stalled = [export(database, threads, form) for _ in range(database_module.SNAPSHOTS + 1)]
    for chunks in stalled:
        assert await anext(chunks)
    for chunks in stalled:
        await chunks.aclose()


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_an_export_without_a_place_is_refused(
    threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch, temporary: Path, form: str
) -> None:
    """The refusal comes before the first chunk, and leaves no file."""
    monkeypatch.setattr(database_module, "SNAPSHOTS", 0)
    monkeypatch.setattr(database_module, "SNAPSHOT_WAIT", 0.01)
    async with open_database(temporary.parent / "full.db") as full:
        with pytest.raises(ExportOverload):
            await anext(export(full, threads, form))
    assert names(temporary) == []


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_a_database_failure_half_way_is_told_before_the_first_chunk(
    database: Database, threads: ThreadPoolExecutor, temporary: Path, form: str
) -> None:
    """No client takes half a file for a whole one (a snapshot that breaks between two batches cannot be provoked)."""

    async def breaking(source: Connection) -> AsyncGenerator[list[Row]]:
        yield await source.rows(QUERIES["export_levels"], after=0, limit=5)
        raise DatabaseFailure("broken")

    broken = inventory_export.ExportSheet("Inventory", tuple(LEVEL), breaking)
    await stock(database, "A-1", "A-2")
    chunks = csv_export(database, threads, broken) if form == "csv" else xlsx_export(database, threads, (broken,))
    with pytest.raises(DatabaseFailure):
        await anext(chunks)
    assert names(temporary) == []


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_a_disk_that_takes_no_file_is_an_export_failure(
    database: Database, threads: ThreadPoolExecutor, temporary: Path, form: str
) -> None:
    """A full or missing disk is told in words, not as an exception of the system."""
    shutil.rmtree(temporary)
    with pytest.raises(ExportFailure, match="free disk space and try again"):
        await anext(export(database, threads, form))


async def test_a_cancelled_export_waits_for_its_thread(
    database: Database, threads: ThreadPoolExecutor, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are removed after the thread let go of them (writing is held up in between, as no real row can do)."""
    writing, gate = threading.Event(), threading.Event()

    def held_up(_: object, __: object) -> None:
        writing.set()
        gate.wait(10)
        assert names(temporary) != []

    monkeypatch.setattr(inventory_export, "_append_csv", held_up)
    await stock(database, "A-1")
    chunks = export(database, threads, "csv")
    reading = asyncio.create_task(anext(chunks))
    await asyncio.to_thread(writing.wait, 10)
    reading.cancel()
    for _ in range(10):
        await asyncio.sleep(0)
    assert names(temporary) != []
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert names(temporary) == []


async def test_the_columns_are_those_of_the_queries(database: Database) -> None:
    """Every header has as many names as the rows below it have values."""
    await stock(database, "A-1")
    async with database.snapshot() as connection:
        for sheet in (INVENTORY, HISTORY, INVENTORY_WITH_HISTORY):
            async for [row] in sheet.read(connection):
                assert len(row) == len(sheet.header) == len(set(sheet.header))
