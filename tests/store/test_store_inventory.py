import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Any

import pytest

from barcodesvc.errors import LevelChanged, ProductNotFound
from barcodesvc.models import MAX_LEVEL, LevelChange, LevelUpdate
from barcodesvc.store import inventory, limits
from barcodesvc.store.database import Database, Snapshot
from barcodesvc.store.lists import AT_OR_BELOW_MINIMUM
from barcodesvc.store.script import Row
from tests.fixture_types import Add
from tests.stock import delete_product, history, set_level

pytestmark = pytest.mark.each_engine

NOW = "2026-01-31T12:00:00.000Z"


async def changes(database: Database, product_id: int, **bounds: Any) -> list[LevelChange]:
    """Return the history of a product."""
    return await history(database, product_id, **bounds)


async def level_of(database: Database, product_id: int) -> int:
    """Return the current level of a product."""
    level = await inventory.get_level(database, product_id)
    assert level is not None
    return level.current_level


async def exported(database: Database, read: Callable[[Snapshot], AsyncIterator[list[Row]]]) -> list[Row]:
    """Return the rows of an export, or of a full list."""
    async with database.snapshot() as snapshot:
        return [row async for batch in read(snapshot) for row in batch]


async def test_a_level_and_its_history_change_together(database: Database, add: Add) -> None:
    """The record has the new level and its author, the history the step from the old one."""
    product = await add("A-1", initial_level=5)
    update = LevelUpdate(new_level=MAX_LEVEL, change_reason="delivery", updated_by="Ann")
    change = await set_level(database, product.id, update, "2026-02-01T00:00:00.000Z")
    assert (change.old_level, change.new_level, change.change_reason) == (5, MAX_LEVEL, "delivery")
    level = await inventory.get_level(database, product.id)
    assert level is not None
    assert (level.current_level, level.updated_by) == (MAX_LEVEL, "Ann")
    assert level.last_updated == change.updated_at == "2026-02-01T00:00:00.000Z"
    [newest, _] = await changes(database, product.id)
    assert asdict(newest).items() <= asdict(change).items()


async def test_the_level_that_already_is_is_recorded(database: Database, add: Add) -> None:
    """A count that confirms the level is a separate entry."""
    product = await add("A-1", initial_level=5)
    change = await set_level(database, product.id, LevelUpdate(new_level=5), NOW)
    assert (change.old_level, change.new_level) == (5, 5)
    assert len(await changes(database, product.id)) == 2


@pytest.mark.parametrize("expected", [0, 5])
async def test_an_update_that_expects_the_stored_level_happens(database: Database, add: Add, expected: int) -> None:
    """An expectation that holds does not affect the update; 0 is an expectation too."""
    product = await add("A-1", initial_level=expected)
    update = LevelUpdate(new_level=9, expected_level=expected)
    assert (await set_level(database, product.id, update, NOW)).old_level == expected


@pytest.mark.parametrize("expected", [0, 4, 6, MAX_LEVEL])
async def test_an_update_that_expects_another_level_changes_nothing(
    database: Database, add: Add, expected: int
) -> None:
    """The error contains the current level, and neither level nor history changes."""
    product = await add("A-1", initial_level=5)
    with pytest.raises(LevelChanged) as refusal:
        await set_level(database, product.id, LevelUpdate(new_level=9, expected_level=expected), NOW)
    assert refusal.value.details == {"current_level": 5, "expected_level": expected}
    assert await level_of(database, product.id) == 5
    assert len(await changes(database, product.id)) == 1


async def test_the_level_of_an_unknown_product_is_not_found(database: Database, add: Add) -> None:
    """Setting and reading a history both fail; a product without changes has an empty history."""
    product = await add("A-1")
    for update in (LevelUpdate(new_level=1), LevelUpdate(new_level=1, expected_level=0)):
        with pytest.raises(ProductNotFound):
            await set_level(database, product.id + 1, update, NOW)
    with pytest.raises(ProductNotFound):
        await changes(database, product.id + 1)
    assert await inventory.get_level(database, product.id + 1) is None
    assert await changes(database, product.id) == []


async def book_one(database: Database, product_id: int) -> int:
    """Raise the level by one as a client does: read, try, and repeat if another client was faster."""
    for attempt in range(1, 1000):
        seen = await level_of(database, product_id)
        try:
            update = LevelUpdate(new_level=seen + 1, expected_level=seen)
            await set_level(database, product_id, update, NOW)
        except LevelChanged:
            continue
        return attempt
    raise AssertionError("never had a turn")


async def test_fifty_tasks_lose_no_change(database: Database, add: Add) -> None:
    """Each of fifty changes counts once, and each history entry starts where the previous one ended."""
    product = await add("A-1")
    attempts = await asyncio.gather(*(book_one(database, product.id) for _ in range(50)))
    assert sum(attempts) > 50
    steps = [(change.old_level, change.new_level) for change in reversed(await changes(database, product.id))]
    assert steps == [(level, level + 1) for level in range(50)]
    assert await level_of(database, product.id) == 50


