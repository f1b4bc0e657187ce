"""The handlers of /api/codes that answer with one code as JSON, and with what can be drawn at all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from aiohttp import web
from pydantic_core import to_json
from typing_extensions import TypedDict

from barcodesvc.api.requests import NoQuery, read_query, read_recurring_model
from barcodesvc.api.resources.code_answers import barcode_answer, qr_answer
from barcodesvc.api.resources.code_requests import BarcodeRequest, QrRequest
from barcodesvc.api.responses import JSON_HEADERS, JsonAnswer, Success
from barcodesvc.api.whole_answers import WholeAnswer
from barcodesvc.symbols.modules import Matrix
from barcodesvc.symbols.registry import SYMBOLOGIES, Symbology


class QuietZone(TypedDict):
    """The light margin of a symbol, in modules."""

    left: int
    right: int
    top: int
    bottom: int


class CodeFormat(TypedDict):
    """A symbology: its names, its rules in words, and an example."""

    format: str
    aliases: Sequence[str]
    kind: Literal["linear", "matrix"]
    alphabet: str
    length: str
    check_digit: str
    quiet_zone: QuietZone
    least_module_mm: float
    example: str


class FormatsAnswer(TypedDict):
    """Every symbology."""

    success: Success
    data: list[CodeFormat]


async def barcode(request: web.Request) -> WholeAnswer:
    """POST /api/codes/barcode: one code as SVG and PNG."""
    wanted = await read_recurring_model(request, BarcodeRequest)
    return WholeAnswer(await barcode_answer(request.app, wanted))


async def qrcode(request: web.Request) -> WholeAnswer:
    """POST /api/codes/qrcode: one QR code as SVG and PNG, holding the code or the product's data."""
    wanted = await read_recurring_model(request, QrRequest)
    return WholeAnswer(await qr_answer(request.app, wanted))


async def formats(request: web.Request) -> JsonAnswer[FormatsAnswer]:
    """GET /api/codes/formats: every symbology with its names, rules and an example."""
    read_query(request, NoQuery)
    return JsonAnswer(body=_formats(), headers=JSON_HEADERS)


@lru_cache(maxsize=1)
def _formats() -> bytes:
    return to_json(FormatsAnswer(success=True, data=[_format(symbology) for symbology in SYMBOLOGIES]))


def _format(symbology: Symbology) -> CodeFormat:
    """Return what can be drawn in a symbology; the quiet zone is counted in modules."""
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
