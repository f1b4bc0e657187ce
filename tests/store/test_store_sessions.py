"""What the web app's sessions store in the database."""

import asyncio

import pytest

from barcodesvc.store import sessions
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from tests.engines import Place, Places

pytestmark = pytest.mark.each_engine

NOON, LATER = "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.001Z"


async def test_the_first_start_makes_a_key(database: Database, places: Places) -> None:
    """32 random bytes, the same for every later read, and different in another database."""
    key = await sessions.signing_key(database)
    assert (len(key), await sessions.signing_key(database)) == (32, key)
    with places.one() as elsewhere:
        async with open_database(elsewhere) as other:
            assert await sessions.signing_key(other) != key


async def test_those_who_start_at_once_have_one_key(place: Place) -> None:
    """Whichever creates it first, all sign with it."""
    async with open_database(place) as one, open_database(place) as two:
        keys = await asyncio.gather(*map(sessions.signing_key, (one, two, one, two)))
    assert len(set(keys)) == 1


async def test_an_end_is_remembered_until_its_time(database: Database) -> None:
    """The next one after that deletes it; ending a session twice is not an error."""
    for session, expires in (("b", LATER), ("a", NOON), ("b", LATER)):
        await sessions.end_session(database, session, now="", expires=expires)
    assert [await sessions.is_ended(database, session) for session in "abc"] == [True, True, False]
    await sessions.end_session(database, "c", now=NOON, expires="9999")
    assert [await sessions.is_ended(database, session) for session in "abc"] == [False, True, True]
