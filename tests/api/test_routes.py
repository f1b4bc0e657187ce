"""Every route: which there are, what their HEAD is, and what all of them refuse in the same words."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from aiohttp import ClientResponse
from yarl import URL

from barcodesvc.api.resources import exports, inventory
from barcodesvc.api.routes import PAGE_ROUTES, ROUTES
from barcodesvc.app import make_app
from barcodesvc.config import Settings
from tests.api.drawn_codes import address
from tests.api.replies import problems, refused
from tests.api.sockets import raw
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

SPECIFIED = {
    ("GET", "/api/products"),
    ("GET", "/api/products/{id}"),
    ("POST", "/api/products"),
    ("PUT", "/api/products/{id}"),
    ("DELETE", "/api/products/{id}"),
    ("POST", "/api/products/import"),
    ("GET", "/api/inventory"),
    ("PUT", "/api/inventory/{productId}"),
    ("GET", "/api/inventory/{productId}/history"),
    ("GET", "/api/inventory/export"),
    ("POST", "/api/codes/barcode"),
    ("POST", "/api/codes/qrcode"),
    ("POST", "/api/codes/printable"),
    ("POST", "/api/codes/decode"),
    ("GET", "/health"),
}
"""Section 4 of the interface specification."""
IN_A_PATH = {"{id}": "1", "{productId}": "1", "{code}": "A-1", "{asset}": "start.js", "{name}": "shelf"}
GOT = {route.path for route in ROUTES if route.method == "GET"}


def filled(path: str) -> str:
    """Return a path with the id and the code of the only product, an asset and a name filled in."""
    for name, value in IN_A_PATH.items():
        path = path.replace(name, value)
    return path


def test_the_application_serves_the_route_tables(settings: Settings) -> None:
    """What is specified and more, each once: the rows of the API's table and of the page's, and HEAD for every GET."""
    tables = [(route.method, route.path) for route in (*ROUTES, *PAGE_ROUTES)]
    heads = {("HEAD", path) for method, path in tables if method == "GET"}
    served = [
        (route.method, str(route.resource and route.resource.canonical)) for route in make_app(settings).router.routes()
    ]
    assert set(tables) >= SPECIFIED
    assert len(tables) == len(set(tables))
    assert set(served) == {*tables, *heads}


@sweep("path", GOT)
async def test_every_get_has_a_head(shop: Client, path: str) -> None:
    """HEAD works wherever GET does, with the same status and without a body (RFC 9110, 9.1)."""
    got, head = await shop.get(filled(path)), await shop.head(filled(path))
    assert (head.status, head.content_type, await head.read()) == (got.status, got.content_type, b"")


@sweep("path", {route.path for route in ROUTES} - GOT)
async def test_nothing_but_get_has_a_head(shop: Client, path: str) -> None:
    """Without a GET, HEAD is a wrong method that `Allow` does not list."""
    head = await shop.head(filled(path))
    assert head.status == 405
    assert "HEAD" not in head.headers["Allow"]


@sweep(
    "path",
    [
        "/api/products",
        "/api/products/99",
        "/api/products/x",
        "/api/products/import/template",
        "/api/inventory?product_id=1",
        "/api/codes/formats",
        "/api/nothing",
        str(address("barcode", "A-1", "svg")),
        str(address("qrcode", "A-1", "png")),
    ],
)
async def test_a_head_tells_what_the_get_would(shop: Client, path: str) -> None:
    """Successes, pictures and failures have the same headers, including the length of the body."""
    got, head = await shop.get(URL(path, encoded=True)), await shop.head(URL(path, encoded=True))
    assert lasting(got, "Date", "X-Request-ID") == lasting(head, "Date", "X-Request-ID")
    assert (await head.read(), int(head.headers["Content-Length"])) == (b"", len(await got.read()))


def lasting(response: ClientResponse, *others: str) -> dict[str, str]:
    """Return the headers of a response without these, which differ each time."""
    return {name: value for name, value in response.headers.items() if name not in others}


@sweep("path", ["/api/inventory", "/api/inventory/export", "/api/products/export", "/api/products/export?format=csv"])
async def test_a_head_of_a_stream_does_not_make_it(shop: Client, path: str) -> None:
    """It has the stream's headers except the length, and reads no row (the reading functions only record calls)."""
    read: list[str] = []

    async def noted(*_: object) -> AsyncGenerator[bytes]:
        read.append(path)
        yield b""

    got = await shop.get(path)
    with pytest.MonkeyPatch.context() as patched:
        for module, name in ((exports, "csv_export"), (exports, "xlsx_export"), (inventory, "whole_list")):
            patched.setattr(module, name, noted)
        head = await shop.head(path)
    once = ("Date", "Content-Length", "Transfer-Encoding", "X-Request-ID")
    assert (head.status, lasting(head, *once), await head.read()) == (200, lasting(got, *once), b"")
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
    client = await make_client(rate_limit="1/minute")
    assert [(await client.head("/api/products")).status for _ in range(2)] == [200, 429]


async def test_a_connection_goes_on_after_a_head(shop: Client) -> None:
    """Responses to pipelined requests are not separated by a body, and come in their order."""
    head = b"HEAD /api/inventory/export HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET /api/products/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    heads = (await raw(shop, head * 2 + last)).split(b"\r\n\r\n")
    assert [part.split()[1] for part in heads[:3]] == [b"200", b"200", b"400"]
    assert heads[3].startswith(b'{"error":true')


