"""What saved layouts store in the database."""

from __future__ import annotations

import asyncio

import pytest

from barcodesvc.errors import InvalidInput, NameNotFound
from barcodesvc.store import label_layouts
from barcodesvc.store.database import Database
from barcodesvc.store.label_layouts import SavedLayout

pytestmark = pytest.mark.each_engine

NOON, LATER = "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.001Z"


async def test_a_layout_is_kept_under_its_name(database: Database) -> None:
    """It is read as it was saved, with any text, and listed by name."""
    for name, layout in (("b", {"lines": ["Ω", "{n:05}"]}), ("a", {"copies": 2, "scale": 1.01, "dated": True})):
        await label_layouts.save_layout(database, name, layout, NOON)
    assert await label_layouts.get_layout(database, "b") == SavedLayout("b", {"lines": ["Ω", "{n:05}"]}, NOON)
    assert [saved.name for saved in await label_layouts.list_layouts(database)] == ["a", "b"]


async def test_a_later_one_replaces_it(database: Database) -> None:
    """Of two under one name the last one is there, with its time."""
    await label_layouts.save_layout(database, "a", {"copies": 2}, NOON)
    await label_layouts.save_layout(database, "a", {"sheet": "L7160"}, LATER)
    assert await label_layouts.list_layouts(database) == [SavedLayout("a", {"sheet": "L7160"}, LATER)]


async def test_one_that_is_not_there_is_not_found(database: Database) -> None:
    """It can be neither read nor deleted; names differ by case."""
    await label_layouts.save_layout(database, "a", {}, NOON)
    with pytest.raises(NameNotFound):
        await label_layouts.get_layout(database, "A")
    await label_layouts.delete_layout(database, "a")
    with pytest.raises(NameNotFound):
        await label_layouts.delete_layout(database, "a")


async def test_their_number_is_limited(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused, but those that are there can be replaced."""
    monkeypatch.setattr(label_layouts, "MOST_LAYOUTS", 2)
    for name in ("a", "b", "a"):
        await label_layouts.save_layout(database, name, {}, NOON)
    with pytest.raises(InvalidInput, match="there are 2 saved layouts already"):
        await label_layouts.save_layout(database, "c", {}, NOON)
    await label_layouts.delete_layout(database, "a")
    await label_layouts.save_layout(database, "c", {}, NOON)


async def test_saves_at_the_same_time_are_limited_too(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sees those before it."""
    monkeypatch.setattr(label_layouts, "MOST_LAYOUTS", 2)
    saves = (label_layouts.save_layout(database, str(number), {}, NOON) for number in range(20))
    ended = await asyncio.gather(*saves, return_exceptions=True)
    assert [type(each) for each in ended].count(SavedLayout) == len(await label_layouts.list_layouts(database)) == 2
