from __future__ import annotations

from pathlib import Path

import pytest

from barcodesvc.catalogue.importing import (
    Writing,
    import_catalogue,
    update_existing,
)
from barcodesvc.models import LevelUpdate
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store.database import Database
from barcodesvc.store.products import get_product_by_code
from tests.catalogue.imported import NOW, counts, imported, levels, lines, workbook
from tests.stock import history, set_level

pytestmark = pytest.mark.each_engine

LATER = "2026-02-01T12:00:00.000Z"


async def test_an_update_changes_what_a_row_fills_in(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """Blank cells change nothing, and neither does the level, which belongs to the inventory."""
    await imported(database, threads, workbook(tmp_path, ("A-1", "old", "Bolts", 5, 1, 9), ("A-2", "old", "", 6)))
    path = workbook(tmp_path, ("A-1", "new", None, 7, 2, None), ("A-3", "new", "Nuts", 8))
    result = await import_catalogue(database, threads, path, update_existing, Writing(LATER))
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
    """If a row gives a maximum, the contradiction names its cell, with its content."""
    await imported(database, threads, workbook(tmp_path, ("A-1", "x", "", 0, 5, 9)))
    result = await imported(database, threads, workbook(tmp_path, ("A-1", "y", "", None, None, 4)), update_existing)
    [error] = result.errors
    assert error.error == "maximum_level: maximum_level 4 is below minimum_level 5; 0 means that none is set"
    assert [(cell.column, cell.value, cell.rule) for cell in error.problems] == [("maximum_level", "4", "order")]


async def test_an_update_undoes_no_booking(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """A file exported last week leaves today's level and its history unchanged."""
    path = workbook(tmp_path, ("A-1", "x", "", 5))
    await imported(database, threads, path)
    product = await get_product_by_code(database, "A-1")
    await set_level(database, product.id, LevelUpdate(new_level=2), NOW)
    await imported(database, threads, path, update_existing)
    assert (await levels(database))["A-1"].current_level == 2
    assert len(await history(database, product.id)) == 2
