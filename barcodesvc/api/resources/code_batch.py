"""The handler of /api/codes/batch: many codes in one call, each answered as the single call would have answered it.

Entries are answered in groups: a group's renders go on together, and the groups before are out already, so that neither
the render queue nor the memory ever holds a whole batch.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from typing import Annotated, Any, ClassVar, Literal

from aiohttp import web
from pydantic import Field, SkipValidation
from pydantic_core import to_json

from barcodesvc.api.keys import SETTINGS
from barcodesvc.api.refusals import repeatable, validated
from barcodesvc.api.requests import read_model
from barcodesvc.api.resources.code_answers import barcode_answer, qr_answer
from barcodesvc.api.resources.code_requests import BarcodeRequest, QrRequest
from barcodesvc.api.responses import JSON_HEADERS, error_envelope, stream
from barcodesvc.errors import FieldProblem, GenerationFailure, InvalidInput, ServiceError
from barcodesvc.models import Draft

_LOG = logging.getLogger(__name__)

MOST_REQUESTS = 500
_LARGEST_GROUP = 16
"""Entries that are answered together; fewer where the render queue is set to fewer, so that no group overfills it."""


class BarcodeEntry(BarcodeRequest):
    """A barcode in a batch."""

    kind: Literal["barcode"]


class QrEntry(QrRequest):
    """A QR code in a batch."""

    kind: Literal["qrcode"]


class BatchForm(Draft):
    """Codes that are asked for together; each entry is judged on its own, and a wrong one gets its own error."""

    most_values: ClassVar[int] = 64 * MOST_REQUESTS
    requests: Annotated[
        list[SkipValidation[BarcodeEntry | QrEntry | Any]], Field(min_length=1, max_length=MOST_REQUESTS)
    ]


async def batch(request: web.Request) -> web.StreamResponse:
    """POST /api/codes/batch: the envelopes of many codes, in the order in which they were asked for."""
    wanted = await read_model(request, BatchForm)
    return await stream(request, JSON_HEADERS, _chunks(request.app, wanted.requests))


async def _chunks(app: web.Application, entries: list[Any]) -> AsyncGenerator[bytes]:
    opening = b'{"success":true,"data":['
    group = min(_LARGEST_GROUP, app[SETTINGS].render_queue)
    for start in range(0, len(entries), group):
        answers = await _answers(app, entries[start : start + group])
        yield opening + b",".join(answers)
        opening = b","
    yield b"]}"


async def _answers(app: web.Application, entries: list[Any]) -> list[bytes]:
    """Answer a group; the loop turns after each entry, because to refuse a long one takes milliseconds."""
    async with asyncio.TaskGroup() as group:
        tasks = []
        for entry in entries:
            tasks.append(group.create_task(_answer(app, entry)))
            await asyncio.sleep(0)
    return [task.result() for task in tasks]


async def _answer(app: web.Application, entry: object) -> bytes:
    """Return the envelope of one entry, that of a success or that of an error."""
    try:
        return await _success(app, entry)
    except ServiceError as error:
        return to_json(error_envelope(error))
    except Exception:  # noqa: BLE001 - as in the middleware: whatever it is, this entry and the others get envelopes
        _LOG.exception("unforeseen failure in an entry of a batch")
        return to_json(error_envelope(GenerationFailure("the service failed; the log says why")))


async def _success(app: web.Application, entry: object) -> bytes:
    if not isinstance(entry, dict):
        raise InvalidInput.of(FieldProblem("body", "Input should be an object", repeatable(entry)))
    fields = {name: value for name, value in entry.items() if name != "kind"}
    match entry.get("kind"):
        case "barcode":
            return await barcode_answer(app, validated(BarcodeRequest, fields))
        case "qrcode":
            return await qr_answer(app, validated(QrRequest, fields))
        case kind:
            raise InvalidInput.of(FieldProblem("kind", "has to be barcode or qrcode", repeatable(kind)))
