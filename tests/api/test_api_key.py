import logging
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import ClientResponse, FormData

from barcodesvc.api.guard.headers import is_open
from barcodesvc.api.routes import ROUTES
from tests.api.drawn_codes import address
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker, Problems
from tests.sweeps import sweep

KEY = "correct-horse-battery-staple"
OTHER = "incorrect-horse-battery-staple"
SHOP = "https://shop.example"
WITH_KEY = {"X-API-Key": KEY}
FILLED = {"{id}": "1", "{productId}": "1", "{code}": "A-1"}
PLAIN = 'Bearer realm="barcodesvc"'
SEVERAL = "several keys in one request; send one, as X-API-Key: … or Authorization: Bearer …"


@pytest.fixture
async def closed(make_client: ClientMaker) -> Client:
    """Return a client of a service that requires a key, which the client does not send by itself."""
    return await make_client(api_key=KEY)


def _path(pattern: str) -> str:
    for name, value in FILLED.items():
        pattern = pattern.replace(name, value)
    return pattern


async def _status(client: Client, **headers: str) -> int:
    return (
        await client.get("/api/products", headers={name.replace("_", "-"): value for name, value in headers.items()})
    ).status


def test_the_one_open_route_takes_the_key_itself() -> None:
    """The only API route without a key is the one that opens a session."""
    assert [(route.method, route.path) for route in ROUTES if not route.needs_key] == [("POST", "/api/page/session")]


@sweep("route", [route for route in ROUTES if route.needs_key])
async def test_every_route_of_the_api_is_closed(closed: Client, refused: Any, route: Any) -> None:
    """Without the key the response says only that one is needed; paths outside of /api stay open."""
    response = await closed.request(route.method, _path(route.path))
    if not route.path.startswith("/api/"):
        assert response.status == 200
        return
    reply = await refused(response, 401, "VALIDATION_ERROR")
    assert (response.headers["WWW-Authenticate"], reply["details"]) == (PLAIN, {"reason": "api_key_missing"})


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/", "/api/nothing", "/%61pi/products", "/api%2Fproducts", "/api/../api/products", "/api/./products"],
)
async def test_unknown_routes_and_other_spellings_are_closed(closed: Client, path: str) -> None:
    """Unknown paths get a 401 as well, and no spelling of a path bypasses the key."""
    assert (await closed.get(path)).status == 401


@sweep(
    "path",
    [
        "//api/products",
        "/API/products",
        "/;/api/products",
        "/health/../api/products",
        "http://x//api/products",
        "http://x/api/products",
        "*",
        "/%2e/api/products",
        "/x/%2e%2e/api/products",
        "/%2Fapi/products",
        "\\api\\products",
        "/%5Capi/products",
        "/ap%69/products?/health",
    ],
)
async def test_no_other_path_leads_to_the_api(closed: Client, raw: Any, path: str) -> None:
    """Paths that are not protected are not routes either, sent raw, without a client that normalises them."""
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    assert (await raw(closed, request)).split(b" ", 2)[1] in (b"400", b"401", b"404")


async def test_a_wrong_method_is_not_reported_without_the_key(closed: Client) -> None:
    """A 405 would reveal what exists."""
    assert (await closed.patch("/api/products")).status == 401
    assert (await closed.options("/api/products")).status == 401
    assert (await closed.patch("/api/products", headers=WITH_KEY)).status == 405


@sweep(
    ("headers", "status"),
    [
        ({"X-API-Key": KEY}, 200),
        ({"x-api-key": KEY}, 200),
        ({"Authorization": f"Bearer {KEY}"}, 200),
        ({"Authorization": f"bearer  {KEY} "}, 200),
        ({"X-API-Key": KEY, "Authorization": "Basic YTpi"}, 200),
        ({"X-API-Key": ""}, 401),
        ({"X-API-Key": OTHER}, 401),
        ({"X-API-Key": KEY[:-1]}, 401),
        ({"X-API-Key": KEY + "x"}, 401),
        ({"X-API-Key": KEY.upper()}, 401),
        ({"X-API-Key": f"{KEY},{OTHER}"}, 401),
        ({"X-API-Key": f"Bearer {KEY}"}, 401),
        ({"X-API-Key": "schl\u00fcssel"}, 401),
        ({"Authorization": KEY}, 401),
        ({"Authorization": f"Basic {KEY}"}, 401),
        ({"Authorization": f"Bearer{KEY}"}, 401),
        ({"Authorization": "Bearer"}, 401),
        ({"Authorization": "Bearer "}, 401),
    ],
)
async def test_who_knows_the_key_is_let_in(closed: Client, headers: dict[str, str], status: int) -> None:
    """It may be in either header, and must match exactly."""
    assert (await closed.get("/api/products", headers=headers)).status == status


