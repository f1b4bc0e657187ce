"""Sessions of the page over two services with one PostgreSQL database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from barcodesvc.api.guard import page_session
from tests.api.sessions import PATH, asked, logged_in, status
from tests.conftest import Client, ClientMaker
from tests.direct_sql import run_sql
from tests.engines import Place, ServerPlaces

KEY = "correct-horse-battery-staple"
SOON = 0.05
"""Seconds between two looks at the database, where a test waits for one."""
NEVER = 3600.0
LATER = 10.0
"""Seconds after which a replica has taken over what another one did."""

Replicas = Callable[[], Awaitable[tuple[Client, Client]]]


@pytest.fixture
def shared(postgres: ServerPlaces) -> Iterator[Place]:
    """Return a database that replicas share."""
    with postgres.one() as place:
        yield place


@pytest.fixture
def pause(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that sets the seconds between two looks at the database."""
    return lambda seconds: monkeypatch.setattr(page_session, "FOLLOW_PAUSE", seconds)


@pytest.fixture
def replicas(make_client: ClientMaker, shared: Place) -> Replicas:
    """Return a function that starts two services at once."""

    async def start() -> tuple[Client, Client]:
        settings: dict[str, Any] = {"database": shared, "api_key": KEY}
        one, two = await asyncio.gather(make_client(**settings), make_client(**settings))
        return one, two

    return start


async def _until_ended(client: Client, cookie: str) -> None:
    async with asyncio.timeout(LATER):
        while await status(client, cookie) != 401:  # noqa: ASYNC110 - the service sends no event
            await asyncio.sleep(SOON)


async def test_a_session_opens_every_replica(replicas: Replicas) -> None:
    """Whichever has opened it."""
    both = await replicas()
    cookies = [await logged_in(client, KEY) for client in both]
    assert [await status(client, cookie) for client in both for cookie in cookies] == [200] * 4


async def test_replicas_that_start_at_once_on_an_empty_database_sign_with_one_key(
    make_client: ClientMaker, postgres: ServerPlaces, pause: Callable[[float], None]
) -> None:
    """All of them, before any of them looks again."""
    pause(NEVER)
    with postgres.empty() as place:
        started = await asyncio.gather(*(make_client(database=place, api_key=KEY) for _ in range(4)))
        cookie = await logged_in(started[0], KEY)
        assert [await status(client, cookie) for client in started] == [200] * 4
        for client in started:
            await client.close()


async def test_a_log_out_holds_on_every_replica(replicas: Replicas, pause: Callable[[float], None]) -> None:
    """Within moments; other sessions go on."""
    pause(SOON)
    one, two = await replicas()
    cookie, other = await logged_in(one, KEY), await logged_in(one, KEY)
    assert await status(two, cookie) == 200
    assert (await asked(one, "DELETE", PATH, cookie)).status == 200
    assert await status(one, cookie) == 401
    await _until_ended(two, cookie)
    assert [await status(client, other) for client in (one, two)] == [200, 200]


@pytest.mark.parametrize("most", [page_session.MOST_ENDED, 0], ids=["by itself", "with all others"])
async def test_a_log_out_is_not_undone_by_what_was_read_before_it(
    replicas: Replicas, pause: Callable[[float], None], monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Each one holds on its own replica from its response on, however often that looks at the database."""
    pause(0.0)
    monkeypatch.setattr(page_session, "MOST_ENDED", most)
    one, _ = await replicas()
    for _ in range(20):
        cookie = await logged_in(one, KEY)
        assert (await asked(one, "DELETE", PATH, cookie)).status == 200
        assert [await status(one, cookie) for _ in range(5)] == [401] * 5


async def test_a_key_that_another_replica_has_changed_is_taken_over(
    replicas: Replicas, pause: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where one remembers too many ends, all sessions end on both, and the next one opens both."""
    pause(SOON)
    one, two = await replicas()
    kept, first, second = [await logged_in(one, KEY) for _ in range(3)]
    monkeypatch.setattr(page_session, "MOST_ENDED", 1)
    for cookie in (first, second):
        await asked(one, "DELETE", PATH, cookie)
    for cookie in (kept, first, second):
        await _until_ended(two, cookie)
    cookie = await logged_in(one, KEY)
    assert [await status(client, cookie) for client in (one, two)] == [200, 200]


async def test_a_failure_is_logged_once_and_tried_again(
    replicas: Replicas, pause: Callable[[float], None], shared: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """A replica that cannot read what was logged out goes on with what it knows."""
    pause(SOON)
    one, two = await replicas()
    cookie = await logged_in(one, KEY)
    await asyncio.to_thread(run_sql, shared, "ALTER TABLE ended_sessions RENAME TO elsewhere")
    async with asyncio.timeout(LATER):
        while len(caplog.records) < 2:  # noqa: ASYNC110 - as above
            await asyncio.sleep(SOON)
    await asyncio.sleep(10 * SOON)
    assert await status(two, cookie) == 200
    assert ["list_ended_sessions" in record.message for record in caplog.records] == [True, True]
    await asyncio.to_thread(run_sql, shared, "ALTER TABLE elsewhere RENAME TO ended_sessions")
    assert (await asked(one, "DELETE", PATH, cookie)).status == 200
    await _until_ended(two, cookie)


async def test_with_a_file_nothing_is_read_again(
    make_client: ClientMaker, database_file: Any, pause: Callable[[float], None]
) -> None:
    """It is one service's alone."""
    pause(SOON)
    client = await make_client(database=database_file, api_key=KEY)
    await asyncio.sleep(10 * SOON)
    text = await (await client.get("/metrics")).text()
    assert 'barcodesvc_query_seconds_count{query="list_ended_sessions"} 1.0' in text
