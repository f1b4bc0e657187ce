"""Rate limits with a page session: the page's limits replace the general ones."""

from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import ClientResponse, FormData

from tests.api.sessions import PATH, asked, logged_in
from tests.conftest import StandingClock
from tests.fixture_types import Client, ClientMaker

IMPORT = "/api/products/import"


def _told(response: ClientResponse) -> tuple[int, str | None, str | None]:
    return response.status, response.headers.get("RateLimit-Limit"), response.headers.get("RateLimit-Remaining")


async def _read(client: Client, cookie: str | None = None) -> tuple[int, str | None, str | None]:
    return _told(await asked(client, "GET", "/api/products", cookie))


async def test_a_copy_of_a_cookie_that_was_logged_out_keeps_its_limit(make_client: ClientMaker) -> None:
    """Without an API key everyone gets a session, so the end of one takes nothing away; with a key it opens nothing."""
    client = await make_client(rate_limit="5/minute")
    cookie = await logged_in(client)
    assert (await asked(client, "DELETE", PATH, cookie)).status == 200
    assert (await _read(client, cookie))[:2] == (200, "6000")


async def test_a_session_has_the_limit_of_the_page(make_client: ClientMaker) -> None:
    """By default 6,000 requests in 15 minutes; each limit is counted separately, even if the other is used up."""
    client = await make_client(rate_limit="2/15 minutes")
    cookie = await logged_in(client)
    assert await _read(client, cookie) == (200, "6000", "5999")
    assert [await _read(client) for _ in range(2)] == [(200, "2", "0"), (429, "2", "0")]
    assert await _read(client, cookie) == (200, "6000", "5998")


async def test_the_limit_of_the_page_is_per_address(make_client: ClientMaker, standing_clock: StandingClock) -> None:
    """Another session from the same address shares the limit, until its window ends."""
    client = await make_client(rate_limit="9/minute", page_rate_limit="2/minute")
    first, second = await logged_in(client), await logged_in(client)
    assert [(await _read(client, cookie))[0] for cookie in (first, second, first, second)] == [200, 200, 429, 429]
    assert (await _read(client))[:2] == (200, "9")
    standing_clock.advance(60)
    assert await _read(client, first) == (200, "2", "1")


@pytest.mark.parametrize("cookie", ["", "0" * 108, "f" * 108], ids=["empty", "zeros", "ones"])
async def test_a_cookie_that_does_not_count_has_the_general_limit(make_client: ClientMaker, cookie: str) -> None:
    """It is not an error by itself."""
    client = await make_client(rate_limit="2/minute")
    assert [await _read(client, cookie) for _ in range(3)] == [(200, "2", "1"), (200, "2", "0"), (429, "2", "0")]


async def test_an_expired_cookie_has_the_general_limit(make_client: ClientMaker, standing_clock: StandingClock) -> None:
    """If no key is configured, it is not an error either."""
    client = await make_client(rate_limit="5/minute")
    cookie = await logged_in(client)
    standing_clock.advance(30 * 24 * 3600)
    assert await _read(client, cookie) == (200, "5", "4")


async def test_imports_with_a_session_have_a_limit_of_their_own(
    make_client: ClientMaker, upload: Callable[..., FormData]
) -> None:
    """60 in 15 minutes replace the limit on uploads, and they count as requests of the page too."""
    client = await make_client(rate_limit="9/minute", upload_rate_limit="1/minute")
    cookie = await logged_in(client)
    responses = [await asked(client, "POST", IMPORT, cookie, data=upload()) for _ in range(2)]
    assert [_told(response) for response in responses] == [(200, "60", "59"), (200, "60", "58")]
    assert await _read(client, cookie) == (200, "6000", "5997")
    responses = [await asked(client, "POST", IMPORT, data=upload()) for _ in range(2)]
    assert [_told(response)[:2] for response in responses] == [(200, "1"), (429, "1")]


@pytest.mark.parametrize(
    "limits",
    [
        {"rate_limit": "2/minute", "page_rate_limit": "off"},
        {"rate_limit": "off", "upload_rate_limit": "2/minute"},
        {"rate_limit": "2/minute", "rate_limit_exempt": "127.0.0.0/8"},
    ],
    ids=str,
)
async def test_a_limit_that_is_off_is_off(make_client: ClientMaker, limits: dict[str, Any]) -> None:
    """By its own setting, by the general limit, which a session does not bring back, or in an exempt network."""
    client = await make_client(**limits)
    cookie = await logged_in(client)
    assert [await _read(client, cookie) for _ in range(3)] == [(200, None, None)] * 3


async def test_imports_without_a_limit_have_none_with_a_session(
    make_client: ClientMaker, upload: Callable[..., FormData]
) -> None:
    """A session never has less than a client without one."""
    client = await make_client(rate_limit="9/minute", upload_rate_limit="off")
    response = await asked(client, "POST", IMPORT, await logged_in(client), data=upload())
    assert _told(response) == (200, "6000", "5999")


async def test_to_log_in_counts_against_the_general_limit(make_client: ClientMaker) -> None:
    """A login cannot belong to a session yet."""
    client = await make_client(rate_limit="2/minute")
    responses = [await asked(client, "POST", PATH, json={"api_key": "any"}) for _ in range(3)]
    assert [_told(response) for response in responses] == [(200, "2", "1"), (200, "2", "0"), (429, "2", "0")]