@pytest.mark.parametrize(
    "sent",
    [
        [("X-API-Key", OTHER), ("X-API-Key", KEY)],
        [("X-API-Key", KEY), ("X-API-Key", KEY)],
        [("X-API-Key", ""), ("X-API-Key", KEY)],
        [("X-API-Key", f"{OTHER}{number}") for number in range(100)],
        [("X-API-Key", OTHER), ("Authorization", f"Bearer {KEY}")],
        [("Authorization", f"Bearer {OTHER}"), ("Authorization", f"bearer {KEY}")],
    ],
    ids=["two", "one twice", "an empty one", "a hundred", "in both headers", "two bearers"],
)
async def test_several_keys_in_one_request_are_refused(
    closed: Client, problems: Problems, sent: list[tuple[str, str]]
) -> None:
    """One request is one guess, even if one of its keys is right or a session would admit it."""
    login = {"api_key": KEY}
    for path in ("/api/products", "/api/nothing", "/api/page/session"):
        assert await problems(await closed.post(path, json=login, headers=sent)) == {"X-API-Key": SEVERAL}
    assert (await closed.post("/api/page/session", json=login)).status == 200
    assert await problems(await closed.get("/api/products", headers=sent)) == {"X-API-Key": SEVERAL}


async def test_several_keys_count_as_one_guess(make_client: ClientMaker) -> None:
    """The refusal counts towards the rate limit like any wrong key."""
    client = await make_client(api_key=KEY, rate_limit="2/minute")
    sent = [("X-API-Key", OTHER), ("X-API-Key", KEY)]
    assert [(await client.get("/api/products", headers=sent)).status for _ in range(3)] == [400, 400, 429]


async def test_a_key_of_other_bytes_is_a_wrong_key(closed: Client, raw: Any) -> None:
    """Bytes that are not UTF-8 are compared like all others."""
    request = b"GET /api/products HTTP/1.1\r\nHost: x\r\nX-API-Key: \xff\xfe\x80\r\nConnection: close\r\n\r\n"
    assert (await raw(closed, request)).startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(("key", "status"), [(b"", b"401"), (KEY.encode(), b"100")], ids=["without", "with"])
async def test_who_has_no_key_is_not_asked_for_a_body(closed: Client, raw: Any, key: bytes, status: bytes) -> None:
    """A client that waits for a `100 Continue` gets the 401 instead, before it has sent a byte of the body."""
    head = b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Expect: 100-continue\r\nConnection: close\r\n"
    response = await raw(closed, head + b"X-API-Key: " + key + b"\r\nContent-Length: 2\r\n\r\n{}")
    assert response.startswith(b"HTTP/1.1 " + status)


async def test_a_key_in_the_address_does_not_count(closed: Client) -> None:
    """URLs appear in logs and browser histories."""
    assert (await closed.get(f"/api/products?api_key={KEY}")).status == 401


async def test_a_wrong_key_is_reported_as_such(closed: Client, refused: Any) -> None:
    """Its challenge differs from that for a missing key, as RFC 6750 requires, and repeats nothing of the key."""
    response = await closed.get("/api/products", headers={"X-API-Key": OTHER})
    reply = await refused(response, 401, "VALIDATION_ERROR")
    assert response.headers["WWW-Authenticate"] == f'{PLAIN}, error="invalid_token"'
    assert reply["message"].startswith("this service does not know the key")
    assert OTHER not in await response.text()


