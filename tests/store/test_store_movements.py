"""Changes of levels with their movements, once for each key, on each engine."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, strategies as st
from pydantic_core import from_json, to_json

from barcodesvc.clock import as_timestamp
from barcodesvc.errors import (
    AlreadyUndone,
    ChangeNotFound,
    KeyReused,
    LaterChange,
    LevelChanged,
    LevelOutOfRange,
    ProductNotFound,
    ServiceError,
)
from barcodesvc.models import MAX_LEVEL, LevelAdjustment, LevelChange, LevelUpdate, NewChange, Product
from barcodesvc.store import inventory, movements
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import KeyedRequest, Reply, once
from barcodesvc.store.movements import Entry
from barcodesvc.store.script import Begin, Script
from tests.fixture_types import Add
from tests.properties import examples
from tests.stock import adjust_level, delete_product, history, set_level

pytestmark = pytest.mark.each_engine

START = datetime(2026, 1, 31, 12, tzinfo=UTC)
NOW, LATER = as_timestamp(START), as_timestamp(START + timedelta(hours=1))
LIFETIME = timedelta(days=30)
UNDO = Entry("wrong", "Ann", LATER)


async def adjusted(database: Database, product: Product, delta: int, now: str = NOW, **fields: Any) -> Reply:
    """Adjust the level of a product without a key, and return the movement as the body of a reply."""
    request = KeyedRequest(LevelAdjustment(delta=delta, **fields), "POST /x", None, now, LIFETIME)
    return await adjust_level(database, product.id, request, to_json)


async def undone(database: Database, movement_id: int, updated_at: str | None = None) -> NewChange:
    """Undo a movement."""
    return await database.change(lambda: movements.undo(movement_id, UNDO, updated_at))


async def changes(database: Database, product: Product) -> list[LevelChange]:
    """Return the history of a product, oldest first."""
    return (await history(database, product.id))[::-1]


async def level_of(database: Database, product: Product) -> int:
    """Return the current level of a product."""
    level = await inventory.get_level(database, product.id)
    assert level is not None
    return level.current_level


async def test_a_level_and_its_history_change_together(database: Database, add: Add) -> None:
    """The record has the new level and its author, the history the step from the old one, whatever made it."""
    product = await add("A-1", initial_level=5)
    update = LevelUpdate(new_level=9, change_reason="counted", updated_by="Ben")
    set_to = await set_level(database, product.id, update, NOW)
    reply = await adjusted(database, product, -2, now=LATER, change_reason="sold", updated_by="Ann")
    _, counted, sold = await changes(database, product)
    assert asdict(counted).items() <= asdict(set_to).items()
    assert asdict(sold).items() <= from_json(reply.body).items()
    assert (counted.old_level, counted.new_level, counted.change_reason, counted.updated_by) == (5, 9, "counted", "Ben")
    assert (sold.old_level, sold.new_level, sold.change_reason, sold.updated_by) == (9, 7, "sold", "Ann")
    level = await inventory.get_level(database, product.id)
    assert level is not None
    assert (level.current_level, level.updated_by, level.last_updated) == (7, "Ann", LATER)
    told = from_json(reply.body)
    assert (told["product_code"], told["unit_of_measure"], reply.replayed) == ("A-1", "pcs", False)


@pytest.mark.parametrize(("level", "delta"), [(0, MAX_LEVEL), (MAX_LEVEL, -MAX_LEVEL), (5, MAX_LEVEL - 5)])
async def test_a_level_may_reach_its_bounds(database: Database, add: Add, level: int, delta: int) -> None:
    """0 and 2^53-1 are levels, and every difference between two levels is possible."""
    product = await add("A-1", initial_level=level)
    await adjusted(database, product, delta)
    assert await level_of(database, product) == level + delta


@pytest.mark.parametrize(("level", "delta"), [(5, -6), (5, MAX_LEVEL - 4), (MAX_LEVEL, MAX_LEVEL)])
async def test_a_level_never_leaves_its_bounds(database: Database, add: Add, level: int, delta: int) -> None:
    """The error contains the current level and the possible differences; level and history stay unchanged."""
    product = await add("A-1", initial_level=level)
    before = await changes(database, product)
    with pytest.raises(
        LevelOutOfRange, match=rf"the level of 'A-1' is {level}; .*, not {delta}; nothing was"
    ) as refusal:
        await adjusted(database, product, delta)
    assert refusal.value.details == {
        "product_id": product.id,
        "product_code": "A-1",
        "description": "The A-1",
        "current_level": level,
        "least_delta": -level,
        "greatest_delta": MAX_LEVEL - level,
        "pack_quantity": 1,
    }
    assert (await level_of(database, product), await changes(database, product)) == (level, before)


async def test_a_level_is_set_if_it_is_the_expected_one(database: Database, add: Add) -> None:
    """0 is an expectation too. Otherwise the error contains the current level, and nothing changes."""
    product = await add("A-1")
    for expected, new in ((0, 5), (5, MAX_LEVEL), (MAX_LEVEL, 5)):
        await set_level(database, product.id, LevelUpdate(new_level=new, expected_level=expected), NOW)
    for expected in (0, 4, MAX_LEVEL):
        with pytest.raises(LevelChanged, match=f"the level is 5, not {expected} as expected") as refusal:
            await set_level(database, product.id, LevelUpdate(new_level=9, expected_level=expected), NOW)
        assert refusal.value.details == {"current_level": 5, "expected_level": expected}
    assert [change.new_level for change in await changes(database, product)] == [5, MAX_LEVEL, 5]


async def test_an_unknown_product_is_not_found(database: Database, add: Add) -> None:
    """Its level is neither set, adjusted nor read; one without movements has an empty history."""
    product, other = await add("A-1", initial_level=5), await add("A-2")
    await delete_product(database, product.id)
    for update in (LevelUpdate(new_level=1), LevelUpdate(new_level=1, expected_level=0)):
        with pytest.raises(ProductNotFound) as refusal:
            await set_level(database, product.id, update, NOW)
        assert refusal.value.details == {"id": product.id}
    with pytest.raises(ProductNotFound):
        await adjusted(database, product, 1)
    with pytest.raises(ProductNotFound):
        await changes(database, product)
    assert await inventory.get_level(database, product.id) is None
    assert await changes(database, other) == []


async def test_an_undo_takes_the_amount_back_once(database: Database, add: Add) -> None:
    """It is a movement that can itself be undone; a further attempt names the one that has undone it."""
    product = await add("A-1", initial_level=5)
    await adjusted(database, product, -2)
    await adjusted(database, product, 10)
    taken = (await changes(database, product))[1].id
    expected = [15, 13, 15]
    for level in expected:
        made = await undone(database, taken)
        assert (made.new_level, made.undoes, made.change_reason, made.updated_by) == (level, taken, "wrong", "Ann")
        with pytest.raises(AlreadyUndone, match=f"has already been undone by the change {made.id}") as refusal:
            await undone(database, taken)
        assert refusal.value.details == {"id": taken, "undone_by": made.id}
        taken = made.id
    assert await level_of(database, product) == expected[-1]
    steps = await changes(database, product)
    assert [step.undone_by for step in steps[1:]] == [steps[3].id, None, steps[4].id, steps[5].id, None]


async def test_an_undo_never_leads_below_zero(database: Database, add: Add) -> None:
    """Stock that has been sold since cannot be removed, and the movement can be undone later."""
    product = await add("A-1")
    await adjusted(database, product, 10)
    await set_level(database, product.id, LevelUpdate(new_level=4), NOW)
    brought = (await changes(database, product))[0].id
    with pytest.raises(LevelOutOfRange, match="not -10;") as refusal:
        await undone(database, brought)
    assert (refusal.value.details["current_level"], refusal.value.details["least_delta"]) == (4, -4)
    await adjusted(database, product, 6)
    assert (await undone(database, brought)).new_level == 0


async def test_a_movement_that_is_not_there_is_not_undone(database: Database, add: Add) -> None:
    """It never existed, is deleted with its product, or was written at another time, as in a restored database."""
    product = await add("A-1", initial_level=5)
    first = (await changes(database, product))[0].id
    for movement_id, written in ((first + 1, None), (first, LATER)):
        with pytest.raises(ChangeNotFound) as refusal:
            await undone(database, movement_id, written)
        assert refusal.value.details["id"] == movement_id
    await undone(database, first, NOW)
    await delete_product(database, product.id)
    with pytest.raises(ChangeNotFound):
        await undone(database, first)


async def test_of_undos_at_the_same_moment_one_counts(database: Database, add: Add) -> None:
    """The others are refused."""
    product = await add("A-1", initial_level=5)
    first = (await changes(database, product))[0].id
    results = await asyncio.gather(*(undone(database, first) for _ in range(20)), return_exceptions=True)
    assert Counter(map(type, results)) == {NewChange: 1, AlreadyUndone: 19}
    assert await level_of(database, product) == 0


async def add_one(database: Database, product: Product) -> int:
    """Raise the level by one as a client does: read, try, and repeat if another client was faster."""
    for attempt in range(1, 1000):
        seen = await level_of(database, product)
        try:
            await set_level(database, product.id, LevelUpdate(new_level=seen + 1, expected_level=seen), NOW)
        except LevelChanged:
            continue
        return attempt
    raise AssertionError("never had a turn")


async def test_fifty_that_expect_a_level_lose_no_change(database: Database, add: Add) -> None:
    """Each of fifty changes counts once, and each history entry starts where the previous one ended."""
    product = await add("A-1")
    attempts = await asyncio.gather(*(add_one(database, product) for _ in range(50)))
    assert sum(attempts) > 50
    steps = [(change.old_level, change.new_level) for change in await changes(database, product)]
    assert steps == [(level, level + 1) for level in range(50)]


async def test_of_a_hundred_that_take_one_of_fifty_half_succeed(database: Database, add: Add) -> None:
    """As many succeed as there are items, and the level ends at zero."""
    product = await add("A-1", initial_level=50)
    results = await asyncio.gather(*(adjusted(database, product, -1) for _ in range(100)), return_exceptions=True)
    assert Counter(map(type, results)) == {Reply: 50, LevelOutOfRange: 50}
    assert await level_of(database, product) == 0
    assert len(await changes(database, product)) == 51


async def test_changes_of_several_products_are_each_made_alone(database: Database, add: Add) -> None:
    """In one transaction and in their order; the refusal of one does not affect the others."""
    pen, nut = await add("A-1", initial_level=5), await add("B-1")
    changes = [
        partial(
            once, KeyedRequest(b"", "POST /x", None, NOW, LIFETIME), partial(movements.adjust, *asked, UNDO), to_json
        )
        for asked in ((nut.id, 1), (pen.id, -6), (pen.id, -5), (nut.id, -1))
    ]
    outcomes = await database.change(lambda: movements.each_alone(changes, {pen.id, nut.id}))
    assert [type(outcome) for outcome in outcomes] == [Reply, LevelOutOfRange, Reply, Reply]
    assert (await level_of(database, pen), await level_of(database, nut)) == (0, 0)


SCRIPTS: Mapping[str, Callable[[int, int, Entry], Script[NewChange]]] = {
    "adjust": movements.adjust,
    "set": movements.set_level,
    "count": movements.count,
}


class Step(NamedTuple):
    """One change: its number is a difference, a level, or the position of a movement; `minutes` ago it was scanned."""

    kind: str
    number: int
    key: str | None = None
    minutes: int = 0

    def begin(self, product: Product, ids: list[int], now: datetime) -> Begin[NewChange]:
        """Return the script of the change."""
        entry = Entry("", "system", as_timestamp(now))
        if self.kind == "undo":
            return partial(movements.undo, ids[self.number % len(ids)], entry)
        if self.kind == "count":
            entry = entry._replace(scanned_at=as_timestamp(now - timedelta(minutes=self.minutes)))
        return partial(SCRIPTS[self.kind], product.id, self.number, entry)


class Plain:
    """A level with its movements and kept replies in memory, in the plainest way."""

    def __init__(self) -> None:
        self.levels = [0, 3]
        self.undone: set[int] = set()
        self.latest = START
        self.replies = dict[str, tuple[datetime, Step, int]]()

    def make(self, step: Step, now: datetime) -> int | type[ServiceError]:
        """Make a change, and return the level that it reports, or the refusal."""
        used_at, before, reported = self.replies.get(step.key or "", (now - LIFETIME, step, 0))
        if now - used_at < LIFETIME:
            return reported if step == before else KeyReused
        scanned = now - timedelta(minutes=step.minutes)
        level = self._level_after(step, scanned)
        if isinstance(level, int):
            self.levels.append(level)
            self.latest = max(self.latest, scanned)
            self.replies |= {step.key: (now, step, level)} if step.key else {}
        return level

    def _level_after(self, step: Step, scanned: datetime) -> int | type[ServiceError]:
        if step.kind == "set":
            return step.number
        if step.kind == "count":
            return step.number if scanned >= self.latest else LaterChange
        delta, position = step.number, step.number % (len(self.levels) - 1)
        if step.kind == "undo":
            if position in self.undone:
                return AlreadyUndone
            delta = self.levels[position] - self.levels[position + 1]
        if not 0 <= self.levels[-1] + delta <= MAX_LEVEL:
            return LevelOutOfRange
        self.undone |= {position} if step.kind == "undo" else set()
        return self.levels[-1] + delta


KEYS = st.none() | st.sampled_from("AB")
DELTAS = st.integers(-4, 4).filter(bool) | st.sampled_from([MAX_LEVEL, -MAX_LEVEL])
STEPS = st.one_of(
    st.tuples(st.just("adjust"), DELTAS, KEYS),
    st.tuples(st.just("set"), st.integers(0, 4) | st.just(MAX_LEVEL), KEYS),
    st.tuples(st.just("count"), st.integers(0, 4), KEYS, st.sampled_from([0, 0, -1, 1, 30])),
    st.tuples(st.just("undo"), st.integers(0, 9), KEYS),
    st.tuples(st.just("wait"), st.integers(-60, 60) | st.just(30 * 24 * 60)),
).map(lambda drawn: Step(*drawn))


@examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=20))
async def test_any_sequence_ends_as_in_a_plain_model(database: Database, add: Add, steps: list[Step]) -> None:
    """Levels, histories, refusals and replays are those of a few lines of Python, though a clock goes backwards."""
    product, now, plain = await add(str(uuid4()), initial_level=3), START, Plain()
    ids = [(await changes(database, product))[0].id]
    for step in steps:
        if step.kind == "wait":
            now += timedelta(minutes=step.number)
            continue
        key = step.key and f"{product.id}{step.key}"
        request = KeyedRequest(repr(step).encode(), "POST /x", key, as_timestamp(now), LIFETIME)
        change = partial(once, request, step.begin(product, ids, now), to_json)
        expected = plain.make(step, now)
        if isinstance(expected, int):
            made = from_json((await database.change(change)).body)
            assert made["new_level"] == expected
            ids += [made["id"]] if made["id"] not in ids else []
        else:
            with pytest.raises(expected):
                await database.change(change)
    entries = await changes(database, product)
    assert [(change.old_level, change.new_level) for change in entries] == list(
        zip(plain.levels, plain.levels[1:], strict=False)
    )
    assert {number for number, change in enumerate(entries) if change.undone_by} == plain.undone
    assert await level_of(database, product) == plain.levels[-1]
