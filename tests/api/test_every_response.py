"""What every response carries, whoever makes it, how it is counted and logged, and which pages may read it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import FormData, web

from barcodesvc.api.observe.metrics import OTHER_METHOD
from barcodesvc.app import make_app
from barcodesvc.config import Settings
from tests.api.described import OTHER_PATH
from tests.api.drawn_codes import address
from tests.api.sockets import raw
from tests.fixture_types import Client, ClientMaker, Logged
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
    "Cache-Control": "public, max-age=86400",
}
PICTURES = tuple(address(kind, "A-1", ending) for kind in ("barcode", "qrcode") for ending in ("svg", "png"))
KEY = "correct-horse-battery-staple"
SHOP = "https://shop.example"
OTHER = "https://other.example"
EXPOSED = {
    *("ETag", "Content-Disposition", "Idempotency-Replayed", "Location", "Retry-After", "X-Request-ID"),
    *("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"),
}
RESPONSES = [
    ("GET", "/api/products", "/api/products", 200),
    ("HEAD", "/api/products", "/api/products", 200),
    ("GET", "/api/products/1", "/api/products/{id}", 404),
    ("GET", "/api/products/x", "/api/products/{id}", 400),
    ("POST", "/api/products", "/api/products", 400),
    ("GET", "/api/inventory", "/api/inventory", 200),
    ("GET", "/api/inventory/export", "/api/inventory/export", 200),
    ("GET", "/api/products/export?format=csv", "/api/products/export", 200),
    ("GET", "/api/codes/barcode/%0A.svg", "/api/codes/barcode/{code}.svg", 400),
    ("GET", "/api/nothing", "unknown", 404),
    ("GET", "/nothing", "unknown", 404),
    ("PATCH", "/api/products", "unknown", 405),
    ("GET", "/health", "/health", 200),
]
"""Requests with the route that is counted and logged, and their status."""


def _described(response: Any, names: Any = STRICT) -> dict[str, str]:
    """Return these headers of a response, each of which occurs exactly once."""
    return {name: ", ".join(response.headers.getall(name, ["none"])) for name in names}


def _cors(response: Any) -> list[str]:
    return [name for name in response.headers if name.lower().startswith("access-control-")]


def _preflight(origin: str, method: str = "POST", headers: str = "content-type") -> dict[str, str]:
    asked = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers}
    return {"Origin": origin, **asked}


@pytest.fixture
async def opened(make_client: ClientMaker) -> Client:
    """Return a client of a service with rate limits, which pages of a shop may read."""
    return await make_client(cors_origins=f"{SHOP},https://till.example", rate_limit="900/minute")


@pytest.fixture
def ids() -> set[str]:
    """Return the ids of responses so far."""
    return set()


@sweep(("method", "path", "status"), [(method, path, status) for method, path, _, status in RESPONSES])
async def test_every_response_has_what_all_have(
    opened: Client, ids: set[str], method: str, path: str, status: int
) -> None:
    """Successes, streams, files, refusals and unknown routes are safe, tell the limit and the id, and can be read."""
    response = await opened.request(method, path, headers={"Origin": SHOP})
    assert (response.status, _described(response)) == (status, STRICT)
    assert ("RateLimit-Remaining" in response.headers) is path.startswith("/api/")
    assert (response.headers.get("Access-Control-Allow-Origin"), response.headers["Vary"]) == (SHOP, "Origin")
    assert response.headers["X-Request-ID"] not in ids
    ids.add(response.headers["X-Request-ID"])


async def test_every_response_is_counted_and_logged(make_client: ClientMaker, logged: Logged) -> None:
    """Once, in order, under the route that handled it; so is what is not HTTP."""
    client = await make_client(access_log=True)
    for method, target, *_ in RESPONSES:
        await (await client.request(method, target)).read()
    await raw(client, b"FOO\r\n\r\n")
    scrape = await (await client.get("/metrics")).text()
    expected = [(method, route, status) for method, _, route, status in RESPONSES]
    for method, route, status in expected:
        labels = f'{{method="{method}",route="{route}",status="{status}"}}'
        assert f"barcodesvc_requests_total{labels} {expected.count((method, route, status))}.0\n" in scrape
    assert f'barcodesvc_requests_total{{method="{OTHER_METHOD}",route="unknown",status="400"}} 1.0\n' in scrape
    assert scrape.count("barcodesvc_requests_total{") == len(set(expected)) + 1
    expected += [("UNKNOWN", "unknown", 400), ("GET", "/metrics", 200)]
    assert [(line["method"], line["route"], line["status"]) for line in await logged(len(expected))] == expected


async def test_a_failure_and_a_refusal_for_its_rate_are_safe(make_client: ClientMaker, break_database: Any) -> None:
    """A 500 and a 429 have the headers too, and both tell the limit."""
    client = await make_client(rate_limit="1/minute")
    await break_database(client)
    responses = [await client.get("/api/products") for _ in range(2)]
    assert [(response.status, _described(response)) for response in responses] == [(500, STRICT), (429, STRICT)]
    assert [response.headers["RateLimit-Remaining"] for response in responses] == ["0", "0"]


async def test_files_and_events_are_safe(client: Client, upload: Callable[..., FormData]) -> None:
    """Browsers must not sniff downloads either; a handler's own Cache-Control takes precedence."""
    file = await client.post("/api/codes/printable", json={"products": ["A-1"]})
    events = await client.post("/api/products/import", data=upload(), headers={"Accept": "text/event-stream"})
    assert (file.status, events.content_type) == (200, "text/event-stream")
    assert [_described(response) for response in (file, events)] == [STRICT, STRICT]
    template = await client.get("/api/products/import/template")
    assert _described(template) == STRICT | {"Cache-Control": "no-cache"}


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"])
async def test_bad_http_is_answered_safely(client: Client, sent: bytes) -> None:
    """Responses that no handler makes have the headers, and an id."""
    head = (await raw(client, sent)).partition(b"\r\n\r\n")[0].decode()
    assert {f"{name}: {value}" for name, value in STRICT.items()} <= set(head.split("\r\n"))
    assert ("\r\nX-Request-ID: " in head, "aiohttp" in head.lower()) == (True, False)


