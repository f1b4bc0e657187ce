"""HTTP/1.0 clients: each gets one response, which ends with the connection."""

from collections.abc import Callable

import pytest

from tests.fixture_types import Client, Raw
from tests.forms import KIND, form, part
from tests.sweeps import sweep

KEPT = b"Host: x\r\nConnection: keep-alive\r\n"
HIDDEN = b"DELETE /api/products/1 HTTP/1.0\r\nHost: x\r\n\r\n"
BODY = b'{"category":"Ink"}'
CHUNKED = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)


@sweep("more", [b"", b"Connection: keep-alive\r\n", b"Connection: close\r\n"])
@sweep("behind", [b"", HIDDEN])
@sweep("request_line", [b"PUT /api/products/1", b"GET /health", b"POST /api/nothing", b"POST /api/products/import"])
async def test_a_chunked_body_gets_one_response(
    shop: Client, raw: Raw, more: bytes, behind: bytes, request_line: bytes
) -> None:
    """HTTP/1.0 has no Transfer-Encoding: it is refused, and nothing after it is executed (RFC 9112, clause 6.1)."""
    head = b"%b HTTP/1.0\r\nHost: x\r\nContent-Type: application/json\r\n%b" % (request_line, more)
    response = await raw(shop, head + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED + behind)
    assert response.split(b" ", 2)[1] == b"400"
    assert response.count(b"HTTP/1.") == 1
    product = (await (await shop.get("/api/products/1")).json())["data"]
    assert product["category"] == "Pens"


@pytest.mark.parametrize(
    ("version", "answered"),
    [
        (b"0.9", b"HTTP/0.9 200 OK"),
        (b"1.0", b"HTTP/1.0 200 OK"),
        (b"2.0", b"HTTP/2.0 200 OK"),
        (b"1.2", b"HTTP/1.0 400 Bad Request"),
        (b"3.0", b"HTTP/1.0 400 Bad Request"),
    ],
)
async def test_another_version_gets_one_response(client: Client, raw: Raw, version: bytes, answered: bytes) -> None:
    """HTTP/0.9 and HTTP/2.0 are answered as HTTP/1.0 is, with the version that was sent; others are not valid HTTP."""
    response = await raw(client, b"GET /health HTTP/%b\r\nHost: x\r\n\r\n" % version)
    assert response.partition(b"\r\n")[0] == answered
    assert (b'"reason":"invalid_http"' in response) == (b" 400 " in answered)


async def test_the_refusal_says_what_to_send(shop: Client, raw: Raw) -> None:
    """The message tells the client to send a length."""
    response = await raw(shop, b"GET /health HTTP/1.0\r\n" + KEPT + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    assert b'"Transfer-Encoding: needs version 1.1 of HTTP; send the body with its Content-Length"' in response


@pytest.mark.parametrize(
    ("path", "end"),
    [
        (b"/api/inventory", b'"updated_by":"system"}]}'),
        (b"/api/inventory?low_stock=true", b'{"success":true,"data":[]}'),
        (b"/api/inventory/export?format=csv", b'"box"\r\n'),
        (b"/api/products/export?format=csv", b"\r\n"),
    ],
)
async def test_a_streamed_response_ends_with_its_connection(shop: Client, raw: Raw, path: bytes, end: bytes) -> None:
    """It has no length and no chunks, so only the close marks its end; `keep-alive` changes nothing."""
    head, _, body = (await raw(shop, b"GET %b HTTP/1.0\r\n%b\r\n" % (path, KEPT))).partition(b"\r\n\r\n")
    assert head.split(b" ", 2)[1] == b"200"
    assert b"keep-alive" not in head
    assert b"Transfer-Encoding" not in head
    assert body.endswith(end)


async def test_events_end_with_their_connection(client: Client, raw: Raw, workbook: Callable[..., bytes]) -> None:
    """An import that sends its progress closes the connection after its result."""
    body = form(part("file", workbook()))
    head = b"Accept: text/event-stream\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n" % (KIND.encode(), len(body))
    response = await raw(client, b"POST /api/products/import HTTP/1.0\r\n" + KEPT + head + body)
    assert b"event: result\n" in response


@pytest.mark.parametrize("path", [b"/health", b"/api/products", b"/api/products/9", b"/api/codes/barcode/A.svg"])
async def test_any_response_is_the_last_of_its_connection(shop: Client, raw: Raw, path: bytes) -> None:
    """Further bytes on the connection are not executed."""
    response = await raw(shop, b"GET %b HTTP/1.0\r\n%b\r\n%b" % (path, KEPT, HIDDEN))
    assert response.count(b"HTTP/1.0 ") == 1
    assert (await shop.get("/api/products/1")).status == 200
