"""How many idempotency keys are kept on PostgreSQL, which only estimates how many there are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from barcodesvc.addresses import ServerAddress
from barcodesvc.clock import as_timestamp
from barcodesvc.models import LevelAdjustment, ProductDraft
from barcodesvc.store import idempotency
from barcodesvc.store.adjustments import adjust_level
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.idempotency import Send
from barcodesvc.store.products import create_product
from tests.beside import end_connections, run_beside
from tests.store.own_queries import OF_ENGINE

START = datetime(2026, 1, 31, 12, tzinfo=UTC)
MOST = 5


@pytest.fixture
async def database(place: ServerAddress, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    """Return the open database with the product 1, which keeps only a few keys."""
    monkeypatch.setattr(idempotency, "MOST_KEYS", MOST)
    async with open_database(place, queries=OF_ENGINE["postgres"]) as opened:
        await create_product(opened, ProductDraft(product_code="A-1", description="x"), as_timestamp(START))
        yield opened


async def keep(database: Database, *numbers: int) -> None:
    """Add one to the level under a key of each number, each a second later than the last."""
    for number in numbers:
        now = as_timestamp(START + timedelta(seconds=number))
        send = Send(LevelAdjustment(delta=1), "POST /x", f"{number:02}", now, timedelta(days=30))
        await adjust_level(database, 1, send, lambda _: b"{}")


async def kept(database: Database) -> list[int]:
    """Return the numbers of the keys that are stored."""
    return [int(key) for key, *_ in await database.rows("keys")]


async def counted(place: ServerAddress, *statements: str) -> None:
    """Let the server count what is written, which it does at the latest when a connection ends."""
    await asyncio.to_thread(end_connections, place)
    await asyncio.to_thread(run_beside, place, *statements)


async def test_keys_are_not_counted_at_each_change(database: Database) -> None:
    """Without an estimate none goes: how many there are would make all changes wait for each other."""
    await keep(database, *range(MOST + 3))
    assert await kept(database) == list(range(MOST + 3))


async def test_of_too_many_keys_the_oldest_go_once_they_were_counted(database: Database, place: ServerAddress) -> None:
    """The key of the change that clears them away is not counted yet."""
    await keep(database, *range(10))
    await counted(place, "ANALYZE idempotency_keys")
    await keep(database, 10)
    assert await kept(database) == list(range(5, 11))


async def test_keys_within_the_bound_stay_long_after_they_were_counted(
    database: Database, place: ServerAddress
) -> None:
    """An estimate from when there were more of them takes none of those that have come since."""
    await keep(database, *range(10))
    await counted(place, "ANALYZE idempotency_keys")
    for number in range(10, 20):
        await keep(database, number)
        await counted(place)
    assert await kept(database) == list(range(14, 20))


async def test_a_server_that_has_lost_its_count_takes_no_key(database: Database, place: ServerAddress) -> None:
    """A crash costs the server what it has counted since; that is no reason to forget what was answered."""
    await keep(database, *range(10))
    await counted(place, "ANALYZE idempotency_keys", "SELECT pg_stat_reset()")
    await keep(database, 10)
    assert await kept(database) == list(range(11))
