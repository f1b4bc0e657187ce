"""Imports of whole files: what becomes of each row, a dry run, the ids that they give, and real catalogues."""

import asyncio
import csv
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st
from openpyxl import load_workbook

from barcodesvc.catalogue import importing
from barcodesvc.models import ProductDraft
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import staging
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.movements import MovementFilter, list_movements
from barcodesvc.store.staging import RECEIPT, SKIP, UPDATE, Mode
from tests.catalogue.imported import Imports, codes, counts, imported, levels
from tests.engines import Place, Places
from tests.properties import examples
from tests.stock import create_product

BEFORE = "2026-01-31T11:00:00.000Z"
CELLS = st.sampled_from(["A", "B", "a", "é", " A", "", " ", None, 7, 7.5, True, "#N/A", "x" * 65])
TEXTS = st.sampled_from(["text", "two\nlines", "", None, "#REF!", "tab\tinside", 5])
NUMBERS = st.sampled_from([0, 1, 5, -1, 2.5, "3", "many", None, "", 2**53])
ROWS = st.lists(st.tuples(CELLS, TEXTS, TEXTS, NUMBERS, NUMBERS, NUMBERS), max_size=12)
NO_CODE = [*range(63, 69), 71, 72, 78, 82, 84, 85, 87, *range(95, 111), *range(355, 409), 412]
FRACTIONS = [91, 93, 411, 415]
"""Rows of the real catalogue."""


async def test_imported_products_are_indexed_after_the_response(
    imports: Imports, database_file: Path, until: Callable[[Callable[[], bool]], Awaitable[None]]
) -> None:
    """The index adds the new products by itself, without delaying the import."""

    def indexed() -> int:
        with closing(sqlite3.connect(database_file)) as connection:
            return int(connection.execute("SELECT upto FROM indexed_products").fetchone()[0])

    await imports.run(*((f"A-{number}", "x") for number in range(7)))
    await until(lambda: indexed() == 7)


@pytest.mark.parametrize("chunk", [3, staging.CHUNK])
async def test_a_preview_passes_over_rows_with_errors(
    imports: Imports, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    """It continues, chunk by chunk, to its number of valid rows (both made smaller here)."""
    monkeypatch.setattr(staging, "CHUNK", chunk)
    monkeypatch.setattr(importing, "PREVIEWED", 10)
    known = [("A-1", "x", "", 0, 1, 9), ("A-2", "x", "", 0, 1, 9)]
    await imports.run(*known, *((f"B-{number}", "x") for number in range(12)))
    wrong = [("A-1", "y", "", None, 10), ("A-2", "y", "", None, 10)]
    rows = [row for number in range(12) for row in [(f"N-{number}", "y"), (f"B-{number}", "y")]]
    result = await imports.try_out(*wrong, *rows, mode=UPDATE)
    assert [row.row for row in result.preview] == list(range(4, 14))
    assert [row.outcome for row in result.preview] == ["imported", "updated"] * 5
    assert counts(result) == (12, 12, 0, 2)


@pytest.mark.each_engine
@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=ROWS,
    rows=ROWS,
    mode=st.sampled_from([SKIP, UPDATE]),
    chunk=st.sampled_from([1, 2, 3, staging.CHUNK]),
)
def test_classes_add_up_whatever_the_rows(places: Places, before: Any, rows: Any, mode: Mode, chunk: int) -> None:
    """Every row that is not blank is in exactly one class, dry or not, and importing again adds nothing."""
    with tempfile.TemporaryDirectory() as folder, places.one() as place, pytest.MonkeyPatch.context() as patched:
        patched.setattr(staging, "CHUNK", chunk)
        asyncio.run(import_twice(place, Path(folder), before, rows, mode))


async def import_twice(place: Place, folder: Path, before: list[Any], rows: list[Any], mode: Mode) -> None:
    """Import rows into a catalogue that has others, as a dry run, then really, then again."""
    blank = [row for row in rows if not any(cell is not None and str(cell).strip() for cell in row)]
    threads = WorkerThreads("files", 1)
    async with open_database(place) as database:
        imports = Imports(database, threads, folder)
        await imports.run(*before)
        known = await codes(database)
        tried = await imports.try_out(*rows, mode=mode)
        assert await codes(database) == known
        result = await imports.run(*rows, mode=mode)
        again = await imports.run(*rows)
        stored = await codes(database)
    await threads.close()
    assert tried == result
    assert sum(counts(result)) == sum(counts(again)) == len(rows) - len(blank)
    assert again.imported == 0
    assert len({error.row for error in result.errors}) == len(result.errors)
    assert len(stored) == len(set(stored)) == len(known) + result.imported


