"""The handlers of images for labels: a PNG under a name, in black and white as it is printed.

Rule: the service itself never decodes an image that was sent. It reads the size in its header; a process with limits
does the rest, and what that returns is checked.
"""

from __future__ import annotations

import struct
from base64 import b64decode
from functools import partial
from typing import Annotated, Any

from aiohttp import web
from typing_extensions import TypedDict

from barcodesvc.api.keys import SERVICE
from barcodesvc.api.requests import NoQuery, gathered_in, read_bytes, read_query, refuse_together
from barcodesvc.api.resources.code_images import PNG
from barcodesvc.api.resources.label_layouts import DeletedName, read_bare_name, read_name
from barcodesvc.api.responses import JsonResponse, Success, json_response
from barcodesvc.errors import FileTooLarge, InvalidFileFormat, InvalidInput
from barcodesvc.fields import described
from barcodesvc.labels.label_data import saved_picture
from barcodesvc.labels.pictures import Picture
from barcodesvc.runtime.processes import ProcessLimits
from barcodesvc.runtime.threads import run_to_end
from barcodesvc.scanning.black_and_white import black_and_white_in_process
from barcodesvc.store import saved
from barcodesvc.store.saved import SavedImage, StoredPixels

MOST_BYTES = 64 * 1024
LONGEST_SIDE = 1000
"""Pixels."""
_LIMITS = ProcessLimits(seconds=5, bytes=250_000_000)
_HEADER = struct.Struct(">8sI4sII")
_SIGNATURE, _IHDR = b"\x89PNG\r\n\x1a\n", b"IHDR"


class ImageResponse(TypedDict):
    """One image, without its pixels."""

    success: Success
    data: Annotated[SavedImage, described("The image.")]


class ImagesResponse(TypedDict):
    """All images, without their pixels."""

    success: Success
    data: Annotated[list[SavedImage], described("The images by name.")]


async def list_images(request: web.Request) -> JsonResponse[ImagesResponse]:
    """GET /api/codes/images: every image for labels."""
    read_query(request, NoQuery)
    return json_response(ImagesResponse(success=True, data=await saved.list_images(request.app[SERVICE].database)))


async def get_image(request: web.Request) -> web.Response:
    """GET /api/codes/images/{name}: one image in black and white, as it is printed."""
    picture = await saved_picture(request.app[SERVICE].database, read_bare_name(request))
    return web.Response(body=picture.png(), content_type=PNG)


async def save_image(request: web.Request) -> JsonResponse[ImageResponse]:
    """PUT /api/codes/images/{name}: an image that is saved under this name, in place of an earlier one."""
    refusals: list[InvalidInput] = []
    with gathered_in(refusals):
        name = read_name(request)
    with gathered_in(refusals):
        content = await read_bytes(request, PNG)
    refuse_together(refusals)
    _require_small(content)
    pixels = await _black_and_white(request.app, content)
    service = request.app[SERVICE]
    image = await service.database.change(lambda: saved.save_image(name, pixels, service.clock.timestamp()))
    return json_response(ImageResponse(success=True, data=image))


async def delete_image(request: web.Request) -> JsonResponse[DeletedName]:
    """DELETE /api/codes/images/{name}: the end of an image."""
    name = read_bare_name(request)
    await request.app[SERVICE].database.change(lambda: saved.delete_image(name))
    return json_response(DeletedName(success=True, message=f"deleted image {name!r}"))


def _require_small(content: bytes) -> None:
    """Raise InvalidFileFormat for anything but a PNG, and FileTooLarge for one with too many pixels in its header."""
    signature, _, kind, width, height = _HEADER.unpack(content[: _HEADER.size].ljust(_HEADER.size, b"\0"))
    if (signature, kind) != (_SIGNATURE, _IHDR):
        raise InvalidFileFormat("this is not a PNG image; save the image as PNG")
    if max(width, height) > LONGEST_SIDE:
        most = f"send one of at most {LONGEST_SIDE:,} pixels a side"
        raise FileTooLarge(f"the image is {width} x {height} pixels large; {most}", width=width, height=height)


async def _black_and_white(app: web.Application, content: bytes) -> StoredPixels:
    work = partial(app[SERVICE].worker_processes.run, _LIMITS, black_and_white_in_process, content)
    try:
        found: dict[str, Any] = await run_to_end(app[SERVICE].file_threads, work)
    except TimeoutError as error:
        raise InvalidFileFormat(f"the image takes more than {_LIMITS.seconds:g} seconds to read") from error
    except MemoryError as error:
        raise FileTooLarge("the image takes too much memory to read; send a smaller one") from error
    picture = Picture(int(found["width"]), int(found["height"]), b64decode(found["pixels"]))
    return StoredPixels(picture.width, picture.height, picture.pixels)
