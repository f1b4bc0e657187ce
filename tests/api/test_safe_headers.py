from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import FormData, web

from barcodesvc.app import make_app
from barcodesvc.config import Settings
from tests.api.described import OTHER_PATH
from tests.api.drawn_codes import address
from tests.fixture_types import Client, ClientMaker, Raw
from tests.sweeps import sweep

STRICT = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Server": "barcodesvc",
}
OF_PICTURES = STRICT | {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
PICTURES = tuple(address(kind, "A-1", ending) for kind in ("barcode", "qrcode") for ending in ("svg", "png"))
SHOP = "https://shop.example"
PREFLIGHT = {"Origin": SHOP, "Access-Control-Request-Method": "GET"}


def _described(response: Any, names: Any = STRICT) -> dict[str, str]:
    """Return these headers of a response, each of which occurs exactly once."""
    return {name: ", ".join(response.headers.getall(name, ["none"])) for name in names}


@sweep(
    ("method", "path", "status"),
    [
        ("GET", "/api/products", 200),
        ("HEAD", "/api/products", 200),
        ("GET", "/api/products/1", 404),
        ("GET", "/api/products/x", 400),
        ("POST", "/api/products", 400),
        ("GET", "/api/inventory", 200),
        ("GET", "/api/inventory/export", 200),
        ("GET", "/api/products/export?format=csv", 200),
        ("GET", "/api/codes/formats", 200),
        ("GET", "/api/codes/barcode/%0A.svg", 400),
        ("GET", "/api/nothing", 404),
        ("GET", "/nothing", 404),
        ("PATCH", "/api/products", 405),
        ("OPTIONS", "/api/products", 405),
        ("GET", "/health", 200),
    ],
)
async def test_every_response_is_nothing_to_run_frame_or_keep(
    client: Client, method: str, path: str, status: int
) -> None:
    """Successes, streams, files, refusals and unknown routes have all of the headers, once each."""
    response = await client.request(method, path)
    assert (response.status, _described(response)) == (status, STRICT)


async def test_a_response_of_the_service_s_own_failure_is_safe(client: Client, break_database: Any) -> None:
    """A 500 has the headers too."""
    await break_database(client)
    response = await client.get("/api/products")
    assert (response.status, _described(response)) == (500, STRICT)


async def test_a_refusal_for_its_rate_is_safe(make_client: ClientMaker) -> None:
    """A 429 has the headers too."""
    client = await make_client(rate_limit="1/minute")
    responses = [await client.get("/api/products") for _ in range(2)]
    assert [(response.status, _described(response)) for response in responses] == [(200, STRICT), (429, STRICT)]


async def test_a_file_is_safe(client: Client) -> None:
    """Browsers must not sniff downloads either."""
    response = await client.post("/api/codes/printable", json={"products": ["A-1"]})
    assert (response.status, _described(response)) == (200, STRICT)


async def test_events_keep_their_own_caching(client: Client, upload: Callable[..., FormData]) -> None:
    """A stream of events has the headers, each of them once."""
    response = await client.post("/api/products/import", data=upload(), headers={"Accept": "text/event-stream"})
    assert (response.content_type, _described(response)) == ("text/event-stream", STRICT)


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"])
async def test_bad_http_is_answered_safely(client: Client, raw: Raw, sent: bytes) -> None:
    """Responses that no handler makes have the headers too."""
    head = (await raw(client, sent)).partition(b"\r\n\r\n")[0].decode()
    assert {f"{name}: {value}" for name, value in STRICT.items()} <= set(head.split("\r\n"))
    assert "aiohttp" not in head.lower()


async def test_the_last_resort_of_the_server_is_safe_too(
    client: Client, raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failures outside of the application are reported with the headers, too."""

    async def broken(_: web.BaseRequest) -> web.Response:
        raise RuntimeError

    assert client.server.runner
    monkeypatch.setattr(client.server.runner.server, "request_handler", broken)
    head = (await raw(client, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")).partition(b"\r\n\r\n")[0]
    assert head.startswith(b"HTTP/1.1 500 ")
    assert {f"{name}: {value}" for name, value in STRICT.items()} <= set(head.decode().split("\r\n"))


@pytest.mark.parametrize("where", PICTURES, ids=str)
async def test_a_picture_may_stand_on_any_page(client: Client, where: Any) -> None:
    """An `<img>` of another origin shows it; opened by itself it can execute nothing; so does a 304."""
    first = await client.get(where)
    again = await client.get(where, headers={"If-None-Match": first.headers["ETag"]})
    expected = OF_PICTURES | {"Cache-Control": "public, max-age=86400"}
    assert [(response.status, _described(response)) for response in (first, again)] == [
        (200, expected),
        (304, expected),
    ]


async def test_the_template_may_be_asked_for_again(client: Client) -> None:
    """A handler's own Cache-Control takes precedence."""
    response = await client.get("/api/products/import/template")
    assert _described(response) == STRICT | {"Cache-Control": "no-cache"}


@pytest.fixture
def serve(aiohttp_client: Callable[..., Awaitable[Client]], settings: Settings) -> Callable[..., Awaitable[Client]]:
    """Return a function that serves a page with special headers next to the service's own, and returns a client."""

    async def make(own: dict[str, str], origins: tuple[str, ...] = ()) -> Client:
        async def page(_: web.Request) -> web.Response:
            return web.Response(headers=own)

        app = make_app(settings.model_copy(update={"cors_origins": origins}))
        app.router.add_get(OTHER_PATH, page)
        return await aiohttp_client(app)

    return make


async def test_a_handler_s_own_header_wins(serve: Callable[..., Awaitable[Client]]) -> None:
    """A page that needs more permissions sets the header itself, and no header is repeated."""
    own = {"Content-Security-Policy": "default-src 'self'", "Referrer-Policy": "origin", "Cache-Control": "max-age=9"}

    assert _described(await (await serve(own)).get(OTHER_PATH)) == STRICT | own


async def test_responses_differ_by_origin_only_where_origins_are_set(make_client: ClientMaker) -> None:
    """With CORS a cache must not give one origin's response to another, with an Origin in the request or without."""
    closed, opened = await make_client(), await make_client(cors_origins=SHOP)
    for path in ("/api/products", "/api/nothing", "/api/inventory", "/health"):
        assert "Vary" not in (await closed.get(path, headers={"Origin": SHOP})).headers
        for headers in ({}, {"Origin": SHOP}):
            assert (await opened.get(path, headers=headers)).headers.getall("Vary") == ["Origin"]


@pytest.mark.parametrize(
    ("own", "varies"), [("Accept", ["Accept", "Origin"]), ("accept, origin", ["accept, origin"]), ("*", ["*"])]
)
async def test_what_else_a_response_varies_by_stays(
    serve: Callable[..., Awaitable[Client]], own: str, varies: list[str]
) -> None:
    """`Origin` is added to a handler's own list, unless it is in there."""
    assert (await (await serve({"Vary": own}, (SHOP,))).get(OTHER_PATH)).headers.getall("Vary") == varies


async def test_a_preflight_is_answered_safely(make_client: ClientMaker) -> None:
    """A browser's preflight gets the headers, whether it is granted or not."""
    client = await make_client(cors_origins=SHOP)
    for headers, status in ((PREFLIGHT, 200), (PREFLIGHT | {"Origin": "https://other.example"}, 400)):
        response = await client.options("/api/products", headers=headers)
        assert (response.status, _described(response)) == (status, STRICT)
        assert response.headers["Vary"] == "Origin"
