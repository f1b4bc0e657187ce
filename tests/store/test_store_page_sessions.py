"""What the page's sessions store in the database."""

from __future__ import annotations

import asyncio

import pytest

from barcodesvc.store import page_sessions
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from tests.engines import Place, Places

pytestmark = pytest.mark.each_engine

NOON, LATER = "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.001Z"


async def test_the_first_start_makes_a_key(database: Database, places: Places) -> None:
    """32 random bytes, the same for every later read, and different in another database."""
    key = await page_sessions.signing_key(database)
    assert (len(key), await page_sessions.signing_key(database)) == (32, key)
    with places.one() as elsewhere:
        async with open_database(elsewhere) as other:
            assert await page_sessions.signing_key(other) != key


async def test_those_who_start_at_once_have_one_key(place: Place) -> None:
    """Whichever creates it first, all sign with it."""
    async with open_database(place) as one, open_database(place) as two:
        keys = await asyncio.gather(*map(page_sessions.signing_key, (one, two, one, two)))
    assert len(set(keys)) == 1


async def test_an_end_is_remembered_until_its_time(database: Database) -> None:
    """Afterwards it is not read, and the next one deletes it; ending a session twice is not an error."""
    for session, expires in (("b", LATER), ("a", NOON), ("b", LATER)):
        await page_sessions.end_session(database, session, now="", expires=expires)
    assert list((await page_sessions.ended_sessions(database, "")).items()) == [("a", NOON), ("b", LATER)]
    assert await page_sessions.ended_sessions(database, NOON) == {"b": LATER}
    await page_sessions.end_session(database, "c", now=NOON, expires="9999")
    assert await page_sessions.ended_sessions(database, "") == {"b": LATER, "c": "9999"}


async def test_another_key_ends_all_sessions(database: Database) -> None:
    """No ends have to be remembered then."""
    key = await page_sessions.signing_key(database)
    await page_sessions.end_session(database, "a", now=NOON, expires=LATER)
    changed = await page_sessions.end_all_sessions(database)
    assert changed != key
    assert await page_sessions.signing_key(database) == changed
    assert await page_sessions.ended_sessions(database, NOON) == {}
