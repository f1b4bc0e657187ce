"""The sessions of the page: how they begin, what they grant, and everything that ends them."""

from typing import Any

import pytest
from multidict import CIMultiDict

from barcodesvc.api.keys import SERVICE
from tests.api.drawn_codes import address
from tests.api.replies import refused
from tests.api.sessions import PATH, asked, given, logged_in, status
from tests.conftest import StandingClock
from tests.direct_sql import run_sql
from tests.fixture_types import Client, ClientMaker

KEY = "correct-horse-battery-staple"
OTHER = "incorrect-horse-battery-staple"
DAY = 24 * 3600
ATTRIBUTES = ["Max-Age=2592000", "Path=/", "HttpOnly", "SameSite=Strict"]


@pytest.fixture
async def closed(make_client: ClientMaker) -> Client:
    """Return a client of a service that requires a key."""
    return await make_client(api_key=KEY)


def _rows(client: Client, table: str) -> int:
    [(count,)] = run_sql(client.app[SERVICE].settings.database, f"SELECT COUNT(*) FROM {table}")  # noqa: S608 - a test's word
    return int(count)


def _changed(cookie: str, place: int) -> str:
    return cookie[:place] + ("0" if cookie[place] != "0" else "1") + cookie[place + 1 :]


async def _renewed(client: Client, cookie: str) -> str | None:
    """Return the cookie that a response to a request with this one sets."""
    return given(await asked(client, "GET", "/api/products", cookie))


async def _handed(client: Client, cookie: str | None = None, **headers: str) -> str | None:
    """Return the cookie that `GET /` sets, with a cookie in the request or without."""
    response = await asked(client, "GET", "/", cookie, headers=headers)
    assert response.status in (200, 304)
    return given(response)


async def test_a_key_opens_a_session_for_the_service_alone(closed: Client) -> None:
    """Scripts cannot read its cookie, other sites cannot send it, it lasts 30 days, and its response is not cached."""
    response = await asked(closed, "POST", PATH, json={"api_key": KEY})
    cookie = given(response)
    assert response.headers.getall("Set-Cookie") == [f"barcodesvc_session={cookie}; {'; '.join(ATTRIBUTES)}"]
    assert response.headers["Cache-Control"] == "no-store"
    draft = {"product_code": "B-1", "description": "Red pen"}
    assert (await asked(closed, "POST", "/api/products", cookie, json=draft)).status == 201


@pytest.mark.parametrize(("trusted", "is_secure"), [("127.0.0.1", True), ("10.0.0.0/8", False)])
async def test_a_trusted_proxy_tells_of_https(make_client: ClientMaker, trusted: str, *, is_secure: bool) -> None:
    """The cookie is Secure if the browser uses HTTPS to the first proxy, also where a log-out deletes it."""
    client = await make_client(api_key=KEY, trusted_proxies=trusted)
    headers = {"X-Forwarded-Proto": "https"}
    responses = [await asked(client, "POST", PATH, json={"api_key": KEY}, headers=headers)]
    responses.append(await asked(client, "DELETE", PATH, given(responses[0]), headers=headers))
    for response in responses:
        assert response.headers["Set-Cookie"].endswith("; Secure") is is_secure


async def test_a_cookie_that_was_logged_out_opens_nothing(make_client: ClientMaker) -> None:
    """Neither does a copy of it, or a restart; another session of the same key continues."""
    client = await make_client(api_key=KEY)
    ended, other = await logged_in(client, KEY), await logged_in(client, KEY)
    response = await asked(client, "DELETE", PATH, ended)
    assert (response.status, given(response)) == (200, "")
    assert "Max-Age=0" in response.headers["Set-Cookie"]
    restarted = await make_client(api_key=KEY)
    for service in (client, restarted):
        assert [await status(service, cookie) for cookie in (ended, other)] == [401, 200]
    assert (await asked(client, "DELETE", PATH, ended)).status == 401
    assert _rows(restarted, "session_key") == 1


async def test_a_renewed_cookie_ends_with_its_session(closed: Client, standing_clock: StandingClock) -> None:
    """Logging out with any cookie of a session ends all its cookies."""
    first = await logged_in(closed, KEY)
    standing_clock.advance(DAY)
    renewed = await _renewed(closed, first)
    assert renewed
    assert (await asked(closed, "DELETE", PATH, first)).status == 200
    assert [await status(closed, cookie) for cookie in (first, renewed)] == [401, 401]


