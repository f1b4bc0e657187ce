"""What labels are made of, saved under names: layouts, and images of black and white pixels.

Rule: each kind has a limited number of them, and their sizes are limited by the handlers that save them, so that a list
of all of them is short.
"""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from barcodesvc.errors import InvalidInput, NameNotFound, field_problem
from barcodesvc.fields import Timestamp, described
from barcodesvc.store.database import Reader
from barcodesvc.store.script import Row, Script, Statement, run

MOST_LAYOUTS = 200
MOST_IMAGES = 50


@dataclass(frozen=True, slots=True)
class SavedLayout:
    """A layout with its name; `layout` has the fields that were sent."""

    name: Annotated[str, described("The name of the layout.", "shelf")]
    layout: Annotated[Mapping[str, Any], described("The fields of the layout.", {"sheet": "L7160"})]
    updated_at: Annotated[Timestamp, described("When the layout was last saved.")]


@dataclass(frozen=True, slots=True)
class SavedImage:
    """An image without its pixels."""

    name: Annotated[str, described("The name of the image.", "logo")]
    width: Annotated[int, described("Its width in pixels.", 400)]
    height: Annotated[int, described("Its height in pixels.", 120)]
    updated_at: Annotated[Timestamp, described("When the image was last saved.")]


@dataclass(frozen=True, slots=True)
class StoredPixels:
    """Black and white pixels: eight to a byte and 1 for dark, each row from a whole byte on."""

    width: int
    height: int
    pixels: bytes


async def list_layouts(reader: Reader) -> list[SavedLayout]:
    """Return all layouts by name."""
    return [_layout(row) for row in await reader.rows("list_label_layouts")]


async def get_layout(reader: Reader, name: str) -> SavedLayout:
    """Return the layout of this name; raises NameNotFound."""
    row = await reader.row("get_label_layout", name=name)
    if row is None:
        raise _no_such("layout", name)
    return _layout(row)


def save_layout(name: str, layout: Mapping[str, Any], now: str) -> Script[SavedLayout]:
    """Save a layout in place of the one of this name; raises InvalidInput if there are too many others."""
    values = {"name": name, "layout": json.dumps(layout), "now": now, "most": MOST_LAYOUTS}
    yield from _save("layout", run("save_label_layout", **values))
    return SavedLayout(name, layout, now)


def delete_layout(name: str) -> Script[None]:
    """Delete the layout of this name; raises NameNotFound."""
    if not (yield run("delete_label_layout", name=name)):
        raise _no_such("layout", name)


async def list_images(reader: Reader) -> list[SavedImage]:
    """Return all images by name."""
    return [SavedImage(*row) for row in await reader.rows("list_label_images")]


async def get_image(reader: Reader, name: str) -> StoredPixels:
    """Return the pixels of the image of this name; raises NameNotFound."""
    row = await reader.row("get_label_image", name=name)
    if row is None:
        raise _no_such("image", name)
    width, height, pixels = row
    return StoredPixels(width, height, zlib.decompress(b64decode(pixels)))


def save_image(name: str, image: StoredPixels, now: str) -> Script[SavedImage]:
    """Save an image in place of the one of this name; raises InvalidInput if there are too many others."""
    pixels = b64encode(zlib.compress(image.pixels)).decode()
    values = {"name": name, "width": image.width, "height": image.height, "pixels": pixels, "now": now}
    yield from _save("image", run("save_label_image", **values, most=MOST_IMAGES))
    return SavedImage(name, image.width, image.height, now)


def delete_image(name: str) -> Script[None]:
    """Delete the image of this name; raises NameNotFound."""
    if not (yield run("delete_label_image", name=name)):
        raise _no_such("image", name)


def _save(kind: str, saving: Statement) -> Script[None]:
    yield run("lock_names")
    if not (yield saving):
        name, most = saving.parameters["name"], saving.parameters["most"]
        message = f"there are {most} saved {kind}s already; delete one, or save under one of their names"
        raise InvalidInput.of(field_problem("name", message, name))


def _no_such(kind: Literal["layout", "image"], name: str) -> NameNotFound:
    return NameNotFound(f"there is no saved {kind} {name!r}", resource=kind, name=name)


def _layout(row: Row) -> SavedLayout:
    name, layout, updated_at = row
    return SavedLayout(name, json.loads(layout), updated_at)
