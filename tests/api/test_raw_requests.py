"""Requests byte by byte: what each is answered, and whether its connection stays."""

import json
import re

import pytest
from aiohttp import web

from tests.api.sockets import HEALTH, raw
from tests.fixture_types import Client
from tests.forms import form_head
from tests.sweeps import sweep

HIDDEN = b"DELETE /api/products/1 HTTP/1.1\r\nHost: x\r\n\r\n"
"""What must not be executed behind a request that ends its connection."""
JSON = b"Content-Type: application/json"
IN_CHUNKS = b"Transfer-Encoding: chunked"
LAST = HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
NO_BODY = b"0\r\n\r\n"


def request(line: bytes, *headers: bytes, body: bytes = b"", version: bytes = b"1.1") -> bytes:
    """Return a request with these headers after its host."""
    return b"\r\n".join([b"%b HTTP/%b" % (line, version), b"Host: x", *headers, b"", body])


def post(*headers: bytes, body: bytes = b"", path: bytes = b"/api/products") -> bytes:
    """Return a request that sends JSON."""
    return request(b"POST " + path, JSON, *headers, body=body)


def chunked(body: bytes, *headers: bytes) -> bytes:
    """Return a request that sends JSON with this chunked body."""
    return post(*headers, IN_CHUNKS, body=body)


def old(line: bytes, *headers: bytes, body: bytes = b"") -> bytes:
    """Return a request of HTTP/1.0 that would like to keep its connection."""
    return request(line, b"Connection: keep-alive", *headers, body=body, version=b"1.0")


NOT_HTTP = {
    "a TLS hello": b"\x16\x03\x01\x02\x00\r\n\r\n",
    "a word": b"nonsense\r\n\r\n",
    "a word before many packets": b"nonsense\r\n\r\n" + HIDDEN * 500,
    "no path": b"GET\r\n\r\n",
    "a path that is not ASCII": request(b"GET \xff\xfe"),
    "version 1.2": request(b"GET /health", version=b"1.2"),
    "version 3.0": request(b"GET /health", version=b"3.0"),
    "no host": b"GET /api/products HTTP/1.1\r\n\r\n",
    "a header without a colon": request(b"GET /api/products", b"X"),
    "a long address": request(b"GET /api/products?search=" + b"a" * 9000),
    "a long header": request(b"GET /api/products", b"X: " + b"a" * 20_000),
    "many headers": request(b"GET /api/products", *[b"X: a"] * 500),
    "both lengths": post(b"Content-Length: 6", IN_CHUNKS, body=NO_BODY),
    "both lengths, the other way round": chunked(NO_BODY, b"Content-Length: 6"),
    "two lengths": post(b"Content-Length: 0", b"Content-Length: 50"),
    "a list of lengths": post(b"Content-Length: 0, 50"),
    "a length that is no number": post(b"Content-Length: x"),
    "a signed length": post(b"Content-Length: +0"),
    "a length of other digits": post("Content-Length: \u0660".encode()),
    "a length in base 16": post(b"Content-Length: 0x0"),
    "an unknown transfer coding": post(b"Transfer-Encoding: xchunked", body=NO_BODY),
    "chunked not last": post(b"Transfer-Encoding: chunked, identity", body=NO_BODY),
    "chunked twice": post(IN_CHUNKS, IN_CHUNKS, body=NO_BODY),
    "a space before the colon": post(b"Transfer-Encoding : chunked", body=NO_BODY),
    "a folded header": post(b"X: a\r\n Transfer-Encoding: chunked", body=NO_BODY),
    "a folded transfer coding": post(b"Transfer-Encoding:\r\n chunked", body=NO_BODY),
    "a bare LF in the head": post(b"X: a\nTransfer-Encoding: chunked", body=NO_BODY),
    "bare LFs alone": post(b"Content-Length: 0").replace(b"\r\n", b"\n"),
    "a bare CR in a header": post(b"X: a\rTransfer-Encoding: chunked", body=NO_BODY),
    "a NUL in a header": post(b"X: a\x00b", b"Content-Length: 0"),
    "a chunk size in another spelling": chunked(b"0x0\r\n\r\n"),
    "a negative chunk size": chunked(b"-1\r\n\r\n"),
    "a bare LF behind a chunk size": chunked(b"0\n\r\n"),
    "a chunk longer than its size": chunked(b"1\r\n{}\r\n0\r\n\r\n"),
    "a chunk without its size behind another": chunked(b'5\r\n{"pro\r\nzz\r\n'),
}
"""Where two parsers could disagree on where a request ends, or whether it is one."""