async def test_an_end_that_matters_to_no_one_is_not_stored(make_client: ClientMaker, client: Client) -> None:
    """Neither a log-out with the key alone, nor one where every client gets a session."""
    closed = await make_client(api_key=KEY)
    for service, response in (
        (closed, await asked(closed, "DELETE", PATH, headers={"X-API-Key": KEY})),
        (client, await asked(client, "DELETE", PATH, await logged_in(client))),
    ):
        assert (response.status, given(response), _rows(service, "ended_sessions")) == (200, "", 0)


async def test_a_failed_logout_can_be_tried_again(closed: Client, break_database: Any) -> None:
    """The response must not claim the end of a session that a restart would bring back."""
    cookie = await logged_in(closed, KEY)
    await break_database(closed)
    for _ in range(2):
        response = await asked(closed, "DELETE", PATH, cookie)
        assert (response.status, given(response)) == (500, None)


async def test_a_session_is_looked_up_once_in_a_while(closed: Client, standing_clock: StandingClock) -> None:
    """A kiosk that books all day does not read the database for its session each time."""
    cookie = await logged_in(closed, KEY)
    for looked_up in (1, 1, 2):
        assert await status(closed, cookie) == 200
        shown = await (await closed.get("/metrics")).text()
        assert f'barcodesvc_query_seconds_count{{query="get_ended_session"}} {looked_up}.0' in shown
        standing_clock.advance(20)


async def test_thirty_days_unused_end_a_session(closed: Client, standing_clock: StandingClock) -> None:
    """Not a second earlier, and however often it was used before."""
    cookie = await logged_in(closed, KEY)
    standing_clock.advance(30 * DAY - 1)
    renewed = await _renewed(closed, cookie)
    assert renewed
    standing_clock.advance(1)
    assert [await status(closed, one) for one in (cookie, renewed)] == [401, 200]
    standing_clock.advance(30 * DAY - 1)
    assert await status(closed, renewed) == 401


async def test_a_session_that_is_used_goes_on(closed: Client, standing_clock: StandingClock) -> None:
    """A cookie in use is renewed once an hour, even by a refusal, and nothing is written for it."""
    cookie = await logged_in(closed, KEY)
    renewals = []
    for _ in range(8):
        standing_clock.advance(900)
        response = await asked(closed, "GET", "/api/products/1", cookie)
        assert response.status == 404
        renewals.append(given(response) is not None)
        cookie = given(response) or cookie
    assert renewals == [False, False, False, True] * 2
    for _ in range(12):
        standing_clock.advance(29 * DAY)
        cookie = await _renewed(closed, cookie) or cookie
    assert await status(closed, cookie) == 200


async def test_no_cache_keeps_a_renewed_cookie(client: Client, standing_clock: StandingClock) -> None:
    """A picture that may be cached for a day is not cached with a user's cookie."""
    cookie, picture = await logged_in(client), str(address("barcode", "A-1", "svg"))
    kept = await asked(client, "GET", picture, cookie)
    standing_clock.advance(DAY)
    renewing = await asked(client, "GET", picture, cookie)
    assert [response.headers["Cache-Control"] for response in (kept, renewing)] == ["public, max-age=86400", "no-store"]
    assert [given(response) is None for response in (kept, renewing)] == [True, False]


async def test_a_clock_that_was_set_back_ends_no_session(closed: Client, standing_clock: StandingClock) -> None:
    """A clock that was years ahead for a while leaves no session that lasts for years."""
    cookie = await logged_in(closed, KEY)
    standing_clock.advance(-3600)
    assert await status(closed, cookie) == 200
    standing_clock.advance(1000 * DAY)
    future = await logged_in(closed, KEY)
    standing_clock.advance(-1000 * DAY)
    assert await status(closed, future) == 401


