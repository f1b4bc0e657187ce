"""Concurrent changes, and changes that lose their connection: applied once and completely, or unconfirmed."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import (
    DatabaseFailure,
    InvalidInput,
    LevelOutOfRange,
    ProductNotFound,
    ServiceError,
)
from barcodesvc.models import LevelAdjustment, LevelUpdate, ProductChange, ProductDraft
from barcodesvc.product_codes import DuplicateProductCode
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.idempotency import KeyedRequest, Reply
from barcodesvc.store.limits import HEALTH_WAIT, UNCONFIRMED
from barcodesvc.store.made_codes import make_codes
from barcodesvc.store.movements import Entry, adjust, count, each_alone, undo
from barcodesvc.store.script import Begin, Script, one, run
from tests.direct_sql import end_connections, run_sql
from tests.stock import MADE_CODES, adjust_level, change_product, create_product, set_level
from tests.store.own_queries import OF_ENGINE
from tests.store.postgres.conftest import until_one_waits

NOW = "2026-01-31T12:00:00.000Z"
DAY = timedelta(days=1)
CREATE = """
WITH created AS (
    INSERT INTO products (
        product_code, description, category, unit_of_measure, created_at, updated_at, code_folded, description_folded
    )
    VALUES ('B-1', 'x', '', 'pcs', '', '', 'b-1', 'x')
    RETURNING id
)
INSERT INTO product_codes (product_id, code, is_own, pack_quantity, note, created_at, folded_key)
SELECT id, 'B-1', 1, 1, '', '', 'b-1' FROM created
"""
BOLT = ProductDraft(product_code="B-1", description="y")
ENTRY = {"change_reason": "", "updated_by": "", "now": NOW, "scanned_at": None}


@pytest.fixture
async def database(place: ServerAddress) -> AsyncIterator[Database]:
    """Return the open database with the products 1 and 2."""
    async with open_database(place, queries=OF_ENGINE["postgres"]) as opened:
        for code in ("A-1", "A-2"):
            await create_product(opened, ProductDraft(product_code=code, description="x"), NOW)
        yield opened


def adding(*product_ids: int) -> Begin[None]:
    """Return a script that adds one to these levels, in this order."""

    def script() -> Script[None]:
        for product_id in product_ids:
            row = yield one("insert_adjustment", product_id=product_id, delta=1, greatest_level=10**6, **ENTRY)
            new_level = {"new_level": row[3], "updated_by": "", "now": NOW, "changed_at": NOW}
            yield run("set_level", product_id=product_id, **new_level)

    return script


def levels(place: ServerAddress) -> list[int]:
    """Return the levels by product."""
    return [level for (level,) in run_sql(place, "SELECT current_level FROM levels ORDER BY product_id")]


async def test_sixteen_writers_of_one_level_lose_nothing(database: Database, place: ServerAddress) -> None:
    """They come from two replicas; the history has no gap."""
    async with open_database(place) as other:
        await asyncio.gather(*((database, other)[number % 2].change(adding(1)) for number in range(160)))
    history = run_sql(place, "SELECT old_level, new_level FROM movements ORDER BY id")
    assert (levels(place), history) == ([160, 0], [(number, number + 1) for number in range(160)])


async def test_two_replicas_that_make_codes_give_none_twice(database: Database, place: ServerAddress) -> None:
    """They take turns at the last number; codes that products have already are passed over by both."""
    await create_product(database, ProductDraft(product_code="P00003", description="x"), NOW)
    async with open_database(place) as other:
        created = [
            create_product((database, other)[number % 2], ProductDraft(description="x"), NOW) for number in range(24)
        ]
        made = [(database, other)[number % 2].change(partial(make_codes, MADE_CODES, 3)) for number in range(8)]
        products, codes = await asyncio.gather(asyncio.gather(*created), asyncio.gather(*made))
    given = [product.product_code for product in products] + [code for several in codes for code in several]
    assert sorted(given) == [f"P{number:05}" for number in range(1, 50) if number != 3]


@pytest.mark.parametrize(
    "change",
    [
        lambda database: adjust_level(
            database, 1, KeyedRequest(LevelAdjustment(delta=-5), "", None, NOW, DAY), lambda _: b""
        ),
        lambda database: set_level(database, 1, LevelUpdate(new_level=0, expected_level=5), NOW),
        lambda database: set_level(database, 1, LevelUpdate(new_level=0), NOW),
        lambda database: database.change(lambda: count(1, 0, Entry("", "", NOW))),
        lambda database: database.change(lambda: count(1, 0, Entry("", "", NOW, NOW))),
    ],
    ids=["by a difference", "if as expected", "to a level", "counted", "counted when scanned"],
)
async def test_a_change_waits_for_the_one_before_it(
    database: Database, place: ServerAddress, other: asyncpg.Connection, change: Callable[[Database], Awaitable[object]]
) -> None:
    """It succeeds or is refused according to the level that the other one commits, which is invisible until then."""
    async with other.transaction():
        await other.execute("UPDATE levels SET current_level = 5 WHERE product_id = 1")
        changing = asyncio.ensure_future(change(database))
        await until_one_waits(other)
    await changing
    made = run_sql(place, "SELECT old_level, new_level FROM movements")
    assert (levels(place), made) == ([0, 0], [(5, 0)])


async def test_an_undo_waits_for_the_change_before_it(database: Database, other: asyncpg.Connection) -> None:
    """It is refused according to the level that the other one commits."""
    movement = await set_level(database, 1, LevelUpdate(new_level=5), NOW)
    async with other.transaction():
        await other.execute("UPDATE levels SET current_level = 3 WHERE product_id = 1")
        undoing = asyncio.ensure_future(database.change(lambda: undo(movement.id, Entry("", "", NOW))))
        await until_one_waits(other)
    with pytest.raises(LevelOutOfRange, match="is 3; a delta from -3 "):
        await undoing


async def test_an_undo_waits_for_another_one_of_the_same_movement(database: Database, place: ServerAddress) -> None:
    """One is made, and the other one refused."""
    movement = await set_level(database, 1, LevelUpdate(new_level=5), NOW)
    async with open_database(place) as other:
        undoing = [each.change(lambda: undo(movement.id, Entry("", "", NOW))) for each in (database, other) * 8]
        outcomes = await asyncio.gather(*undoing, return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["AlreadyUndone"] * 15 + ["NewChange"]


async def test_a_snapshot_sees_the_levels_of_one_moment(database: Database) -> None:
    """None of its reads sees later changes."""
    async with database.snapshot() as snapshot:
        before = await snapshot.rows("stock")
        await database.change(adding(1))
        assert await snapshot.rows("stock") == before
    assert await database.rows("stock") != before


async def test_a_change_reads_what_is_committed_whatever_the_server_prefers(place: ServerAddress) -> None:
    """With stricter isolation the second of two concurrent changes would restart again and again."""
    name = urlsplit(place.url).path[1:]
    run_sql(place, f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")

    def script() -> Script[str]:
        row = yield one("isolation")
        return str(row[0])

    async with open_database(place, queries=OF_ENGINE["postgres"]) as opened:
        assert await opened.change(script) == "read committed"


async def test_changes_in_opposite_orders_are_all_made(database: Database, place: ServerAddress) -> None:
    """Those that a deadlock aborts are repeated."""
    await asyncio.gather(*(database.change(adding(*((1, 2) if number % 2 else (2, 1)))) for number in range(4)))
    assert levels(place) == [4, 4]


async def test_a_connection_lost_before_the_commit_costs_nothing(database: Database, place: ServerAddress) -> None:
    """The change is repeated on another one, and applied once."""
    begun: list[None] = []

    def script() -> Script[None]:
        begun.append(None)
        yield from adding(1)()
        if len(begun) == 1:
            end_connections(place)
        yield from adding(2)()

    await database.change(script)
    assert (len(begun), levels(place)) == (2, [1, 1])


async def test_a_database_that_takes_no_change_is_not_well(database: Database, place: ServerAddress) -> None:
    """Providers make a database read-only when its disk is full; it is healthy again once it accepts changes."""
    name = urlsplit(place.url).path[1:]
    reading = f"ALTER DATABASE {name} SET default_transaction_read_only = on"
    await asyncio.to_thread(run_sql, place, reading)
    await asyncio.to_thread(end_connections, place)
    with pytest.raises(DatabaseFailure):
        await database.is_well()
    changing = ("SET default_transaction_read_only = off", f"ALTER DATABASE {name} RESET ALL")
    await asyncio.to_thread(run_sql, place, *changing)
    await asyncio.to_thread(end_connections, place)
    assert await database.is_well()


async def test_a_server_that_does_not_answer_in_time_is_not_well(database: Database, other: asyncpg.Connection) -> None:
    """The engine does not wait longer than it may."""
    async with other.transaction():
        await other.execute("LOCK TABLE schema_version IN ACCESS EXCLUSIVE MODE")
        async with asyncio.timeout(2 * HEALTH_WAIT):
            assert not await database.is_well()
    assert await database.is_well()


@pytest.mark.parametrize(
    "error",
    [
        asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation"),
        asyncpg.StatementCompletionUnknownError("result is ambiguous"),
        TimeoutError(),
    ],
    ids=["lost", "unknown", "late"],
)
@pytest.mark.parametrize("is_made", [True, False])
async def test_a_commit_without_a_response_is_unconfirmed(  # noqa: PLR0913 - three fixtures
    database: Database,
    place: ServerAddress,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    *,
    is_made: bool,
) -> None:
    """The error says so, the log says why, and the change is not repeated."""
    commit = asyncpg.transaction.Transaction.commit

    async def lost(transaction: Any) -> None:
        if is_made:
            await commit(transaction)
        end_connections(place)
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(asyncpg.transaction.Transaction, "commit", lost)
        with pytest.raises(DatabaseFailure, match=UNCONFIRMED):
            await database.change(adding(1))
    assert f"{str(error) or 'TimeoutError'} (UnconfirmedError)" in caplog.text
    assert levels(place) == [int(is_made), 0]
    await database.change(adding(2))
    assert levels(place) == [int(is_made), 1]


def _counted(product_id: int) -> Script[Reply]:
    yield from adjust(product_id, 1, Entry("counted", "test", NOW))
    return Reply(b"", replayed=False)


async def test_batches_in_any_order_never_wait_for_each_other(database: Database, place: ServerAddress) -> None:
    """The server aborts none for a deadlock, after which it would be made again; each counts once."""
    begun: list[None] = []

    def batch(order: list[int]) -> Script[list[Reply | ServiceError]]:
        assert len(begun) < len(orders), "a deadlock has begun a batch again"
        begun.append(None)
        return each_alone([partial(_counted, product) for product in order], order)

    products = [1, 2]
    for number in range(18):
        draft = ProductDraft(product_code=f"P-{number}", description="x")
        products.append((await create_product(database, draft, NOW)).id)
    source = random.Random(1)  # noqa: S311 - orders
    orders = [source.sample(products, len(products)) for _ in range(30)]
    await asyncio.gather(*(database.change(partial(batch, order)) for order in orders))
    assert levels(place) == [len(orders)] * len(products)


@pytest.mark.parametrize(
    ("name", "tries"), [("again", 3), ("disorder", 3), ("orphan", 1)], ids=["unique", "check", "foreign key"]
)
async def test_a_violation_that_lasts_fails_soon(database: Database, name: str, tries: int) -> None:
    """It keeps its place in the queue for milliseconds, not seconds."""
    begun: list[None] = []

    def script() -> Script[None]:
        begun.append(None)
        yield run(name)

    with pytest.raises(DatabaseFailure):
        await database.change(script)
    assert len(begun) == tries


@pytest.mark.parametrize(
    ("theirs", "ours", "refusal"),
    [
        (CREATE, lambda database: create_product(database, BOLT, NOW), DuplicateProductCode),
        (
            "UPDATE levels SET minimum_level = 5",
            lambda database: change_product(database, 1, ProductChange(maximum_level=3), NOW),
            InvalidInput,
        ),
        (
            "DELETE FROM products WHERE id = 1",
            lambda database: change_product(database, 1, ProductChange(description="y"), NOW),
            ProductNotFound,
        ),
    ],
    ids=["its code is taken", "a bound is changed", "it is deleted"],
)
async def test_what_another_replica_commits_meanwhile_counts(
    database: Database,
    other: asyncpg.Connection,
    theirs: str,
    ours: Callable[[Database], Awaitable[object]],
    refusal: type[ServiceError],
) -> None:
    """A change that waits for it is refused as one that comes after it: a problem of the request, not a failure."""
    async with other.transaction():
        await other.execute(theirs)
        changing = asyncio.ensure_future(ours(database))
        await until_one_waits(other)
    with pytest.raises(refusal):
        await changing
