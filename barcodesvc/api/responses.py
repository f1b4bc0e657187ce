"""From model to bytes: the two envelopes, and answers that are written as they are read.

Rule: once the first byte of a streamed answer is out, a failure can no longer become an envelope; the connection is
cut instead, so that no client takes half an answer for a whole one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from hashlib import blake2b
from typing import Any, Generic, Literal, TypeVar

from aiohttp import HttpVersion11, hdrs, web
from pydantic_core import to_json

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.guard.safe_headers import add_safe_headers
from barcodesvc.api.keys import ANSWER_HEADERS
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.errors import ServiceError

_LOG = logging.getLogger(__name__)

T = TypeVar("T")

Success = Literal[True]
"""What the envelope of a success says of itself."""
JSON = "application/json"
JSON_HEADERS = {"Content-Type": f"{JSON}; charset=utf-8"}
_TAG_BYTES = 16
STALL_WAIT = 60.0
"""Seconds that a client may leave a chunk of a streamed answer lying before it is given up."""


class JsonAnswer(web.Response, Generic[T]):
    """A JSON answer whose body is a T; where a handler returns one, the route table names the same type."""


def json_answer(value: T, *, status: int = 200, headers: Mapping[str, str] | None = None) -> JsonAnswer[T]:
    """Return a JSON answer; dataclasses become objects."""
    return JsonAnswer(body=to_json(value), status=status, headers={**JSON_HEADERS, **(headers or {})})


def failure(error: ServiceError) -> web.Response:
    """Return the answer of an error."""
    return json_answer(error_envelope(error), status=error.status, headers=error.headers)


def error_envelope(error: ServiceError) -> dict[str, Any]:
    """Return the envelope of an error."""
    return {"error": True, "message": error.message, "code": error.code, "details": error.details}


def strong_etag(body: bytes) -> str:
    """Return the value of an ETag header over the bytes of an answer (RFC 9110, 8.8.3), quotes included."""
    return f'"{blake2b(body, digest_size=_TAG_BYTES).hexdigest()}"'


def is_known(request: web.Request, tag: str) -> bool:
    """Return whether the client has the answer with this strong ETag already (RFC 9110, 13.1.2)."""
    return any(known.value in (tag.strip('"'), "*") for known in request.if_none_match or ())


def attachment(name: str) -> dict[str, str]:
    """Return the header that makes a browser save the answer under this name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def ends_with_answer(request: web.BaseRequest) -> bool:
    """Return whether a request is of HTTP/1.0, whose connection ends with its one answer.

    Nothing else bounds a streamed answer there, and behind a body whose framing HTTP/1.0 does not know there may be
    what looks like a further request (RFC 9112, clauses 6.1 and 6.3).
    """
    return request.version < HttpVersion11


async def stream(request: web.Request, headers: Mapping[str, str], chunks: AsyncGenerator[bytes]) -> web.StreamResponse:
    """Write chunks as they come; a failure before the first is raised, a later one cuts the connection.

    So does a client that takes no data for STALL_WAIT seconds. The chunks' source is closed in any case; a HEAD does
    not begin it, and gets no length, as RFC 9110, 9.3.2 allows.
    """
    async with aclosing(chunks):
        if request.method == hdrs.METH_HEAD:
            return web.Response(headers=headers)
        return await _streamed(request, headers, await anext(chunks, b""), chunks)


async def _streamed(
    request: web.Request, headers: Mapping[str, str], first: bytes, others: AsyncIterator[bytes]
) -> web.StreamResponse:
    response = web.StreamResponse(headers=dict(headers) | request.get(ANSWER_HEADERS, {}))
    add_safe_headers(response.headers)
    if request.app[ADMISSION].is_ending or ends_with_answer(request):
        response.force_close()
    try:
        await response.prepare(request)
        await _write(response, first)
        async for chunk in others:
            await _write(response, chunk)
        await response.write_eof()
    except ConnectionError:
        request.app[METRICS].stream_cut("left")
        _LOG.debug("the client went away during %s", request.path)
    except Exception as error:  # noqa: BLE001 - whatever it is, half an answer must not look like a whole one
        request.app[METRICS].stream_cut("stalled" if isinstance(error, TimeoutError) else "failed")
        is_known = isinstance(error, ServiceError)  # whoever raised it has said why in the log
        _LOG.error("cut the answer to %s %s short", request.method, request.path, exc_info=not is_known)
        if request.transport is not None:
            request.transport.abort()
    return response


async def _write(response: web.StreamResponse, chunk: bytes) -> None:
    async with asyncio.timeout(STALL_WAIT):
        await response.write(chunk)
