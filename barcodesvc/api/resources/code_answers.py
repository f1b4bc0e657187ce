"""From what is asked of a code to its rendering, and from there to the bytes of an answer.

A single call, an entry of a batch and a picture's address all come through here: one render path, one cache. A cached
code never leaves the event loop, and its answer is joined from finished bytes.
"""

from __future__ import annotations

from typing import Annotated, NotRequired

from aiohttp import web
from pydantic import Field
from pydantic_core import to_json
from typing_extensions import TypedDict

from barcodesvc.api.keys import DATABASE
from barcodesvc.api.resources.code_json import RENDERER, CodeJson
from barcodesvc.api.resources.code_requests import BarcodeRequest, QrRequest
from barcodesvc.api.responses import Success
from barcodesvc.errors import FieldProblem, InvalidContent
from barcodesvc.models import Product, Timestamp
from barcodesvc.render.rendering import RenderKey
from barcodesvc.store.products import get_product_by_code

_FIELDS = ("width", "size", "module_mm")
"""Rules of InvalidContent that are about a field of that name; every other one is about the content."""


DataUri = Annotated[str, Field(json_schema_extra={"pattern": "^data:image/png;base64,"})]


class Barcode(TypedDict):
    """A barcode as SVG markup and as a data URI of a PNG image."""

    product_code: str
    format: str
    barcode_svg: str
    barcode_base64: DataUri
    warnings: NotRequired[list[str]]


class BarcodeAnswer(TypedDict):
    """One barcode."""

    success: Success
    data: Barcode


class EmbeddedData(TypedDict):
    """What a QR code with product information holds, as compact JSON."""

    product_code: str
    description: str
    timestamp: Timestamp


class QrCode(TypedDict):
    """A QR code as SVG markup and as a data URI of a PNG image."""

    product_code: str
    qr_code_svg: str
    qr_code_base64: DataUri
    embedded_data: NotRequired[EmbeddedData]
    warnings: NotRequired[list[str]]


class QrCodeAnswer(TypedDict):
    """One QR code."""

    success: Success
    data: QrCode


async def barcode_picture(app: web.Application, wanted: BarcodeRequest) -> CodeJson:
    """Return the picture; raises InvalidContent and what `Renderer.render` raises."""
    return app[RENDERER].cached(wanted.key) or await _rendered(app, wanted.key, wanted.product_code)


async def qr_picture(app: web.Application, wanted: QrRequest) -> tuple[CodeJson, bytes]:
    """Return the picture and the product information in it, empty if none is asked for.

    Raises ProductNotFound, InvalidContent and what `Renderer.render` raises.
    """
    key, payload = wanted.key, b""
    if wanted.include_product_info:
        payload = _payload(await get_product_by_code(app[DATABASE], wanted.product_code))
        key = wanted.key_of(payload.decode())
    return app[RENDERER].cached(key) or await _rendered(app, key, wanted.product_code), payload


async def barcode_answer(app: web.Application, wanted: BarcodeRequest) -> bytes:
    """Return the envelope of a barcode; raises as `barcode_picture`."""
    picture = await barcode_picture(app, wanted)
    return b"".join(
        (
            wanted.answer_opening,
            picture.svg,
            b',"barcode_base64":',
            picture.png_uri,
            picture.warnings_field,
            b"}}",
        )
    )


async def qr_answer(app: web.Application, wanted: QrRequest) -> bytes:
    """Return the envelope of a QR code; raises as `qr_picture`."""
    picture, payload = await qr_picture(app, wanted)
    return b"".join(
        (
            wanted.answer_opening,
            picture.svg,
            b',"qr_code_base64":',
            picture.png_uri,
            b',"embedded_data":' + payload if payload else b"",
            picture.warnings_field,
            b"}}",
        )
    )


async def _rendered(app: web.Application, key: RenderKey, product_code: str) -> CodeJson:
    try:
        return await app[RENDERER].render(key)
    except InvalidContent as refusal:
        field = refusal.details["rule"]
        problem = FieldProblem(field, refusal.message) if field in _FIELDS else _wrong_code(refusal, product_code)
        raise InvalidContent(refusal.message, errors=[problem.as_json()], **refusal.details) from refusal


def _wrong_code(refusal: InvalidContent, product_code: str) -> FieldProblem:
    return FieldProblem("product_code", refusal.message, product_code)


def _payload(product: Product) -> bytes:
    """Return what a QR code with product information holds: compact JSON, the same for the same product state."""
    return to_json(
        EmbeddedData(product_code=product.product_code, description=product.description, timestamp=product.updated_at)
    )