@sweep("path", ["/api", "/api/", "/api/products/1/levels", "/api/products/", "/x"])
async def test_an_unknown_route_is_a_404(client: Client, path: str) -> None:
    """A path without a route is reported as such."""
    reply = await refused(await client.get(path), 404, "VALIDATION_ERROR")
    assert reply["message"] == f"there is nothing at {path}; /api/docs shows every route"


@sweep("path", ["/api/%ED%A0%80", "/api/%FF", "/api/%00", "/api/\u202e", "/api/<script>"])
async def test_a_path_of_any_bytes_is_unknown_and_reported(client: Client, path: str) -> None:
    """Broken percent-encoding and control characters get the envelope, as JSON with its type."""
    await refused(await client.get(path), 404, "VALIDATION_ERROR")


@sweep("path", sorted({route.path for route in ROUTES}))
async def test_a_wrong_method_is_a_405_with_the_possible_ones(client: Client, path: str) -> None:
    """PATCH is allowed nowhere; `Allow` and the details list the methods that are."""
    allowed = sorted({method for route in ROUTES if route.path == path for method in route.methods})
    response = await client.patch(filled(path))
    reply = await refused(response, 405, "VALIDATION_ERROR")
    assert response.headers["Allow"] == ", ".join(allowed)
    assert reply["details"] == {"reason": "method_not_allowed", "allowed": allowed}


@sweep("route", [route for route in ROUTES if route.path.startswith("/api/")])
async def test_an_unknown_parameter_is_named(shop: Client, route: Any) -> None:
    """An unknown query parameter is refused by name on every route under /api, and nothing is done."""
    reply = await problems(await shop.request(route.method, filled(route.path), params={"dryrun": "1"}))
    assert reply["dryrun"].startswith("no such parameter")
    assert (await shop.get("/api/products/1")).status == 200


WITH_ID: tuple[tuple[str, str, Any], ...] = (
    ("GET", "/api/products/{}", None),
    ("PUT", "/api/products/{}", {"category": ""}),
    ("DELETE", "/api/products/{}", None),
    ("PUT", "/api/inventory/{}", {"new_level": 1}),
    ("GET", "/api/inventory/{}/history", None),
)
BAD_IDS = ("0", "-1", str(2**53), "abc", "1.0", "1%D9%A3", "9" * 2000, "01", "%20", "1e0", "0x1", "null", "1%2C2")


@sweep("bad", BAD_IDS)
@sweep(("method", "path", "body"), WITH_ID)
async def test_a_bad_id_is_named(shop: Client, method: str, path: str, body: Any, bad: str) -> None:
    """Anything but a whole number from 1 to 2^53-1 is a 400 that says so, on every route with an id."""
    response = await shop.request(method, path.format(bad), json=body)
    parameter = "productId" if "inventory" in path else "id"
    assert await problems(response) == {parameter: f"an id is a whole number from 1 to {2**53 - 1}"}


@sweep("absent", [2, 2**53 - 1])
@sweep(("method", "path", "body"), WITH_ID)
async def test_a_missing_product_is_a_404(shop: Client, method: str, path: str, body: Any, absent: int) -> None:
    """An id without a product is reported with the id."""
    reply = await refused(await shop.request(method, path.format(absent), json=body), 404, "PRODUCT_NOT_FOUND")
    assert reply["message"] == f"there is no product with id {absent}"
    assert reply["details"] == {"reason": "not_found", "id": absent}


@pytest.fixture
async def small(make_client: ClientMaker) -> Client:
    """Return a client of a service that takes a thousand bytes of JSON."""
    return await make_client(max_json_bytes=1024)


JSON_TYPE = "application/json"
WRONG_BODIES = {
    "malformed": (JSON_TYPE, b'{"a": ', "body", "Invalid JSON: EOF while parsing a value at line 1 column 6"),
    "too long": (JSON_TYPE, b'{"x": "%b"}' % (b"a" * 1100), "body", "larger than 1024 bytes"),
    "unknown field": (JSON_TYPE, b'{"displayvalue": true}', "displayvalue", "no such field; there are "),
    "no type": (
        "",
        b'{"product_code": "B-1", "description": "x"}',
        "body",
        "a body without a Content-Type cannot be read; send it as application/json",
    ),
}


@sweep(
    ("method", "path"),
    [
        ("POST", "/api/products"),
        ("PUT", "/api/products/1"),
        ("PUT", "/api/inventory/1"),
        ("POST", "/api/inventory/1/adjust"),
        ("POST", "/api/codes/barcode"),
        ("POST", "/api/codes/qrcode"),
        ("POST", "/api/codes/batch"),
        ("POST", "/api/codes/printable"),
        ("POST", "/api/codes/decode"),
        ("POST", "/api/codes/scan"),
    ],
)
@sweep("body", WRONG_BODIES.values())
async def test_a_wrong_body_is_named(small: Client, method: str, path: str, body: tuple[str, bytes, str, str]) -> None:
    """Every route that takes JSON refuses the same in the same words.

    A page of any other site can send a body without a type, so JSON must say that it is JSON.
    """
    kind, content, field, message = body
    reply = await problems(await small.request(method, path, data=content, headers={"Content-Type": kind}))
    assert reply[field].startswith(message)


async def test_a_path_with_more_segments_than_any_route_is_not_routed(client: Client) -> None:
    """It is a 404 that states the limit; one with that many segments is looked up as usual."""
    assert "segments" in (await refused(await client.get("/a" * 300), 404, "VALIDATION_ERROR"))["message"]
    assert "there is nothing at" in (await refused(await client.get("/a" * 32), 404, "VALIDATION_ERROR"))["message"]
