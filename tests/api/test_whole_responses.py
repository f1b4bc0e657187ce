"""Responses over the wire: in one piece where their bytes are finished, and zipped where that is welcome."""

from typing import Any

import pytest
from aiohttp import web

from barcodesvc.api.guard.sessions import RENEWED_AFTER
from barcodesvc.api.responses import WholeResponse, wants_gzip
from barcodesvc.config import Settings
from tests.api.sockets import raw
from tests.conftest import JSON_HEAD, StandingClock
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

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


async def test_the_next_response_follows_it(client: Client) -> None:
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
        ({}, b""),
        ({"rate_limit": Settings.model_fields["rate_limit"].default}, b""),
        ({"cors_origins": SHOP}, b"Origin: https://shop.example\r\n"),
    ],
    ids=["no limit", "default settings", "another origin"],
)
async def test_it_is_the_response_that_aiohttp_would_send(
    make_client: ClientMaker, usual_ways: list[WholeResponse], changes: Any, sent: bytes
) -> None:
    """In one piece, or the usual way on a connection that ends: headers and body are the same, whatever is added."""
    client = await make_client(**changes)
    whole, body = _first(await raw(client, SENT + sent + b"\r\n" + BODY + LAST))
    assert usual_ways == []
    usual, same = _first(await raw(client, SENT + sent + b"Connection: close\r\n\r\n" + BODY))
    assert len(usual_ways) == 1
    assert usual.pop("Connection") == "close"
    assert bool(whole.keys() & {"RateLimit-Limit", "Access-Control-Allow-Origin"}) == bool(changes)
    assert whole["X-Request-ID"] == "till-2"
    assert (_comparable(whole), body) == (_comparable(usual), same)


def _comparable(headers: dict[str, str]) -> dict[str, Any]:
    """Return headers without those that differ each time, and without an order of what a page may read."""
    exposed = sorted(headers.pop("Access-Control-Expose-Headers", "").split(","))
    return {name: value for name, value in headers.items() if name not in ("Date", "RateLimit-Remaining")} | {
        "exposed": exposed
    }


async def test_an_origin_that_is_no_text_breaks_no_response(make_client: ClientMaker) -> None:
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


@sweep(
    "accepted",
    [
        ["gzip, deflate, br, zstd"],
        ["br;q=1.0, gzip;q=0.8, *;q=0.1"],
        ["GZIP;Q=0.5"],
        ["x-gzip"],
        ["*"],
        ["gzip ; q=0.001"],
        ["gzip;q=1."],
        ["identity;q=0.5, gzip;q=0.5"],
        ["identity;q=0, *"],
        ["nonsense;;, gzip"],
        ["br", "gzip"],
    ],
)
def test_gzip_is_wanted_where_it_is_accepted(accepted: list[str]) -> None:
    """By its name, its old name or `*`, with any weight of at least that of identity, in any line (RFC 9110, 5.3)."""
    assert wants_gzip(accepted)


@sweep(
    "accepted",
    [
        [],
        [""],
        ["identity"],
        ["br"],
        ["gzip;q=0.000, *"],
        ["gzip;q=0", "*"],
        ["*;q=0"],
        ["deflate, gzip;q=0"],
        ["identity;q=1, gzip;q=0.5"],
        ["gzip;q=2"],
        ["gzip;q=0.1234"],
        ["gzip;q=-1"],
        ["gzip;level=9"],
        ["gzipped"],
        ["not gzip"],
    ],
)
def test_gzip_is_not_wanted_where_it_is_refused_or_less_welcome(accepted: list[str]) -> None:
    """A weight of 0 refuses it, a greater weight of identity wins, and elements with invalid weights are ignored."""
    assert not wants_gzip(accepted)
