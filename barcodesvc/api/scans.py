"""The handler of scans: what a scanner sent in, the product it names out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from aiohttp import web
from pydantic import StringConstraints

from barcodesvc.api.keys import DATABASE
from barcodesvc.api.requests import read_model
from barcodesvc.api.responses import success
from barcodesvc.decoding import decode
from barcodesvc.models import Draft


class DecodeRequest(Draft):
    """What a scanner sent; `code_type` is a hint that never decides anything."""

    code_data: Annotated[str, StringConstraints(min_length=1, max_length=8192)]
    code_type: str = ""


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
