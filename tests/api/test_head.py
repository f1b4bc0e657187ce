from collections.abc import AsyncGenerator, Awaitable, Callable

import pytest
from aiohttp import ClientResponse
from yarl import URL

from barcodesvc.api.resources import exports, inventory
from barcodesvc.api.routes import ROUTES
from tests.api.drawn_codes import address
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

OF_THE_CONNECTION = {"Date", "Content-Length", "Transfer-Encoding", "X-Request-ID"}
OWN = {"Date", "X-Request-ID"}
"""Headers that differ between responses."""
STREAMED = ("/api/inventory", "/api/inventory/export", "/api/products/export", "/api/products/export?format=csv")
WHOLE = (
    "/api/products",
    "/api/products/1",
    "/api/products/99",
    "/api/products/x",
    "/api/products/import/template",
    "/api/inventory?product_id=1",
    "/api/inventory/1/history",
    "/api/codes/formats",
    "/api/codes/sheets",
    "/api/nothing",
    *(str(address(kind, "A-1", ending)) for kind in ("barcode", "qrcode") for ending in ("svg", "png")),
)
ANY = {"{id}": "1", "{productId}": "1", "{code}": "A-1"}


def _lasting(response: ClientResponse) -> dict[str, str]:
    return {name: value for name, value in response.headers.items() if name not in OF_THE_CONNECTION}


def _path(pattern: str) -> str:
    for name, value in ANY.items():
        pattern = pattern.replace(name, value)
    return pattern


@sweep("path", [route.path for route in ROUTES if route.method == "GET"])
async def test_every_get_has_a_head(shop: Client, path: str) -> None:
    """HEAD works wherever GET does, with the same status and without a body (RFC 9110, 9.1)."""
    got, head = await shop.get(_path(path)), await shop.head(_path(path))
    assert (head.status, head.content_type, await head.read()) == (got.status, got.content_type, b"")


@sweep("path", [route.path for route in ROUTES if route.method != "GET"])
async def test_nothing_but_get_has_a_head(shop: Client, path: str) -> None:
    """Without a GET, HEAD is a wrong method that `Allow` does not list."""
    if path not in {route.path for route in ROUTES if route.method == "GET"}:
        head = await shop.head(_path(path))
        assert head.status == 405
        assert "HEAD" not in head.headers["Allow"]


@sweep("path", WHOLE)
async def test_a_head_tells_what_the_get_would(shop: Client, path: str) -> None:
    """Successes, pictures and failures have the same headers, including the length of the body."""
    got, head = await shop.get(URL(path, encoded=True)), await shop.head(URL(path, encoded=True))
    headers = [{name: value for name, value in response.headers.items() if name not in OWN} for response in (got, head)]
    assert headers[0] == headers[1]
    assert (await head.read(), int(head.headers["Content-Length"])) == (b"", len(await got.read()))


@pytest.mark.parametrize("path", STREAMED)
async def test_a_head_of_a_stream_does_not_make_it(shop: Client, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """It has the stream's headers except the length, and reads no row (the reading function only records calls)."""
    read: list[str] = []

    async def noted(*_: object) -> AsyncGenerator[bytes]:
        read.append(path)
        yield b""

    got = await shop.get(path)
    for module, name in ((exports, "csv_export"), (exports, "xlsx_export"), (inventory, "whole_list")):
        monkeypatch.setattr(module, name, noted)
    head = await shop.head(path)
    assert (head.status, _lasting(head), await head.read()) == (200, _lasting(got), b"")
    assert not {"Content-Length", "Transfer-Encoding"} & set(head.headers)
    assert read == []


async def test_a_head_of_a_stream_looks_at_its_parameters(shop: Client) -> None:
    """What the GET would refuse is refused."""
    head = await shop.head("/api/inventory/export?format=pdf")
    assert (head.status, await head.read()) == (400, b"")


async def test_a_head_of_a_picture_knows_its_tag(client: Client) -> None:
    """A conditional HEAD is a 304."""
    where = address("barcode", "A-1", "png")
    tag = (await client.head(where)).headers["ETag"]
    assert (await client.head(where, headers={"If-None-Match": tag})).status == 304


async def test_a_head_counts_against_the_rate_limit(make_client: ClientMaker) -> None:
    """It counts like any other request."""
    client = await make_client(rate_limit="2/minute")
    responses = [await client.head(path) for path in ("/api/products", "/api/inventory", "/api/inventory")]
    assert [(response.status, response.headers["RateLimit-Remaining"]) for response in responses] == [
        (200, "1"),
        (200, "0"),
        (429, "0"),
    ]


async def test_a_connection_goes_on_after_a_head(shop: Client, raw: Callable[..., Awaitable[bytes]]) -> None:
    """Responses to pipelined requests are not separated by a body."""
    head = b"HEAD /api/inventory/export HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET /api/products/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    heads = (await raw(shop, head * 2 + last)).split(b"\r\n\r\n")
    assert [part.partition(b"\r\n")[0] for part in heads[:3]] == [b"HTTP/1.1 200 OK"] * 3
    assert heads[3].startswith(b'{"success":true')