async def test_several_keys_let_clients_change_over(make_client: ClientMaker) -> None:
    """Each key is valid as long as it is configured."""
    both, new = await make_client(api_key=f"{KEY}, {OTHER}"), await make_client(api_key=OTHER)
    assert [await _status(both, X_API_Key=key) for key in (KEY, OTHER)] == [200, 200]
    assert [await _status(new, X_API_Key=key) for key in (KEY, OTHER)] == [401, 200]


async def test_every_key_is_compared_in_constant_time(make_client: ClientMaker, compared: list[bytes]) -> None:
    """All keys are compared, whichever matches, with `compare_digest` (which is counted, not replaced)."""
    client = await make_client(api_key=f"{KEY},{OTHER}")
    assert await _status(client, X_API_Key=KEY) == 200
    assert compared == [KEY.encode(), OTHER.encode()]


async def test_without_the_setting_no_key_is_asked_for(client: Client) -> None:
    """By default the API is open, and a key that is sent anyway is ignored."""
    assert [await _status(client), await _status(client, X_API_Key=KEY)] == [200, 200]


async def test_wrong_tries_count_against_the_rate_limit(make_client: ClientMaker) -> None:
    """Keys cannot be guessed without limit, and after too many guesses the right key does not help either."""
    client = await make_client(api_key=KEY, rate_limit="3/minute")
    statuses = [await _status(client, X_API_Key=f"{OTHER}{number}") for number in range(4)]
    assert [*statuses, await _status(client, X_API_Key=KEY)] == [401, 401, 401, 429, 429]


async def test_a_refused_upload_takes_no_capacity(make_client: ClientMaker, upload: Callable[..., FormData]) -> None:
    """A client without a key does not block others."""
    client = await make_client(api_key=KEY, max_concurrent_uploads=1)
    for _ in range(3):
        assert (await client.post("/api/products/import", data=upload())).status == 401
    assert (await client.post("/api/products/import", data=upload(), headers=WITH_KEY)).status == 200


async def test_a_browser_may_ask_beforehand_and_read_the_refusal(make_client: ClientMaker) -> None:
    """A preflight carries no key and succeeds; an allowed origin can read a 401."""
    client = await make_client(api_key=KEY, cors_origins=SHOP)
    wanted = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "x-api-key, authorization"}
    preflight = await client.options("/api/products", headers={"Origin": SHOP, **wanted})
    assert preflight.status == 200
    assert {"x-api-key", "authorization"} <= _names(preflight)
    for headers, status in (({"Origin": SHOP}, 401), ({"Origin": SHOP, **WITH_KEY}, 200)):
        response = await client.get("/api/products", headers=headers)
        assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (status, SHOP)


def _names(preflight: ClientResponse) -> set[str]:
    return {name.strip().lower() for name in preflight.headers["Access-Control-Allow-Headers"].split(",")}


async def test_no_shared_cache_keeps_a_picture_that_needs_a_key(closed: Client) -> None:
    """A response to a request with a key must not reach clients without one; a browser may still cache it."""
    for kind in ("barcode", "qrcode"):
        for ending in ("svg", "png"):
            response = await closed.get(address(kind, "A-1", ending), headers=WITH_KEY)
            assert response.headers["Cache-Control"] == "private, max-age=86400"


async def test_a_key_is_in_no_log_line(
    make_client: ClientMaker, caplog: pytest.LogCaptureFixture, break_database: Any
) -> None:
    """Keys are never logged, right or wrong, at any level, not even with a failure and its traceback."""
    with caplog.at_level(logging.DEBUG):
        client = await make_client(api_key=KEY)
        await _status(client, X_API_Key=OTHER)
        await _status(client, Authorization=f"Bearer {OTHER}")
        await break_database(client)
        assert await _status(client, X_API_Key=KEY) == 500
    assert caplog.records
    for key in (KEY, OTHER):
        assert key not in caplog.text


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/health", True), ("/", True), ("/apis", True), ("/api", False), ("/api/", False), ("/api/docs", False)],
)
def test_what_is_open_is_plain_to_see(path: str, expected: bool) -> None:  # noqa: FBT001 - an expected value
    """Every path under /api requires a key, and no other."""
    assert is_open(path) is expected
