from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings as examples, strategies as st
from pydantic_core import to_json

from barcodesvc.clock import as_timestamp
from barcodesvc.errors import DatabaseFailure, KeyReused, LevelOutOfRange, ProductNotFound
from barcodesvc.models import MAX_LEVEL, LevelAdjustment, LevelChange, LevelUpdate, Product
from barcodesvc.store import idempotency, inventory
from barcodesvc.store.adjustments import adjust_level
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.idempotency import Answer, Send, answered_before
from barcodesvc.store.products import delete_product
from tests.engines import Place

START = datetime(2026, 1, 31, 12, tzinfo=UTC)
NOW = as_timestamp(START)
LIFETIME = timedelta(days=30)

Add = Callable[..., Awaitable[Product]]


def sent(
    delta: int, key: str | None = None, used_for: str = "POST /x", now: str = NOW, **fields: Any
) -> Send[LevelAdjustment]:
    """Return the send of an adjustment."""
    return Send(LevelAdjustment(delta=delta, **fields), used_for, key, now, LIFETIME)


def message(change: LevelChange) -> bytes:
    """Return the change as the body of an answer."""
    return to_json(change)


async def adjusted(database: Database, product: Product, delta: int, key: str | None = None, **fields: Any) -> Answer:
    """Adjust the level of a product."""
    return await adjust_level(database, product.id, sent(delta, key, **fields), message)


async def changes(database: Database, product: Product) -> list[LevelChange]:
    """Return the history of a product, oldest first."""
    return (await inventory.history(database, product.id, limit=1000, from_time=None, to_time=None))[::-1]


async def level_of(database: Database, product: Product) -> int:
    """Return the current level of a product."""
    level = await inventory.get_level(database, product.id)
    assert level is not None
    return level.current_level


async def kept(database: Database) -> list[str]:
    """Return the keys that are stored, expired ones too."""
    return [row[0] for row in await database.rows("keys")]


async def test_a_level_and_its_history_change_together(database: Database, add: Add) -> None:
    """The record carries the new level and its author, the history the step from the old one."""
    product, later = await add("A-1", initial_level=5), as_timestamp(START + timedelta(hours=1))
    answer = await adjusted(database, product, -2, now=later, change_reason="sold", updated_by="Ann")
    change = (await changes(database, product))[-1]
    assert (change.old_level, change.new_level, change.change_reason, change.updated_by) == (5, 3, "sold", "Ann")
    level = await inventory.get_level(database, product.id)
    assert level is not None
    assert (level.current_level, level.updated_by, level.last_updated) == (3, "Ann", later)
    assert answer == Answer(message(change), replayed=False)


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
    """The error names the level that stands and what is possible; level, history and key stay as they were."""
    product = await add("A-1", initial_level=level)
    before = await changes(database, product)
    with pytest.raises(
        LevelOutOfRange, match=rf"the level of 'A-1' is {level}; .*, not {delta}; nothing was"
    ) as refusal:
        await adjusted(database, product, delta, "K")
    assert refusal.value.details == {
        "product_code": "A-1",
        "current_level": level,
        "least_delta": -level,
        "greatest_delta": MAX_LEVEL - level,
    }
    assert (await level_of(database, product), await changes(database, product)) == (level, before)
    assert await kept(database) == []


async def test_an_unknown_product_is_not_found(database: Database, add: Add) -> None:
    """An adjustment of nothing is refused as such and uses no key up."""
    product = await add("A-1", initial_level=5)
    await delete_product(database, product.id)
    with pytest.raises(ProductNotFound):
        await adjusted(database, product, 1, "K")
    assert await kept(database) == []


async def test_fifty_tasks_lose_no_adjustment(database: Database, add: Add) -> None:
    """The level is the sum of all of them, and each history entry starts where the one before it ended."""
    product, deltas = await add("A-1", initial_level=2000), [(-1) ** n * (n + 1) for n in range(50)]
    await asyncio.gather(*(adjusted(database, product, delta) for delta in deltas))
    steps = await changes(database, product)
    assert [step.old_level for step in steps] == [0, *(step.new_level for step in steps[:-1])]
    assert sorted(step.new_level - step.old_level for step in steps[1:]) == sorted(deltas)
    assert await level_of(database, product) == steps[-1].new_level == 2000 + sum(deltas)


