"""Sessions of the web app over two services with one PostgreSQL database."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from tests.api.sessions import PATH, asked, logged_in, status
from tests.conftest import StandingClock
from tests.direct_sql import run_sql
from tests.engines import Place, ServerPlaces
from tests.fixture_types import Client, ClientMaker

KEY = "correct-horse-battery-staple"

Replicas = Callable[[], Awaitable[tuple[Client, Client]]]


@pytest.fixture
def shared(postgres: ServerPlaces) -> Iterator[Place]:
    """Return a database that replicas share."""
    with postgres.one() as place:
        yield place


@pytest.fixture
def replicas(make_client: ClientMaker, shared: Place) -> Replicas:
    """Return a function that starts two services at once."""

    async def start() -> tuple[Client, Client]:
        settings: dict[str, Any] = {"database": shared, "api_key": KEY}
        one, two = await asyncio.gather(make_client(**settings), make_client(**settings))
        return one, two

    return start


async def test_a_session_opens_every_replica(replicas: Replicas) -> None:
    """Whichever has opened it."""
    both = await replicas()
    cookies = [await logged_in(client, KEY) for client in both]
    assert [await status(client, cookie) for client in both for cookie in cookies] == [200] * 4


async def test_replicas_that_start_at_once_on_an_empty_database_sign_with_one_key(
    make_client: ClientMaker, postgres: ServerPlaces
) -> None:
    """Whichever made it."""
    with postgres.empty() as place:
        started = await asyncio.gather(*(make_client(database=place, api_key=KEY) for _ in range(4)))
        cookie = await logged_in(started[0], KEY)
        assert [await status(client, cookie) for client in started] == [200] * 4
        for client in started:
            await client.close()


async def test_a_log_out_holds_on_every_replica(replicas: Replicas, standing_clock: StandingClock) -> None:
    """At once on its own, after at most a minute on others; other sessions go on."""
    one, two = await replicas()
    cookie, other = await logged_in(one, KEY), await logged_in(one, KEY)
    assert await status(two, cookie) == 200
    assert (await asked(one, "DELETE", PATH, cookie)).status == 200
    assert [await status(client, cookie) for client in (one, two)] == [401, 200]
    standing_clock.advance(60)
    assert [await status(client, cookie) for client in (one, two)] == [401, 401]
    assert [await status(client, other) for client in (one, two)] == [200, 200]


async def test_a_failure_ends_no_session(replicas: Replicas, shared: Place, standing_clock: StandingClock) -> None:
    """A replica that cannot read what was logged out goes on, and looks again later."""
    one, two = await replicas()
    cookie = await logged_in(one, KEY)
    await asyncio.to_thread(run_sql, shared, "ALTER TABLE ended_sessions RENAME TO elsewhere")
    assert await status(two, cookie) == 200
    await asyncio.to_thread(run_sql, shared, "ALTER TABLE elsewhere RENAME TO ended_sessions")
    assert (await asked(one, "DELETE", PATH, cookie)).status == 200
    standing_clock.advance(60)
    assert await status(two, cookie) == 401
