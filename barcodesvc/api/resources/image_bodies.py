"""Images as they come in a body: the part `image` of a form, or `image_base64` in JSON.

An image is held to the limits of uploads, in bytes and in time, whichever way it comes. A JSON body beyond the limit of
JSON bodies must announce its length and hold an image; nothing else in it may be longer for that.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

from aiohttp import web
from pydantic import BaseModel

from barcodesvc.api.forms import CHUNK, FORM, File, Form, FormPart, ignore_part, receive_form, received_in_time
from barcodesvc.api.guard.request_heads import media_type, named_type
from barcodesvc.api.json_bodies import model_in
from barcodesvc.api.keys import BODY_THREADS, SETTINGS
from barcodesvc.api.refusals import refused_body
from barcodesvc.errors import FieldProblem, FileTooLarge, InvalidInput
from barcodesvc.models import Draft
from barcodesvc.runtime.capacity import Take

T = TypeVar("T")


_MOST_HINT_BYTES = 1024
_DATA_URI = re.compile(r"data:[^,]{0,200};base64,", re.IGNORECASE)
_ONE_ALPHABET = str.maketrans("-_", "+/", " \t\r\n")
"""Makes the URL-safe alphabet the standard one (RFC 4648, 4 and 5), and many lines one."""


class ImageRequest(Draft):
    """An image in a JSON body."""

    image_base64: str
    code_type: str = ""


class ImageForm(BaseModel, extra="forbid"):
    """An image of codes: PNG, JPEG, WebP, GIF, TIFF or BMP by its content; `code_type` is read by nobody."""

    image: File
    code_type: str | None = None


def brings_image(request: web.Request) -> bool:
    """Return whether only an image can be in this body: a form, or JSON longer than other JSON may be."""
    kind = media_type(request)
    if kind.startswith("multipart/"):
        return True
    most_json, announced = request.app[SETTINGS].max_json_bytes, request.content_length or 0
    return "json" in kind and most_json < announced <= _most_json_bytes(request)


async def received_image(request: web.Request, take: Take) -> bytes:
    """Return the image file in a body of which `brings_image` is true; `take` is called before bytes are kept.

    Raises FileTooLarge, and InvalidInput for a body that is malformed, holds anything else or takes too long.
    """
    kind = media_type(request)
    if kind == FORM:
        return await _in_time(request, _received_form(request, take))
    if kind.startswith("multipart/"):
        accepted = "application/json, or as multipart/form-data with one part named image"
        raise refused_body(f"{named_type(request)} cannot be read; send it as {accepted}")
    body = await _in_time(request, _received_json(request, take))
    most_others = request.app[SETTINGS].max_json_bytes
    return await request.app[BODY_THREADS].run(_image_in, body, most_others, _most_bytes(request))


async def decoded_image(request: web.Request, image_base64: str) -> bytes:
    """Return the bytes of base64 text; raises FileTooLarge, and InvalidInput for other text."""
    return await request.app[BODY_THREADS].run(_decoded, image_base64, _most_bytes(request))


async def _in_time(request: web.Request, receiving: Coroutine[Any, Any, T]) -> T:
    return await received_in_time(request, receiving, "the image", "the body that should bring an image")


async def _received_form(request: web.Request, take: Take) -> bytes:
    most, image = _most_bytes(request), bytearray()

    async def keep(_: FormPart, chunks: AsyncIterator[bytes]) -> None:
        async for chunk in chunks:
            if len(image) + len(chunk) > most:
                raise _too_large(most)
            take(len(chunk))
            image.extend(chunk)

    form = Form(
        parts={"image": keep, "code_type": ignore_part},
        missing=FieldProblem("image", "required; send the image as the part named image"),
        most_bytes=most + _MOST_HINT_BYTES,
        too_large=_too_large(most),
    )
    await receive_form(request, form)
    return bytes(image)


async def _received_json(request: web.Request, take: Take) -> bytes:
    body = bytearray()
    async for chunk in request.content.iter_chunked(CHUNK):
        take(len(chunk))
        body += chunk
    return bytes(body)


def _image_in(body: bytes, most_others: int, most_bytes: int) -> bytes:
    try:
        wanted = model_in(ImageRequest, body)
    except InvalidInput as refusal:
        if b'"image_base64"' not in body:
            raise refused_body(f"larger than {most_others} bytes") from refusal
        raise
    if len(body) - len(wanted.image_base64) > most_others:
        raise refused_body(f"larger than {most_others} bytes beside its image")
    return _decoded(wanted.image_base64, most_bytes)


def _decoded(image_base64: str, most_bytes: int) -> bytes:
    prefix = _DATA_URI.match(image_base64)
    text = image_base64[prefix.end() if prefix else 0 :].translate(_ONE_ALPHABET).rstrip("=")
    if len(text) * 3 // 4 > most_bytes:
        raise _too_large(most_bytes)
    try:
        return binascii.a2b_base64(text + "=" * (-len(text) % 4), strict_mode=True)
    except ValueError:
        message = "not base64; send the bytes of the image file in base64, with or without `data:image/png;base64,`"
        raise InvalidInput.of(FieldProblem("image_base64", message)) from None


def _most_bytes(request: web.Request) -> int:
    return request.app[SETTINGS].max_upload_bytes


def _most_json_bytes(request: web.Request) -> int:
    """Return the greatest length of a JSON body: an image in base64, four characters for three bytes, and the rest."""
    return _most_bytes(request) * 4 // 3 + request.app[SETTINGS].max_json_bytes


def _too_large(most_bytes: int) -> FileTooLarge:
    return FileTooLarge(f"the image is larger than {most_bytes} bytes", limit=most_bytes)