@sweep("sent", NOT_HTTP.values())
async def test_what_is_not_http_ends_its_connection(shop: Client, sent: bytes) -> None:
    """It gets one envelope that repeats nothing of it, and what follows is not executed."""
    response = await raw(shop, sent + HIDDEN + LAST)
    assert statuses(response) == [400]
    assert b"Traceback" not in response
    assert json.loads(response.partition(b"\r\n\r\n")[2]) == {
        "error": True,
        "message": "the request is not valid HTTP, or its address or one of its headers is longer than 8190 bytes",
        "code": "VALIDATION_ERROR",
        "details": {"reason": "invalid_http"},
    }
    assert (await shop.get("/api/products/1")).status == 200


def statuses(responses: bytes) -> list[int]:
    """Return the status of each response."""
    return [int(status) for status in re.findall(rb"HTTP/[0-9.]+ (\d+) ", responses)]


DRAFT = b'{"category":"Pens"}'
ENCODED = b"Content-Encoding: bodies are not decoded; send this one as it is"
CODED = b"Transfer-Encoding: bodies are not decoded; send this one as chunked alone"
PUT = b"PUT /api/products/1"
IN_ONE_CHUNK = b"%x\r\n%b\r\n0\r\n\r\n" % (len(DRAFT), DRAFT)


def typed(length: int) -> bytes:
    """Return a request whose type has this many characters."""
    kind = b"application/json; x=".ljust(length, b"a")
    return request(PUT, b"Content-Type: " + kind, IN_CHUNKS, body=IN_ONE_CHUNK)


STAYS = {
    "an absolute address": (request(b"GET http://else.where/api/products"), 200, b'"product_code":"A-1"'),
    "a question about the service": (request(b"OPTIONS *"), 404, b"unknown_route"),
    "TRACE": (request(b"TRACE /api/products"), 405, b"method_not_allowed"),
    "chunked": (request(PUT, JSON, IN_CHUNKS, body=IN_ONE_CHUNK), 200, b'"data"'),
    "Chunked": (request(PUT, JSON, b"Transfer-Encoding: \tChunked ", body=IN_ONE_CHUNK), 200, b'"data"'),
    "zipped": (post(b"Content-Encoding: gzip", b"Content-Length: 2", body=b"{}"), 400, ENCODED),
    "zipped, for a route without a body": (request(b"GET /health", b"Content-Encoding: br"), 400, ENCODED),
    "zipped, for no route": (request(b"DELETE /nothing", b"Content-Encoding: x-unheard-of"), 400, ENCODED),
    "not encoded, in so many words": (request(b"GET /health", b"Content-Encoding: identity"), 400, ENCODED),
    "an empty encoding": (request(b"GET /health", b"Content-Encoding:"), 400, ENCODED),
    "said to be zipped": (
        post(b"Content-Encoding: deflate", b"Content-Length: 50000", body=b"no such coding".ljust(50_000)),
        400,
        ENCODED,
    ),
    "zipped and chunked": (post(b"Transfer-Encoding: gzip, chunked", body=IN_ONE_CHUNK), 400, CODED),
    "nothing and chunked": (request(b"POST /x", b"Transfer-Encoding: , chunked", body=IN_ONE_CHUNK), 400, CODED),
    "a type of 200 characters": (typed(200), 200, b"data"),
    "a type of 201 characters": (typed(201), 400, b"Content-Type: longer than 200 characters"),
    "a type that is no text": (
        request(PUT, b"Content-Type: text/\xff\xfe", IN_CHUNKS, body=IN_ONE_CHUNK),
        400,
        b"cannot be read; send it as application/json",
    ),
    "a boundary that is no text": (
        form_head("/api/products/import", 10).replace(b"boundary=XX", b'boundary="\xff"') + b"x" * 10,
        400,
        b"the multipart body is cut short or malformed",
    ),
}
"""Requests that are followed by another, and what their responses contain."""


