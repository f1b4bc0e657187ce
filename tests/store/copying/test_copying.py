import asyncio
from pathlib import Path

import pytest

from barcodesvc.__main__ import main
from barcodesvc.errors import BackupError
from barcodesvc.models import ProductDraft
from barcodesvc.store.copying import BATCH_ROWS, copy
from barcodesvc.store.engines import open_database, open_source, open_target
from barcodesvc.store.lists import ProductFilter, list_products
from tests.direct_sql import run_sql
from tests.engines import ENGINES, Place
from tests.stock import create_product
from tests.store.copying.conftest import NewPlace
from tests.store.copying.stored import HOSTILE, LATER, NOON, OPEN_JOBS, content, filled, jobs_in, made, written

WAYS = [(source, target) for source in ENGINES for target in ENGINES]


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_a_copy_holds_the_same(new_place: NewPlace, way: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """All rows with their ids and any text, undone changes, expired keys, sessions, print jobs, and the last ids."""
    source, target = filled(new_place(way[0])), new_place(way[1])
    assert main(["copy", written(source), written(target)]) == 0
    assert capsys.readouterr().out == (
        f"{source} is copied to {target}: {len(HOSTILE) - 1} products with their levels, 12 changes of levels, "
        f"{2 * len(HOSTILE) - 1} idempotency keys; row counts match\n"
    )
    before = content(source)
    assert content(target) == before
    assert [given for _, given in before["given"]] == [1, 10, 13, 9, 20, 10, 10]
    assert [len(before[table]) for table in ("session_key", "ended_sessions")] == [1, 2]


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_a_copy_prints_no_job_by_itself(new_place: NewPlace, way: tuple[str, str]) -> None:
    """The source prints its jobs, so those that are not over are in doubt in the copy, with all their labels."""
    source, target = filled(new_place(way[0])), new_place(way[1])
    run_sql(source, *OPEN_JOBS)
    assert main(["copy", written(source), written(target)]) == 0
    message = "it was copied from a database that may have printed it"
    assert jobs_in(target) == [("in_doubt", 0, 2, message), ("in_doubt", 1, 1, message), ("printed", 2, 0, "")]
    assert [job[0] for job in jobs_in(source)] == ["waiting", "sending", "printed"]


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_the_next_id_is_new(new_place: NewPlace, way: tuple[str, str]) -> None:
    """No id of a deleted product is assigned again, even if all products were deleted."""

    async def next_id(place: Place) -> int:
        async with open_database(place) as database:
            return (await create_product(database, ProductDraft(product_code="N", description="x"), NOON)).id

    source, target = filled(new_place(way[0])), new_place(way[1])
    tables = ("movements", "levels", "product_codes", "products")
    run_sql(source, *(f"DELETE FROM {table}" for table in tables))  # noqa: S608 - four literals
    assert main(["copy", written(source), written(target)]) == 0
    assert asyncio.run(next_id(target)) == len(HOSTILE) + 1


def test_sqlite_derives_its_counters(new_place: NewPlace) -> None:
    """The counters of products and attributes are complete before the file is served, and the file is sound."""
    source, target = filled(new_place("postgres")), new_place("sqlite")
    assert main(["copy", written(source), written(target)]) == 0
    assert run_sql(target, "SELECT SUM(products) FROM product_counts") == [(len(HOSTILE) - 1,)]
    assert run_sql(target, "SELECT * FROM attribute_counts") == [("note", len(HOSTILE) - 1)]
    assert run_sql(target, "PRAGMA integrity_check", "PRAGMA foreign_key_check") == []


def test_postgres_derives_its_index_and_statistics(new_place: NewPlace) -> None:
    """The trigram index exists, and the planner knows the number of idempotency keys."""
    source, target = filled(new_place("sqlite")), new_place("postgres")
    assert main(["copy", written(source), written(target)]) == 0
    assert run_sql(target, "SELECT 1 FROM pg_indexes WHERE indexname = 'products_by_trigrams'") == [(1,)]
    keys = run_sql(target, "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE relname = 'idempotency_keys'")
    assert keys == [(2 * len(HOSTILE) - 1,)]


@pytest.mark.parametrize("way", [("sqlite", "postgres"), ("postgres", "sqlite")], ids="-".join)
def test_a_copy_answers_searches_as_its_source_does(new_place: NewPlace, way: tuple[str, str]) -> None:
    """Searches and categories return the same products."""
    source, target = filled(new_place(way[0])), new_place(way[1])
    assert main(["copy", written(source), written(target)]) == 0

    async def found(place: Place) -> list[object]:
        async with open_database(place) as database:
            pages = [(search, category) for search in (None, "漢字", "h-", "x41", "%") for category in (None, "NUL")]
            return [
                await list_products(database, ProductFilter(search or "", category), limit=5, offset=0)
                for search, category in pages
            ]

    assert asyncio.run(found(source)) == asyncio.run(found(target))


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_the_source_is_copied_as_of_one_moment(new_place: NewPlace, way: tuple[str, str]) -> None:
    """A product that is added while the source is open is not copied, and rows arrive in bounded batches."""
    source, target = filled(new_place(way[0])), new_place(way[1])
    numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500) "
    keys = "INSERT INTO idempotency_keys SELECT 'n' || i, '', '', '', '' FROM n"
    run_sql(source, numbers + keys if way[0] == "sqlite" else keys.replace("FROM n", "FROM generate_series(1, 4500) i"))
    before = content(source)

    async def copied() -> list[int]:
        async with open_source(source) as reading, open_target(target) as writing:
            async with open_database(source) as database:
                await create_product(database, ProductDraft(product_code="late", description="x"), LATER)
            await copy(reading, writing)
            return [len(batch.rows) async for batch in reading.batches("idempotency_keys")]

    sizes = asyncio.run(copied())
    assert {**content(target), "given": None} == {**before, "given": None}
    assert len(content(source)["products"]) == len(before["products"]) + 1
    assert max(sizes) == BATCH_ROWS


@pytest.mark.parametrize("kind", [*ENGINES, "no bytes"])
def test_an_empty_database_is_filled(new_place: NewPlace, kind: str) -> None:
    """It may have the tables of a first start, but no rows; SQLite takes a file without content for one, too."""
    source, target = filled(new_place("sqlite")), new_place("postgres" if kind == "postgres" else "sqlite")
    if kind == "no bytes":
        Path(str(target)).touch()
    else:
        made(target)
    assert main(["copy", written(source), written(target)]) == 0
    assert content(target) == content(source)


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_may_be_in_any_order(new_place: NewPlace, engine: str) -> None:
    """Each value is copied into the column of the same name, as after an administrator has made a table anew."""
    source, target = filled(new_place("sqlite")), new_place(engine)
    before = content(source)
    run_sql(
        source,
        "ALTER TABLE label_layouts RENAME TO former",
        "CREATE TABLE label_layouts (layout TEXT, updated_at TEXT, name TEXT)",
        "INSERT INTO label_layouts (name, layout, updated_at) SELECT name, layout, updated_at FROM former",
        "DROP TABLE former",
    )
    assert main(["copy", written(source), written(target)]) == 0
    assert content(target) == before


def test_the_target_is_locked(new_place: NewPlace) -> None:
    """Other writers wait until the copy is committed."""
    source, target = filled(new_place("sqlite")), made(new_place("postgres"))

    async def insert_meanwhile() -> None:
        async with open_source(source), open_target(target):
            run_sql(target, "SET lock_timeout = '50ms'", "INSERT INTO session_key VALUES (1, 'x')")

    with pytest.raises(BackupError, match="lock timeout"):
        asyncio.run(insert_meanwhile())
