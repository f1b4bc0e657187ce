"""Scans by image: the products that its codes name.

An image is the part `image` of a form, or `image_base64` in JSON. It has the limits of uploads, in bytes and in time,
in either kind of body. A JSON body beyond the usual limit must announce its length and contain an image, which is cut
out before the rest is parsed.

The response equals that of a text scan if all codes with a product name the same one. If they name several, none is
chosen, and `product`, `inventory` and `match` are null. In either case `codes` lists each code in reading order. GS1
data are those of the first code that has any, because a pack often has them in another code than its number.

Rule: an image beyond the queue is refused before its bytes arrive; otherwise it counts once it has arrived.
"""

import binascii
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

from aiohttp import web
from pydantic import AfterValidator, BaseModel, field_validator
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypeAliasType

from barcodesvc.api.bodies import arriving
from barcodesvc.api.client_address import client_key, is_connected
from barcodesvc.api.forms import FORM, File, Form, MostBytes, received_form
from barcodesvc.api.guard.headers import media_type, named_type
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.resources.scan_responses import Decoded, decoded_data
from barcodesvc.api.responses import success_response
from barcodesvc.config import Settings
from barcodesvc.errors import FileTooLarge, InvalidInput, LongBody, UnreadableBody, field_problem
from barcodesvc.fields import described
from barcodesvc.models import Draft
from barcodesvc.runtime.capacity import Acquire
from barcodesvc.scanning.images.codes import NOT_DRAWN, CodeOnImage, CodesOnImage, EffortName, ImageFile
from barcodesvc.scanning.resolver import Resolved, resolve_codes
from barcodesvc.scanning.unresolved import ImageCode, NoCodeOnImage, UnresolvedScan
from barcodesvc.symbols.registry import known_symbology, normal_name
from barcodesvc.validation import json_in, model_in, refused_body

MOST_TEXT_BYTES = 64 * 1024
"""Bytes of JSON in addition to an image: a scanned text of 8192 characters, each as an escape, and its fields."""
_MOST_HINT_BYTES = 512
_SENT, _BODY = "the image", "the body with the image"
"""What messages call an image and its body, in a form or in JSON."""
_IMAGE_FIELD = re.compile(rb'"image_base64"\s{0,99}:\s{0,99}("[^"]*")')
"""With limits, because a search holds Python's global lock, and a body may be all spaces."""
_DATA_URI = re.compile(r"data:[^,]{0,200};base64,", re.IGNORECASE)
_ONE_ALPHABET = str.maketrans("-_", "+/", " \t\r\n")
"""Converts the URL-safe alphabet to the standard one (RFC 4648, 4 and 5), and removes line breaks."""
_HINT = "hold the camera closer and straight, in even light, with the white margin around the code in the image"


ImageEffort = TypeAliasType(
    "ImageEffort",
    Annotated[
        EffortName,
        described(
            "How hard to look: `quick` once, `normal` until a code is certain, `thorough` longer, for many codes.",
            "normal",
        ),
    ],
)


def _symbology(code_type: str) -> str:
    """Return the name of a symbology, in the registry or of `NOT_DRAWN`, or an empty text for one that is unknown."""
    if drawn := known_symbology(code_type):
        return drawn.name
    return next((name for name in NOT_DRAWN if normal_name(name) == normal_name(code_type)), "")


_ImageHint = Annotated[
    str,
    AfterValidator(_symbology),
    described("`ITF` also reads codes of 2 and 4 digits; an image shows all other symbologies by itself.", "ITF"),
]


class ImageRequest(Draft):
    """An image in a JSON body."""

    image_base64: Annotated[
        str, described("The image in base64 or as a data URI: PNG, JPEG, WebP, GIF, TIFF or BMP.", "iVBORw0KGgo=")
    ]
    code_data: SkipJsonSchema[None] = None
    """For refusals."""
    code_type: _ImageHint = ""
    effort: ImageEffort = "normal"

    @field_validator("code_data", mode="before")
    @classmethod
    def _no_text(cls, _: object) -> None:
        raise ValueError("give either code_data or image_base64, not both")


class ImageForm(BaseModel, extra="forbid"):
    """An image of codes: PNG, JPEG, WebP, GIF, TIFF or BMP by its content."""

    image: Annotated[File, described("The image: PNG, JPEG, WebP, GIF, TIFF or BMP, by its content.", "GIF89a")]
    code_type: Annotated[_ImageHint | None, MostBytes(_MOST_HINT_BYTES)] = None
    effort: Annotated[ImageEffort, MostBytes(_MOST_HINT_BYTES)] = "normal"


def brings_image(request: web.Request) -> bool:
    """Return whether the body must contain an image: a form, or JSON longer than the usual limit."""
    kind, settings = media_type(request), request.app[SERVICE].settings
    if kind.startswith("multipart/"):
        return True
    in_base64 = settings.max_upload_bytes * 4 // 3
    return (
        "json" in kind
        and settings.max_json_bytes < (request.content_length or 0) <= settings.max_json_bytes + in_base64
    )


async def decode_image(request: web.Request) -> web.Response:
    """POST /api/codes/decode with a body for which `brings_image` is true: the product that the codes on it name."""
    reader, client = request.app[SERVICE].image_reader, client_key(request)
    reader.places.require_for(client)
    received = _image_in_form if media_type(request).startswith("multipart/") else _image_in_arriving_json
    with reader.arriving_bytes.held(0, client) as acquire:
        image = await received(request, acquire)
    return await resolved_image(request, image)


