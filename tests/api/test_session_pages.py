"""A session cookie counts only for the service's own page, although browsers send it to all pages of its host."""

from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import FormData

from tests.api.sessions import PATH, asked, given, logged_in
from tests.fixture_types import Client, ClientMaker, Problems
from tests.sweeps import sweep

KEY = "correct-horse-battery-staple"
KIOSK = "https://kiosk.example"
OTHER_HOST = {"Origin": "https://evil.example"}
OTHER_PORT = {"Origin": "http://127.0.0.1:1"}
FOREIGN = [
    OTHER_HOST,
    OTHER_PORT,
    {"Origin": "null"},
    {"Origin": KIOSK},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "same-site", **OTHER_PORT},
    {"Sec-Fetch-Site": "cross-site", "Origin": KIOSK},
]
"""What browsers send for foreign pages."""


@pytest.fixture
async def closed(make_client: ClientMaker) -> Client:
    """Return a client of a service that requires a key, and lets a kiosk's pages read its responses."""
    return await make_client(api_key=KEY, cors_origins=KIOSK)


@sweep("headers", FOREIGN)
@sweep("method", ["GET", "HEAD", "OPTIONS"])
async def test_a_foreign_page_reads_nothing_with_the_cookie(
    closed: Client, headers: dict[str, str], method: str
) -> None:
    """On another host or port, even of an allowed origin, it needs the key itself, and renews no session."""
    cookie = await logged_in(closed, KEY)
    response = await asked(closed, method, "/api/products", cookie, headers=headers)
    assert (response.status, given(response)) == (401, None)
    assert "Access-Control-Allow-Credentials" not in response.headers


@sweep("headers", FOREIGN)
@sweep(
    ("target", "body"),
    [
        ("POST /api/products/import", "form"),
        ("POST /api/codes/scan", {"code_data": "A-1", "delta": 1}),
        ("PUT /api/inventory/1", {"new_level": 0}),
        ("DELETE /api/products/1", None),
        (f"DELETE {PATH}", None),
    ],
)
async def test_a_foreign_page_changes_nothing_with_the_cookie(
    closed: Client, upload: Callable[..., FormData], headers: dict[str, str], target: str, body: Any
) -> None:
    """It cannot even end the session."""
    cookie = await logged_in(closed, KEY)
    sent = {"data": upload()} if body == "form" else {"json": body} if body else {}
    method, path = target.split()
    assert (await asked(closed, method, path, cookie, headers=headers, **sent)).status == 401
    assert (await asked(closed, "GET", "/api/products", cookie)).status == 200


@pytest.mark.parametrize("headers", [OTHER_HOST, OTHER_PORT, {"Sec-Fetch-Site": "same-site"}], ids=str)
async def test_a_foreign_page_cannot_log_in(closed: Client, headers: dict[str, str]) -> None:
    """A session that another page has begun is not the user's."""
    response = await asked(closed, "POST", PATH, json={"api_key": KEY}, headers=headers)
    assert (response.status, given(response)) == (400, None)


@pytest.mark.parametrize("headers", [OTHER_HOST, OTHER_PORT, {"Sec-Fetch-Site": "same-site"}], ids=str)
async def test_without_a_key_a_foreign_page_changes_nothing(
    make_client: ClientMaker, problems: Problems, headers: dict[str, str]
) -> None:
    """With a cookie as without one; its reads count towards the general limit."""
    client = await make_client(rate_limit="9/minute")
    cookie = await logged_in(client)
    draft = {"product_code": "B-1", "description": "Red pen"}
    assert set(await problems(await asked(client, "POST", "/api/products", cookie, json=draft, headers=headers))) == {
        next(iter(headers))
    }
    read = await asked(client, "GET", "/api/products", cookie, headers=headers)
    assert (read.status, read.headers["RateLimit-Limit"], (await read.json())["data"]) == (200, "9", [])


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin", **OTHER_PORT},
        {"Origin": "own"},
        {},
    ],
    ids=str,
)
async def test_the_own_page_is_let_in_by_the_cookie(closed: Client, headers: dict[str, str]) -> None:
    """According to either of the browser's headers; over plain HTTP a read of the own page has neither."""
    cookie = await logged_in(closed, KEY)
    told = {name: f"http://{closed.host}:{closed.port}" if value == "own" else value for name, value in headers.items()}
    assert (await asked(closed, "GET", "/api/products", cookie, headers=told)).status == 200
    draft = {"product_code": "B-1", "description": "Red pen"}
    assert (await asked(closed, "POST", "/api/products", cookie, json=draft, headers=told)).status == 201


async def test_a_key_lets_a_page_of_an_allowed_origin_in_next_to_a_cookie(closed: Client) -> None:
    """A cookie that does not count has no effect."""
    cookie = await logged_in(closed, KEY)
    headers = {"Origin": KIOSK, "X-API-Key": KEY}
    assert (await asked(closed, "GET", "/api/products", cookie, headers=headers)).status == 200
