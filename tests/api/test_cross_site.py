"""CSRF: only pages of the service's own origin, and of those in the settings, may request changes or use a session."""

from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import FormData

from tests.api.calls import product_count
from tests.api.replies import problems
from tests.api.sessions import PATH, asked, given, logged_in
from tests.api.sockets import raw
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

KEY = "correct-horse-battery-staple"
ELSEWHERE = "https://evil.example"
KIOSK = "https://kiosk.example"
DRAFT = {"product_code": "B-1", "description": "Red pen"}
REFUSAL = "a page of another site may send this only {} is in BARCODESVC_CORS_ORIGINS"
FOREIGN = {"Origin": REFUSAL.format("if its origin")}
NO_ORIGIN = {"Sec-Fetch-Site": REFUSAL.format("with an Origin that")}
OF_OTHER_PAGES = [
    {"Origin": ELSEWHERE},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": KIOSK},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": KIOSK},
]
"""What browsers send for pages of other origins, of which a kiosk's may read responses."""


@pytest.fixture
async def closed(make_client: ClientMaker) -> Client:
    """Return a client of a service that requires a key, and lets a kiosk's pages read its responses."""
    return await make_client(api_key=KEY, cors_origins=KIOSK)


def _own(client: Client) -> str:
    return f"http://{client.host}:{client.port}"


async def _created(client: Client, **headers: str) -> int:
    """Return the status of a request that creates a product."""
    return (await client.post("/api/products", json=DRAFT, headers=headers)).status