async def test_of_a_hundred_that_take_one_of_fifty_half_succeed(database: Database, add: Add) -> None:
    """Exactly as many get one as there are, and the level ends at zero."""
    product = await add("A-1", initial_level=50)
    results = await asyncio.gather(*(adjusted(database, product, -1) for _ in range(100)), return_exceptions=True)
    assert Counter(map(type, results)) == {Answer: 50, LevelOutOfRange: 50}
    assert await level_of(database, product) == 0
    assert len(await changes(database, product)) == 51


async def test_two_processes_lose_no_adjustment_and_count_a_key_once(
    place: Place, database: Database, add: Add
) -> None:
    """What is done over two openings of one file adds up, and a key is known to both."""
    product = await add("A-1")
    async with open_database(place) as other:
        both = [database, other] * 10
        await asyncio.gather(*(adjusted(each, product, 1) for each in both))
        answers = await asyncio.gather(*(adjusted(each, product, 100, "K") for each in both))
    assert await level_of(database, product) == 120
    assert Counter(answer.replayed for answer in answers) == {True: 19, False: 1}


async def test_a_repeated_send_counts_once(database: Database, add: Add) -> None:
    """The second one gets the answer of the first, whatever the level is by then; other keys count for themselves."""
    product = await add("A-1", initial_level=5)
    first = await adjusted(database, product, -2, "K", change_reason="sold")
    await adjusted(database, product, -1, "L")
    later = as_timestamp(START + timedelta(hours=1))
    again = await adjusted(database, product, -2, "K", change_reason="sold", now=later)
    assert again == Answer(first.body, replayed=True)
    assert await level_of(database, product) == 2
    assert len(await changes(database, product)) == 3


async def test_without_a_key_every_send_counts(database: Database, add: Add) -> None:
    """Equal adjustments are two adjustments, and nothing is kept of them."""
    product = await add("A-1")
    answers = [await adjusted(database, product, 1) for _ in range(3)]
    assert [answer.replayed for answer in answers] == [False] * 3
    assert await level_of(database, product) == 3
    assert await kept(database) == []


async def test_of_sends_at_the_same_moment_one_counts(database: Database, add: Add) -> None:
    """Twenty under one key change the level once, and all get the same answer."""
    product = await add("A-1")
    answers = await asyncio.gather(*(adjusted(database, product, 3, "K") for _ in range(20)))
    assert len({answer.body for answer in answers}) == 1
    assert Counter(answer.replayed for answer in answers) == {True: 19, False: 1}
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
async def test_a_key_stands_for_one_request(database: Database, add: Add, other: dict[str, Any]) -> None:
    """Another request under it is refused with what the key was used for, and counts nothing."""
    product = await add("A-1")
    await adjusted(database, product, 2, "K")
    with pytest.raises(KeyReused, match=rf"another request, POST /x at {NOW}; a new count needs a new key") as refusal:
        await adjusted(database, product, key="K", **other)
    assert refusal.value.details == {"idempotency_key": "K", "used_for": "POST /x", "used_at": NOW}
    assert await level_of(database, product) == 2


async def test_a_default_that_is_spelt_out_is_the_same_request(database: Database, add: Add) -> None:
    """A client that begins to send what is the default gets its old answer."""
    product = await add("A-1")
    await adjusted(database, product, 2, "K")
    again = await adjusted(database, product, 2, "K", change_reason="", updated_by="system", idempotency_key="K")
    assert again.replayed


def test_a_field_of_a_later_release_does_not_make_a_send_another_one() -> None:
    """A repeat that arrives after an update is still known, where what is new is left out."""

    class Later(LevelAdjustment):
        batch: str = ""

    forms = (LevelAdjustment(delta=2), Later(delta=2), Later(delta=2, batch="B"))
    old, new, other = (Send(form, "POST /x", "K", NOW, LIFETIME).fingerprint for form in forms)
    assert old == new != other