async def _image_in_form(request: web.Request, acquire: Acquire) -> ImageFile:
    if media_type(request) != FORM:
        accepted = f"application/json, or as {FORM} with one part named image"
        raise refused_body(UnreadableBody, f"{named_type(request)} cannot be read; send it as {accepted}")
    content, most = bytearray(), request.app[SERVICE].settings.max_upload_bytes

    async def keep(chunk: bytes) -> None:
        acquire(len(chunk))
        content.extend(chunk)

    form = Form(
        model=ImageForm,
        noun="image",
        most_bytes=most,
        too_large=_too_large(most),
        sent=_SENT,
        body=_BODY,
    )
    texts = await received_form(request, form, keep)
    return ImageFile(bytes(content), texts.get("effort", "normal"), texts.get("code_type", ""))


async def _image_in_arriving_json(request: web.Request, acquire: Acquire) -> ImageFile:
    body, service = bytearray(), request.app[SERVICE]
    seconds = service.settings.upload_timeout
    late, malformed = f"{_SENT} took longer than {seconds:g} seconds", f"{_BODY} is cut short or malformed"
    async with arriving(request, seconds, late, malformed):
        async for chunk in request.content.iter_any():
            acquire(len(chunk))
            body += chunk
    return await service.body_thread.run(image_in_json, bytes(body), service.settings)


def image_in_json(body: bytes, settings: Settings) -> ImageFile:
    """Return the image in JSON; it is cut out of a long body before the rest of it is parsed."""
    most_others = min(MOST_TEXT_BYTES, settings.max_json_bytes)
    found = _IMAGE_FIELD.search(body)
    if found is None:
        raise refused_body(LongBody, f"larger than {most_others} bytes")
    others = body[: found.start(1)] + b'""' + body[found.end(1) :]
    if len(others) > most_others:
        raise refused_body(LongBody, f"larger than {most_others} bytes besides its image")
    return image_file(model_in(ImageRequest, others), json_in(found[1]), settings)


def image_file(sent: ImageRequest, image_base64: str, settings: Settings) -> ImageFile:
    """Return the file that a request contains in base64; raises FileTooLarge, and InvalidInput for anything else."""
    prefix = _DATA_URI.match(image_base64)
    text = image_base64[prefix.end() if prefix else 0 :].translate(_ONE_ALPHABET).rstrip("=")
    if len(text) * 3 // 4 > settings.max_upload_bytes:
        raise _too_large(settings.max_upload_bytes)
    try:
        content = binascii.a2b_base64(text + "=" * (-len(text) % 4), strict_mode=True)
    except ValueError:
        message = "not base64; send the bytes of the image file in base64, with or without `data:image/png;base64,`"
        raise InvalidInput.of(field_problem("image_base64", message)) from None
    return ImageFile(content, sent.effort, sent.code_type)


def _too_large(most_bytes: int) -> FileTooLarge:
    message = f"the image is larger than {most_bytes} bytes; send one of fewer pixels, or a JPEG"
    return FileTooLarge(message, limit=most_bytes)


async def resolved_image(request: web.Request, image: ImageFile) -> web.Response:
    """Read an image, and return the response with the product that its codes name."""
    is_wanted = partial(is_connected, request)
    found = await request.app[SERVICE].image_reader.read(image, client_key(request), is_wanted)
    outcomes = await resolve_codes(request.app[SERVICE].resolver, found.codes)
    codes = list(map(_image_code, found.codes, outcomes))
    named = {one.product.id: one for one in reversed(outcomes) if isinstance(one, Resolved)}
    if not named:
        raise _not_found(outcomes, codes, found)
    if len(named) > 1:
        decoded = Decoded(product=None, code=None, inventory=None, match=None)
    else:
        [product] = named.values()
        others = (one.gs1 for one in outcomes if isinstance(one, Resolved))
        decoded = decoded_data(product._replace(gs1=next(filter(None, others), None)))
    decoded["codes"], decoded["codes_truncated"], decoded["looks"] = codes, found.is_truncated, found.looks
    return success_response(decoded)


def _image_code(read: CodeOnImage, outcome: Resolved | UnresolvedScan) -> ImageCode:
    code = ImageCode(
        text=read.text,
        symbology=read.symbology,
        position=read.corners,
        match=None,
        gs1=None,
        product=None,
        code=None,
    )
    if isinstance(outcome, UnresolvedScan):
        understood = outcome.understood
        code["gs1"], code["understood"] = understood["gs1"], understood
        code["new_product"] = outcome.details.get("new_product")
    else:
        code["match"], code["gs1"] = outcome.match, outcome.gs1
        code = {**code, "product": outcome.product, "code": outcome.code, **outcome.pack}
    return code


def _not_found(
    outcomes: Sequence[Resolved | UnresolvedScan], codes: list[ImageCode], found: CodesOnImage
) -> UnresolvedScan | NoCodeOnImage:
    """Return the error; for an image with one text, it has all details of that text's scan.

    Several texts that would create the same product are one miss: that of the first with more GS1 data, or the first.
    """
    misses = [one for one in outcomes if isinstance(one, UnresolvedScan)]
    if not misses:
        message = "no code was found in the image"
        return NoCodeOnImage(message, hint=_HINT, codes=codes, codes_truncated=found.is_truncated, looks=found.looks)
    miss, texts = misses[0], {code["text"] for code in codes}
    if len(texts) > 1:
        miss = UnresolvedScan(f"no product matches any of the {len(texts)} codes in the image")
        if _make_the_same_product(codes):
            first = next((one for one in misses if one.understood["gs1"]), misses[0])
            miss.understood, miss.new_product = first.understood, first.new_product
    return replace(miss, codes=codes, codes_truncated=found.is_truncated, looks=found.looks)


def _make_the_same_product(codes: Sequence[ImageCode]) -> bool:
    bodies = [code["new_product"] for code in codes]
    return all(bodies) and len({body["product_code"] for body in bodies if body}) == 1
