"""What lets a request in: the API key in a header, or a session that was opened with it, before any other guard."""

import logging
import re
from typing import Any

import pytest

from barcodesvc.api.guard.headers import is_open
from barcodesvc.api.guard.sessions import COOKIE
from barcodesvc.api.routes import ROUTES
from tests.api.drawn_codes import address
from tests.api.replies import problems, refused
from tests.api.sessions import PATH, asked, given, logged_in
from tests.api.sockets import raw
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

KEY = "correct-horse-battery-staple"
OTHER = "incorrect-horse-battery-staple"
WITH_KEY = {"X-API-Key": KEY}
FILLED = {"{id}": "1", "{productId}": "1", "{code}": "A-1"}
PLAIN = 'Bearer realm="barcodesvc"'
SEVERAL = "several keys in one request; send one, as X-API-Key: … or Authorization: Bearer …"
TWO = [("X-API-Key", OTHER), ("X-API-Key", KEY)]
LOGIN = {"api_key": KEY}

either = pytest.mark.parametrize("kind", ["key", "session"])


@pytest.fixture
async def closed(make_client: ClientMaker) -> Client:
    """Return a client of a service that requires a key, which the client does not send by itself."""
    return await make_client(api_key=KEY)


def _path(pattern: str) -> str:
    for name, value in FILLED.items():
        pattern = pattern.replace(name, value)
    return pattern


async def _credentials(client: Client, kind: str, key: str) -> dict[str, str]:
    """Return the headers of a request with a key, or with a session that was opened with it."""
    return {"X-API-Key": key} if kind == "key" else {"Cookie": f"{COOKIE}={await logged_in(client, key)}"}


async def _status(client: Client, headers: dict[str, str]) -> int:
    return (await asked(client, "GET", "/api/products", headers=headers)).status


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/health", True), ("/", True), ("/apis", True), ("/api", False), ("/api/", False), ("/api/docs", False)],
)
def test_what_is_open_is_plain_to_see(path: str, expected: bool) -> None:  # noqa: FBT001 - an expected value
    """Every path under /api requires a key, and no other."""
    assert is_open(path) is expected


def test_the_one_open_route_takes_the_key_itself() -> None:
    """The only API route without a key is the one that opens a session."""
    assert [(route.method, route.path) for route in ROUTES if not route.needs_key] == [("POST", PATH)]


@sweep("route", [route for route in ROUTES if route.needs_key])
async def test_every_route_of_the_api_is_closed(closed: Client, route: Any) -> None:
    """Without the key the response says only that one is needed; paths outside of /api stay open."""
    response = await closed.request(route.method, _path(route.path))
    if not route.path.startswith("/api/"):
        assert response.status == 200
        return
    reply = await refused(response, 401, "VALIDATION_ERROR")
    assert reply["message"].startswith("this service requires a key")
    assert (response.headers["WWW-Authenticate"], reply["details"]) == (PLAIN, {"reason": "api_key_missing"})


@sweep(
    "asked_for",
    [
        *("GET /api", "GET /api/", "GET /api/nothing", "PATCH /api/products", "OPTIONS /api/products"),
        *("GET /%61pi/products", "GET /api%2Fproducts", "GET /api/../api/products", "GET /api/./products"),
        f"GET /api/products?api_key={KEY}",
        *("POST /api/page/session/", "POST /api/page%2Fsession", "POST /api//page/session", "POST /api/page"),
        *(f"{method} {PATH}" for method in ("GET", "PUT", "DELETE", "OPTIONS")),
    ],
)
async def test_a_key_is_asked_for_before_a_route_is_looked_for(closed: Client, asked_for: str) -> None:
    """A 404 or 405 would reveal what exists; a key in an address, which logs and histories repeat, does not count."""
    request = f"{asked_for} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    assert (await raw(closed, request)).startswith(b"HTTP/1.1 401 ")


@sweep(
    "path",
    [
        *("//api/products", "/API/products", "/;/api/products", "/health/../api/products", "/ap%69/products?/health"),
        *("http://x//api/products", "http://x/api/products", "*", "/%2e/api/products", "/x/%2e%2e/api/products"),
        *("/%2Fapi/products", "\\api\\products", "/%5Capi/products"),
    ],
)
async def test_no_other_path_leads_to_the_api(closed: Client, path: str) -> None:
    """Paths that are not protected are not routes either, sent raw, without a client that normalises them."""
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    assert (await raw(closed, request)).split(b" ", 2)[1] in (b"400", b"401", b"404")


