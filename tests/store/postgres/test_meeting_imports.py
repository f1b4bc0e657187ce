"""Imports that meet another replica's writes, and the server's statistics on the rows that they have written."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from barcodesvc.addresses import ServerAddress
from barcodesvc.catalogue.importing import CatalogueFile, ImportResult
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import staging
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.postgres.staging import load, staging_file
from barcodesvc.store.staging import RECEIPT, SKIP, UPDATE, Entry
from tests.catalogue.imported import NOW, alone, counts, imported, importer, workbook
from tests.store.postgres.conftest import until_one_waits
from tests.store.postgres.test_meeting import CREATE


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a statement take only two rows."""
    monkeypatch.setattr(staging, "CHUNK", 2)


@pytest.fixture
async def database(place: ServerAddress) -> AsyncIterator[Database]:
    """Return the open database."""
    async with open_database(place) as opened:
        yield opened


async def test_an_import_that_is_begun_anew_counts_each_row_once(
    database: Database,
    other: asyncpg.Connection,
    threads: WorkerThreads,
    tmp_path: Path,
) -> None:
    """Another replica has created one of its products meanwhile: it is skipped, and the reports say so."""
    reported: list[tuple[int, int, int, int]] = []

    def report(result: ImportResult) -> None:
        reported.append(counts(result))

    path = workbook(tmp_path, *((f"A-{number}", "x") for number in range(5)), (None, "x"))
    async with other.transaction():
        await other.execute(CREATE.replace("B-1", "A-3"))
        work = importer(database, threads).run(CatalogueFile(path, SKIP, Entry(NOW)), alone, report)
        importing = asyncio.create_task(work)
        await until_one_waits(other)
    assert counts(await importing) == reported[-1] == (4, 0, 1, 1)


async def test_a_booked_level_begins_where_another_replica_has_left_it(
    database: Database, other: asyncpg.Connection, threads: WorkerThreads, tmp_path: Path
) -> None:
    """A delivery is imported while the level is changed: its movement starts from the level that it replaces."""
    made = workbook(tmp_path, ("A-1", "x", None, 10))
    await imported(database, threads, made, SKIP)
    delivered = workbook(tmp_path, ("A-1", "x", None, 3))
    async with other.transaction():
        await other.execute("UPDATE levels SET current_level = 20")
        importing = asyncio.create_task(imported(database, threads, delivered, RECEIPT))
        await until_one_waits(other)
    await importing
    last = await other.fetchrow("SELECT old_level, new_level FROM movements ORDER BY id DESC LIMIT 1")
    assert (last, await other.fetchval("SELECT current_level FROM levels")) == ((20, 23), 23)


async def test_a_code_that_another_product_gets_meanwhile_stays_as_it_is(
    database: Database, other: asyncpg.Connection, threads: WorkerThreads, tmp_path: Path
) -> None:
    """Its pack is not that of the row, which is refused."""
    header = ("product_code", "description", "other_codes")
    await imported(database, threads, workbook(tmp_path, ("A-1", "x"), ("A-2", "x")), SKIP)
    path = workbook(tmp_path, ("A-1", "y", "B-1*6"), ("A-2", "y", "B-2*6"), header=header)
    async with other.transaction():
        await other.execute(CREATE)
        importing = asyncio.create_task(imported(database, threads, path, UPDATE))
        await until_one_waits(other)
    result = await importing
    packs = await other.fetch("SELECT code, pack_quantity FROM product_codes WHERE code LIKE 'B%' ORDER BY code")
    assert ([error.row for error in result.errors], result.updated) == ([2], 1)
    assert [tuple(row) for row in packs] == [("B-1", 1), ("B-2", 6)]


async def test_an_import_reads_by_indexes(other: asyncpg.Connection, tmp_path: Path) -> None:
    """In its transaction alone: a plan made for an empty catalogue could read all of it for each row."""
    with staging_file(tmp_path / "staged"):
        pass
    async with other.transaction():
        await load(other, tmp_path / "staged")
        assert await other.fetchval("SHOW enable_seqscan") == "off"
    assert await other.fetchval("SHOW enable_seqscan") == "on"
