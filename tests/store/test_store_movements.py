import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, strategies as st
from pydantic_core import from_json, to_json

from barcodesvc.clock import as_timestamp
from barcodesvc.errors import DatabaseFailure, KeyReused, LevelOutOfRange, ProductNotFound
from barcodesvc.models import MAX_LEVEL, LevelAdjustment, LevelChange, LevelUpdate, Product
from barcodesvc.store import inventory
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.idempotency import KeyedRequest, Reply, kept_reply
from tests.engines import Place
from tests.fixture_types import Add
from tests.properties import examples
from tests.stock import adjust_level, delete_product, history, set_level

pytestmark = pytest.mark.each_engine

START = datetime(2026, 1, 31, 12, tzinfo=UTC)
NOW = as_timestamp(START)
LIFETIME = timedelta(days=30)


def sent(
    delta: int, key: str | None = None, used_for: str = "POST /x", now: str = NOW, **fields: Any
) -> KeyedRequest[LevelAdjustment]:
    """Return the request of an adjustment."""
    return KeyedRequest(LevelAdjustment(delta=delta, **fields), used_for, key, now, LIFETIME)


def message(change: LevelChange) -> bytes:
    """Return the change as a response body."""
    return to_json(change)


async def adjusted(database: Database, product: Product, delta: int, key: str | None = None, **fields: Any) -> Reply:
    """Adjust the level of a product."""
    return await adjust_level(database, product.id, sent(delta, key, **fields), message)


async def changes(database: Database, product: Product) -> list[LevelChange]:
    """Return the history of a product, oldest first."""
    return (await history(database, product.id))[::-1]


async def level_of(database: Database, product: Product) -> int:
    """Return the current level of a product."""
    level = await inventory.get_level(database, product.id)
    assert level is not None
    return level.current_level


async def kept(database: Database) -> list[str]:
    """Return the stored keys, including expired ones."""
    return [row[0] for row in await database.rows("keys")]


async def test_a_level_and_its_history_change_together(database: Database, add: Add) -> None:
    """The record has the new level and its author, the history the step from the old one."""
    product, later = await add("A-1", initial_level=5), as_timestamp(START + timedelta(hours=1))
    reply = await adjusted(database, product, -2, now=later, change_reason="sold", updated_by="Ann")
    change = (await changes(database, product))[-1]
    assert (change.old_level, change.new_level, change.change_reason, change.updated_by) == (5, 3, "sold", "Ann")
    level = await inventory.get_level(database, product.id)
    assert level is not None
    assert (level.current_level, level.updated_by, level.last_updated) == (3, "Ann", later)
    told = {**from_json(message(change)), "product_code": "A-1", "unit_of_measure": "pcs"}
    assert (from_json(reply.body), reply.replayed) == (told, False)


@pytest.mark.parametrize(
    ("level", "delta"), [(0, MAX_LEVEL), (MAX_LEVEL, -MAX_LEVEL), (5, -5), (5, MAX_LEVEL - 5), (MAX_LEVEL, -1), (0, 1)]
)
async def test_a_level_may_reach_its_bounds(database: Database, add: Add, level: int, delta: int) -> None:
    """0 and 2^53-1 are levels, and every difference between two levels is possible."""
    product = await add("A-1", initial_level=level)
    await adjusted(database, product, delta)
    assert await level_of(database, product) == level + delta


@pytest.mark.parametrize(
    ("level", "delta"), [(0, -1), (5, -6), (5, -MAX_LEVEL), (5, MAX_LEVEL - 4), (MAX_LEVEL, 1), (MAX_LEVEL, MAX_LEVEL)]
)
async def test_a_level_never_leaves_its_bounds(database: Database, add: Add, level: int, delta: int) -> None:
    """The error contains the current level and the possible differences; level, history and key stay unchanged."""
    product = await add("A-1", initial_level=level)
    before = await changes(database, product)
    with pytest.raises(
        LevelOutOfRange, match=rf"the level of 'A-1' is {level}; .*, not {delta}; nothing was"
    ) as refusal:
        await adjusted(database, product, delta, "K")
    assert refusal.value.details == {
        "product_id": product.id,
        "product_code": "A-1",
        "description": "The A-1",
        "current_level": level,
        "least_delta": -level,
        "greatest_delta": MAX_LEVEL - level,
    }
    assert (await level_of(database, product), await changes(database, product)) == (level, before)
    assert await kept(database) == []


async def test_an_unknown_product_is_not_found(database: Database, add: Add) -> None:
    """An adjustment of a missing product is refused and leaves its key free."""
    product = await add("A-1", initial_level=5)
    await delete_product(database, product.id)
    with pytest.raises(ProductNotFound):
        await adjusted(database, product, 1, "K")
    assert await kept(database) == []


