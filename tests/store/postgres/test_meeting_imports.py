"""Imports that meet what another replica writes, and what the server knows of the rows that they have written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from barcodesvc.addresses import ServerAddress
from barcodesvc.catalogue.importing import ImportResult, ReadOptions, import_catalogue, skip_existing
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import staging
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from tests.beside import run_beside
from tests.catalogue.imported import NOW, counts, imported, workbook
from tests.store.postgres.waiting import until_one_waits

CREATE = """
INSERT INTO products (
    product_code, description, category, unit_of_measure, created_at, updated_at, code_folded, description_folded
)
VALUES ('A-3', 'x', '', 'pcs', '', '', 'a-3', 'x')
"""


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a statement take two rows."""
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
    """One of its products has come from another replica meanwhile: it is skipped, and the reports say the same."""
    reported: list[tuple[int, int, int, int]] = []

    def report(result: ImportResult) -> None:
        reported.append(counts(result))

    path = workbook(tmp_path, *((f"A-{number}", "x") for number in range(5)), (None, "x"))
    async with other.transaction():
        await other.execute(CREATE)
        reading = ReadOptions(report=report)
        importing = asyncio.create_task(import_catalogue(database, threads, path, skip_existing, NOW, reading))
        await until_one_waits(other)
    assert counts(await importing) == reported[-1] == (4, 0, 1, 1)


async def test_an_import_lets_the_server_count_behind_its_first_rows(
    database: Database,
    place: ServerAddress,
    threads: WorkerThreads,
    tmp_path: Path,
) -> None:
    """Else it would go on as if the catalogue were as empty as before, and read all of it for each row."""
    await imported(database, threads, workbook(tmp_path, *((f"A-{number}", "x") for number in range(5))))
    known = "SELECT reltuples FROM pg_class WHERE relname IN ('products', 'levels')"
    assert await asyncio.to_thread(run_beside, place, known) == [(2.0,), (2.0,)]


async def test_two_imports_do_not_wait_for_each_others_counting(
    database: Database,
    other: asyncpg.Connection,
    threads: WorkerThreads,
    tmp_path: Path,
) -> None:
    """One that finds the other one at it goes on without."""
    async with other.transaction():
        await other.execute("ANALYZE products, levels")
        result = await imported(database, threads, workbook(tmp_path, ("A-1", "x"), ("A-2", "x")))
    assert counts(result) == (2, 0, 0, 0)