async def test_tasks_without_expectation_leave_a_gapless_history(database: Database, add: Add) -> None:
    """Even if updates simply overwrite each other, each entry starts where the previous one ended."""
    product = await add("A-1", initial_level=1)
    updates = [set_level(database, product.id, LevelUpdate(new_level=n), NOW) for n in range(50)]
    await asyncio.gather(*updates)
    entries = (await changes(database, product.id))[::-1]
    assert [entry.old_level for entry in entries] == [0, *(entry.new_level for entry in entries[:-1])]
    assert await level_of(database, product.id) == entries[-1].new_level


async def test_a_history_is_newest_first_and_limited(database: Database, add: Add) -> None:
    """The limit keeps the newest entries; entries of one millisecond keep their order."""
    product = await add("A-1")
    for level in range(5):
        await set_level(database, product.id, LevelUpdate(new_level=level), NOW)
    assert [change.new_level for change in await changes(database, product.id)] == [4, 3, 2, 1, 0]
    assert [change.new_level for change in await changes(database, product.id, limit=2)] == [4, 3]


@pytest.mark.parametrize(
    ("bounds", "levels"),
    [
        ({}, [4, 3, 2, 1]),
        ({"from_time": "2026-01-02T00:00:00.000Z"}, [4, 3, 2]),
        ({"from_time": "2026-01-02T00:00:00.001Z"}, [4, 3]),
        ({"to_time": "2026-01-02T00:00:00.000Z"}, [2, 1]),
        ({"to_time": "2026-01-01T23:59:59.999Z"}, [1]),
        ({"from_time": "2026-01-02T00:00:00.000Z", "to_time": "2026-01-03T00:00:00.000Z"}, [3, 2]),
        ({"from_time": "2026-01-03T00:00:00.000Z", "limit": 1}, [4]),
        ({"from_time": "2027-01-01T00:00:00.000Z"}, []),
    ],
)
async def test_both_ends_of_a_history_are_inclusive(
    database: Database, add: Add, bounds: dict[str, Any], levels: list[int]
) -> None:
    """A change at exactly the time of a bound is included."""
    product = await add("A-1")
    for day in range(1, 5):
        moment = f"2026-01-0{day}T00:00:00.000Z"
        await set_level(database, product.id, LevelUpdate(new_level=day), moment)
    assert [change.new_level for change in await changes(database, product.id, **bounds)] == levels


async def test_low_stock_is_at_or_below_the_minimum(database: Database, add: Add) -> None:
    """A level equal to its minimum is low, including 0 of 0; one above it is not."""
    for code, level, minimum in (("above", 3, 2), ("at", 2, 2), ("below", 1, 2), ("zero", 0, 0)):
        await add(code, initial_level=level, minimum_level=minimum)
    assert [row[2] for row in await exported(database, inventory.levels_within(AT_OR_BELOW_MINIMUM).stream)] == [
        "at",
        "below",
        "zero",
    ]


@pytest.mark.parametrize("batch", [1, 2, 3, 7, 8, 1000])
async def test_batches_hold_every_row_once(
    database: Database, add: Add, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """For any batch size, no row is repeated or skipped."""
    monkeypatch.setattr(limits, "BATCH", batch)
    for number in range(7):
        product = await add(f"P{number}", initial_level=number % 3)
        for level in range(number % 4):
            await set_level(database, product.id, LevelUpdate(new_level=level), NOW)
    for read in (inventory.LEVELS.stream, inventory.exported_levels):
        assert [row[2] for row in await exported(database, read)] == [f"P{number}" for number in range(7)]


@pytest.mark.parametrize("batch", [1, 2, 3, 4, 9, 1000])
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


async def test_a_list_shows_one_moment(database: Database, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list in progress shows rows as they were before changes and deletions between two batches."""
    monkeypatch.setattr(limits, "BATCH", 2)
    added = [await add(f"P{number}") for number in range(5)]
    seen = []
    async with database.snapshot() as snapshot:
        async for batch in inventory.LEVELS.stream(snapshot):
            seen += [(row[2], row[4]) for row in batch]
            if len(seen) == 2:
                await delete_product(database, added[3].id)
                await set_level(database, added[4].id, LevelUpdate(new_level=9), NOW)
    assert seen == [(f"P{number}", 0) for number in range(5)]


async def test_few_records_are_read_without_a_snapshot(
    database: Database, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to a limit, all of them are returned; for more, None is returned."""
    monkeypatch.setattr(inventory, "UNSTREAMED", 2)
    for number in range(2):
        await add(f"P{number}")
    assert [row[2] for row in await inventory.LEVELS.read_if_small(database) or ()] == ["P0", "P1"]
    await add("P2")
    assert await inventory.LEVELS.read_if_small(database) is None


async def test_an_empty_catalogue_has_no_batches(database: Database) -> None:
    """An empty catalogue yields nothing, not an empty batch."""
    async with database.snapshot() as snapshot:
        for read in (inventory.LEVELS.stream, inventory.exported_levels_with_movements):
            assert [batch async for batch in read(snapshot)] == []


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
