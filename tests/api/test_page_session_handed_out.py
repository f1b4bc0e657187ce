"""The session that `GET /` starts if no API key is configured."""

import pytest

from tests.api.sessions import asked, given, logged_in
from tests.conftest import StandingClock
from tests.fixture_types import Client, ClientMaker

KEY = "correct-horse-battery-staple"
DAY = 24 * 3600


async def _handed(client: Client, cookie: str | None = None, **headers: str) -> str | None:
    """Return the cookie that `GET /` sets, with a cookie in the request or without."""
    response = await asked(client, "GET", "/", cookie, headers=headers)
    assert response.status in (200, 304)
    return given(response)


async def test_everyone_who_opens_the_page_gets_a_session(make_client: ClientMaker) -> None:
    """A person at the page is not subject to the limit of programs."""
    client = await make_client(rate_limit="1/minute")
    cookie = await _handed(client)
    assert cookie
    for _ in range(3):
        response = await asked(client, "GET", "/api/products", cookie)
        assert (response.status, response.headers["RateLimit-Limit"]) == (200, "6000")


async def test_the_page_is_kept_by_no_one_between(client: Client) -> None:
    """A shared cache would give one user's session to the next."""
    response = await asked(client, "GET", "/")
    assert response.headers["Cache-Control"] == "private, no-cache"
    assert await _handed(client, **{"If-None-Match": response.headers["ETag"]})


async def test_who_has_a_session_keeps_it(client: Client, standing_clock: StandingClock) -> None:
    """The next view sets no other one; an hour later it renews the same."""
    cookie = await _handed(client)
    assert cookie
    assert await _handed(client, cookie) is None
    standing_clock.advance(3600)
    renewed = await _handed(client, cookie)
    assert renewed
    assert (renewed != cookie, renewed[:32]) == (True, cookie[:32])


@pytest.mark.parametrize("change", ["forged", "expired", "of a key"])
async def test_a_cookie_that_does_not_count_is_replaced(
    make_client: ClientMaker, standing_clock: StandingClock, change: str
) -> None:
    """The page needs no notice that it has no session."""
    client = await make_client()
    cookie = await _handed(client)
    if change == "of a key":
        cookie = await logged_in(await make_client(api_key=KEY), KEY)
    assert cookie
    if change == "expired":
        standing_clock.advance(30 * DAY)
    replaced = await _handed(client, "0" * 108 if change == "forged" else cookie)
    assert replaced
    assert replaced[:32] != cookie[:32]


async def test_nothing_but_the_page_hands_out_a_session(client: Client) -> None:
    """A program gets one only if it requests the page."""
    for path in ("/api/products", "/health", "/metrics", "/service-worker.js", "/nothing"):
        assert given(await asked(client, "GET", path)) is None


async def test_where_a_key_is_set_the_page_has_to_log_in(make_client: ClientMaker) -> None:
    """Its path is open, and starts no session, with a cookie or without."""
    client = await make_client(api_key=KEY)
    assert [await _handed(client, cookie) for cookie in (None, await logged_in(client, KEY))] == [None, None]
