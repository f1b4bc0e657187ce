"""Idempotency keys: a change counts once for its key, and housekeeping deletes what has expired, on each engine."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic_core import to_json

from barcodesvc.clock import Clock, as_timestamp
from barcodesvc.errors import DatabaseFailure, KeyReused, LevelOutOfRange
from barcodesvc.models import LevelAdjustment, LevelChange, Product
from barcodesvc.store import idempotency, inventory
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.idempotency import KeyedRequest, Reply, delete_keys, housekeeping, kept_reply
from tests.conftest import NOON, StandingClock
from tests.engines import Place
from tests.fixture_types import Add
from tests.stock import adjust_level, delete_product, history

pytestmark = pytest.mark.each_engine

START = datetime.fromtimestamp(NOON, UTC)
NOW, LATER = as_timestamp(START), as_timestamp(START + timedelta(hours=1))
LIFETIME = timedelta(days=30)


def sent(
    delta: int, key: str | None = None, used_for: str = "POST /x", now: str = NOW, **fields: Any
) -> KeyedRequest[LevelAdjustment]:
    """Return the request of an adjustment."""
    return KeyedRequest(LevelAdjustment(delta=delta, **fields), used_for, key, now, LIFETIME)


async def adjusted(database: Database, product: Product, delta: int, key: str | None = None, **fields: Any) -> Reply:
    """Adjust the level of a product, and return the movement as the body of a reply."""
    return await adjust_level(database, product.id, sent(delta, key, **fields), to_json)


async def levels(database: Database, product: Product) -> list[int]:
    """Return the levels after each movement of a product, oldest first."""
    return [change.new_level for change in await history(database, product.id)][::-1]


async def level_of(database: Database, product: Product) -> int:
    """Return the current level of a product."""
    level = await inventory.get_level(database, product.id)
    assert level is not None
    return level.current_level


async def kept(database: Database) -> str:
    """Return the stored keys, including expired ones."""
    return "".join(row[0] for row in await database.rows("keys"))


async def keep(database: Database, product: Product, keys: str) -> None:
    """Adjust a level with each of these keys, each a second after the previous one."""
    for second, key in enumerate(keys):
        await adjusted(database, product, 1, key, now=as_timestamp(START + timedelta(seconds=second)))


async def until_kept(database: Database, keys: str) -> None:
    """Wait until exactly these keys are stored."""
    async with asyncio.timeout(10):
        while await kept(database) != keys:  # noqa: ASYNC110 - the database sends no event
            await asyncio.sleep(0.005)


async def test_two_processes_lose_no_adjustment_and_count_a_key_once(
    place: Place, database: Database, add: Add
) -> None:
    """Changes through two openings of one database add up, and both know the key."""
    product = await add("A-1")
    async with open_database(place) as other:
        both = [database, other] * 10
        await asyncio.gather(*(adjusted(each, product, 1) for each in both))
        replies = await asyncio.gather(*(adjusted(each, product, 100, "K") for each in both))
    assert await level_of(database, product) == 120
    assert Counter(reply.replayed for reply in replies) == {True: 19, False: 1}


async def test_a_repeated_send_counts_once(database: Database, add: Add) -> None:
    """It gets the first response, whatever the level is, and after its product is gone; without a key it counts."""
    product = await add("A-1", initial_level=5)
    first = await adjusted(database, product, -2, "K", change_reason="sold")
    await adjusted(database, product, -1, "L")
    for _ in range(2):
        again = await adjusted(database, product, -2, "K", change_reason="sold", now=LATER)
        assert again == Reply(first.body, replayed=True)
    assert await levels(database, product) == [5, 3, 2]
    assert not (await adjusted(database, product, -2, change_reason="sold")).replayed
    assert await kept(database) == "KL"
    await delete_product(database, product.id)
    assert await adjusted(database, product, -2, "K", change_reason="sold") == Reply(first.body, replayed=True)


@pytest.mark.parametrize("delta", [3, -5])
async def test_of_sends_at_the_same_moment_one_counts(database: Database, add: Add, delta: int) -> None:
    """Twenty with one key get the same response, even if the first one leaves too little for another."""
    product = await add("A-1", initial_level=5)
    replies = await asyncio.gather(*(adjusted(database, product, delta, "K") for _ in range(20)))
    assert len({reply.body for reply in replies}) == 1
    assert Counter(reply.replayed for reply in replies) == {True: 19, False: 1}
    assert await level_of(database, product) == 5 + delta


@pytest.mark.parametrize("other", [{"delta": 3}, {"delta": 2, "updated_by": "Ann"}, {"delta": 2, "used_for": "PUT /y"}])
async def test_a_key_belongs_to_one_request(database: Database, add: Add, other: dict[str, Any]) -> None:
    """Another request with it is refused with the key's first use, and counts nothing."""
    product = await add("A-1")
    await adjusted(database, product, 2, "K")
    with pytest.raises(KeyReused, match=rf"another request, POST /x at {NOW}; a new request needs a") as refusal:
        await adjusted(database, product, key="K", **other)
    assert refusal.value.details == {"idempotency_key": "K", "used_for": "POST /x", "used_at": NOW}
    assert await level_of(database, product) == 2


