"""From model to bytes: the two envelopes, JSON responses that are written in one piece, and streamed responses.

A cached code or a repeated scan, which kiosks request all day, is written in one piece (`WholeResponse`), and so is a
refusal at overload. Through aiohttp, making, ordering and writing headers takes longer than everything else. Most
headers are the same each time, so these are made once; the id, the rate limit and the origin of a page are added.

Rule: only a plain response is written in one piece: on an HTTP/1.1 connection that stays open, with no header twice.
Once the first byte of a streamed response is sent, a failure can no longer become an envelope; the connection is cut
instead, so that no client takes half a response for a whole one.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from http import HTTPStatus
from typing import Annotated, Any, Literal, TypeVar

from aiohttp import HttpVersion11, hdrs, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.helpers import rfc822_formatted_time
from pydantic_core import to_json

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.guard.headers import SAFE_HEADERS, accepted_weights, add_safe_headers
from barcodesvc.api.keys import RESPONSE_HEADERS
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.errors import ServiceError
from barcodesvc.fields import described

_LOG = logging.getLogger(__name__)

T = TypeVar("T")

Success = Annotated[Literal[True], described("True: the request succeeded.", example=True)]
"""The mark of a success in its envelope."""
JSON = "application/json"
JSON_HEADERS = {"Content-Type": f"{JSON}; charset=utf-8"}
SUCCESS_OPENING = b'{"success":true,"data":'
"""What the envelope of a success begins with; its data and a brace follow."""
_TAG_BYTES = 16
_GZIP, _ALSO_GZIP, _IDENTITY, _ANY = "gzip", "x-gzip", "identity", "*"


def json_response(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """Return a JSON response; dataclasses become objects."""
    return web.Response(body=to_json(value), status=status, headers={**JSON_HEADERS, **(headers or {})})


def success(data: object) -> bytes:
    """Return the envelope of data; dataclasses become objects."""
    return enveloped(to_json(data))


def enveloped(data: bytes, more: bytes = b"") -> bytes:
    """Return the envelope of data that is JSON already, and of `more` fields."""
    return b"%b%b%b}" % (SUCCESS_OPENING, data, more)


def success_response(data: object) -> web.Response:
    """Return the response with data in an envelope."""
    return web.Response(body=success(data), headers=JSON_HEADERS)


def unforeseen(error: BaseException, kind: type[ServiceError], where: str) -> ServiceError:
    """Log an unforeseen exception, and return the error that a client gets instead."""
    _LOG.error("unexpected failure in %s", where, exc_info=error)
    return kind("the service failed; the log says why")


def failure(error: ServiceError) -> web.Response:
    """Return the response of an error."""
    return json_response(error_envelope(error), status=error.status, headers=error.headers)


def error_envelope(error: ServiceError) -> dict[str, Any]:
    """Return the envelope of an error."""
    details = {"reason": error.reason, **error.details}
    return {"error": True, "message": error.message, "code": error.code, "details": details}


def strong_etag(body: bytes) -> str:
    """Return the value of an ETag header over the bytes of a response (RFC 9110, 8.8.3), quotes included."""
    return f'"{blake2b(body, digest_size=_TAG_BYTES).hexdigest()}"'


@lru_cache(maxsize=32)
def kept_etag(body: bytes) -> str:
    """Return the same for a body that the service keeps, such as that of a large file: it is hashed once."""
    return strong_etag(body)


def is_known(request: web.Request, tag: str) -> bool:
    """Return whether the client has the response with this strong ETag already (RFC 9110, 13.1.2)."""
    known = ",".join(request.headers.getall(hdrs.IF_NONE_MATCH, ())).split(",")  # aiohttp's own list is slow
    return any(each.strip().removeprefix("W/") in (tag, "*") for each in known)


def conditional(
    request: web.Request, tag: str, body: bytes, headers: Mapping[str, str], content: Mapping[str, str]
) -> web.Response:
    """Return a response with this strong ETag, or a 304 to a client that has it already.

    Both have `headers`; the 304 has neither the body nor the headers of its content.
    """
    headers = {"ETag": tag, **headers}
    if is_known(request, tag):
        return web.Response(status=web.HTTPNotModified.status_code, headers=headers)
    return web.Response(body=body, headers={**headers, **content})


def wants_gzip(accepted: Iterable[str]) -> bool:
    """Return whether the lines of Accept-Encoding accept gzip with at least the weight of no encoding.

    A client that sends no Accept-Encoding may not support any encoding, and gets none.
    """
    weights = dict(accepted_weights(accepted))
    gzipped = weights.get(_GZIP, weights.get(_ALSO_GZIP, weights.get(_ANY, 0.0)))
    return gzipped > 0 and gzipped >= weights.get(_IDENTITY, 0.0)


def attachment(name: str) -> dict[str, str]:
    """Return the header that makes a browser save the response under this name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def ends_with_response(request: web.BaseRequest) -> bool:
    """Return whether the connection of a request ends with its response.

    - In HTTP/1.0, only the close ends a streamed response, and part of a body whose framing it does not know may look
      like another request (RFC 9112, clauses 6.1 and 6.3). HTTP/0.9 and HTTP/2.0 are treated the same way.
    - A body that is incomplete or broken is not read to its end: it may not have one.
    """
    body = request.content
    return request.version != HttpVersion11 or not body.is_eof() or body.exception() is not None