async def test_the_last_resort_of_the_server_is_safe_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
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
    described = [(response.status, _described(response)) for response in (first, again)]
    assert described == [(200, OF_PICTURES), (304, OF_PICTURES)]
    assert first.headers["X-Request-ID"] != again.headers["X-Request-ID"]


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


@pytest.mark.parametrize(
    ("own", "varies"), [("Accept", ["Accept", "Origin"]), ("accept, origin", ["accept, origin"]), ("*", ["*"])]
)
async def test_what_else_a_response_varies_by_stays(
    serve: Callable[..., Awaitable[Client]], own: str, varies: list[str]
) -> None:
    """`Origin` is added to a handler's own list, unless it is in there."""
    assert (await (await serve({"Vary": own}, (SHOP,))).get(OTHER_PATH)).headers.getall("Vary") == varies


async def test_no_origin_is_let_in_by_default(client: Client) -> None:
    """Without the setting browsers of other origins get no permission, and a preflight is a wrong method."""
    read = await client.get("/api/products", headers={"Origin": SHOP})
    assert (_cors(read), "Vary" in read.headers) == ([], False)
    preflight = await client.options("/api/products", headers=_preflight(SHOP))
    assert (preflight.status, _cors(preflight)) == (405, [])


async def test_a_set_origin_may_read(opened: Client) -> None:
    """With the exposed headers; another may not, and no cache gives the response to one to the other."""
    response = await opened.get("/api/products", headers={"Origin": SHOP})
    assert set(response.headers["Access-Control-Expose-Headers"].split(",")) == EXPOSED
    for headers in ({"Origin": OTHER}, {}):
        refused = await opened.get("/api/products", headers=headers)
        assert (refused.status, _cors(refused), refused.headers["Vary"]) == (200, [], "Origin")


@pytest.mark.parametrize("origin", [SHOP, OTHER, "null"])
async def test_every_origin_may_read_where_the_setting_says_so(make_client: ClientMaker, origin: str) -> None:
    """With `*` any origin may call."""
    client = await make_client(cors_origins="*")
    response = await client.get("/health", headers={"Origin": origin})
    assert response.headers["Access-Control-Allow-Origin"] == origin


@pytest.mark.parametrize("path", ["/api/products", "/api/products/import", "/api/nothing", "/api"])
async def test_a_page_of_an_allowed_origin_reads_each_refusal(make_client: ClientMaker, path: str) -> None:
    """For its key, its head and its rate, on a route or none, with the rest of the limit and the time to retry."""
    client = await make_client(cors_origins=SHOP, api_key=KEY, rate_limit="2/minute")
    heads = [{}, {"X-API-Key": KEY, "Content-Encoding": "gzip"}, {}]
    responses = [await client.post(path, headers={"Origin": SHOP} | head) for head in heads]
    assert [response.status for response in responses] == [401, 400, 429]
    for response in responses:
        assert (response.headers["Access-Control-Allow-Origin"], response.headers["Vary"]) == (SHOP, "Origin")
        assert set(response.headers["Access-Control-Expose-Headers"].split(",")) == EXPOSED


@sweep(
    ("method", "path"),
    [
        *(("PUT", "/api/products/1"), ("DELETE", "/api/products/1"), ("POST", "/api/products/import")),
        *(("GET", "/api/inventory/1/history"), ("GET", "/api/inventory/export")),
    ],
)
async def test_a_preflight_is_answered(opened: Client, method: str, path: str) -> None:
    """A browser may ask for every method of a route and for the headers that a client needs."""
    response = await opened.options(path, headers=_preflight(SHOP, method, "content-type, x-api-key, authorization"))
    assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (200, SHOP)
    assert method in response.headers["Access-Control-Allow-Methods"]
    allowed = {name.strip().lower() for name in response.headers["Access-Control-Allow-Headers"].split(",")}
    assert {"content-type", "x-api-key", "authorization"} <= allowed


async def test_a_preflight_needs_no_key_and_is_safe(make_client: ClientMaker) -> None:
    """It cannot carry one; that of another origin is refused with the envelope, without permission."""
    client = await make_client(cors_origins=SHOP, api_key=KEY)
    for origin, status, allowed in ((SHOP, 200, SHOP), (OTHER, 400, None)):
        response = await client.options("/api/products", headers=_preflight(origin))
        assert (response.status, _described(response), response.headers["Vary"]) == (status, STRICT, "Origin")
        assert response.headers.get("Access-Control-Allow-Origin") == allowed
    assert (await response.json())["code"] == "VALIDATION_ERROR"
