from __future__ import annotations

import asyncio
import csv
import sqlite3
import tempfile
import threading
import zipfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st
from openpyxl import Workbook, load_workbook

from barcodesvc.catalogue import importing, staged_table
from barcodesvc.catalogue.importing import (
    ExistingRule,
    ImportResult,
    ReadOptions,
    import_catalogue,
    skip_existing,
    try_import,
    update_existing,
)
from barcodesvc.catalogue.rows import CatalogueTable, open_catalogue
from barcodesvc.catalogue.staged_table import StagedTable
from barcodesvc.catalogue.table import Selection
from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure, InvalidFileFormat, InvalidInput
from barcodesvc.models import Level, LevelUpdate, ProductDraft
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import inventory, staging
from barcodesvc.store.database import Database
from barcodesvc.store.products import create_product, delete_product, get_product_by_code, list_products
from barcodesvc.store.sqlite.database import open_database

NOW = "2026-01-31T12:00:00.000Z"
LATER = "2026-02-01T12:00:00.000Z"
HEADER = ("product_code", "description", "category", "current_level", "minimum_level", "maximum_level")
NO_CODE = [*range(63, 69), 71, 72, 78, 82, 84, 85, 87, *range(95, 111), *range(355, 409), 412]
FRACTIONS = [91, 93, 411, 415]


def workbook(folder: Path, *rows: tuple[Any, ...], header: tuple[Any, ...] = HEADER) -> Path:
    """Write a workbook with a header and these rows, and return its path."""
    book = Workbook()
    for row in (header, *rows):
        book.worksheets[0].append(row)
    book.save(folder / "made.xlsx")
    return folder / "made.xlsx"


async def imported(
    database: Database, threads: WorkerThreads, path: Path, existing: ExistingRule = skip_existing
) -> ImportResult:
    """Import a workbook."""
    return await import_catalogue(database, threads, path, existing, NOW)


async def codes(database: Database) -> list[str]:
    """Return the codes of all products, in the order of their ids."""
    page = await list_products(database, limit=5000, offset=0, search=None, category=None)
    return [product.product_code for product in page.products]


async def levels(database: Database) -> dict[str, Level]:
    """Return every inventory record by product code."""
    return {level.product_code: level async for batch in inventory.levels(database) for level in batch}


def counts(result: ImportResult) -> tuple[int, int, int, int]:
    """Return how many rows are in each class: imported, updated, skipped, errors."""
    return result.imported, result.updated, result.skipped, result.errors_count


def lines(result: ImportResult) -> list[tuple[int, str]]:
    """Return the rows with errors and the message of each."""
    return [(error.row, error.error) for error in result.errors]


@pytest.mark.parametrize("name", ["catalogue.xlsx", "catalogue.xls"])
async def test_the_real_catalogue_is_imported(
    database: Database, threads: WorkerThreads, catalogue_data: Path, name: str
) -> None:
    """Rows without a code and with a fraction are errors, all others products; a second time all are skipped."""
    first = await imported(database, threads, catalogue_data / name)
    assert counts(first) == (326, 0, 0, 88)
    assert [error.row for error in first.errors] == sorted(NO_CODE + FRACTIONS)
    assert [error.row for error in first.errors if error.error == "product_code: required"] == NO_CODE
    assert [error.row for error in first.errors if "is not a whole number from 0" in error.error] == FRACTIONS
    second = await imported(database, threads, catalogue_data / name)
    assert counts(second) == (0, 0, 326, 88)
    assert second.errors == first.errors


async def test_what_was_imported_is_indexed_behind_the_answer(
    database: Database,
    threads: WorkerThreads,
    settings: Settings,
    tmp_path: Path,
    until: Callable[[Callable[[], bool]], Awaitable[None]],
) -> None:
    """The index takes the new products in without being asked, and nobody waits for it."""

    def indexed() -> int:
        with closing(sqlite3.connect(settings.database)) as connection:
            return int(connection.execute("SELECT upto FROM indexed_products").fetchone()[0])

    await imported(database, threads, workbook(tmp_path, *((f"A-{number}", "x") for number in range(7))))
    await until(lambda: indexed() == 7)