async def test_fifty_tasks_lose_no_adjustment(database: Database, add: Add) -> None:
    """The level is the sum of all of them, and each history entry starts where the previous one ended."""
    product, deltas = await add("A-1", initial_level=2000), [(-1) ** n * (n + 1) for n in range(50)]
    await asyncio.gather(*(adjusted(database, product, delta) for delta in deltas))
    steps = await changes(database, product)
    assert [step.old_level for step in steps] == [0, *(step.new_level for step in steps[:-1])]
    assert sorted(step.new_level - step.old_level for step in steps[1:]) == sorted(deltas)
    assert await level_of(database, product) == steps[-1].new_level == 2000 + sum(deltas)


async def test_of_a_hundred_that_take_one_of_fifty_half_succeed(database: Database, add: Add) -> None:
    """As many succeed as there are items, and the level ends at zero."""
    product = await add("A-1", initial_level=50)
    results = await asyncio.gather(*(adjusted(database, product, -1) for _ in range(100)), return_exceptions=True)
    assert Counter(map(type, results)) == {Reply: 50, LevelOutOfRange: 50}
    assert await level_of(database, product) == 0
    assert len(await changes(database, product)) == 51


async def test_two_processes_lose_no_adjustment_and_count_a_key_once(
    place: Place, database: Database, add: Add
) -> None:
    """Changes through two openings of one file add up, and both know the key."""
    product = await add("A-1")
    async with open_database(place) as other:
        both = [database, other] * 10
        await asyncio.gather(*(adjusted(each, product, 1) for each in both))
        replies = await asyncio.gather(*(adjusted(each, product, 100, "K") for each in both))
    assert await level_of(database, product) == 120
    assert Counter(reply.replayed for reply in replies) == {True: 19, False: 1}


async def test_a_repeated_send_counts_once(database: Database, add: Add) -> None:
    """The retry gets the first response, whatever the level is by then; other keys count separately."""
    product = await add("A-1", initial_level=5)
    first = await adjusted(database, product, -2, "K", change_reason="sold")
    await adjusted(database, product, -1, "L")
    later = as_timestamp(START + timedelta(hours=1))
    again = await adjusted(database, product, -2, "K", change_reason="sold", now=later)
    assert again == Reply(first.body, replayed=True)
    assert await level_of(database, product) == 2
    assert len(await changes(database, product)) == 3


async def test_without_a_key_every_send_counts(database: Database, add: Add) -> None:
    """Equal adjustments are two adjustments, and nothing is stored for them."""
    product = await add("A-1")
    replies = [await adjusted(database, product, 1) for _ in range(3)]
    assert [reply.replayed for reply in replies] == [False] * 3
    assert await level_of(database, product) == 3
    assert await kept(database) == []


async def test_of_sends_at_the_same_moment_one_counts(database: Database, add: Add) -> None:
    """Twenty with one key change the level once, and all get the same response."""
    product = await add("A-1")
    replies = await asyncio.gather(*(adjusted(database, product, 3, "K") for _ in range(20)))
    assert len({reply.body for reply in replies}) == 1
    assert Counter(reply.replayed for reply in replies) == {True: 19, False: 1}
    assert await level_of(database, product) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"delta": 3},
        {"delta": 2, "change_reason": "found"},
        {"delta": 2, "updated_by": "Ann"},
        {"delta": 2, "used_for": "POST /y"},
    ],
)
async def test_a_key_belongs_to_one_request(database: Database, add: Add, other: dict[str, Any]) -> None:
    """Another request with it is refused with the key's first use, and counts nothing."""
    product = await add("A-1")
    await adjusted(database, product, 2, "K")
    with pytest.raises(KeyReused, match=rf"another request, POST /x at {NOW}; a new request needs a") as refusal:
        await adjusted(database, product, key="K", **other)
    assert refusal.value.details == {"idempotency_key": "K", "used_for": "POST /x", "used_at": NOW}
    assert await level_of(database, product) == 2


async def test_a_default_that_is_spelt_out_is_the_same_request(database: Database, add: Add) -> None:
    """A client that starts to send a default explicitly gets its earlier response."""
    product = await add("A-1")
    await adjusted(database, product, 2, "K")
    again = await adjusted(database, product, 2, "K", change_reason="", updated_by="system", idempotency_key="K")
    assert again.replayed