@sweep(
    ("headers", "status"),
    [
        ({"x-api-key": KEY}, 200),
        ({"Authorization": f"bearer  {KEY} "}, 200),
        ({"X-API-Key": KEY, "Authorization": "Basic YTpi"}, 200),
        ({"X-API-Key": ""}, 401),
        ({"X-API-Key": f"Bearer {KEY}"}, 401),
        ({"Authorization": KEY}, 401),
        ({"Authorization": f"Basic {KEY}"}, 401),
        ({"Authorization": f"Bearer{KEY}"}, 401),
        ({"Authorization": "Bearer"}, 401),
    ],
)
async def test_a_key_is_sent_in_either_header(closed: Client, headers: dict[str, str], status: int) -> None:
    """As it is, or as a bearer token."""
    assert await _status(closed, headers) == status


@sweep("key", [OTHER, KEY[:-1], KEY + "x", KEY.upper(), "x", "schl\u00fcssel", f"{KEY},{OTHER}"])
async def test_a_wrong_key_is_reported_as_such(closed: Client, key: str) -> None:
    """In either header and at a login: its challenge is that of RFC 6750, and nothing of the key is repeated."""
    told = set()
    for response in (
        await asked(closed, "GET", "/api/products", headers={"X-API-Key": key}),
        await asked(closed, "GET", "/api/products", headers={"Authorization": f"Bearer {key}"}),
        await asked(closed, "POST", PATH, json={"api_key": key}),
    ):
        reply = await refused(response, 401, "VALIDATION_ERROR")
        told.add(reply["message"].partition(";")[0])
        assert response.headers["WWW-Authenticate"] == f'{PLAIN}, error="invalid_token"'
        assert (given(response), f'"{key}' in await response.text()) == (None, False)
    assert told == {"this service does not know the key"}


async def test_a_key_of_other_bytes_is_a_wrong_key(closed: Client) -> None:
    """Bytes that are not UTF-8 are compared like all others."""
    request = b"GET /api/products HTTP/1.1\r\nHost: x\r\nX-API-Key: \xff\xfe\x80\r\nConnection: close\r\n\r\n"
    assert (await raw(closed, request)).startswith(b"HTTP/1.1 401 ")


@sweep(
    "body",
    [
        {},
        {"api_key": ""},
        {"api_key": 12345},
        {"api_key": "\u00fc" * 257},
        {"api_key": KEY, "key": KEY},
        {"api_key": None},
        {"api_key": KEY, "x": "y" * 5000},
    ],
)
async def test_a_login_that_is_no_key_is_refused_without_repeating_it(closed: Client, body: dict[str, Any]) -> None:
    """Each problem is named by its field; who has no key can send no large body, and sees no value again."""
    response = await asked(closed, "POST", PATH, json=body)
    found = await problems(response)
    assert found == {"body": "larger than 4096 bytes"} if "x" in body else "body" not in found
    assert found
    text = await response.text()
    assert (KEY in text, "12345" in text) == (False, False)


@pytest.mark.parametrize(
    "sent",
    [
        TWO,
        [("X-API-Key", KEY), ("X-API-Key", KEY)],
        [("X-API-Key", ""), ("X-API-Key", KEY)],
        [("X-API-Key", OTHER), ("Authorization", f"Bearer {KEY}")],
        [("Authorization", f"Bearer {OTHER}"), ("Authorization", f"bearer {KEY}")],
    ],
    ids=["two", "one twice", "an empty one", "in both headers", "two bearers"],
)
async def test_several_keys_in_one_request_are_refused(closed: Client, sent: list[tuple[str, str]]) -> None:
    """One request is one guess, even if one of its keys is right or a session would admit it."""
    for path in ("/api/products", "/api/nothing", PATH):
        assert await problems(await closed.post(path, json=LOGIN, headers=sent)) == {"X-API-Key": SEVERAL}
    assert (await closed.post(PATH, json=LOGIN)).status == 200
    assert await problems(await closed.get("/api/products", headers=sent)) == {"X-API-Key": SEVERAL}


GUESSES: dict[str, tuple[str, str, Any, Any]] = {
    "in a header": ("GET", "/api/products", {"X-API-Key": OTHER}, None),
    "at a login": ("POST", PATH, {}, {"api_key": OTHER}),
    "two at once": ("GET", "/api/products", TWO, None),
}


@pytest.mark.parametrize(("method", "path", "headers", "body"), GUESSES.values(), ids=GUESSES)
async def test_guesses_count_against_the_rate_limit(
    make_client: ClientMaker, method: str, path: str, headers: Any, body: Any
) -> None:
    """After too many guesses, each a request, the right key does not help either."""
    client = await make_client(api_key=KEY, rate_limit="3/minute")
    guesses = [await client.request(method, path, headers=headers, json=body) for _ in range(3)]
    assert {guess.status for guess in guesses} <= {400, 401}
    assert (await _status(client, WITH_KEY), (await client.post(PATH, json=LOGIN)).status) == (429, 429)


