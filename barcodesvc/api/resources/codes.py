"""The handlers of /api/codes that answer with one code as JSON, and with what can be drawn at all."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from aiohttp import web
from pydantic_core import to_json

from barcodesvc.api.requests import NoQuery, read_query, read_recurring_model
from barcodesvc.api.resources.code_answers import barcode_answer, qr_answer
from barcodesvc.api.resources.code_requests import BarcodeRequest, QrRequest
from barcodesvc.api.responses import JSON_HEADERS
from barcodesvc.api.whole_answers import WholeAnswer
from barcodesvc.symbols.modules import Matrix
from barcodesvc.symbols.registry import SYMBOLOGIES, Symbology


async def barcode(request: web.Request) -> web.Response:
    """POST /api/codes/barcode: one code as SVG and PNG."""
    wanted = await read_recurring_model(request, BarcodeRequest)
    return WholeAnswer(await barcode_answer(request.app, wanted))


async def qrcode(request: web.Request) -> web.Response:
    """POST /api/codes/qrcode: one QR code as SVG and PNG, holding the code or the product's data."""
    wanted = await read_recurring_model(request, QrRequest)
    return WholeAnswer(await qr_answer(request.app, wanted))


async def formats(request: web.Request) -> web.Response:
    """GET /api/codes/formats: every symbology with its names, rules and an example."""
    read_query(request, NoQuery)
    return web.Response(body=_formats(), headers=JSON_HEADERS)


@lru_cache(maxsize=1)
def _formats() -> bytes:
    return to_json({"success": True, "data": [_told(symbology) for symbology in SYMBOLOGIES]})


def _told(symbology: Symbology) -> dict[str, Any]:
    """Return a symbology as people are told of it; the quiet zone is counted in modules."""
    symbol = symbology.encode(symbology.example)
    if isinstance(symbol, Matrix):
        quiet_zone = dict.fromkeys(("left", "right", "top", "bottom"), symbol.quiet)
    else:
        quiet_zone = {"left": symbol.quiet_left, "right": symbol.quiet_right, "top": 0, "bottom": 0}
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