def test_a_field_of_a_later_release_does_not_make_a_send_another_one() -> None:
    """A retry after an update is still recognised, if it leaves out the new field."""

    class Later(LevelAdjustment):
        batch: str = ""

    forms = (LevelAdjustment(delta=2), Later(delta=2), Later(delta=2, batch="B"))
    old, new, other = (KeyedRequest(form, "POST /x", "K", NOW, LIFETIME).fingerprint for form in forms)
    assert old == new != other


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
    assert (await level_of(database, product), await kept(database)) == (1, [])
    await adjusted(database, product, 1)
    assert not (await adjusted(database, product, -2, "K")).replayed


async def test_a_key_outlives_its_product(database: Database, add: Add) -> None:
    """A retry gets its first response even after its product is deleted."""
    product = await add("A-1")
    first = await adjusted(database, product, 1, "K")
    await delete_product(database, product.id)
    assert await adjusted(database, product, 1, "K") == Reply(first.body, replayed=True)


@pytest.mark.parametrize(
    ("age", "replayed"), [(timedelta(days=30, milliseconds=-1), True), (timedelta(days=30), False)]
)
async def test_a_key_is_kept_for_its_lifetime(database: Database, add: Add, age: timedelta, replayed: bool) -> None:  # noqa: FBT001 - parametrized
    """Until then its request is not counted again; afterwards it may be used for any request, for as long again."""
    product, later = await add("A-1"), as_timestamp(START + age)
    await adjusted(database, product, 1, "K")
    assert (await kept_reply(database, sent(1, "K", now=later)) is not None) == replayed
    assert (await adjusted(database, product, 1, "K", now=later)).replayed == replayed
    assert (await adjusted(database, product, 1, "K", now=later)).replayed
    assert await level_of(database, product) == (1 if replayed else 2)


async def test_an_expired_key_that_is_still_there_is_taken_over(database: Database, add: Add) -> None:
    """A key that housekeeping has not deleted yet can be reused."""
    product, later = await add("A-1"), as_timestamp(START + 2 * LIFETIME)
    await adjusted(database, product, 1, "K")
    assert not (await adjusted(database, product, 5, "K", used_for="POST /y", now=later)).replayed
    assert (await adjusted(database, product, 5, "K", used_for="POST /y", now=later)).replayed


@pytest.mark.parametrize(
    "name",
    [
        *("insert_adjustment", "insert_count", "insert_undo", "get_movement", "get_latest_movement", "set_level"),
        *("get_kept_reply", "keep_reply", "delete_old_keys"),
    ],
)
def test_no_table_is_walked(plan: Callable[[str], list[str]], name: str) -> None:
    """Every statement of an adjustment uses an index."""
    assert [line for line in plan(name) if line.startswith("SCAN") and line != "SCAN locked"] == []


OPERATIONS = st.one_of(
    st.tuples(st.just("adjust"), st.integers(-4, 4).filter(bool), st.none() | st.sampled_from("AB")),
    st.tuples(st.just("adjust"), st.sampled_from([MAX_LEVEL, -MAX_LEVEL]), st.none()),
    st.tuples(st.just("set"), st.integers(0, 4) | st.just(MAX_LEVEL), st.none()),
    st.tuples(st.just("wait"), st.integers(1, 900), st.none()),
)


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=st.lists(OPERATIONS, max_size=15))
async def test_any_sequence_ends_as_in_a_plain_model(
    database: Database, add: Add, operations: list[tuple[str, int, str | None]]
) -> None:
    """Levels, histories, refusals and replays are those of a few lines of Python with everything in memory."""
    product = await add(str(uuid4()))
    now, levels, replies = START, [0], dict[str, tuple[int, datetime, bytes]]()
    for kind, number, letter in operations:
        key, moment = letter and f"{product.id}{letter}", as_timestamp(now)
        before = replies.get(key or "")
        alive = before is not None and now - before[1] < LIFETIME
        if kind == "wait":
            now += timedelta(hours=number)
        elif kind == "set":
            await set_level(database, product.id, LevelUpdate(new_level=number), moment)
            levels.append(number)
        elif before and alive and before[0] != number:
            with pytest.raises(KeyReused):
                await adjusted(database, product, number, key, now=moment)
        elif before and alive:
            assert await adjusted(database, product, number, key, now=moment) == Reply(before[2], replayed=True)
        elif not 0 <= levels[-1] + number <= MAX_LEVEL:
            with pytest.raises(LevelOutOfRange):
                await adjusted(database, product, number, key, now=moment)
        else:
            levels.append(levels[-1] + number)
            reply = await adjusted(database, product, number, key, now=moment)
            replies |= {key: (number, now, reply.body)} if key else {}
    assert [change.new_level for change in await changes(database, product)] == levels[1:]
    assert await level_of(database, product) == levels[-1]