@sweep(
    "headers",
    [
        *({"Origin": origin} for origin in (ELSEWHERE, "null", "", "http://127.0.0.1", "http://127.0.0.1:1")),
        *({"Origin": origin} for origin in ("http://localhost", "127.0.0.1", "\udcff")),
        {"Sec-Fetch-Site": "cross-site", "Origin": ELSEWHERE},
        {"Sec-Fetch-Site": "same-site", "Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "own"},
        {"Sec-Fetch-Site": "", "Origin": "own"},
        {"Origin": ELSEWHERE, "X-Forwarded-Host": "evil.example"},
    ],
)
async def test_a_change_that_a_foreign_page_asks_for_is_refused(shop: Client, headers: dict[str, str]) -> None:
    """Every value other than those for the service's own page counts as foreign; what the browser says comes first."""
    told = {name: _own(shop) if value == "own" else value for name, value in headers.items()}
    assert await problems(await shop.post("/api/products", json=DRAFT, headers=told)) == FOREIGN
    assert await product_count(shop) == 1


@pytest.mark.parametrize("site", ["cross-site", "same-site", "unheard-of", ""])
async def test_a_foreign_page_without_an_origin_is_reported_of_the_site(client: Client, site: str) -> None:
    """The error names the header that was sent."""
    response = await client.post("/api/products", json=DRAFT, headers={"Sec-Fetch-Site": site})
    assert await problems(response) == NO_ORIGIN


@sweep(
    ("target", "body"),
    [
        ("POST /api/products/import", "form"),
        ("PUT /api/inventory/1", {"new_level": 0}),
        ("DELETE /api/products/1", None),
        ("POST /api/codes/barcode", {"product_code": "A-1"}),
        ("POST /api/nothing", None),
        ("POST /health", None),
        ("PATCH /api/products", None),
    ],
)
async def test_no_route_takes_a_change_from_a_foreign_page(
    shop: Client, upload: Callable[..., FormData], target: str, body: Any
) -> None:
    """Forms and JSON, changes and reads by POST, known routes and unknown ones are all refused."""
    sent = {"data": upload()} if body == "form" else {"json": body} if body else {}
    assert await problems(await shop.request(*target.split(), headers={"Origin": ELSEWHERE}, **sent)) == FOREIGN
    reply = (await (await shop.get("/api/inventory")).json())["data"]
    assert [(level["product_id"], level["current_level"]) for level in reply] == [(1, 5)]


async def test_a_foreign_page_is_refused_before_its_body_is_read(client: Client) -> None:
    """The refusal arrives although no byte of the body has been sent."""
    head = b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: 1000\r\nOrigin: null\r\n\r\n"
    assert (await raw(client, head, b"]}}")).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("site", ["same-origin", "none"])
@pytest.mark.parametrize("origin", [{}, {"Origin": ELSEWHERE}, {"Origin": "null"}], ids=str)
async def test_a_browser_vouches_for_the_own_page(client: Client, site: str, origin: dict[str, str]) -> None:
    """Sec-Fetch-Site takes precedence over the origin, which may differ from the host behind a proxy."""
    assert await _created(client, **{"Sec-Fetch-Site": site}, **origin) == 201


async def test_an_origin_of_the_own_host_and_port_is_the_own_page(client: Client) -> None:
    """A browser without Sec-Fetch-Site, as on plain HTTP, is judged by its origin; a program sends neither."""
    assert await _created(client, Origin=_own(client)) == 201
    assert (await client.delete("/api/products/1")).status == 200


@pytest.mark.parametrize(
    ("scheme", "host", "origin", "status"),
    [
        ("https", "shop.example", "https://shop.example", 201),
        ("HTTPS", "Shop.Example", "https://shop.example", 201),
        ("https, http", "shop.example", "https://shop.example", 201),
        ("https", "shop.example:443", "https://shop.example", 201),
        ("http", "shop.example:80", "http://shop.example", 201),
        ("", "shop.example", "http://shop.example", 201),
        ("http", "[::1]:8080", "http://[::1]:8080", 201),
        ("https", "shop.example", "http://shop.example", 400),
        ("http, https", "shop.example", "https://shop.example", 400),
        ("", "shop.example", "https://shop.example", 400),
        ("https", "shop.example:80", "https://shop.example", 400),
        ("https", "shop.example:80", "http://shop.example", 400),
        ("https", "shop.example", "https://shop.example:8443", 400),
        ("https", "shop.example", "https://shop.example.evil.example", 400),
        ("https", "shop.example", "https://evil-shop.example", 400),
        ("https", "shop.example", "https://shop.example@evil.example", 400),
        ("ftp", "shop.example", "ftp://other.example", 400),
    ],
)
async def test_scheme_host_and_port_of_the_origin_are_compared(
    make_client: ClientMaker, scheme: str, host: str, origin: str, status: int
) -> None:
    """Case is ignored, and so is the default port of the scheme, which a trusted proxy names."""
    client = await make_client(trusted_proxies="127.0.0.1", allowed_hosts="shop.example")
    assert await _created(client, Host=host, Origin=origin, **{"X-Forwarded-Proto": scheme}) == status


@pytest.mark.parametrize(
    ("forwarded", "origin", "status"),
    [
        ("shop.example, inner", "https://shop.example", 201),
        ("shop.example:8443", "https://shop.example:8443", 201),
        ("", "https://inner", 201),
        ("shop.example", "https://inner", 400),
        ("shop.example", ELSEWHERE, 400),
        ("inner, shop.example", "https://shop.example", 400),
    ],
)
async def test_a_trusted_proxy_names_the_host(
    make_client: ClientMaker, forwarded: str, origin: str, status: int
) -> None:
    """The browser sees the host of the first proxy; without the header, the proxy has passed the Host on."""
    client = await make_client(trusted_proxies="127.0.0.1", allowed_hosts="shop.example")
    headers = {"Host": "inner", "X-Forwarded-Host": forwarded, "X-Forwarded-Proto": "https", "Origin": origin}
    assert await _created(client, **headers) == status


@pytest.mark.parametrize("named", [{"X-Forwarded-Proto": "https"}, {"X-Forwarded-Host": "shop.example"}], ids=str)
async def test_no_one_else_names_scheme_or_host(make_client: ClientMaker, named: dict[str, str]) -> None:
    """What an untrusted peer forwards is ignored."""
    client = await make_client(trusted_proxies="10.0.0.0/8", allowed_hosts="shop.example")
    headers = {"Host": "shop.example" if "X-Forwarded-Proto" in named else "localhost", **named}
    scheme = named.get("X-Forwarded-Proto", "http")
    assert await _created(client, **headers, Origin=f"{scheme}://shop.example") == 400


@pytest.mark.parametrize(
    ("origins", "origin", "status"),
    [
        (KIOSK, KIOSK, 201),
        (KIOSK, "https://Kiosk.example", 201),
        (KIOSK, ELSEWHERE, 400),
        (KIOSK, "null", 400),
        ("*", ELSEWHERE, 201),
        ("*", "null", 201),
    ],
)
async def test_the_settings_allow_other_pages(make_client: ClientMaker, origins: str, origin: str, status: int) -> None:
    """An origin that may read responses may also send changes."""
    client = await make_client(cors_origins=origins)
    assert await _created(client, **{"Sec-Fetch-Site": "cross-site", "Origin": origin}) == status


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
async def test_what_changes_nothing_may_come_from_anywhere(make_client: ClientMaker, method: str) -> None:
    """Links, pictures and preflights of other pages still work; the browser decides what they may read."""
    client = await make_client(cors_origins=KIOSK)
    headers = {"Origin": KIOSK, "Sec-Fetch-Site": "cross-site", "Access-Control-Request-Method": "POST"}
    assert (await client.request(method, "/api/products", headers=headers)).status == 200


@sweep("headers", OF_OTHER_PAGES)
@sweep(("method", "path"), [("GET", "/api/products"), ("OPTIONS", "/api/products"), ("DELETE", PATH)])
async def test_a_foreign_page_gets_nothing_with_the_cookie(
    closed: Client, headers: dict[str, str], method: str, path: str
) -> None:
    """Even of an allowed origin it needs the key itself; it renews no session, and cannot even end one."""
    cookie = await logged_in(closed, KEY)
    response = await asked(closed, method, path, cookie, headers=headers)
    assert (response.status, given(response)) == (401, None)
    assert "Access-Control-Allow-Credentials" not in response.headers
    assert (await asked(closed, "GET", "/api/products", cookie)).status == 200


@pytest.mark.parametrize("headers", OF_OTHER_PAGES, ids=str)
async def test_without_a_key_a_foreign_page_has_no_session(make_client: ClientMaker, headers: dict[str, str]) -> None:
    """It begins none, which would not be the user's, and its reads count towards the general limit."""
    client = await make_client(rate_limit="9/minute")
    cookie = await logged_in(client)
    begun = await asked(client, "POST", PATH, json={"api_key": KEY}, headers=headers)
    assert (begun.status, given(begun)) == (400, None)
    read = await asked(client, "GET", "/api/products", cookie, headers=headers)
    assert (read.status, read.headers["RateLimit-Limit"]) == (200, "9")


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "own"},
        {},
    ],
    ids=str,
)
async def test_the_own_page_is_let_in_by_the_cookie(closed: Client, headers: dict[str, str]) -> None:
    """According to either of the browser's headers; over plain HTTP a read of the own page has neither."""
    cookie = await logged_in(closed, KEY)
    told = {name: _own(closed) if value == "own" else value for name, value in headers.items()}
    assert (await asked(closed, "GET", "/api/products", cookie, headers=told)).status == 200
    assert (await asked(closed, "POST", "/api/products", cookie, json=DRAFT, headers=told)).status == 201


async def test_a_key_lets_a_page_of_an_allowed_origin_in_next_to_a_cookie(closed: Client) -> None:
    """A cookie that does not count has no effect."""
    cookie = await logged_in(closed, KEY)
    headers = {"Origin": KIOSK, "X-API-Key": KEY}
    assert (await asked(closed, "GET", "/api/products", cookie, headers=headers)).status == 200