async def test_nothing_of_the_request_is_stored_with_its_key(database: Database, add: Add) -> None:
    """Beside the answer there is a SHA-256, and where the request went."""
    product = await add("A-1")
    await adjusted(database, product, 2, "K", change_reason="secret")
    [(key, used_for, fingerprint, used_at)] = await database.rows("keys")
    assert (key, used_for, used_at, len(fingerprint)) == ("K", "POST /x", NOW, 64)
    assert int(fingerprint, 16) > 0


async def test_a_send_that_fails_does_not_use_its_key_up(database: Database, add: Add) -> None:
    """Refused for its level, or failed on the way to an answer, it may come again and then counts."""
    product = await add("A-1", initial_level=1)

    def failing(_: LevelChange) -> bytes:
        raise DatabaseFailure("no answer")

    with pytest.raises(LevelOutOfRange):
        await adjusted(database, product, -2, "K")
    with pytest.raises(DatabaseFailure):
        await adjust_level(database, product.id, sent(-1, "K"), failing)
    assert (await level_of(database, product), await kept(database)) == (1, [])
    await adjusted(database, product, 1)
    assert not (await adjusted(database, product, -2, "K")).replayed


async def test_a_key_outlives_its_product(database: Database, add: Add) -> None:
    """A send that was counted is answered as it was, after its product is gone as well."""
    product = await add("A-1")
    first = await adjusted(database, product, 1, "K")
    await delete_product(database, product.id)
    assert await adjusted(database, product, 1, "K") == Answer(first.body, replayed=True)


@pytest.mark.parametrize(
    ("age", "replayed"), [(timedelta(days=30, milliseconds=-1), True), (timedelta(days=30), False)]
)
async def test_a_key_stands_for_its_lifetime(database: Database, add: Add, age: timedelta, replayed: bool) -> None:  # noqa: FBT001 - parametrized
    """Up to then its request is not counted again; from then on it may stand for any request, and as long again."""
    product, later = await add("A-1"), as_timestamp(START + age)
    await adjusted(database, product, 1, "K")
    assert (await answered_before(database, sent(1, "K", now=later)) is not None) == replayed
    assert (await adjusted(database, product, 1, "K", now=later)).replayed == replayed
    assert (await adjusted(database, product, 1, "K", now=later)).replayed
    assert await level_of(database, product) == (1 if replayed else 2)


