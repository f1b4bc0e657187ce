"""The handlers of /api/codes: barcodes, QR codes, label sheets and scans.

A cached code never leaves the event loop: body to model to key, a look-up, and finished bytes are joined.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from functools import cached_property
from typing import Annotated

from aiohttp import web
from pydantic import Field, PlainValidator, StringConstraints
from pydantic_core import to_json

from barcodesvc.api.keys import DATABASE, PRINTER, RENDERER
from barcodesvc.api.requests import read_model, read_recurring_model
from barcodesvc.api.responses import JSON_HEADERS, attachment, success
from barcodesvc.decoding import decode
from barcodesvc.errors import FieldProblem, InvalidContent, InvalidInput
from barcodesvc.labels.sheets import PageSize, page_size, simple_sheet
from barcodesvc.models import Draft, Product, ProductCode
from barcodesvc.printing import PrintJob, descriptions_of
from barcodesvc.render.rendering import BarcodeKey, QrKey, Rendering, RenderKey, normal_width
from barcodesvc.store.products import get_product_by_code
from barcodesvc.symbols.qr import ErrorCorrection
from barcodesvc.symbols.registry import Symbology, find_symbology

LARGEST_IMAGE = 4000
"""Pixels of the widest image."""
MOST_LABELS = 10_000
_LONGEST_NAME = 64
_SIDES = ("width", "size")
"""Rules of InvalidContent that are about a field of that name; every other one is about the content."""
_CODE128 = find_symbology("CODE128")
_A4 = page_size("A4")


def _symbology(value: object) -> Symbology:
    if not isinstance(value, str) or not 1 <= len(value) <= _LONGEST_NAME:
        raise ValueError(f"the name of a symbology is text of 1 to {_LONGEST_NAME} characters")
    try:
        return find_symbology(value)
    except InvalidInput as refusal:
        raise _as_value_error(refusal) from refusal


def _label_symbology(value: object) -> Symbology:
    plain = isinstance(value, str) and re.sub("[-_ ]", "", value).casefold() == "barcode"
    return _symbology("CODE128" if plain else value)


def _page(value: object) -> PageSize:
    if not isinstance(value, str):
        raise ValueError("the name of a page size is text")  # noqa: TRY004 - pydantic takes ValueError for a refusal
    try:
        return page_size(value)
    except InvalidInput as refusal:
        raise _as_value_error(refusal) from refusal


def _as_value_error(refusal: InvalidInput) -> ValueError:
    """Return a refusal as pydantic wants it, so that it is reported beside everything else that is wrong."""
    return ValueError(refusal.details["errors"][0]["message"])


Pixels = Annotated[float, Field(allow_inf_nan=False)]


class BarcodeRequest(Draft):
    """A barcode; `width` and `height` in pixels, `width` up to 10 is that of one module."""

    product_code: ProductCode
    format: Annotated[Symbology, PlainValidator(_symbology)] = _CODE128
    width: Annotated[Pixels, Field(gt=0, le=LARGEST_IMAGE)] = 2
    height: Annotated[Pixels, Field(ge=10, le=2000)] = 100
    displayValue: bool = True  # noqa: N815 - the name that the interface gives it

    @cached_property
    def key(self) -> BarcodeKey:
        """The picture that is asked for, normalised."""
        width, height = normal_width(self.width), round(self.height)
        return BarcodeKey(self.format, self.product_code, width, height, self.displayValue)


class QrRequest(Draft):
    """A QR code; `size` is the side of the image in pixels."""

    product_code: ProductCode
    size: Annotated[Pixels, Field(ge=29, le=LARGEST_IMAGE)] = 300
    error_correction: ErrorCorrection = "M"
    include_product_info: bool = False


class Layout(Draft):
    """How labels are arranged on a page; `font_size` in points."""

    page_size: Annotated[PageSize, PlainValidator(_page)] = _A4
    labels_per_row: Annotated[int, Field(ge=1, le=100)] = 3
    labels_per_column: Annotated[int, Field(ge=1, le=100)] | None = None
    include_description: bool = False
    font_size: Annotated[float, Field(ge=4, le=72, allow_inf_nan=False)] = 8


class PrintRequest(Draft):
    """Labels to print, one for each code in the list."""

    products: Annotated[list[ProductCode], Field(min_length=1, max_length=MOST_LABELS)]
    code_type: Annotated[Symbology, PlainValidator(_label_symbology)] = _CODE128
    layout: Layout = Layout()


class DecodeRequest(Draft):
    """What a scanner sent; `code_type` is a hint that never decides anything."""

    code_data: Annotated[str, StringConstraints(min_length=1, max_length=8192)]
    code_type: str = ""


async def barcode(request: web.Request) -> web.Response:
    """POST /api/codes/barcode: one code as SVG and PNG."""
    wanted = await read_recurring_model(request, BarcodeRequest)
    rendering = await _rendered(request, wanted.key, wanted.product_code)
    return _joined(
        b'{"success":true,"data":{"product_code":',
        json.dumps(wanted.product_code).encode(),
        b',"format":"',
        wanted.format.name.encode(),
        b'","barcode_svg":',
        rendering.svg_json,
        b',"barcode_base64":',
        rendering.png_uri_json,
        b"}}",
    )


async def qrcode(request: web.Request) -> web.Response:
    """POST /api/codes/qrcode: one QR code as SVG and PNG, holding the code or the product's data."""
    wanted = await read_recurring_model(request, QrRequest)
    content, embedded = wanted.product_code, b""
    if wanted.include_product_info:
        product = await get_product_by_code(request.app[DATABASE], wanted.product_code)
        payload = _payload(product)
        content, embedded = payload.decode(), b',"embedded_data":' + payload
    key = QrKey(content, wanted.error_correction, round(wanted.size))
    rendering = await _rendered(request, key, wanted.product_code)
    return _joined(
        b'{"success":true,"data":{"product_code":',
        json.dumps(wanted.product_code).encode(),
        b',"qr_code_svg":',
        rendering.svg_json,
        b',"qr_code_base64":',
        rendering.png_uri_json,
        embedded,
        b"}}",
    )


