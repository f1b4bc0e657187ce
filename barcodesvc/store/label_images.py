"""Images for labels in the database, saved under names: black and white pixels.

Rule: their number is limited, and so are their sizes, by the handler that saves them.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from barcodesvc.errors import FieldProblem, InvalidInput, NameNotFound
from barcodesvc.fields import Timestamp, described
from barcodesvc.store.database import Database, Reader
from barcodesvc.store.script import Script, changed_rows, run

MOST_IMAGES = 50


@dataclass(frozen=True, slots=True)
class StoredPixels:
    """Black and white pixels: eight to a byte and 1 for dark, each row from a whole byte on."""

    width: int
    height: int
    pixels: bytes


@dataclass(frozen=True, slots=True)
class SavedImage:
    """An image without its pixels."""

    name: Annotated[str, described("The name of the image.", "logo")]
    width: Annotated[int, described("Its width in pixels.", 400)]
    height: Annotated[int, described("Its height in pixels.", 120)]
    updated_at: Annotated[Timestamp, described("When the image was last saved.")]


async def list_images(reader: Reader) -> list[SavedImage]:
    """Return all images by name."""
    return [SavedImage(*row) for row in await reader.rows("list_label_images")]


async def get_image(reader: Reader, name: str) -> StoredPixels:
    """Return the pixels of the image of this name; raises NameNotFound."""
    row = await reader.row("get_label_image", name=name)
    if row is None:
        raise _no_such_image(name)
    width, height, pixels = row
    return StoredPixels(width, height, zlib.decompress(b64decode(pixels)))


async def save_image(database: Database, name: str, image: StoredPixels, now: str) -> SavedImage:
    """Save an image in place of the one of this name; raises InvalidInput if there are too many others."""
    pixels = b64encode(zlib.compress(image.pixels)).decode()
    values = {"name": name, "width": image.width, "height": image.height, "pixels": pixels, "now": now}

    def save() -> Script[bool]:
        yield run("lock_names")
        return bool((yield run("save_label_image", most=MOST_IMAGES, **values)))

    if not await database.change(save):
        message = f"there are {MOST_IMAGES} images already; delete one, or save under one of their names"
        raise InvalidInput.of(FieldProblem("name", message, name))
    return SavedImage(name, image.width, image.height, now)


async def delete_image(database: Database, name: str) -> None:
    """Delete the image of this name; raises NameNotFound."""
    if not await database.change(partial(changed_rows, run("delete_label_image", name=name))):
        raise _no_such_image(name)


def _no_such_image(name: str) -> NameNotFound:
    return NameNotFound(f"there is no image {name!r}", resource="image", name=name)
