from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from barcodesvc.api.responses import WholeResponse
from tests.conftest import JSON_HEAD, Client, ClientMaker

Raw = Callable[..., Awaitable[bytes]]

BODY = b'{"product_code": "A-1"}'
SENT = (
    b"POST /api/codes/barcode HTTP/1.1\r\n" + JSON_HEAD + b"X-Request-ID: till-2\r\nContent-Length: %d\r\n" % len(BODY)
)
LAST = b"GET /api/codes/sheets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def _first(responses: bytes) -> tuple[dict[str, str], bytes]:
    """Return the headers of the first response and its body, according to its length."""
    head, _, rest = responses.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    assert status == "HTTP/1.1 200 OK"
    headers = dict(line.split(": ", 1) for line in lines)
    assert len(headers) == len(lines)
    return headers, rest[: int(headers["Content-Length"])]


async def test_it_is_the_response_that_aiohttp_would_send(client: Client, raw: Raw) -> None:
    """In one piece or the usual way, also on a connection that ends, headers and body are the same."""
    whole, body = _first(await raw(client, SENT + b"\r\n" + BODY + LAST))
    usual, same = _first(await raw(client, SENT + b"Connection: close\r\n\r\n" + BODY))
    assert usual.pop("Connection") == "close"
    del whole["Date"], usual["Date"]
    assert (whole, body) == (usual, same)
    assert whole["X-Request-ID"] == "till-2"


async def test_the_next_response_follows_it(client: Client, raw: Raw) -> None:
    """After a response in one piece the connection continues."""
    responses = await raw(client, (SENT + b"\r\n" + BODY) * 3 + LAST)
    assert responses.count(b"HTTP/1.1 200 OK\r\n") == 4
    assert responses.count(b'"barcode_svg"') == 3
    assert responses.endswith(b"}]}")


@pytest.mark.parametrize(
    ("changes", "header"),
    [({"rate_limit": "9/minute"}, "RateLimit-Remaining"), ({"cors_origins": "https://shop.example"}, "Vary")],
)
async def test_headers_of_others_are_not_lost(make_client: ClientMaker, changes: Any, header: str) -> None:
    """If a limit or an origin has headers to add, the usual way is taken."""
    client = await make_client(**changes)
    response = await client.post("/api/codes/barcode", data=BODY, headers={"Content-Type": "application/json"})
    assert response.status == 200
    assert header in response.headers


async def test_http_1_0_gets_its_own_kind_of_response(client: Client, raw: Raw) -> None:
    """For an HTTP/1.0 client the response has that version, and its connection ends."""
    response = await raw(client, SENT.replace(b"HTTP/1.1", b"HTTP/1.0") + b"\r\n" + BODY)
    assert response.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b'"barcode_svg"' in response


async def test_a_repeated_scan_and_a_qr_code_come_so_too(client: Client) -> None:
    """Every response made of finished bytes has its id, type and security headers."""
    await client.post("/api/products", json={"product_code": "A-1", "description": "Pen"})
    for path, body in (("qrcode", {"product_code": "A-1"}), *[("decode", {"code_data": "A-1"})] * 3):
        response = await client.post(f"/api/codes/{path}", json=body)
        assert (response.status, response.content_type, response.charset) == (200, "application/json", "utf-8")
        assert (await response.json())["success"] is True
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["X-Request-ID"]


async def test_what_a_layer_in_between_adds_is_not_lost(
    make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A response with a special header takes the usual way, with all the usual headers."""

    class Marked(WholeResponse):
        """A response that a layer has marked."""

        def __init__(self, body: bytes) -> None:
            super().__init__(body)
            self.headers["X-Seen"] = str(self.status)

    monkeypatch.setattr("barcodesvc.api.resources.codes.WholeResponse", Marked)
    client = await make_client()
    response = await client.post("/api/codes/barcode", data=BODY, headers={"Content-Type": "application/json"})
    assert response.headers["X-Seen"] == "200"
    assert (await response.json())["success"] is True
    assert response.headers["X-Request-ID"]