async def test_expired_keys_are_cleared_in_portions(
    database: Database, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each adjustment, with or without a key, clears the oldest away, up to the bound; keys that stand are left."""
    monkeypatch.setattr(idempotency, "CLEARED_AT_ONCE", 2)
    product = await add("A-1")
    for hour, key in enumerate("ABCDE"):
        await adjusted(database, product, 1, key, now=as_timestamp(START + timedelta(hours=hour)))
    await adjusted(database, product, 1, "F", now=as_timestamp(START + LIFETIME + timedelta(hours=3)))
    assert await kept(database) == ["C", "D", "E", "F"]
    await adjusted(database, product, 1, now=as_timestamp(START + LIFETIME + timedelta(hours=3)))
    assert await kept(database) == ["E", "F"]
    await adjusted(database, product, 1, now=as_timestamp(START + LIFETIME + timedelta(hours=3)))
    assert await kept(database) == ["E", "F"]


@pytest.mark.usefixtures("database_file")  # PostgreSQL counts keys from time to time
async def test_of_too_many_keys_the_oldest_go(database: Database, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are never more than the bound, whichever way they came; a key that went may be used again."""
    monkeypatch.setattr(idempotency, "MOST_KEYS", 3)
    product = await add("A-1")
    for second, key in enumerate("ABCDE"):
        await adjusted(database, product, 1, key, now=as_timestamp(START + timedelta(seconds=second)))
    assert await kept(database) == ["C", "D", "E"]
    await asyncio.gather(*(adjusted(database, product, 1, f"F{n}", now=as_timestamp(START)) for n in range(5)))
    assert len(await kept(database)) == 3
    assert not (await adjusted(database, product, 1, "A")).replayed


@pytest.mark.usefixtures("database_file")  # as above
async def test_too_many_keys_go_in_portions(database: Database, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the bound has become smaller, a change costs no more for it."""
    product = await add("A-1")
    for second, key in enumerate("ABCDEF"):
        await adjusted(database, product, 1, key, now=as_timestamp(START + timedelta(seconds=second)))
    monkeypatch.setattr(idempotency, "MOST_KEYS", 2)
    monkeypatch.setattr(idempotency, "CLEARED_AT_ONCE", 2)
    later = as_timestamp(START + timedelta(hours=1))
    await adjusted(database, product, 1, "G", now=later)
    assert await kept(database) == ["C", "D", "E", "F", "G"]
    for key in "HIJK":
        await adjusted(database, product, 1, key, now=later)
    assert await kept(database) == ["J", "K"]


def test_keys_are_never_counted(plan: Callable[[str], list[str]]) -> None:
    """The oldest come out of an index one by one, and how many there are stands in a row of its own."""
    walked = [line for line in plan("forget_surplus") if line.startswith("SCAN idempotency_keys")]
    assert walked == ["SCAN idempotency_keys USING INDEX idempotency_keys_by_time"]


async def test_an_expired_key_that_is_still_there_is_taken_over(
    database: Database, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has not been cleared yet is in nobody's way."""
    monkeypatch.setattr(idempotency, "CLEARED_AT_ONCE", 0)
    product, later = await add("A-1"), as_timestamp(START + 2 * LIFETIME)
    await adjusted(database, product, 1, "K")
    assert not (await adjusted(database, product, 5, "K", used_for="POST /y", now=later)).replayed
    assert (await adjusted(database, product, 5, "K", used_for="POST /y", now=later)).replayed


@pytest.mark.parametrize(
    "name",
    [
        *("insert_adjustment", "insert_count", "get_change", "get_latest_change", "set_level"),
        *("get_kept_answer", "keep_answer", "forget_answers"),
    ],
)
def test_no_table_is_walked(plan: Callable[[str], list[str]], name: str) -> None:
    """Every statement of an adjustment goes by an index."""
    assert [line for line in plan(name) if line.startswith("SCAN")] == []


OPERATIONS = st.one_of(
    st.tuples(st.just("adjust"), st.integers(-4, 4).filter(bool), st.none() | st.sampled_from("AB")),
    st.tuples(st.just("adjust"), st.sampled_from([MAX_LEVEL, -MAX_LEVEL]), st.none()),
    st.tuples(st.just("set"), st.integers(0, 4) | st.just(MAX_LEVEL), st.none()),
    st.tuples(st.just("wait"), st.integers(1, 900), st.none()),
)


@examples(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(operations=st.lists(OPERATIONS, max_size=15))
async def test_any_sequence_ends_as_in_a_plain_model(
    database: Database, add: Add, operations: list[tuple[str, int, str | None]]
) -> None:
    """Levels, histories, refusals and replays are those of a few lines of Python that have all in memory."""
    product = await add(str(uuid4()))
    now, levels, answers = START, [0], dict[str, tuple[int, datetime, bytes]]()
    for kind, number, letter in operations:
        key, moment = letter and f"{product.id}{letter}", as_timestamp(now)
        before = answers.get(key or "")
        alive = before is not None and now - before[1] < LIFETIME
        if kind == "wait":
            now += timedelta(hours=number)
        elif kind == "set":
            await inventory.set_level(database, product.id, LevelUpdate(new_level=number), moment)
            levels.append(number)
        elif before and alive and before[0] != number:
            with pytest.raises(KeyReused):
                await adjusted(database, product, number, key, now=moment)
        elif before and alive:
            assert await adjusted(database, product, number, key, now=moment) == Answer(before[2], replayed=True)
        elif not 0 <= levels[-1] + number <= MAX_LEVEL:
            with pytest.raises(LevelOutOfRange):
                await adjusted(database, product, number, key, now=moment)
        else:
            levels.append(levels[-1] + number)
            answer = await adjusted(database, product, number, key, now=moment)
            answers |= {key: (number, now, answer.body)} if key else {}
    assert [change.new_level for change in await changes(database, product)] == levels[1:]
    assert await level_of(database, product) == levels[-1]
