"""The limit on idempotency keys on PostgreSQL, which only estimates their number."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from barcodesvc.addresses import ServerAddress
from barcodesvc.clock import as_timestamp
from barcodesvc.models import LevelAdjustment, ProductDraft
from barcodesvc.store import idempotency
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.idempotency import KeyedRequest, delete_keys
from tests.direct_sql import end_connections, run_sql
from tests.stock import adjust_level, create_product
from tests.store.own_queries import OF_ENGINE

START = datetime(2026, 1, 31, 12, tzinfo=UTC)
MOST = 5
NEVER = ""
"""A time before every use of a key."""


@pytest.fixture
async def database(place: ServerAddress, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    """Return the open database with the product 1 and a low limit on keys."""
    monkeypatch.setattr(idempotency, "MOST_KEYS", MOST)
    async with open_database(place, queries=OF_ENGINE["postgres"]) as opened:
        await create_product(opened, ProductDraft(product_code="A-1", description="x"), as_timestamp(START))
        yield opened


async def keep(database: Database, *numbers: int) -> None:
    """Add one to the level with a key for each number, each a second later than the previous one."""
    for number in numbers:
        now = as_timestamp(START + timedelta(seconds=number))
        send = KeyedRequest(LevelAdjustment(delta=1), "POST /x", f"{number:02}", now, timedelta(days=30))
        await adjust_level(database, 1, send, lambda _: b"{}")


async def kept(database: Database) -> list[int]:
    """Return the numbers of the keys that are stored."""
    return [int(key) for key, *_ in await database.rows("keys")]


async def counted(place: ServerAddress, *statements: str) -> None:
    """Make the server count what was written, which it does at the latest when a connection ends."""
    await asyncio.to_thread(end_connections, place)
    await asyncio.to_thread(run_sql, place, *statements)


async def test_without_an_estimate_no_key_goes(database: Database) -> None:
    """Keys are not counted exactly: a counter would make all changes wait for each other."""
    await keep(database, *range(MOST + 3))
    await delete_keys(database, NEVER)
    assert await kept(database) == list(range(MOST + 3))


async def test_of_too_many_keys_the_oldest_go_once_they_were_counted(database: Database, place: ServerAddress) -> None:
    """The limit's number of keys remains."""
    await keep(database, *range(10))
    await counted(place, "ANALYZE idempotency_keys")
    await delete_keys(database, NEVER)
    assert await kept(database) == list(range(5, 10))


async def test_keys_within_the_bound_stay_long_after_they_were_counted(
    database: Database, place: ServerAddress
) -> None:
    """An old, higher estimate deletes no key that was added since."""
    await keep(database, *range(10))
    await counted(place, "ANALYZE idempotency_keys")
    for number in range(10, 20):
        await delete_keys(database, NEVER)
        await keep(database, number)
        await counted(place)
    assert await kept(database) == list(range(14, 20))


async def test_a_server_that_has_lost_its_count_takes_no_key(database: Database, place: ServerAddress) -> None:
    """A crash costs the server its counts since the last save; that must not delete kept responses."""
    await keep(database, *range(10))
    await counted(place, "ANALYZE idempotency_keys", "SELECT pg_stat_reset()")
    await delete_keys(database, NEVER)
    assert await kept(database) == list(range(10))


@pytest.mark.parametrize("at_once", [1, 2, 500])
async def test_replicas_delete_no_more_than_the_surplus(
    database: Database, place: ServerAddress, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several of them run housekeeping concurrently, with statistics that lag behind their deletions."""
    monkeypatch.setattr(idempotency, "DELETED_AT_ONCE", at_once)
    await keep(database, *range(20))
    await counted(place, "ANALYZE idempotency_keys")
    async with open_database(place) as second, open_database(place) as third:
        await asyncio.gather(*(delete_keys(replica, NEVER) for replica in (database, second, third)))
        await delete_keys(second, NEVER)
    assert await kept(database) == list(range(15, 20))


async def test_expired_keys_are_no_surplus(database: Database, place: ServerAddress) -> None:
    """The statistics still count expired keys that were just deleted; no other key is deleted in their place."""
    await keep(database, *range(8))
    await counted(place, "ANALYZE idempotency_keys")
    await delete_keys(database, as_timestamp(START + timedelta(seconds=3)))
    assert await kept(database) == list(range(4, 8))
