"""Scans by image: the products that the codes on it name.

The answer is that of a text scan where all the codes that name a product name the same one; where they name several,
none is guessed, and `product`, `inventory` and `match` are null. `codes` lists each code in reading order either way.
What a pack says beside its number stands in one of its codes, often not in the first: its first GS1 data count.
An image that finds all places taken is refused before its bytes are; else it takes one when it has arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web

from barcodesvc.api.keys import DECODER, PHOTO_READER
from barcodesvc.api.requests import NoQuery, read_query
from barcodesvc.api.resources.image_bodies import decoded_image, received_image
from barcodesvc.api.responses import success
from barcodesvc.errors import ProductNotFound
from barcodesvc.scanning.decoder import Decoded
from barcodesvc.scanning.image_codes import Photo
from barcodesvc.scanning.images import Resolved, resolve_codes

Telling = Callable[[Decoded], dict[str, Any]]
"""What tells a scan that was resolved; see `scans.decoded_json`."""

_UNDERSTANDING = ("understood", "new_product")
"""What is told of each code that names no product; `new_product` is null where several fit."""
_HINT = "hold the camera nearer and straight, in even light, with the light margin around the code in the picture"


async def decode_image(request: web.Request, told: Telling) -> web.Response:
    """POST /api/codes/decode with a body that brings an image: the product that the codes on it name."""
    if request.rel_url.raw_query_string:
        read_query(request, NoQuery)
    reader = request.app[PHOTO_READER]
    reader.require_place()
    with reader.arrivals.body() as take:
        content = await received_image(request, take)
    with reader.place():
        photo = await reader.read(content)
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
    [decoded] = named.values()
    gs1 = next((one.outcome.gs1 for one in resolved if isinstance(one.outcome, Decoded) and one.outcome.gs1), None)
    return success({**told(decoded._replace(gs1=gs1)), **beside})


def _code_json(one: Resolved, told: Telling) -> dict[str, Any]:
    place = {"text": one.code.text, "symbology": one.code.symbology, "position": one.code.corners}
    if isinstance(one.outcome, ProductNotFound):
        understanding = {name: one.outcome.details.get(name) for name in _UNDERSTANDING}
        gs1 = one.outcome.details["understood"]["gs1"]
        return {**place, "match": None, "gs1": gs1, "product": None, **understanding}
    decoded = told(one.outcome)
    return {**place, "match": decoded["match"], "gs1": one.outcome.gs1, "product": decoded["product"]}


def _not_found(resolved: Sequence[Resolved], beside: dict[str, Any]) -> ProductNotFound:
    """Return the miss; where there is one text on the image, with all that a text scan of it would have told.

    Several texts that would make the same product are told as one: as the first that says more in GS1, or the first.
    """
    misses = {one.code.text: one.outcome for one in reversed(resolved) if isinstance(one.outcome, ProductNotFound)}
    if not misses:
        return ProductNotFound("no code was found on the image", hint=_HINT, **beside)
    if len(misses) == 1:
        [miss] = misses.values()
        return ProductNotFound(miss.message, **miss.details, **beside)
    codes = beside["codes"]
    first = next((code for code in codes if code["gs1"]), codes[0])
    agreed = {name: first[name] for name in _UNDERSTANDING} if _make_the_same_product(codes) else {}
    return ProductNotFound(f"no product fits any of the {len(misses)} codes on the image", **agreed, **beside)


def _make_the_same_product(codes: Sequence[dict[str, Any]]) -> bool:
    bodies = [code["new_product"] for code in codes]
    return None not in bodies and len({body["product_code"] for body in bodies}) == 1
