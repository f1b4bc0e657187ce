"""An open database: its snapshots, and what becomes of changes when there is no place, or its block ends."""

import asyncio
import sqlite3
from contextlib import aclosing, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.models import ProductDraft
from barcodesvc.store import limits
from barcodesvc.store.database import Database, Snapshot
from barcodesvc.store.engines import open_database
from barcodesvc.store.limits import DatabaseLimits
from barcodesvc.store.lists import bounds_of_retired
from barcodesvc.store.script import changed_rows, run
from tests.engines import Place
from tests.stock import insert_all
from tests.store.conftest import NOW
from tests.store.own_queries import OF_ENGINE

pytestmark = pytest.mark.each_engine


def drafts(numbers: range) -> list[ProductDraft]:
    """Return products with these numbers."""
    return [ProductDraft(product_code=f"P{number}", description="x") for number in numbers]


async def streamed(snapshot: Snapshot, name: str, **parameters: Any) -> list[list[Any]]:
    """Return the batches of a stream."""
    return [batch async for batch in snapshot.stream(name, **parameters)]


@pytest.fixture
async def seven(database: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """Return a database with seven products, whose streams yield three at a time."""
    monkeypatch.setattr(limits, "BATCH", 3)
    await database.change(lambda: insert_all(drafts(range(7)), NOW))
    return database


async def test_a_stream_yields_some_rows_at_a_time(seven: Database) -> None:
    """All rows, in the order of the query; no batch is empty."""
    async with seven.snapshot() as snapshot:
        batches = await streamed(snapshot, "levels")
        assert [len(batch) for batch in batches] == [3, 3, 1]
        assert [row for batch in batches for row in batch] == await snapshot.rows("levels")
        assert [
            len(batch) for batch in await streamed(snapshot, "list_levels", limit=6, **bounds_of_retired("false"))
        ] == [3, 3]
        assert await streamed(snapshot, "list_levels", limit=0, **bounds_of_retired("false")) == []


async def test_streams_of_a_snapshot_go_on_side_by_side(seven: Database) -> None:
    """Each has its own position, and reads in between affect neither."""
    async with seven.snapshot() as snapshot:
        one, other = snapshot.stream("levels"), snapshot.stream("levels")
        seen = []
        async for batch in one:
            assert batch == await anext(other)
            assert len(await snapshot.rows("levels")) == 7
            seen += batch
        assert len(seen) == 7


async def test_a_stream_that_is_left_leaves_the_snapshot_as_it_was(seven: Database) -> None:
    """Further reads and new streams of the snapshot work."""
    async with seven.snapshot() as snapshot:
        async with aclosing(snapshot.stream("levels")) as batches:
            assert len(await anext(batches)) == 3
        assert len(await snapshot.rows("levels")) == 7
        assert [len(batch) for batch in await streamed(snapshot, "levels")] == [3, 3, 1]


async def test_a_snapshot_that_is_left_during_a_stream_holds_nothing(
    seven: Database, database_file: Path, until: Any
) -> None:
    """Another process can truncate SQLite's log at once, which an open cursor would prevent."""
    async with seven.snapshot() as snapshot, aclosing(snapshot.stream("levels")) as batches:
        await anext(batches)
        await seven.change(lambda: insert_all(drafts(range(7, 8)), NOW))
        assert not _cleared(database_file)
    await until(lambda: _cleared(database_file))


def _cleared(file: Path) -> bool:
    with closing(sqlite3.connect(file, timeout=0)) as connection:
        [(is_hindered, *_)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return not is_hindered


async def test_a_stream_that_cannot_be_read_is_a_database_failure(
    seven: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has its name and the cause."""
    async with seven.snapshot() as snapshot:
        with pytest.raises(DatabaseFailure, match="the database could not carry out the operation"):
            await streamed(snapshot, "wrong")
    assert "database failure in wrong" in caplog.text


async def test_every_batch_of_a_stream_is_observed(engine: str, place: Place) -> None:
    """With the name of the query, and a separate duration each, so that a slow one is visible."""
    seen: list[tuple[str, float]] = []
    async with open_database(place, observe=lambda *one: seen.append(one), queries=OF_ENGINE[engine]) as database:
        await database.change(lambda: insert_all(drafts(range(1)), NOW))
        async with database.snapshot() as snapshot:
            await streamed(snapshot, "levels")
    times = [seconds for name, seconds in seen if name == "levels"]
    assert len(times) >= 2
    assert all(0 < seconds < 60 for seconds in times)


@pytest.mark.parametrize("kind", ["change", "change_long"])
async def test_a_change_beyond_the_queue_is_refused_in_the_same_words(place: Place, kind: str) -> None:
    """A client reads one message, whatever serves it."""
    async with open_database(place, limits=DatabaseLimits(write_queue=0)) as database:
        with pytest.raises(DatabaseOverload) as refusal:
            await getattr(database, kind)(partial(changed_rows, run("ask_held_printers")))
    assert refusal.value.message == "too many requests are waiting for the database"


async def failing_during(place: Place, begun: list[asyncio.Task[object]]) -> None:
    """Open the database, begin to create a product, and fail."""
    async with open_database(place) as database:
        begun.append(asyncio.create_task(database.change(lambda: insert_all(drafts(range(1)), NOW))))
        await asyncio.sleep(0)
        raise LookupError


async def test_a_change_under_way_is_made_where_a_start_fails(place: Place) -> None:
    """It is neither cut off nor left hanging, and the error is the one that ended the block."""
    begun: list[asyncio.Task[object]] = []
    with pytest.raises(LookupError):
        await failing_during(place, begun)
    assert begun[0].done()
    assert begun[0].exception() is None
    async with open_database(place) as database:
        assert await database.row("get_product_by_code", product_code="P0") is not None