async def test_both_formats_of_the_real_catalogue_are_the_same(
    database: Database, threads: WorkerThreads, catalogue_data: Path, tmp_path: Path
) -> None:
    """Codes, texts and levels do not depend on the file format."""
    await imported(database, threads, catalogue_data / "catalogue.xlsx")
    async with open_database(tmp_path / "other.db") as other:
        await imported(other, threads, catalogue_data / "catalogue.xls")
        assert await levels(other) == await levels(database)
        assert max(level.current_level for level in (await levels(other)).values()) == 19_625
    assert (await get_product_by_code(database, "widget.red.01")).category.count("/") > 0


async def test_levels_of_the_real_catalogue_are_those_of_the_file(
    database: Database, threads: WorkerThreads, catalogue_data: Path
) -> None:
    """Every product has the level and the minimum of its row, as another reader sees it; blank ones are 0."""
    await imported(database, threads, catalogue_data / "catalogue.xlsx")
    rows = load_workbook(catalogue_data / "catalogue.xlsx").worksheets[0].iter_rows(min_row=2, values_only=True)
    expected = {row[0]: (row[4] or 0, row[5] or 0) for row in rows if row[0] and isinstance(row[4] or 0, int)}
    stored = {code: (level.current_level, level.minimum_level) for code, level in (await levels(database)).items()}
    assert stored == expected


