"""What saved layouts and images store in the database."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

import pytest

from barcodesvc.errors import InvalidInput, NameNotFound
from barcodesvc.store import saved
from barcodesvc.store.database import Database
from barcodesvc.store.saved import SavedImage, SavedLayout, StoredPixels
from barcodesvc.store.script import Script

pytestmark = pytest.mark.each_engine

NOON, LATER = "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.001Z"
PIXELS = StoredPixels(9, 2, b"\xa5\x80\0\xff")


def save_layout(name: str) -> Script[SavedLayout]:
    """Save an empty layout under the name."""
    return saved.save_layout(name, {}, NOON)


def save_image(name: str) -> Script[SavedImage]:
    """Save an image under the name."""
    return saved.save_image(name, PIXELS, NOON)


class Kind(NamedTuple):
    """What is done with one kind of saved things; `most` is the name of its limit."""

    save: Callable[[str], Script[Any]]
    get: Callable[[Database, str], Awaitable[Any]]
    delete: Callable[[str], Script[None]]
    most: str


LAYOUT = Kind(save_layout, saved.get_layout, saved.delete_layout, "MOST_LAYOUTS")
IMAGE = Kind(save_image, saved.get_image, saved.delete_image, "MOST_IMAGES")
each_kind = pytest.mark.parametrize("kind", [pytest.param(LAYOUT, id="layout"), pytest.param(IMAGE, id="image")])


async def test_a_layout_is_kept_under_its_name(database: Database) -> None:
    """It is read as it was saved, with any text, and listed by name."""
    await database.change(lambda: saved.save_layout("b", {"lines": ["Ω", "{n:05}"]}, NOON))
    await database.change(lambda: saved.save_layout("a", {"copies": 2, "scale": 1.01, "dated": True}, NOON))
    assert await saved.get_layout(database, "b") == SavedLayout("b", {"lines": ["Ω", "{n:05}"]}, NOON)
    assert [layout.name for layout in await saved.list_layouts(database)] == ["a", "b"]


async def test_an_image_is_kept_under_its_name(database: Database) -> None:
    """It is read as it was saved, and listed by name without its pixels."""
    await database.change(lambda: saved.save_image("b", PIXELS, NOON))
    await database.change(lambda: saved.save_image("a", StoredPixels(8, 1, b"\0"), NOON))
    assert await saved.get_image(database, "b") == PIXELS
    assert await saved.list_images(database) == [SavedImage("a", 8, 1, NOON), SavedImage("b", 9, 2, NOON)]


async def test_a_later_one_replaces_it(database: Database) -> None:
    """Of two under one name the last one is there, with its time."""
    for layout, now in (({"copies": 2}, NOON), ({"sheet": "L7160"}, LATER)):
        await database.change(partial(saved.save_layout, "a", layout, now))
    assert await saved.list_layouts(database) == [SavedLayout("a", {"sheet": "L7160"}, LATER)]
    for pixels, now in ((StoredPixels(8, 1, b"\0"), NOON), (PIXELS, LATER)):
        await database.change(partial(saved.save_image, "a", pixels, now))
    assert await saved.list_images(database) == [SavedImage("a", 9, 2, LATER)]
    assert await saved.get_image(database, "a") == PIXELS


@each_kind
async def test_one_that_is_not_there_is_not_found(database: Database, kind: Kind) -> None:
    """It can be neither read nor deleted; names differ by case."""
    await database.change(lambda: kind.save("a"))
    with pytest.raises(NameNotFound):
        await kind.get(database, "A")
    await database.change(lambda: kind.delete("a"))
    with pytest.raises(NameNotFound):
        await database.change(lambda: kind.delete("a"))


@each_kind
async def test_their_number_is_limited(database: Database, kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused, but those that are there can be replaced."""
    monkeypatch.setattr(saved, kind.most, 2)
    for name in ("a", "b", "a"):
        await database.change(partial(kind.save, name))
    with pytest.raises(InvalidInput, match=r"there are 2 saved (layouts|images) already"):
        await database.change(lambda: kind.save("c"))
    await database.change(lambda: kind.delete("a"))
    await database.change(lambda: kind.save("c"))


async def test_saves_at_the_same_time_are_limited_too(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sees those before it."""
    monkeypatch.setattr(saved, "MOST_LAYOUTS", 2)
    saves = (database.change(partial(save_layout, str(number))) for number in range(20))
    ended = await asyncio.gather(*saves, return_exceptions=True)
    assert [type(each) for each in ended].count(SavedLayout) == len(await saved.list_layouts(database)) == 2
