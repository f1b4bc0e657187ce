"""Scans by image: the products that the codes on it name.

The answer is that of a text scan where all the codes that name a product name the same one; where they name several,
none is guessed, and `product`, `inventory` and `match` are null. `codes` lists each code in reading order either way.
What a pack says beside its number stands in one of its codes, often not in the first: its first GS1 data count.
An image that is one too many is refused before its bytes arrive; else it counts once it has arrived.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aiohttp import web

from barcodesvc.api.keys import IMAGE_READER, RESOLVER
from barcodesvc.api.requests import NoQuery, read_query
from barcodesvc.api.resources.decoded_scans import (
    Decoded,
    DecodedAnswer,
    ImageCode,
    decoded_answer,
    scanned_product,
)
from barcodesvc.api.resources.image_bodies import decoded_image, received_image
from barcodesvc.api.responses import JsonAnswer, json_answer
from barcodesvc.errors import ProductNotFound
from barcodesvc.scanning.gs1_data import Gs1Data
from barcodesvc.scanning.image_codes import CodesOnImage
from barcodesvc.scanning.images import ResolvedCode, resolve_codes
from barcodesvc.scanning.resolver import Resolved

_HINT = "hold the camera nearer and straight, in even light, with the light margin around the code in the image"


async def decode_image(request: web.Request) -> JsonAnswer[DecodedAnswer]:
    """POST /api/codes/decode with a body that brings an image: the product that the codes on it name."""
    if request.rel_url.raw_query_string:
        read_query(request, NoQuery)
    reader = request.app[IMAGE_READER]
    reader.images.require()
    with reader.arriving_bytes.held(0) as take:
        content = await received_image(request, take)
    with reader.images.held():
        found = await reader.read(content)
    return await _answer(request, found)


async def decode_base64(request: web.Request, image_base64: str) -> JsonAnswer[DecodedAnswer]:
    """POST /api/codes/decode with an image in a JSON body that has been read already: as decode_image."""
    reader = request.app[IMAGE_READER]
    with reader.images.held():
        found = await reader.read(await decoded_image(request, image_base64))
    return await _answer(request, found)


async def _answer(request: web.Request, found: CodesOnImage) -> JsonAnswer[DecodedAnswer]:
    resolved = await resolve_codes(request.app[RESOLVER], found.codes)
    codes = [_image_code(one) for one in resolved]
    named = {one.outcome.found.id: one.outcome for one in reversed(resolved) if isinstance(one.outcome, Resolved)}
    if not named:
        raise _not_found(resolved, codes, codes_truncated=found.is_truncated)
    if len(named) > 1:
        answer = Decoded(product=None, inventory=None, match=None)
    else:
        [product] = named.values()
        answer = decoded_answer(product._replace(gs1=_first_gs1(resolved)))
    answer["codes"], answer["codes_truncated"] = codes, found.is_truncated
    return json_answer(DecodedAnswer(success=True, data=answer))


def _first_gs1(resolved: Sequence[ResolvedCode]) -> Gs1Data | None:
    return next((one.outcome.gs1 for one in resolved if isinstance(one.outcome, Resolved) and one.outcome.gs1), None)


def _image_code(one: ResolvedCode) -> ImageCode:
    code = ImageCode(
        text=one.code.text,
        symbology=one.code.symbology,
        position=one.code.corners,
        match=None,
        gs1=None,
        product=None,
    )
    if isinstance(one.outcome, ProductNotFound):
        details = one.outcome.details
        code["gs1"] = details["understood"]["gs1"]
        code["understood"], code["new_product"] = details["understood"], details.get("new_product")
    else:
        code["match"], code["gs1"] = one.outcome.match, one.outcome.gs1
        code["product"] = scanned_product(one.outcome)
    return code


def _not_found(
    resolved: Sequence[ResolvedCode], codes: Sequence[ImageCode], *, codes_truncated: bool
) -> ProductNotFound:
    """Return the miss; where there is one text on the image, with all that the miss of a text scan of it says.

    Several texts that would make the same product are one miss: that of the first that says more in GS1, or the first.
    """
    beside: dict[str, Any] = {"codes": codes, "codes_truncated": codes_truncated}
    misses = {one.code.text: one.outcome for one in reversed(resolved) if isinstance(one.outcome, ProductNotFound)}
    if not misses:
        return ProductNotFound("no code was found on the image", hint=_HINT, **beside)
    if len(misses) == 1:
        [miss] = misses.values()
        return ProductNotFound(miss.message, **miss.details, **beside)
    first = next((code for code in codes if code["gs1"]), codes[0])
    if _make_the_same_product(codes):
        beside = {"understood": first["understood"], "new_product": first["new_product"], **beside}
    return ProductNotFound(f"no product fits any of the {len(misses)} codes on the image", **beside)


def _make_the_same_product(codes: Sequence[ImageCode]) -> bool:
    bodies = [code["new_product"] for code in codes]
    return all(bodies) and len({body["product_code"] for body in bodies if body}) == 1
