from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from barcodesvc.__main__ import main
from barcodesvc.errors import BackupError
from barcodesvc.models import ProductDraft
from barcodesvc.store.copyable import BATCH_ROWS, LEVELS, Source, Table
from barcodesvc.store.copying import copy
from barcodesvc.store.engines import open_database, open_source, open_target
from barcodesvc.store.products import create_product, list_products
from barcodesvc.store.script import Row
from tests.beside import run_beside
from tests.engines import ENGINES, Place
from tests.store.copying.conftest import NewPlace
from tests.store.copying.stored import HOSTILE, LATER, NOON, content, filled, made, written

WAYS = [(source, target) for source in ENGINES for target in ENGINES]


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_everything_is_there_as_it_was(
    new_place: NewPlace, way: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows with their ids, whatever their texts are, undone changes, expired keys, sessions, and the ids given last."""
    source, target = filled(new_place(way[0])), new_place(way[1])
    assert main(["copy", written(source), written(target)]) == 0
    assert capsys.readouterr().out == (
        f"{source} is copied to {target}: {len(HOSTILE) - 1} products with their levels, 11 changes of levels, "
        f"{2 * len(HOSTILE) - 1} idempotency keys; counts and checksums are the same\n"
    )
    before = content(source)
    assert content(target) == before
    assert [given for _, given in before["given"]] == [12, 10, 10]
    assert {len(rows) for table, rows in before.items() if table in ("session_key", "ended_sessions")} == {1, 2}


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_the_next_id_is_one_that_was_never_given(new_place: NewPlace, way: tuple[str, str]) -> None:
    """Also where nothing is left of the last product, and where none is left at all."""

    async def next_id(place: Place) -> int:
        async with open_database(place) as database:
            return (await create_product(database, ProductDraft(product_code="N", description="x"), NOON)).id

    source, target, other = filled(new_place(way[0])), new_place(way[1]), new_place(way[1])
    emptied = filled(new_place(way[0]))
    run_beside(emptied, "DELETE FROM level_changes", "DELETE FROM levels", "DELETE FROM products")
    for one, two in ((source, target), (emptied, other)):
        assert main(["copy", written(one), written(two)]) == 0
        assert asyncio.run(next_id(two)) == len(HOSTILE) + 1


def test_what_sqlite_derives_is_there(new_place: NewPlace) -> None:
    """The index of texts, the counts of blocks and of keys are right before the file is served."""
    source, target = filled(new_place("postgres")), new_place("sqlite")
    assert main(["copy", written(source), written(target)]) == 0
    assert run_beside(target, "SELECT upto FROM indexed_products") == [(len(HOSTILE) - 1,)]
    assert run_beside(target, "SELECT kept FROM idempotency_key_count") == [(2 * len(HOSTILE) - 1,)]
    assert run_beside(target, "SELECT products FROM product_blocks") == [(len(HOSTILE) - 1,)] * 2
    assert run_beside(target, "SELECT rowid FROM product_texts WHERE product_texts MATCH '\"漢字 \"'") == [(7,)]
    assert run_beside(target, "PRAGMA integrity_check", "PRAGMA foreign_key_check") == []


def test_what_postgres_derives_is_there(new_place: NewPlace) -> None:
    """The index of texts stands, and the planner knows how many keys there are."""
    source, target = filled(new_place("sqlite")), new_place("postgres")
    assert main(["copy", written(source), written(target)]) == 0
    assert run_beside(target, "SELECT 1 FROM pg_indexes WHERE indexname = 'products_by_trigrams'") == [(1,)]
    keys = run_beside(target, "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE relname = 'idempotency_keys'")
    assert keys == [(2 * len(HOSTILE) - 1,)]


@pytest.mark.parametrize("way", [("sqlite", "postgres"), ("postgres", "sqlite")], ids="-".join)
def test_a_copy_is_served_as_its_source(new_place: NewPlace, way: tuple[str, str]) -> None:
    """Searches and pages give the same, and a derived column finds what it found."""
    source, target = filled(new_place(way[0])), new_place(way[1])
    assert main(["copy", written(source), written(target)]) == 0

    async def found(place: Place) -> list[object]:
        async with open_database(place) as database:
            pages = [(search, category) for search in (None, "漢字", "h-", "x41", "%") for category in (None, "NUL")]
            return [
                await list_products(database, limit=5, offset=0, search=search, category=category)
                for search, category in pages
            ]

    assert asyncio.run(found(source)) == asyncio.run(found(target))


class Watched:
    """A source that takes note of its batches, and changes meanwhile."""

    def __init__(self, source: Source, place: Place) -> None:
        self._source = source
        self._place = place
        self.sizes: list[int] = []

    async def rows(self, table: Table, after: int | str) -> Sequence[Row]:
        """Add a product before the levels are read, and read."""
        if table is LEVELS and after == 0:
            async with open_database(self._place) as database:
                await create_product(database, ProductDraft(product_code="late", description="x"), LATER)
        found = await self._source.rows(table, after)
        self.sizes.append(len(found))
        return found

    async def last_id(self, table: Table) -> int:
        """Return what the source returns."""
        return await self._source.last_id(table)


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_the_source_is_copied_as_of_one_moment(new_place: NewPlace, way: tuple[str, str]) -> None:
    """What is added while it is read stays behind, and its rows come some at a time."""
    source, target = filled(new_place(way[0])), new_place(way[1])
    numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500) "
    keys = "INSERT INTO idempotency_keys SELECT 'n' || i, '', '', '', '' FROM n"
    run_beside(
        source, numbers + keys if way[0] == "sqlite" else keys.replace("FROM n", "FROM generate_series(1, 4500) i")
    )
    before = content(source)

    async def copied() -> list[int]:
        async with open_source(source) as reading, open_target(target) as writing:
            watched = Watched(reading, source)
            await copy(watched, writing)
            return watched.sizes

    sizes = asyncio.run(copied())
    after = content(target)
    assert {table: rows for table, rows in after.items() if table != "given"} == {
        table: rows for table, rows in before.items() if table != "given"
    }
    assert len(content(source)["products"]) == len(before["products"]) + 1
    assert max(sizes) == BATCH_ROWS


@pytest.mark.parametrize("engine", ENGINES)
def test_a_target_that_was_started_before_is_taken(new_place: NewPlace, engine: str) -> None:
    """Its tables are there, and none has a row."""
    source, target = filled(new_place("sqlite")), made(new_place(engine))
    assert main(["copy", written(source), written(target)]) == 0
    assert content(target) == content(source)


def test_a_file_without_content_is_taken(new_place: NewPlace) -> None:
    """It is what SQLite calls an empty database."""
    source, target = filled(new_place("sqlite")), new_place("sqlite")
    assert isinstance(target, Path)
    target.touch()
    assert main(["copy", written(source), written(target)]) == 0
    assert content(target) == content(source)


def test_nobody_else_changes_a_target(new_place: NewPlace) -> None:
    """Who tries waits until it is done."""
    source, target = filled(new_place("sqlite")), made(new_place("postgres"))

    async def insert_beside() -> None:
        async with open_source(source), open_target(target):
            run_beside(target, "SET lock_timeout = '50ms'", "INSERT INTO session_key VALUES (1, 'x')")

    with pytest.raises(BackupError, match="lock timeout"):
        asyncio.run(insert_beside())
