"""What images for labels store in the database."""

from __future__ import annotations

import pytest

from barcodesvc.errors import InvalidInput, NameNotFound
from barcodesvc.store import label_images
from barcodesvc.store.database import Database
from barcodesvc.store.label_images import SavedImage, StoredPixels

pytestmark = pytest.mark.each_engine

NOON, LATER = "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.001Z"
PIXELS = StoredPixels(9, 2, b"\xa5\x80\0\xff")


async def test_an_image_is_kept_under_its_name(database: Database) -> None:
    """It is read as it was saved, listed without its pixels, replaced, and deleted."""
    await label_images.save_image(database, "b", PIXELS, NOON)
    await label_images.save_image(database, "a", StoredPixels(8, 1, b"\0"), NOON)
    assert await label_images.get_image(database, "b") == PIXELS
    await label_images.save_image(database, "a", PIXELS, LATER)
    assert await label_images.list_images(database) == [SavedImage("a", 9, 2, LATER), SavedImage("b", 9, 2, NOON)]
    await label_images.delete_image(database, "a")
    for use in (label_images.get_image, label_images.delete_image):
        with pytest.raises(NameNotFound):
            await use(database, "a")


async def test_their_number_is_limited(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused, but those that are there can be replaced."""
    monkeypatch.setattr(label_images, "MOST_IMAGES", 1)
    for _ in range(2):
        await label_images.save_image(database, "a", PIXELS, NOON)
    with pytest.raises(InvalidInput, match="there are 1 images already"):
        await label_images.save_image(database, "b", PIXELS, NOON)
