"""Handlers of what labels are made of, saved by name: layouts, and images in black and white as they are printed.

Rule: the service itself never decodes an image that was sent. It reads the size in its header; a process with limits
does the rest, and what that returns is checked.
"""

import struct
from base64 import b64decode
from functools import partial
from typing import Annotated, Any

from aiohttp import web
from typing_extensions import TypedDict

from barcodesvc.api.resources.code_images import PNG
from barcodesvc.api.responses import JSON, Success, success
from barcodesvc.api.signature import Enveloped, Example, Sends
from barcodesvc.codes.png import png_of_dots
from barcodesvc.errors import FileTooLarge, InvalidFileFormat, InvalidInput, field_problem
from barcodesvc.fields import described
from barcodesvc.labels.label_data import saved_picture
from barcodesvc.labels.layout_requests import LabelName, Layout
from barcodesvc.labels.pictures import Picture
from barcodesvc.labels.sheets import corrected
from barcodesvc.models import Draft, Keyed
from barcodesvc.runtime.processes import ProcessLimits
from barcodesvc.runtime.threads import run_to_end
from barcodesvc.service import Service
from barcodesvc.store import saved
from barcodesvc.store.idempotency import KEY, KeyedRequest, Reply, once
from barcodesvc.store.saved import SavedImage, SavedLayout, StoredPixels
from barcodesvc.store.script import Script

LONGEST_SIDE = 1000
"""Pixels."""
_LIMITS = ProcessLimits(seconds=5, bytes=250_000_000)
_HEADER = struct.Struct(">8sI4sII")
_SIGNATURE, _IHDR = b"\x89PNG\r\n\x1a\n", b"IHDR"

OneLayout = Annotated[SavedLayout, Enveloped("LayoutResponse", "One saved layout.", "The layout.")]
AllLayouts = Annotated[list[SavedLayout], Enveloped("LayoutsResponse", "All saved layouts.", "The layouts by name.")]
OneImage = Annotated[SavedImage, Enveloped("ImageResponse", "One image, without its pixels.", "The image.")]
AllImages = Annotated[
    list[SavedImage], Enveloped("ImagesResponse", "All images, without their pixels.", "The images by name.")
]


class LayoutToSave(Layout, Keyed):
    """A layout, whose fields requests for labels take when they name it."""


class DeletedName(TypedDict):
    """A confirmation for people."""

    success: Success
    message: Annotated[str, described("What was deleted, for people.", "deleted layout 'shelf'")]


async def list_layouts(service: Service) -> AllLayouts:
    """List the saved layouts."""
    return await saved.list_layouts(service.database)


async def get_layout(service: Service, name: LabelName) -> OneLayout:
    """Get a saved layout."""
    return await saved.get_layout(service.database, name)


def save_layout(
    name: LabelName,
    body: Annotated[LayoutToSave, Example({"sheet": "L7160", "include_description": True})],
    key: KeyedRequest[LayoutToSave],
) -> Script[OneLayout]:
    """Save a layout under a name.

    It replaces an earlier one. At most 200 layouts are saved. Dimensions must be consistent.
    """
    _require_whole(body)
    return saved.save_layout(name, body.model_dump(exclude_unset=True, exclude={KEY}), key.now)


def delete_layout(name: LabelName, key: KeyedRequest[Draft]) -> Script[DeletedName]:  # noqa: ARG001 - a key is read
    """Delete a saved layout."""
    yield from saved.delete_layout(name)
    return DeletedName(success=True, message=f"deleted layout {name!r}")


async def list_images(service: Service) -> AllImages:
    """List the images for labels."""
    return await saved.list_images(service.database)


async def get_image(service: Service, name: LabelName) -> Annotated[web.Response, Sends({PNG: bytes})]:
    """Get an image in black and white, as it is printed."""
    picture = await saved_picture(service.database, name)
    return web.Response(body=png_of_dots(picture), content_type=PNG)


async def save_image(
    service: Service, name: LabelName, body: Annotated[bytes, PNG], key: KeyedRequest[bytes]
) -> Annotated[Reply, Sends({JSON: OneImage})]:
    """Save an image for labels under a name.

    It replaces an earlier one. A PNG of at most 64 KiB and 1000 pixels a side; 50 are saved at most. Pixels that are
    darker than a middle grey become black, others white.
    """
    _require_small(body)
    pixels = await _black_and_white(service, body)
    return await service.database.change(partial(once, key, partial(saved.save_image, name, pixels, key.now), success))


def delete_image(name: LabelName, key: KeyedRequest[Draft]) -> Script[DeletedName]:  # noqa: ARG001 - a key is read
    """Delete an image."""
    yield from saved.delete_image(name)
    return DeletedName(success=True, message=f"deleted image {name!r}")


def _require_whole(layout: Layout) -> None:
    """Raise InvalidInput if the lengths of a layout contradict each other, with its fields as the body names them."""
    if layout.name is not None:
        raise InvalidInput.of(field_problem("name", "a layout is saved under the name in the path", layout.name))
    try:
        corrected(layout.sheet_layout(), layout.scale, layout.offset_x, layout.offset_y)
    except InvalidInput as refusal:
        for problem in refusal.errors:
            problem["field"] = problem["field"].removeprefix("layout.")
        raise InvalidInput.of(*refusal.errors) from refusal


def _require_small(content: bytes) -> None:
    """Raise InvalidFileFormat for anything but a PNG, and FileTooLarge for one with too many pixels in its header."""
    signature, _, kind, width, height = _HEADER.unpack(content[: _HEADER.size].ljust(_HEADER.size, b"\0"))
    if (signature, kind) != (_SIGNATURE, _IHDR):
        raise InvalidFileFormat("this is not a PNG image; save the image as PNG")
    if max(width, height) > LONGEST_SIDE:
        most = f"send one of at most {LONGEST_SIDE:,} pixels a side"
        raise FileTooLarge(f"the image is {width} x {height} pixels; {most}", width=width, height=height)


async def _black_and_white(service: Service, content: bytes) -> StoredPixels:
    from barcodesvc.scanning.images.pixels import black_and_white  # noqa: PLC0415 - loaded at its first use

    work = partial(service.worker_processes.run, _LIMITS, black_and_white, content)
    try:
        found: dict[str, Any] = await run_to_end(service.file_threads, work)
    except TimeoutError as error:
        raise InvalidFileFormat(f"the image takes more than {_LIMITS.seconds:g} seconds to read") from error
    except MemoryError as error:
        raise FileTooLarge("the image takes too much memory to read; send a smaller one") from error
    picture = Picture(int(found["width"]), int(found["height"]), b64decode(found["pixels"]))
    return StoredPixels(picture.width, picture.height, picture.rows)