async def stream(request: web.Request, headers: Mapping[str, str], chunks: AsyncGenerator[bytes]) -> web.StreamResponse:
    """Write chunks as they come; a failure before the first is raised, a later one cuts the connection.

    The source is closed in any case; a HEAD does not begin it, and gets no length, as RFC 9110, 9.3.2 allows.
    """
    async with aclosing(chunks):
        if request.method == hdrs.METH_HEAD:
            return web.Response(headers=headers)
        first = await anext(chunks, b"")
        return await _streamed(request, headers, _all_chunks(first, chunks))


async def _all_chunks(first: bytes, others: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for chunk in others:
        yield chunk


async def _streamed(
    request: web.Request, headers: Mapping[str, str], chunks: AsyncIterator[bytes]
) -> web.StreamResponse:
    response = web.StreamResponse(headers=dict(headers) | request.get(RESPONSE_HEADERS, {}))
    add_safe_headers(response.headers)
    if request.app[ADMISSION].is_ending or ends_with_response(request):
        response.force_close()
    try:
        await response.prepare(request)
        async for chunk in chunks:
            await response.write(chunk)
        await response.write_eof()
    except ConnectionError:
        request.app[METRICS].stream_cut("left")
        _LOG.debug("the client disconnected during %s", request.path)
    except Exception as error:  # noqa: BLE001 - whatever it is, half a response must not look like a whole one
        request.app[METRICS].stream_cut("failed")
        is_known = isinstance(error, ServiceError)  # its cause is in the log already
        _LOG.error("cut the response to %s %s short", request.method, request.path, exc_info=not is_known)
        if request.transport is not None:
            request.transport.abort()
    return response


@dataclass(frozen=True, slots=True)
class WholeHead:
    """The part of a head that is the same in all responses of one kind.

    That is its status, its own headers, the names of all headers, and the status with all headers as text.
    """

    status: int
    headers: Mapping[str, str]
    names: frozenset[str]
    text: str

    @classmethod
    def of(cls, status: HTTPStatus, headers: Mapping[str, str] = JSON_HEADERS) -> WholeHead:
        """Return the head with these headers and those of every response."""
        all_headers = {**headers, **SAFE_HEADERS}
        text = f"HTTP/1.1 {status.value} {status.phrase}\r\n{header_lines(all_headers)}"
        return cls(status, headers, frozenset(all_headers), text)


def header_lines(headers: Mapping[str, str]) -> str:
    """Return headers as they are written."""
    return "".join([f"{name}: {value}\r\n" for name, value in headers.items()])


_SUCCESS = WholeHead.of(HTTPStatus.OK)


class WholeResponse(web.StreamResponse):
    """A response with this body; `error_middleware` decides how it is written.

    It makes no headers, because that takes as long as everything else here; `usual` makes them.
    """

    def __init__(self, body: bytes, head: WholeHead = _SUCCESS) -> None:
        super().__init__(status=head.status)
        self._whole_body = body
        self._whole_head = head
        self._whole_more: Mapping[str, str] = {}
        self._whole_length = 0

    def is_plain_for(self, request: web.BaseRequest, more: Mapping[str, str]) -> bool:
        """Return whether this request, whose body was read, can get it in one piece with these further headers."""
        return (
            request.version == HttpVersion11
            and request.keep_alive
            and request.method != hdrs.METH_HEAD
            and self._whole_head.names.isdisjoint(more)
        )

    def usual(self) -> web.Response:
        """Return the same response for aiohttp to write, with the headers that were added."""
        head = self._whole_head
        return web.Response(body=self._whole_body, status=head.status, headers={**head.headers, **self.headers})

    def in_one_piece(self, more: Mapping[str, str]) -> WholeResponse:
        """Return this response, to be written in one piece with these headers, which must be harmless."""
        self._whole_more = more
        return self

    @property
    def keep_alive(self) -> bool:
        """Whether the connection stays open; always, see `is_plain_for`."""
        return True

    @property
    def body_length(self) -> int:
        """Bytes that were written, with the head, as aiohttp counts them."""
        return self._whole_length

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Write it; raises ConnectionError if the client is gone."""
        body, writer = self._whole_body, request.writer
        more = header_lines(self._whole_more)
        if self.headers:
            more += header_lines(self.headers)
        head = f"{self._whole_head.text}{more}Content-Length: {len(body)}\r\nDate: {rfc822_formatted_time()}\r\n\r\n"
        whole = head.encode(errors="ignore") + body  # aiohttp drops the same characters of an origin that is not UTF-8
        await writer.write(whole)
        self._whole_length = len(whole)
        await writer.drain()
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        """Do nothing: `prepare` has written all of it."""
