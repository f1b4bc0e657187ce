"""Handlers of single codes as JSON, and of the list of symbologies.

Single calls, entries of a batch and picture addresses share the path from request to response and one cache. A cached
code never leaves the event loop.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Literal, NotRequired

from aiohttp import web
from pydantic import Field
from pydantic_core import to_json
from typing_extensions import TypedDict

from barcodesvc import fields
from barcodesvc.api.bodies import read_recurring_model
from barcodesvc.api.client_address import client_key
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.resources.code_requests import BarcodeRequest, QrRequest
from barcodesvc.api.responses import JSON, WholeResponse
from barcodesvc.api.signature import Enveloped, Example, Reads, Sends
from barcodesvc.codes.rendering import Rendering, RenderKey
from barcodesvc.errors import InvalidContent, field_problem
from barcodesvc.fields import Timestamp, described
from barcodesvc.models import Product
from barcodesvc.store.products import get_product_by_code
from barcodesvc.symbols.modules import Matrix
from barcodesvc.symbols.registry import SYMBOLOGIES, Symbology

_FIELDS = ("width", "size", "module_mm")
"""Rules of InvalidContent that are about a field of that name; every other one is about the content."""


DataUri = Annotated[
    str,
    Field(json_schema_extra={"pattern": "^data:image/png;base64,"}),
    described("The picture as a PNG file in a data URI.", "data:image/png;base64,iVBORw0KGgo="),
]
SvgText = Annotated[
    str,
    described(
        "The picture as an SVG document.",
        '<svg xmlns="http://www.w3.org/2000/svg" width="226" height="120" viewBox="0 0 226 120"></svg>',
    ),
]
Warnings = Annotated[
    list[str],
    described(
        "What to watch out for when you print it.",
        ["a module of 0.254 mm is narrower than 0.264 mm, the minimum for EAN13; at 300 dpi that is 4 pixels a module"],
    ),
]


class Barcode(TypedDict):
    """A barcode as SVG markup and as a data URI of a PNG image."""

    product_code: Annotated[str, described("The code that was drawn, as requested.", "4006381333931")]
    format: Annotated[str, described("The name of the symbology.", "EAN13")]
    barcode_svg: SvgText
    barcode_base64: DataUri
    warnings: NotRequired[Warnings]


OneBarcode = Annotated[Barcode, Enveloped("BarcodeResponse", "One barcode.", "The barcode.")]


class EmbeddedData(TypedDict):
    """What a QR code with product information holds, as compact JSON."""

    product_code: fields.Code
    description: fields.DescriptionText
    timestamp: Annotated[Timestamp, described("When the product was last changed.")]


class QrCode(TypedDict):
    """A QR code as SVG markup and as a data URI of a PNG image."""

    product_code: Annotated[str, described("The code that was drawn, as requested.", "4006381333931")]
    qr_code_svg: SvgText
    qr_code_base64: DataUri
    embedded_data: NotRequired[
        Annotated[EmbeddedData, described("What the QR code holds, if the request includes product information.")]
    ]
    warnings: NotRequired[Warnings]


OneQrCode = Annotated[QrCode, Enveloped("QrCodeResponse", "One QR code.", "The QR code.")]


async def barcode_picture(request: web.Request, wanted: BarcodeRequest) -> Rendering:
    """Return the picture; raises InvalidContent and what `Renderer.draw` raises."""
    return request.app[SERVICE].renderer.cached(wanted.key) or await _drawn(request, wanted.key, wanted.product_code)


async def qr_picture(request: web.Request, wanted: QrRequest) -> tuple[Rendering, bytes]:
    """Return the picture and the product information in it, empty if none is asked for.

    Raises ProductNotFound, InvalidContent and what `Renderer.draw` raises.
    """
    key, payload = wanted.key, b""
    if wanted.include_product_info:
        payload = _payload(await get_product_by_code(request.app[SERVICE].database, wanted.product_code))
        key = wanted.key_of(payload.decode())
    return request.app[SERVICE].renderer.cached(key) or await _drawn(request, key, wanted.product_code), payload


async def barcode_response(request: web.Request, wanted: BarcodeRequest) -> bytes:
    """Return the envelope of a barcode; raises as `barcode_picture`."""
    picture = await barcode_picture(request, wanted)
    return b"".join(
        (
            wanted.response_opening,
            picture.svg_json,
            b',"barcode_base64":',
            picture.png_uri_json,
            _warnings_field(picture) if picture.warnings else b"",
            b"}}",
        )
    )


async def qr_response(request: web.Request, wanted: QrRequest) -> bytes:
    """Return the envelope of a QR code; raises as `qr_picture`."""
    picture, payload = await qr_picture(request, wanted)
    return b"".join(
        (
            wanted.response_opening,
            picture.svg_json,
            b',"qr_code_base64":',
            picture.png_uri_json,
            b',"embedded_data":' + payload if payload else b"",
            _warnings_field(picture) if picture.warnings else b"",
            b"}}",
        )
    )


def _warnings_field(picture: Rendering) -> bytes:
    return b',"warnings":' + to_json(picture.warnings)


async def _drawn(request: web.Request, key: RenderKey, product_code: str) -> Rendering:
    try:
        return await request.app[SERVICE].renderer.draw(key, client_key(request))
    except InvalidContent as refusal:
        field = refusal.rule
        wrong = (field, refusal.message) if field in _FIELDS else ("product_code", refusal.message, product_code)
        raise replace(refusal, errors=[field_problem(*wrong)]) from refusal


def _payload(product: Product) -> bytes:
    """Return what a QR code with product information holds: compact JSON, the same for the same product state."""
    return to_json(
        EmbeddedData(product_code=product.product_code, description=product.description, timestamp=product.updated_at)
    )


class QuietZone(TypedDict):
    """The light margin of a symbol, in modules."""

    left: Annotated[int, described("Modules on the left.", 11)]
    right: Annotated[int, described("Modules on the right.", 7)]
    top: Annotated[int, described("Modules above.", 0)]
    bottom: Annotated[int, described("Modules below.", 0)]


class CodeFormat(TypedDict):
    """A symbology: its names, its rules in words, and an example."""

    format: Annotated[str, described("The name of the symbology.", "EAN13")]
    aliases: Annotated[Sequence[str], described("Other names of it that requests may use.", ["EAN", "GTIN13"])]
    kind: Annotated[Literal["linear", "matrix"], described("Whether it has bars or a matrix of modules.", "linear")]
    alphabet: Annotated[str, described("The characters that it encodes, in words.", "0-9, and an add-on after +")]
    length: Annotated[str, described("How long its content may be, in words.", "12 or 13, add-on 2 or 5")]
    check_digit: Annotated[str, described("Its check digit, in words.", "modulo 10, added or verified")]
    quiet_zone: Annotated[QuietZone, described("The light margin that it needs, in modules.")]
    least_module_mm: Annotated[float, described("The minimum width of a module in mm.", 0.264)]
    example: Annotated[str, described("A content that it encodes.", "4006381333931")]


AllFormats = Annotated[list[CodeFormat], Enveloped("FormatsResponse", "Every symbology.", "The symbologies.")]


async def barcode(
    request: Annotated[
        web.Request,
        Reads(
            body={
                JSON: Annotated[
                    BarcodeRequest, Example({"product_code": "4006381333931", "format": "EAN13", "width": 3})
                ]
            }
        ),
    ],
) -> Annotated[WholeResponse, Sends({JSON: OneBarcode})]:
    """Draw a barcode as SVG and PNG.

    `format` decides what `product_code` may contain. `width` and `module_mm` exclude each other.
    """
    wanted = await read_recurring_model(request, BarcodeRequest)
    return WholeResponse(await barcode_response(request, wanted))


async def qrcode(
    request: Annotated[
        web.Request,
        Reads(body={JSON: Annotated[QrRequest, Example({"product_code": "BOLT-M8x40", "error_correction": "Q"})]}),
    ],
) -> Annotated[WholeResponse, Sends({JSON: OneQrCode})]:
    """Draw a QR code as SVG and PNG.

    It holds the code, or the product's data. A small `size` is not enough for every code. `size` and `module_mm`
    exclude each other.
    """
    wanted = await read_recurring_model(request, QrRequest)
    return WholeResponse(await qr_response(request, wanted))


async def formats() -> AllFormats:
    """List the symbologies, with their names, rules and examples."""
    return _formats()


@lru_cache(maxsize=1)
def _formats() -> list[CodeFormat]:
    return [_format(symbology) for symbology in SYMBOLOGIES]


def _format(symbology: Symbology) -> CodeFormat:
    """Return the entry of a symbology; the quiet zone is in modules."""
    symbol = symbology.encode(symbology.example)
    if isinstance(symbol, Matrix):
        quiet_zone = QuietZone(left=symbol.quiet, right=symbol.quiet, top=symbol.quiet, bottom=symbol.quiet)
    else:
        quiet_zone = QuietZone(left=symbol.quiet_left, right=symbol.quiet_right, top=0, bottom=0)
    return {
        "format": symbology.name,
        "aliases": symbology.aliases,
        "kind": "matrix" if isinstance(symbol, Matrix) else "linear",
        "alphabet": symbology.alphabet,
        "length": symbology.length,
        "check_digit": symbology.check_digit,
        "quiet_zone": quiet_zone,
        "least_module_mm": symbology.least_module,
        "example": symbology.example,
    }