async def test_imported_levels_begin_their_histories(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """A level over 0 has its first history entry, a blank one is 0 and has none."""
    await imported(database, threads, workbook(tmp_path, ("A-1", "x", "", 5), ("A-2", "x")))
    histories = [
        await inventory.history(database, level.product_id, limit=5, from_time=None, to_time=None)
        for level in (await levels(database)).values()
    ]
    assert [[(change.old_level, change.new_level) for change in history] for history in histories] == [[(0, 5)], []]


async def test_the_codes_of_real_groceries_are_kept(
    database: Database, threads: WorkerThreads, catalogue_data: Path
) -> None:
    """Every code is stored as a person sees its cell, however the workbook stores it."""
    result = await imported(database, threads, catalogue_data / "groceries.xlsx")
    assert counts(result) == (1848, 0, 0, 152)
    assert {error.error for error in result.errors} == {"description: required"}
    with (catalogue_data / "groceries.csv").open(encoding="utf-8", newline="") as file:
        expected = [row["xlsx_code"] for row in csv.DictReader(file) if row["name"].strip()]
    assert await codes(database) == expected


async def test_rows_fall_into_their_classes(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """New rows are imported, known codes skipped, wrong rows and repeats reported with their numbers."""
    await imported(database, threads, workbook(tmp_path, ("old", "x")))
    rows = [
        ("new", "x"),
        ("old", "y"),
        (),
        (None, "x"),
        ("new", "again"),
        ("old", "again"),
        ("bad", "#N/A"),
        ("bad", "x"),
    ]
    result = await imported(database, threads, workbook(tmp_path, *rows))
    assert (result.imported, result.skipped) == (1, 1)
    assert lines(result) == [
        (5, "product_code: required"),
        (6, "product_code: 'new' is already in row 2"),
        (7, "product_code: 'old' is already in row 3"),
        (8, "description: holds the error #N/A: correct it in the spreadsheet"),
        (9, "product_code: 'bad' is already in row 8"),
    ]
    assert (await get_product_by_code(database, "old")).description == "x"


async def test_a_repeat_is_seen_over_batches(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """The first row of a code is remembered to the end of the file; other letters are another code."""
    rows = [("first", "x"), *((f"P{number}", "x") for number in range(1200)), ("first", "x"), ("FIRST", "x")]
    result = await imported(database, threads, workbook(tmp_path, *rows))
    assert result.imported == 1202
    assert lines(result) == [(1203, "product_code: 'first' is already in row 2")]


@pytest.mark.parametrize("existing", [skip_existing, update_existing])
async def test_a_dry_run_reports_and_writes_nothing(
    database: Database, threads: WorkerThreads, catalogue_data: Path, existing: ExistingRule
) -> None:
    """What it says is what the import then does, on an empty catalogue and on a full one."""
    for _ in range(2):
        before = await levels(database)
        tried = await try_import(database, threads, catalogue_data / "catalogue.xlsx", existing)
        assert await levels(database) == before
        assert await imported(database, threads, catalogue_data / "catalogue.xlsx", existing) == tried


async def test_an_update_changes_what_a_row_fills_in(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """Blank cells change nothing, and neither does the level, which belongs to the inventory."""
    await imported(database, threads, workbook(tmp_path, ("A-1", "old", "Bolts", 5, 1, 9), ("A-2", "old", "", 6)))
    path = workbook(tmp_path, ("A-1", "new", None, 7, 2, None), ("A-3", "new", "Nuts", 8))
    result = await import_catalogue(database, threads, path, update_existing, LATER)
    assert counts(result) == (1, 1, 0, 0)
    product, stock = await get_product_by_code(database, "A-1"), await levels(database)
    assert (product.description, product.category, product.updated_at) == ("new", "Bolts", LATER)
    assert (stock["A-1"].current_level, stock["A-1"].minimum_level, stock["A-1"].maximum_level) == (5, 2, 9)
    assert (stock["A-2"].current_level, stock["A-3"].current_level) == (6, 8)
    assert (await get_product_by_code(database, "A-2")).updated_at == NOW


async def test_an_update_that_contradicts_the_stored_levels_is_a_row_error(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """A minimum above the stored maximum is reported by row; the other rows are updated."""
    await imported(database, threads, workbook(tmp_path, ("A-1", "x", "", 0, 1, 9), ("A-2", "x", "", 0, 1, 9)))
    path = workbook(tmp_path, ("A-1", "y", "", None, 10), (None, "y"), ("A-2", "y", "", None, 8))
    result = await imported(database, threads, path, update_existing)
    assert (result.updated, lines(result)) == (
        1,
        [
            (2, "minimum_level: maximum_level 9 is below minimum_level 10; 0 means that none is set"),
            (3, "product_code: required"),
        ],
    )
    assert (await get_product_by_code(database, "A-1")).description == "x"


async def test_the_cell_that_contradicts_is_named(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """Where a row gives a maximum, the contradiction names its cell, with what stands in it."""
    await imported(database, threads, workbook(tmp_path, ("A-1", "x", "", 0, 5, 9)))
    result = await imported(database, threads, workbook(tmp_path, ("A-1", "y", "", None, None, 4)), update_existing)
    [error] = result.errors
    assert error.error == "maximum_level: maximum_level 4 is below minimum_level 5; 0 means that none is set"
    assert [(cell.column, cell.value, cell.rule) for cell in error.problems] == [("maximum_level", "4", "order")]


async def test_an_update_undoes_no_booking(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """A file exported last week leaves today's level and its history as they are."""
    path = workbook(tmp_path, ("A-1", "x", "", 5))
    await imported(database, threads, path)
    product = await get_product_by_code(database, "A-1")
    await inventory.set_level(database, product.id, LevelUpdate(new_level=2), NOW)
    await imported(database, threads, path, update_existing)
    assert (await levels(database))["A-1"].current_level == 2
    assert len(await inventory.history(database, product.id, limit=9, from_time=None, to_time=None)) == 2


@pytest.mark.parametrize("existing", [skip_existing, update_existing])
async def test_a_database_failure_imports_nothing(
    database: Database, settings: Settings, threads: WorkerThreads, tmp_path: Path, existing: ExistingRule
) -> None:
    """A failure far into the file takes back everything before it, and the next import goes through."""
    await imported(database, threads, workbook(tmp_path, ("P0", "old")))
    with closing(sqlite3.connect(settings.database)) as other:
        other.execute(
            "CREATE TRIGGER fail BEFORE INSERT ON products WHEN NEW.product_code = 'P2100' "
            "BEGIN SELECT RAISE(ABORT, 'disk on fire'); END"
        )
    path = workbook(tmp_path, *((f"P{number}", "x", "", 1) for number in range(staging.CHUNK + 200)))
    with pytest.raises(DatabaseFailure):
        await imported(database, threads, path, existing)
    assert (await codes(database), list(await levels(database))) == (["P0"], ["P0"])
    assert (await get_product_by_code(database, "P0")).description == "old"
    assert (await imported(database, threads, workbook(tmp_path, ("A-1", "x")))).imported == 1


async def test_a_file_that_breaks_half_way_imports_nothing(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """A workbook cut inside its rows is refused after a first batch was written, and nothing of that stays."""
    whole = workbook(tmp_path, *((f"P{number}", "x") for number in range(1200)))
    broken = tmp_path / "broken.xlsx"
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(broken, "w") as target:
        for name in source.namelist():
            part = source.read(name)
            target.writestr(name, part[: len(part) * 3 // 4] if "sheet1" in name else part)
    with pytest.raises(InvalidFileFormat):
        await imported(database, threads, broken)
    assert await codes(database) == []


async def test_a_workbook_without_header_imports_nothing(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """Columns that nobody recognises are a refusal, in a dry run too."""
    path = workbook(tmp_path, ("A-1", "x"), header=("this", "that"))
    with pytest.raises(InvalidInput, match="no sheet has a header row"):
        await imported(database, threads, path)
    with pytest.raises(InvalidInput, match="no sheet has a header row"):
        await try_import(database, threads, path, skip_existing)


async def test_imports_at_once_do_not_mix(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """Of two imports of one file, one brings every product and the other skips them all."""
    path = workbook(tmp_path, *((f"P{number}", "x") for number in range(600)))
    results = await asyncio.gather(*(imported(database, threads, path) for _ in range(2)))
    assert sorted(counts(result) for result in results) == [(0, 0, 600, 0), (600, 0, 0, 0)]


async def test_a_change_does_not_wait_for_a_file_that_is_being_read(
    database: Database, threads: WorkerThreads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer is free until the last row is read; then the import is written as a whole."""
    reading, going_on = threading.Event(), threading.Event()

    @contextmanager
    def held_up(path: Path, selection: Selection) -> Iterator[CatalogueTable]:
        with open_catalogue(path, selection) as table:
            yield table
            reading.set()
            going_on.wait(10)

    monkeypatch.setattr(staged_table, "open_catalogue", held_up)
    under_way = asyncio.create_task(imported(database, threads, workbook(tmp_path, ("A", "one"))))
    await asyncio.to_thread(reading.wait, 10)
    await create_product(database, ProductDraft(product_code="B", description="beside"), NOW)
    assert await codes(database) == ["B"]
    going_on.set()
    assert counts(await under_way) == (1, 0, 0, 0)
    assert await codes(database) == ["B", "A"]


async def test_the_catalogue_counts_as_it_is_when_the_rows_are_written(
    database: Database, threads: WorkerThreads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A product made while the file was read is skipped, and one deleted meanwhile is made anew."""
    staged, going_on = threading.Event(), threading.Event()
    real_staging = staged_table.stage_table

    def held_up(*arguments: Any) -> StagedTable:
        table = real_staging(*arguments)
        staged.set()
        going_on.wait(10)
        return table

    gone = await create_product(database, ProductDraft(product_code="gone", description="old"), NOW)
    monkeypatch.setattr(importing, "stage_table", held_up)
    path = workbook(tmp_path, ("made", "new"), ("gone", "new"))
    under_way = asyncio.create_task(imported(database, threads, path))
    await asyncio.to_thread(staged.wait, 10)
    await create_product(database, ProductDraft(product_code="made", description="beside"), NOW)
    await delete_product(database, gone.id)
    going_on.set()
    assert counts(await under_way) == (1, 0, 1, 0)
    assert (await get_product_by_code(database, "made")).description == "beside"


async def test_the_counts_grow_chunk_by_chunk(
    database: Database, threads: WorkerThreads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows are read before the first is written; then come counts after every chunk (made smaller here)."""
    monkeypatch.setattr(staging, "CHUNK", 3)
    reported: list[tuple[int, int]] = []
    reading = ReadOptions(report=lambda result: reported.append((result.rows_read, result.imported)))
    path = workbook(tmp_path, *((f"P{number}", "x") for number in range(7)))
    await import_catalogue(database, threads, path, skip_existing, NOW, reading)
    assert reported == [(7, 0), (7, 3), (7, 6), (7, 7)]


@pytest.mark.parametrize("chunk", [3, staging.CHUNK])
async def test_a_preview_passes_over_rows_with_errors(
    database: Database, threads: WorkerThreads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    """It goes on, chunk by chunk (made smaller here), to the first ten rows that are valid beside the catalogue."""
    monkeypatch.setattr(staging, "CHUNK", chunk)
    known = [("A-1", "x", "", 0, 1, 9), ("A-2", "x", "", 0, 1, 9)]
    await imported(database, threads, workbook(tmp_path, *known, *((f"B-{number}", "x") for number in range(12))))
    wrong = [("A-1", "y", "", None, 10), ("A-2", "y", "", None, 10)]
    rows = [row for number in range(12) for row in [(f"N-{number}", "y"), (f"B-{number}", "y")]]
    result = await try_import(database, threads, workbook(tmp_path, *wrong, *rows), update_existing)
    assert [row.row for row in result.preview] == list(range(4, 14))
    assert [row.outcome for row in result.preview] == ["imported", "updated"] * 5
    assert counts(result) == (12, 12, 0, 2)


async def test_no_import_leaves_its_file_attached(
    database: Database, threads: WorkerThreads, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither an import nor a dry run has anything to complain of."""
    for _ in range(2):
        await try_import(database, threads, workbook(tmp_path, ("A-1", "x")), update_existing)
        await imported(database, threads, workbook(tmp_path, ("A-1", "x")), update_existing)
    assert caplog.records == []


async def test_a_cancelled_dry_run_waits_for_its_thread(
    database: Database, threads: WorkerThreads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is closed after the thread let go of it (the rows are held up in between, as no real file can be)."""
    reading, gate, closed = threading.Event(), threading.Event(), threading.Event()

    @contextmanager
    def held_up(path: Path, selection: Selection) -> Iterator[CatalogueTable]:
        reading.set()
        gate.wait(10)
        with open_catalogue(path, selection) as table:
            yield table
        closed.set()

    monkeypatch.setattr(staged_table, "open_catalogue", held_up)
    dry_run = asyncio.create_task(try_import(database, threads, workbook(tmp_path), skip_existing))
    await asyncio.to_thread(reading.wait, 10)
    dry_run.cancel()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not closed.is_set()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await dry_run
    assert closed.is_set()


async def test_a_disk_that_takes_no_file_fails_the_import(
    database: Database, threads: WorkerThreads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where not even an empty file can be made, the message says what to do, and nothing is written."""
    path = workbook(tmp_path, ("A", "text"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(DatabaseFailure, match="free disk space and try again"):
        await imported(database, threads, path, skip_existing)
    assert await codes(database) == []


CELLS = st.sampled_from(["A", "B", "a", "é", " A", "", " ", None, 7, 7.5, True, "#N/A", "x" * 65])
TEXTS = st.sampled_from(["text", "two\nlines", "", None, "#REF!", "tab\tinside", 5])
NUMBERS = st.sampled_from([0, 1, 5, -1, 2.5, "3", "many", None, "", 2**53])
ROWS = st.lists(st.tuples(CELLS, TEXTS, TEXTS, NUMBERS, NUMBERS, NUMBERS), max_size=12)


@hypothesis_settings(max_examples=40, deadline=None)
@given(
    before=ROWS,
    rows=ROWS,
    existing=st.sampled_from([skip_existing, update_existing]),
    chunk=st.sampled_from([1, 2, 3, staging.CHUNK]),
)
def test_classes_add_up_whatever_the_rows(before: Any, rows: Any, existing: ExistingRule, chunk: int) -> None:
    """Every row that is not blank is in exactly one class, dry or not, and importing again brings nothing new."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(staging, "CHUNK", chunk)
        asyncio.run(import_twice(Path(folder), before, rows, existing))


async def import_twice(folder: Path, before: list[Any], rows: list[Any], existing: ExistingRule) -> None:
    """Import rows into a catalogue that has others, dry, then really, then again."""
    blank = [row for row in rows if not any(cell is not None and str(cell).strip() for cell in row)]
    threads = WorkerThreads("files", 1)
    async with open_database(folder / "test.db") as database:
        await imported(database, threads, workbook(folder, *before))
        path = workbook(folder, *rows)
        tried = await try_import(database, threads, path, existing)
        result = await imported(database, threads, path, existing)
        again = await imported(database, threads, path, skip_existing)
        stored = await codes(database)
    await threads.close()
    assert tried == result
    assert sum(counts(result)) == sum(counts(again)) == len(rows) - len(blank)
    assert again.imported == 0
    assert len({error.row for error in result.errors}) == len(result.errors)
    assert len(stored) == len(set(stored)) >= result.imported