async def moved(database: Database, import_id: int, **wanted: Any) -> list[tuple[str, int]]:
    """Return the code and the new level of the movements of an import."""
    listed = await list_movements(database, MovementFilter(import_id=import_id, limit=wanted.pop("limit", 9), **wanted))
    assert {made.import_id for made in listed} <= {import_id}
    return [(made.product_code, made.new_level) for made in listed]


@pytest.mark.each_engine
async def test_the_movements_of_an_import_are_listed_alone(imports: Imports) -> None:
    """Newest first or after one of them, of all products or of one; other movements have no import."""
    database = imports.database
    await create_product(database, ProductDraft(product_code="Z", description="x", initial_level=7), BEFORE)
    first = await imports.run(("A", "one", "", 1), ("B", "two", "", 2))
    second = await imports.run(("B", "two", "", 5), ("C", "new", "", 3), mode=RECEIPT)
    assert (first.import_id, second.import_id) == (1, 2)
    assert await moved(database, 1) == [("B", 2), ("A", 1)]
    assert await moved(database, 2) == [("C", 3), ("B", 7)]
    assert await moved(database, 2, after=0, limit=1) == [("B", 7)]
    assert await moved(database, 2, product_id=3) == [("B", 7)]
    assert await moved(database, 3) == []
    everything = await list_movements(database, MovementFilter(limit=9))
    assert [made.import_id for made in everything] == [2, 2, 1, 1, None]


@pytest.mark.each_engine
async def test_an_import_names_its_new_products(imports: Imports) -> None:
    """Those without a level as well, in the order of their rows, at most 500; no others, and none for a dry run."""
    await imports.run(("A", "one"))
    many = [("A", "one"), *((f"N{number}", "new") for number in range(2500, 0, -1))]
    assert (await imports.try_out(*many)).import_id is None
    result = await imports.run(*many)
    assert (result.import_id, result.imported) == (2, 2500)
    assert result.new_products == list(range(2, 502))


@pytest.mark.each_engine
@pytest.mark.parametrize("mode", [SKIP, RECEIPT])
async def test_a_dry_run_takes_no_ids(imports: Imports, mode: Mode) -> None:
    """The next product and its first movement have those that they would have without it."""
    database = imports.database
    await create_product(database, ProductDraft(product_code="A", description="x", initial_level=5), BEFORE)
    await imports.try_out(("A", "x", "", 2), ("B", "x", "", 3), mode=mode)
    result = await imports.run(("A", "x", "", 2), ("C", "x", "", 4), mode=mode)
    assert (await codes(database), result.import_id, result.new_products) == (["A", "C"], 1, [2])
    made = await list_movements(database, MovementFilter(limit=9))
    assert sorted(movement.id for movement in made) == list(range(1, len(made) + 1))


@pytest.mark.each_engine
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


async def test_levels_of_the_real_catalogue_are_those_of_the_file(
    database: Database, threads: WorkerThreads, catalogue_data: Path
) -> None:
    """Every product has the level and the minimum of its row, as another reader reads it; blank ones are 0."""
    await imported(database, threads, catalogue_data / "catalogue.xlsx")
    rows = load_workbook(catalogue_data / "catalogue.xlsx").worksheets[0].iter_rows(min_row=2, values_only=True)
    expected = {row[0]: (row[4] or 0, row[5] or 0) for row in rows if row[0] and isinstance(row[4] or 0, int)}
    stored = {code: (level.current_level, level.minimum_level) for code, level in (await levels(database)).items()}
    assert stored == expected


async def test_the_codes_of_real_groceries_are_kept(
    database: Database, threads: WorkerThreads, catalogue_data: Path
) -> None:
    """Every code is stored as its cell shows it, however the workbook stores it."""
    result = await imported(database, threads, catalogue_data / "groceries.xlsx")
    assert counts(result) == (1848, 0, 0, 152)
    assert {error.error for error in result.errors} == {"description: required"}
    with (catalogue_data / "groceries.csv").open(encoding="utf-8", newline="") as file:
        expected = [row["xlsx_code"] for row in csv.DictReader(file) if row["name"].strip()]
    assert await codes(database) == expected