async def test_a_clock_that_went_wrong_brings_no_session_back(closed: Client, standing_clock: StandingClock) -> None:
    """A cookie from such a time lasts longer than others, and log-outs are remembered as long."""
    standing_clock.advance(29 * DAY)
    cookie = await logged_in(closed, KEY)
    standing_clock.advance(-29 * DAY)
    assert (await asked(closed, "DELETE", PATH, cookie)).status == 200
    standing_clock.advance(31 * DAY)
    other = await logged_in(closed, KEY)
    assert (await asked(closed, "DELETE", PATH, other)).status == 200
    assert await status(closed, cookie) == 401


async def test_a_forged_cookie_does_not_count(closed: Client) -> None:
    """Any modified cookie grants nothing; the refusal is that of a request without one."""
    cookie = await logged_in(closed, KEY)
    forged = [_changed(cookie, place) for place in range(0, len(cookie), 7)]
    forged += [cookie[:-1], cookie + "0", cookie.upper(), "", "0" * len(cookie), f'"{cookie}"', cookie[:44]]
    for one in forged:
        told = await refused(await asked(closed, "GET", "/api/products", one), 401, "VALIDATION_ERROR")
        assert told["message"].startswith("this service requires a key")


async def test_a_session_without_a_key_ends_when_one_is_set(make_client: ClientMaker) -> None:
    """A session from before grants nothing, and a session with a key is ignored where none is configured."""
    free = await logged_in(await make_client())
    client = await make_client(api_key=KEY)
    assert await status(client, free) == 401
    bound = await logged_in(client, KEY)
    open_again = await make_client(rate_limit="7/minute")
    responses = [await asked(open_again, "GET", "/api/products", cookie) for cookie in (free, bound)]
    assert [response.headers["RateLimit-Limit"] for response in responses] == ["6000", "7"]


async def test_the_right_cookie_counts_among_all_that_a_header_holds(make_client: ClientMaker) -> None:
    """Parent domains can plant as many cookies of its name as fit in a header."""
    client = await make_client(api_key=f"{KEY},{OTHER}")
    cookie = await logged_in(client, OTHER)
    planted = [_changed(cookie, place) for place in range(62)]
    header = "; ".join(f"barcodesvc_session={one}" for one in [*planted, cookie])
    assert len(header) > 8000
    assert (await client.get("/api/products", headers={"Cookie": header})).status == 200


async def test_a_planted_cookie_hides_none(closed: Client) -> None:
    """A browser sends both, in one header; a proxy that translates HTTP/2 may send each in one of its own."""
    cookie, ended = await logged_in(closed, KEY), await logged_in(closed, KEY)
    await asked(closed, "DELETE", PATH, ended)
    for planted in ("x", ended, _changed(cookie, 3)):
        header = f"a=b; barcodesvc_session={planted}; barcodesvc_session={cookie}; c=d"
        assert (await asked(closed, "GET", "/api/products", headers={"Cookie": header})).status == 200
    for header in (f"xbarcodesvc_session={cookie}", f"barcodesvc_sessionx={cookie}", f"barcodesvc_session={cookie}x"):
        assert (await asked(closed, "GET", "/api/products", headers={"Cookie": header})).status == 401
    two = CIMultiDict([("Cookie", "barcodesvc_session=x"), ("Cookie", f"barcodesvc_session={cookie}")])
    assert (await closed.get("/api/products", headers=two)).status == 200


async def test_everyone_who_opens_the_page_gets_a_session(client: Client, standing_clock: StandingClock) -> None:
    """The next view sets no other one; an hour later it renews the same."""
    cookie = await _handed(client)
    assert cookie
    assert await _handed(client, cookie) is None
    standing_clock.advance(3600)
    renewed = await _handed(client, cookie)
    assert renewed
    assert (renewed != cookie, renewed[:32]) == (True, cookie[:32])


async def test_the_page_is_kept_by_no_one_between(client: Client) -> None:
    """A shared cache would give one user's session to the next."""
    response = await asked(client, "GET", "/")
    assert response.headers["Cache-Control"] == "private, no-cache"
    assert await _handed(client, **{"If-None-Match": response.headers["ETag"]})


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


async def test_where_a_key_is_set_the_page_has_to_log_in(closed: Client) -> None:
    """Its path is open, and starts no session, with a cookie or without."""
    assert [await _handed(closed, cookie) for cookie in (None, await logged_in(closed, KEY))] == [None, None]