@either
async def test_each_key_of_the_settings_counts_while_it_is_there(make_client: ClientMaker, kind: str) -> None:
    """Clients change over from one key to the next; its place in the list does not matter."""
    both = await make_client(api_key=f"{KEY},{OTHER}")
    first, second = [await _credentials(both, kind, key) for key in (KEY, OTHER)]
    assert [await _status(both, headers) for headers in (first, second)] == [200, 200]
    for setting, expected in ((f"{OTHER},{KEY}", [200, 200]), (OTHER, [401, 200]), (KEY, [200, 401])):
        client = await make_client(api_key=setting)
        assert [await _status(client, headers) for headers in (first, second)] == expected


async def test_every_key_is_compared_in_constant_time(make_client: ClientMaker, compared: list[bytes]) -> None:
    """All keys are compared, whichever matches, with `compare_digest` (which is counted, not replaced)."""
    client = await make_client(api_key=f"{KEY},{OTHER}")
    assert await _status(client, WITH_KEY) == 200
    await logged_in(client, KEY)
    assert compared == [KEY.encode(), OTHER.encode()] * 2


async def test_without_the_setting_no_key_is_asked_for(client: Client) -> None:
    """By default the API is open, and a key that is sent anyway is ignored."""
    assert [await _status(client, headers) for headers in ({}, WITH_KEY)] == [200, 200]


@either
async def test_no_shared_cache_keeps_a_picture_that_needs_a_key(closed: Client, kind: str) -> None:
    """A response to a request with a key must not reach clients without one; a browser may still cache it."""
    headers = await _credentials(closed, kind, KEY)
    for code in ("barcode", "qrcode"):
        response = await asked(closed, "GET", str(address(code, "A-1", "svg")), headers=headers)
        assert response.headers["Cache-Control"] == "private, max-age=86400"


@either
async def test_neither_key_nor_cookie_is_in_a_log_line(
    make_client: ClientMaker, caplog: pytest.LogCaptureFixture, break_database: Any, kind: str
) -> None:
    """They are never logged, right or wrong, at any level, not even with a failure and its traceback."""
    with caplog.at_level(logging.DEBUG):
        client = await make_client(api_key=KEY)
        headers = await _credentials(client, kind, KEY)
        assert await _status(client, {"Authorization": f"Bearer {OTHER}"}) == 401
        assert (await asked(client, "POST", PATH, json={"api_key": OTHER})).status == 401
        await break_database(client)
        assert (await asked(client, "DELETE", "/api/products/1", headers=headers)).status == 500
    assert caplog.records
    [value] = headers.values()
    for secret in (KEY, OTHER, value, value[:50]):
        assert secret not in caplog.text


@pytest.mark.parametrize("path", ["/api/products", "/api/products/import", "/api/nothing"])
@sweep(
    "head",
    [
        {"Content-Encoding": "gzip"},
        {"Content-Type": "a" * 201},
        {"Origin": "https://a.example"},
        {"Host": "evil.example"},
    ],
)
async def test_limit_key_and_head_are_looked_at_in_this_order(
    make_client: ClientMaker, path: str, head: dict[str, str]
) -> None:
    """Each refusal counts, and comes before a byte of the body: without a key it says only that one is needed."""
    client = await make_client(api_key=KEY, allowed_hosts="x", rate_limit="2/minute")
    usual = {"Host": "x", "Expect": "100-continue", "Content-Length": "2", "Connection": "close"} | head
    told = []
    for headers in (usual, usual | WITH_KEY, usual | WITH_KEY):
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        response = await raw(client, f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode(), end=b"\r\n\r\n")
        told.append((response[9:12], re.findall(rb"RateLimit-Remaining: (.*)\r", response)))
    assert told == [(b"401", [b"1"]), (b"400", [b"0"]), (b"429", [b"0"])]


@pytest.mark.parametrize("path", ["/health", "/metrics", "/nothing"])
@pytest.mark.parametrize("head", [{"Content-Encoding": "gzip"}, {"Origin": "https://evil.example"}], ids=str)
async def test_outside_of_the_api_only_the_head_is_looked_at(
    make_client: ClientMaker, path: str, head: dict[str, str]
) -> None:
    """No key is needed and no limit counts there, but an invalid head is still refused."""
    client = await make_client(api_key=KEY, rate_limit="1/minute")
    responses = [await client.post(path, data=b"{}", headers=head, compress=False) for _ in range(2)]
    told = [(response.status, response.headers.get("RateLimit-Limit")) for response in responses]
    assert told == [(400, None)] * 2
