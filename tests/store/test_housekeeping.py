"""Housekeeping of idempotency keys: in the background, in batches, and never as a part of a change."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from barcodesvc.clock import Clock, as_timestamp
from barcodesvc.errors import DatabaseFailure
from barcodesvc.models import LevelAdjustment, Product
from barcodesvc.store import idempotency
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import KeyedRequest, delete_keys, housekeeping
from tests.conftest import NOON, StandingClock
from tests.fixture_types import Add
from tests.stock import adjust_level

pytestmark = pytest.mark.each_engine


START = datetime.fromtimestamp(NOON, UTC)
LIFETIME = timedelta(days=30)


async def keep(database: Database, product: Product, keys: str) -> None:
    """Adjust a level with each of these keys, each a second after the previous one."""
    for second, key in enumerate(keys):
        now = as_timestamp(START + timedelta(seconds=second))
        await adjust_level(
            database, product.id, KeyedRequest(LevelAdjustment(delta=1), "POST /x", key, now, LIFETIME), lambda _: b"{}"
        )


async def kept(database: Database) -> str:
    """Return the keys that are stored."""
    return "".join(row[0] for row in await database.rows("keys"))


async def until_kept(database: Database, keys: str) -> None:
    """Wait until exactly these keys are stored."""
    async with asyncio.timeout(10):
        while await kept(database) != keys:  # noqa: ASYNC110 - the database sends no event
            await asyncio.sleep(0.005)


async def test_a_change_deletes_no_key(database: Database, add: Add) -> None:
    """However many are expired, a change leaves them to the background."""
    product = await add("A-1")
    await keep(database, product, "ABC")
    late = as_timestamp(START + 2 * LIFETIME)
    await adjust_level(
        database, product.id, KeyedRequest(LevelAdjustment(delta=1), "POST /x", "D", late, LIFETIME), lambda _: b"{}"
    )
    assert await kept(database) == "ABCD"


async def test_the_background_deletes_expired_keys(
    database: Database, add: Add, standing_clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs again and again."""
    monkeypatch.setattr(idempotency, "HOUSEKEEPING_PAUSE", 0.01)
    await keep(database, await add("A-1"), "ABC")
    async with housekeeping(database, standing_clock.clock(), LIFETIME):
        standing_clock.advance(LIFETIME.total_seconds())
        await until_kept(database, "BC")
        standing_clock.advance(2)
        await until_kept(database, "")


@pytest.mark.parametrize("at_once", [1, 2, 3, 100])
async def test_expired_keys_go_in_portions(
    database: Database, add: Add, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them are deleted, however small the batches are; valid keys are kept."""
    monkeypatch.setattr(idempotency, "DELETED_AT_ONCE", at_once)
    await keep(database, await add("A-1"), "ABCDE")
    await delete_keys(database, as_timestamp(START + timedelta(seconds=2)))
    assert await kept(database) == "DE"


async def test_the_background_goes_on_after_an_unforeseen_failure(
    database: Database,
    add: Add,
    standing_clock: StandingClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It logs the failure, and deletes in the next round."""
    monkeypatch.setattr(idempotency, "HOUSEKEEPING_PAUSE", 0.01)
    await keep(database, await add("A-1"), "AB")
    standing_clock.advance(LIFETIME.total_seconds())
    readings = iter([float("nan")])
    clock = Clock(wall=lambda: next(readings, standing_clock.now), steady=lambda: standing_clock.now)
    async with housekeeping(database, clock, LIFETIME):
        await until_kept(database, "B")
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "unexpected failure while old idempotency keys are deleted"
    ]


async def test_the_service_keeps_house(make_client: Any, until: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It deletes keys older than the setting, without a request, and continues after a failure."""
    monkeypatch.setattr(idempotency, "HOUSEKEEPING_PAUSE", 0.01)
    rounds: list[str] = []

    async def failing(_: Database, expired: str) -> None:
        rounds.append(expired)
        raise DatabaseFailure("the disk is full")

    monkeypatch.setattr(idempotency, "delete_keys", failing)
    await make_client(idempotency_days=7)
    await until(lambda: len(rounds) > 1)
    assert rounds[0] == as_timestamp(START - timedelta(days=7))
