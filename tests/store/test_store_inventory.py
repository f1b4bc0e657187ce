"""Lists and exports of levels: whole in batches of any size, and of one moment."""

from collections.abc import AsyncIterator, Callable

import pytest

from barcodesvc.models import LevelUpdate
from barcodesvc.store import inventory, limits
from barcodesvc.store.database import Database, Snapshot
from barcodesvc.store.lists import AT_OR_BELOW_MINIMUM, EVERY_PRODUCT, ProductFilter
from barcodesvc.store.script import Row
from tests.fixture_types import Add
from tests.stock import delete_product, set_level
from tests.store.conftest import NOW

pytestmark = pytest.mark.each_engine


async def exported(database: Database, read: Callable[[Snapshot], AsyncIterator[list[Row]]]) -> list[Row]:
    """Return the rows of an export, or of a full list."""
    async with database.snapshot() as snapshot:
        return [row async for batch in read(snapshot) for row in batch]


async def test_low_stock_is_at_or_below_the_minimum(database: Database, add: Add) -> None:
    """A level equal to its minimum is low, including 0 of 0; one above it is not."""
    for code, level, minimum in (("above", 3, 2), ("at", 2, 2), ("below", 1, 2), ("zero", 0, 0)):
        await add(code, initial_level=level, minimum_level=minimum)
    low = inventory.all_levels(ProductFilter(stock=AT_OR_BELOW_MINIMUM))
    assert [row[2] for row in await exported(database, low.stream)] == [
        "at",
        "below",
        "zero",
    ]


@pytest.mark.parametrize("batch", [1, 3, 7, 1000])
async def test_batches_hold_every_row_once(
    database: Database, add: Add, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """For any batch size, no row is repeated or skipped; an empty catalogue has no batch."""
    monkeypatch.setattr(limits, "BATCH", batch)
    async with database.snapshot() as snapshot:
        assert [rows async for rows in inventory.exported_levels_with_movements(snapshot)] == []
    for number in range(7):
        product = await add(f"P{number}", initial_level=number % 3)
        for level in range(number % 4):
            await set_level(database, product.id, LevelUpdate(new_level=level), NOW)
    for read in (inventory.all_levels(EVERY_PRODUCT).stream, inventory.exported_levels):
        assert [row[2] for row in await exported(database, read)] == [f"P{number}" for number in range(7)]


@pytest.mark.parametrize("batch", [1, 3, 9])
async def test_exported_changes_are_whole_in_batches_of_any_size(
    database: Database, add: Add, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """Every change occurs once, ordered by product and change; a level without changes occurs once with nulls."""
    monkeypatch.setattr(limits, "BATCH", batch)
    added = [await add(f"P{number}") for number in range(5)]
    for level, position in enumerate([1, 3, 1, 1, 3, 0, 1]):
        await set_level(database, added[position].id, LevelUpdate(new_level=level), NOW)
    listed = [(row[2], row[4]) for row in await exported(database, inventory.exported_movements)]
    assert listed == [("P0", 5), ("P1", 0), ("P1", 2), ("P1", 3), ("P1", 6), ("P3", 1), ("P3", 4)]
    rows = await exported(database, inventory.exported_levels_with_movements)
    combined = [(row[2], row[13]) for row in rows]
    assert combined == [*listed[:5], ("P2", None), *listed[5:], ("P4", None)]


async def test_few_records_are_read_without_a_snapshot(
    database: Database, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to a limit, all of them are returned; for more, None is returned."""
    monkeypatch.setattr(inventory, "UNSTREAMED", 2)
    for number in range(2):
        await add(f"P{number}")
    assert [row[2] for row in await inventory.all_levels(EVERY_PRODUCT).read_if_small(database) or ()] == ["P0", "P1"]
    await add("P2")
    assert await inventory.all_levels(EVERY_PRODUCT).read_if_small(database) is None


async def test_an_export_shows_one_moment(database: Database, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes and deletions between two batches do not affect an export in progress."""
    monkeypatch.setattr(limits, "BATCH", 1)
    added = [await add(f"P{number}", initial_level=1) for number in range(3)]
    seen = []
    async with database.snapshot() as connection:
        async for [row] in inventory.exported_levels_with_movements(connection):
            seen.append((row[2], row[4], row[13]))
            await set_level(database, added[2].id, LevelUpdate(new_level=9), NOW)
            if row[2] == "P0":
                await delete_product(database, added[1].id)
    assert seen == [("P0", 1, 1), ("P1", 1, 1), ("P2", 1, 1)]
