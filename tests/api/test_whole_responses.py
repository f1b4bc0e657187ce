from typing import Any

import pytest
from aiohttp import web

from barcodesvc.api.guard.sessions import RENEWED_AFTER
from barcodesvc.api.responses import WholeResponse
from barcodesvc.config import Settings
from tests.conftest import JSON_HEAD, StandingClock
from tests.fixture_types import Client, ClientMaker, Raw

BODY = b'{"product_code": "A-1"}'
SENT = (
    b"POST /api/codes/barcode HTTP/1.1\r\n" + JSON_HEAD + b"X-Request-ID: till-2\r\nContent-Length: %d\r\n" % len(BODY)
)
SHOP = "https://shop.example"
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


@pytest.fixture
def usual_ways(monkeypatch: pytest.MonkeyPatch) -> list[WholeResponse]:
    """Return a list of the responses to codes that were not written in one piece."""
    ways: list[WholeResponse] = []

    class Watched(WholeResponse):
        """A response that says when it takes the usual way."""

        def usual(self) -> web.Response:
            """Return the same response for aiohttp to write."""
            ways.append(self)
            return super().usual()

    monkeypatch.setattr("barcodesvc.api.resources.codes.WholeResponse", Watched)
    return ways


@pytest.mark.parametrize(
    ("changes", "sent"),
    [
        ({"rate_limit": Settings.model_fields["rate_limit"].default}, b""),
        ({"cors_origins": SHOP}, b"Origin: https://shop.example\r\n"),
    ],
    ids=["default settings", "another origin"],
)
async def test_headers_of_the_service_are_part_of_the_piece(
    make_client: ClientMaker, raw: Raw, usual_ways: list[WholeResponse], changes: Any, sent: bytes
) -> None:
    """With the rate limit of the default settings, or for a page of an allowed origin, the headers are the same too."""
    client = await make_client(**changes)
    whole, body = _first(await raw(client, SENT + sent + b"\r\n" + BODY + LAST))
    assert usual_ways == []
    usual, same = _first(await raw(client, SENT + sent + b"Connection: close\r\n\r\n" + BODY))
    assert len(usual_ways) == 1
    assert usual.pop("Connection") == "close"
    assert whole.keys() & {"RateLimit-Limit", "Access-Control-Allow-Origin"}
    assert (_comparable(whole), body) == (_comparable(usual), same)


def _comparable(headers: dict[str, str]) -> dict[str, Any]:
    """Return headers without those that differ each time, and without an order of what a page may read."""
    exposed = sorted(headers.pop("Access-Control-Expose-Headers", "").split(","))
    return {name: value for name, value in headers.items() if name not in ("Date", "RateLimit-Remaining")} | {
        "exposed": exposed
    }


async def test_an_origin_that_is_no_text_breaks_no_response(make_client: ClientMaker, raw: Raw) -> None:
    """A service that is open to all origins repeats what can be written of it."""
    client = await make_client(cors_origins="*")
    headers, _ = _first(await raw(client, SENT + b"Origin: http://a\xff.example\r\n\r\n" + BODY + LAST))
    assert headers["Access-Control-Allow-Origin"] == "http://a.example"


async def test_a_renewed_session_takes_the_usual_way(
    make_client: ClientMaker, usual_ways: list[WholeResponse], standing_clock: StandingClock
) -> None:
    """Its response sets a header that each piece has already, which therefore appears once."""
    client = await make_client()
    await client.get("/")
    standing_clock.advance(RENEWED_AFTER)
    response = await client.post("/api/codes/barcode", data=BODY, headers={"Content-Type": "application/json"})
    assert len(usual_ways) == 1
    assert response.headers.getall("Cache-Control") == ["no-store"]
    assert "Set-Cookie" in response.headers


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
    """A response with a special header has it, with all the usual headers."""

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