def test_what_has_its_default_does_not_make_a_send_another_one() -> None:
    """A default may be spelt out, and a retry after an update is recognised if it leaves out a new field."""

    class Later(LevelAdjustment):
        batch: str = ""

    spelt_out = LevelAdjustment(delta=2, change_reason="", updated_by="system", idempotency_key="K")
    forms = (LevelAdjustment(delta=2), spelt_out, Later(delta=2), Later(delta=2, batch="B"))
    old, full, new, other = (KeyedRequest(form, "POST /x", "K", NOW, LIFETIME).fingerprint for form in forms)
    assert old == full == new != other


async def test_nothing_of_the_request_is_stored_with_its_key(database: Database, add: Add) -> None:
    """Only the response, a SHA-256 and the path are stored."""
    product = await add("A-1")
    await adjusted(database, product, 2, "K", change_reason="secret")
    [(key, used_for, fingerprint, used_at)] = await database.rows("keys")
    assert (key, used_for, used_at, len(fingerprint)) == ("K", "POST /x", NOW, 64)
    assert int(fingerprint, 16) > 0


async def test_a_send_that_fails_does_not_use_its_key_up(database: Database, add: Add) -> None:
    """After a refusal for its level, or a failure, a retry counts."""
    product = await add("A-1", initial_level=1)

    def failing(_: LevelChange) -> bytes:
        raise DatabaseFailure("no response")

    with pytest.raises(LevelOutOfRange):
        await adjusted(database, product, -2, "K")
    with pytest.raises(DatabaseFailure):
        await adjust_level(database, product.id, sent(-1, "K"), failing)
    assert (await level_of(database, product), await kept(database)) == (1, "")
    await adjusted(database, product, 1)
    assert not (await adjusted(database, product, -2, "K")).replayed


@pytest.mark.parametrize(
    ("age", "replayed"), [(timedelta(days=30, milliseconds=-1), True), (timedelta(days=30), False)]
)
async def test_a_key_is_kept_for_its_lifetime(database: Database, add: Add, age: timedelta, replayed: bool) -> None:  # noqa: FBT001 - parametrized
    """Until then its request is not counted again; afterwards it may be used for any request, for as long again."""
    product, later = await add("A-1"), as_timestamp(START + age)
    await adjusted(database, product, 1, "K")
    assert (await kept_reply(database, sent(1, "K", now=later)) is not None) == replayed
    other = {} if replayed else {"used_for": "PUT /y"}
    assert (await adjusted(database, product, 1, "K", now=later, **other)).replayed == replayed
    assert (await adjusted(database, product, 1, "K", now=later, **other)).replayed
    assert await level_of(database, product) == (1 if replayed else 2)


async def test_a_change_deletes_no_key(database: Database, add: Add) -> None:
    """However many are expired, a change leaves them to the background."""
    product = await add("A-1")
    await keep(database, product, "ABC")
    await adjusted(database, product, 1, "D", now=as_timestamp(START + 2 * LIFETIME))
    assert await kept(database) == "ABCD"


async def test_the_background_deletes_expired_keys(
    database: Database,
    add: Add,
    standing_clock: StandingClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It runs again and again; an unforeseen failure is logged, and the next round deletes."""
    monkeypatch.setattr(idempotency, "HOUSEKEEPING_PAUSE", 0.01)
    await keep(database, await add("A-1"), "ABC")
    readings = iter([float("nan")])
    clock = Clock(wall=lambda: next(readings, standing_clock.now), steady=lambda: standing_clock.now)
    async with housekeeping(database, clock, LIFETIME):
        standing_clock.advance(LIFETIME.total_seconds())
        await until_kept(database, "BC")
        standing_clock.advance(2)
        await until_kept(database, "")
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "unexpected failure while deleting old idempotency keys"
    ]


@pytest.mark.parametrize("at_once", [1, 3, 100])
async def test_expired_keys_go_in_portions(
    database: Database, add: Add, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them are deleted, however small the batches are; valid keys are kept."""
    monkeypatch.setattr(idempotency, "DELETED_AT_ONCE", at_once)
    await keep(database, await add("A-1"), "ABCDE")
    await delete_keys(database, as_timestamp(START + timedelta(seconds=2)))
    assert await kept(database) == "DE"


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
