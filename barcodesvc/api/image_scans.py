"""Scans by image: the products that the codes on it name.

The answer is that of a text scan where all the codes that name a product name the same one; where they name several,
none is guessed, and `product`, `inventory` and `match` are null. `codes` lists each code in reading order either way.
An image takes its place in the queue of images before its bytes are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web

from barcodesvc.api.image_bodies import decoded_image, received_image
from barcodesvc.api.keys import DECODER, PHOTO_READER
from barcodesvc.api.requests import NoQuery, read_query
from barcodesvc.api.responses import success
from barcodesvc.decoding import Decoded
from barcodesvc.errors import ProductNotFound
from barcodesvc.photo_reading import Resolved, resolve_codes
from barcodesvc.photos.codes import Photo

Telling = Callable[[Decoded], dict[str, Any]]
"""What tells a scan that was resolved; see `scans.decoded_json`."""

_HINT = "hold the camera nearer and straight, in even light, with the light margin around the code in the picture"


async def decode_image(request: web.Request, told: Telling) -> web.Response:
    """POST /api/codes/decode with a body that brings an image: the product that the codes on it name."""
    if request.rel_url.raw_query_string:
        read_query(request, NoQuery)
    reader = request.app[PHOTO_READER]
    with reader.place():
        photo = await reader.read(await received_image(request))
    return await _answer(request, photo, told)


async def decode_base64(request: web.Request, image_base64: str, told: Telling) -> web.Response:
    """POST /api/codes/decode with an image in a JSON body that has been read already: as decode_image."""
    reader = request.app[PHOTO_READER]
    with reader.place():
        photo = await reader.read(await decoded_image(request, image_base64))
    return await _answer(request, photo, told)


async def _answer(request: web.Request, photo: Photo, told: Telling) -> web.Response:
    resolved = await resolve_codes(request.app[DECODER], photo.codes)
    beside = {"codes": [_code_json(one, told) for one in resolved], "codes_truncated": photo.is_truncated}
    named = {one.outcome.found.id: one.outcome for one in reversed(resolved) if isinstance(one.outcome, Decoded)}
    if not named:
        raise _not_found(resolved, beside)
    if len(named) > 1:
        return success({"product": None, "inventory": None, "match": None, **beside})
    return success({**told(*named.values()), **beside})


def _code_json(one: Resolved, told: Telling) -> dict[str, Any]:
    decoded = told(one.outcome) if isinstance(one.outcome, Decoded) else {"match": None, "product": None}
    return {
        "text": one.code.text,
        "symbology": one.code.symbology,
        "position": one.code.corners,
        "match": decoded["match"],
        "product": decoded["product"],
    }


def _not_found(resolved: Sequence[Resolved], beside: dict[str, Any]) -> ProductNotFound:
    """Return the miss; where there is one text on the image, with all that a text scan of it would have told."""
    misses = {one.code.text: one.outcome for one in resolved if isinstance(one.outcome, ProductNotFound)}
    if not misses:
        return ProductNotFound("no code was found on the image", hint=_HINT, **beside)
    if len(misses) > 1:
        return ProductNotFound(f"no product fits any of the {len(misses)} codes on the image", **beside)
    [miss] = misses.values()
    return ProductNotFound(miss.message, **miss.details, **beside)
