"""Handler of /api/codes/batch: many codes in one call, each with the result of a single call.

Rule: entries are rendered in groups, and each group is sent before the next one begins, so that neither the render
queue nor the memory ever holds a whole batch. Of all batches of a client, one group is rendered at a time: a code of
another client waits for a few others, however many batches arrive together.
"""

import asyncio
from collections.abc import AsyncGenerator
from functools import partial
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import Field, SkipValidation

from barcodesvc.api.batches import batched, batched_error, outcomes_of
from barcodesvc.api.client_address import client_key
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.resources.code_requests import BarcodeRequest, QrRequest
from barcodesvc.api.resources.codes import barcode, barcode_response, qr_response, qrcode
from barcodesvc.api.responses import JSON, JSON_HEADERS, SUCCESS_OPENING, stream
from barcodesvc.api.signature import Batch, Example, Sends
from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.fields import described
from barcodesvc.models import Draft
from barcodesvc.validation import repeatable, validated

MOST_REQUESTS = 500
_LARGEST_GROUP = 16
"""Entries that are rendered together; fewer if a client's share of the render queue is, so that no group exceeds it."""


class BarcodeEntry(BarcodeRequest):
    """A barcode in a batch."""

    kind: Annotated[Literal["barcode"], described("What is drawn.", "barcode")]


class QrEntry(QrRequest):
    """A QR code in a batch."""

    kind: Annotated[Literal["qrcode"], described("What is drawn.", "qrcode")]


class BatchForm(Draft):
    """Codes that are requested together; each is handled separately, and an invalid one gets its own error."""

    requests: Annotated[
        list[SkipValidation[BarcodeEntry | QrEntry]],
        Field(min_length=1, max_length=MOST_REQUESTS),
        described("The codes, each with the fields of a single call."),
    ]


_ENVELOPES = Batch("BatchResponse", {"BatchedBarcode": barcode, "BatchedQrCode": qrcode})


async def batch(
    request: web.Request,
    body: Annotated[
        BatchForm,
        Example({"requests": [{"kind": "barcode", "product_code": "A-1"}, {"kind": "qrcode", "product_code": "A-1"}]}),
    ],
) -> Annotated[web.StreamResponse, Sends({JSON: _ENVELOPES})]:
    """Draw many codes."""
    return await stream(request, JSON_HEADERS, _chunks(request, body.requests))


async def _chunks(request: web.Request, entries: list[Any]) -> AsyncGenerator[bytes]:
    opening = SUCCESS_OPENING + b"["
    group = min(_LARGEST_GROUP, request.app[SERVICE].renderer.share)
    turns = request.app[SERVICE].batch_locks.setdefault(client_key(request), asyncio.Lock())
    for start in range(0, len(entries), group):
        async with turns:
            outcomes = await outcomes_of(partial(_success, request), entries[start : start + group])
        yield opening + b",".join(map(partial(_envelope, request), outcomes))
        opening = b","
    yield b"]}"


async def _success(request: web.Request, entry: object) -> bytes:
    if not isinstance(entry, dict):
        raise InvalidInput.of(field_problem("body", "Input should be an object", repeatable(entry)))
    fields = {name: value for name, value in entry.items() if name != "kind"}
    match entry.get("kind"):
        case "barcode":
            return await barcode_response(request, validated(BarcodeRequest, fields))
        case "qrcode":
            return await qr_response(request, validated(QrRequest, fields))
        case kind:
            raise InvalidInput.of(field_problem("kind", "must be barcode or qrcode", repeatable(kind)))


def _envelope(request: web.Request, outcome: bytes | Exception) -> bytes:
    return batched_error(request, outcome) if isinstance(outcome, Exception) else batched(outcome)
