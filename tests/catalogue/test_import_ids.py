"""Each movement of an import names it, and its result the products that are new."""

from pathlib import Path
from typing import Any

import pytest

from barcodesvc.models import ProductDraft
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store.database import Database
from barcodesvc.store.movements import MovementFilter, list_movements
from barcodesvc.store.staging import RECEIPT
from tests.catalogue.imported import imported, tried_out, workbook
from tests.stock import create_product

pytestmark = pytest.mark.each_engine

BEFORE = "2026-01-31T11:00:00.000Z"


async def moved(database: Database, import_id: int, **wanted: Any) -> list[tuple[str, int]]:
    """Return the code and the new level of the movements of an import."""
    listed = await list_movements(database, MovementFilter(import_id=import_id, limit=wanted.pop("limit", 9), **wanted))
    assert {made.import_id for made in listed} <= {import_id}
    return [(made.product_code, made.new_level) for made in listed]


async def test_the_movements_of_an_import_are_listed_alone(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """Newest first or after one of them, of all products or of one; other movements have no import."""
    await create_product(database, ProductDraft(product_code="Z", description="x", initial_level=7), BEFORE)
    first = await imported(database, threads, workbook(tmp_path, ("A", "one", "", 1), ("B", "two", "", 2)))
    second = await imported(database, threads, workbook(tmp_path, ("B", "two", "", 5), ("C", "new", "", 3)), RECEIPT)
    assert (first.import_id, second.import_id) == (1, 2)
    assert await moved(database, 1) == [("B", 2), ("A", 1)]
    assert await moved(database, 2) == [("C", 3), ("B", 7)]
    assert await moved(database, 2, after=0, limit=1) == [("B", 7)]
    assert await moved(database, 2, product_id=3) == [("B", 7)]
    assert await moved(database, 3) == []
    everything = await list_movements(database, MovementFilter(limit=9))
    assert [made.import_id for made in everything] == [2, 2, 1, 1, None]


async def test_an_import_names_its_new_products(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """Those without a level as well, in the order of their rows, at most 500; no others, and none for a dry run."""
    await imported(database, threads, workbook(tmp_path, ("A", "one")))
    many = workbook(tmp_path, ("A", "one"), *((f"N{number}", "new") for number in range(2500, 0, -1)))
    assert (await tried_out(database, threads, many)).import_id is None
    result = await imported(database, threads, many)
    assert (result.import_id, result.imported) == (2, 2500)
    assert result.new_products == list(range(2, 502))