@sweep(("sent", "status", "says"), STAYS.values())
async def test_the_next_request_of_the_connection_is_answered(
    shop: Client, sent: bytes, status: int, says: bytes
) -> None:
    """Even behind a refusal, as long as its end is known."""
    responses = await raw(shop, sent + LAST)
    assert statuses(responses) == [status, 200]
    assert says in responses


CLOSES = {
    "JSON over its limit": (post(b"Content-Length: 99999999"), 400, b"body: larger than 65536 bytes"),
    "an upload over its limit": (form_head("/api/products/import", 11_000_000), 400, b"FILE_TOO_LARGE"),
    "an image over its limit": (form_head("/api/codes/decode", 11_000_000), 400, b"FILE_TOO_LARGE"),
    "HTTP/1.0 without a host": (
        b"GET /api/products HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        200,
        b"HTTP/1.0 200 OK",
    ),
    "HTTP/1.0 that would go on": (old(b"GET /api/products"), 200, b"HTTP/1.0 200 OK"),
    **{
        f"HTTP/{version.decode()} that would go on": (
            request(b"GET /health", b"Connection: keep-alive", version=version),
            200,
            b'"uptime"',
        )
        for version in (b"0.9", b"2.0")
    },
    "HTTP/1.0, a picture": (old(b"GET /api/codes/barcode/A.svg"), 200, b"HTTP/1.0 200 OK"),
    "HTTP/1.0, a refusal": (old(b"GET /api/products/9"), 404, b"not_found"),
    **{
        f"HTTP/1.0 with chunks, {line.decode()}": (
            old(line, JSON, IN_CHUNKS, body=IN_ONE_CHUNK),
            400,
            b"Transfer-Encoding: needs version 1.1 of HTTP; send the body with its Content-Length",
        )
        for line in (PUT, b"GET /health", b"POST /api/nothing", b"POST /api/products/import")
    },
}
"""Requests whose connection ends with their response."""


@sweep(("sent", "status", "says"), CLOSES.values())
async def test_nothing_behind_the_last_request_is_executed(shop: Client, sent: bytes, status: int, says: bytes) -> None:
    """A body over its limit is refused before it arrives; HTTP/1.0 has no chunks, and only HTTP/1.1 a next request."""
    response = await raw(shop, sent + HIDDEN)
    assert statuses(response) == [status]
    assert says in response
    assert (await (await shop.get("/api/products/1")).json())["data"]["category"] == "Pens"


@sweep(
    ("path", "end"),
    [
        (b"/api/inventory", b'"updated_by":"system"}]}'),
        (b"/api/inventory/export?format=csv", b'"box"\r\n'),
        (b"/api/products/export?format=csv", b"\r\n"),
    ],
)
async def test_a_stream_for_http_1_0_ends_with_its_connection(shop: Client, path: bytes, end: bytes) -> None:
    """It has no length and no chunks, so only the close marks its end."""
    head, _, body = (await raw(shop, old(b"GET " + path))).partition(b"\r\n\r\n")
    assert statuses(head) == [200]
    assert b"keep-alive" not in head
    assert b"Transfer-Encoding" not in head
    assert body.endswith(end)


async def test_a_failure_outside_of_every_middleware_stays_a_500(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure that is not the client's fault is handled and logged by aiohttp as usual."""

    async def broken(_: object) -> web.Response:
        raise RuntimeError

    assert client.server.runner
    monkeypatch.setattr(client.server.runner.server, "request_handler", broken)
    assert statuses(await raw(client, LAST)) == [500]


@pytest.mark.parametrize("version", [b"0.9", b"2.0"])
async def test_another_version_is_answered_as_http_1_0_is(client: Client, version: bytes) -> None:
    """The response names the version of the request, and ends the connection."""
    response = await raw(client, request(b"GET /health", version=version))
    assert response.startswith(b"HTTP/%b 200 OK\r\n" % version)