async def printable(request: web.Request) -> web.Response:
    """POST /api/codes/printable: a PDF of labels."""
    wanted = await read_model(request, PrintRequest)
    layout = wanted.layout
    sheet = simple_sheet(layout.page_size, layout.labels_per_row, layout.labels_per_column)
    descriptions = {}
    if layout.include_description:
        descriptions = await descriptions_of(request.app[DATABASE], wanted.products)
    job = PrintJob(wanted.products, wanted.code_type, sheet, layout.font_size, descriptions)
    pdf = await request.app[PRINTER].run(job)
    return web.Response(body=pdf, content_type="application/pdf", headers=attachment("labels.pdf"))


async def decode_scan(request: web.Request) -> web.Response:
    """POST /api/codes/decode: the product that a scanned text names."""
    wanted = await read_model(request, DecodeRequest)
    decoded = await decode(request.app[DATABASE], wanted.code_data)
    found = asdict(decoded.found)
    return success(
        {
            "product": {name: found[name] for name in ("id", "product_code", "description", "category")},
            "inventory": {name: found[name] for name in ("current_level", "minimum_level", "last_updated")},
            "match": decoded.match.value,
        }
    )


async def _rendered(request: web.Request, key: RenderKey, product_code: str) -> Rendering:
    renderer = request.app[RENDERER]
    try:
        return renderer.cached(key) or await renderer.render(key)
    except InvalidContent as refusal:
        field = refusal.details["rule"]
        problem = FieldProblem(field, refusal.message) if field in _SIDES else _wrong_code(refusal, product_code)
        raise InvalidContent(refusal.message, errors=[problem.as_json()], **refusal.details) from refusal


def _wrong_code(refusal: InvalidContent, product_code: str) -> FieldProblem:
    return FieldProblem("product_code", refusal.message, product_code)


def _payload(product: Product) -> bytes:
    """Return what a QR code with product information holds: compact JSON, the same for the same product state."""
    return to_json(
        {
            "product_code": product.product_code,
            "description": product.description,
            "timestamp": product.updated_at,
        }
    )


def _joined(*parts: bytes) -> web.Response:
    return web.Response(body=b"".join(parts), headers=JSON_HEADERS)
