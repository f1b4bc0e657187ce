import asyncio
import sqlite3
import tempfile
import threading
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.catalogue.importing import CatalogueFile, Importer, ImportResult
from barcodesvc.errors import DatabaseFailure, InvalidFileFormat
from barcodesvc.models import ProductDraft
from barcodesvc.runtime.processes import WorkerProcesses
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import staging
from barcodesvc.store.database import Database
from barcodesvc.store.products import get_product_by_code
from barcodesvc.store.staging import SKIP, UPDATE, Entry, Mode
from tests.catalogue.imported import NOW, alone, codes, counts, imported, importer, levels, tried_out, workbook
from tests.stock import create_product, delete_product


class HeldProcesses(WorkerProcesses):
    """Processes whose results are held back until a gate is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.read, self.gate = threading.Event(), threading.Event()

    def run(self, *arguments: Any, **options: Any) -> Any:
        """Run the job, and return its result after the gate is open."""
        result = super().run(*arguments, **options)
        self.read.set()
        self.gate.wait(10)
        return result


async def imported_by(
    processes: WorkerProcesses, database: Database, threads: WorkerThreads, path: Path
) -> ImportResult:
    """Import a workbook that these processes read."""
    return await Importer(database, threads, processes).run(CatalogueFile(path, SKIP, Entry(NOW)), alone)


@pytest.mark.parametrize("mode", [SKIP, UPDATE])
async def test_a_database_failure_imports_nothing(
    database: Database, database_file: Path, threads: WorkerThreads, tmp_path: Path, mode: Mode
) -> None:
    """A failure far into the file takes back everything before it, and the next import succeeds."""
    await imported(database, threads, workbook(tmp_path, ("P0", "old")))
    with closing(sqlite3.connect(database_file)) as other:
        other.execute(
            "CREATE TRIGGER fail BEFORE INSERT ON products WHEN NEW.product_code = 'P2100' "
            "BEGIN SELECT RAISE(ABORT, 'disk on fire'); END"
        )
    path = workbook(tmp_path, *((f"P{number}", "x", "", 1) for number in range(staging.CHUNK + 200)))
    with pytest.raises(DatabaseFailure):
        await imported(database, threads, path, mode)
    assert (await codes(database), list(await levels(database))) == (["P0"], ["P0"])
    assert (await get_product_by_code(database, "P0")).description == "old"
    assert (await imported(database, threads, workbook(tmp_path, ("A-1", "x")))).imported == 1


@pytest.mark.each_engine
async def test_a_file_that_breaks_half_way_imports_nothing(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """A workbook cut inside its rows is rejected after a first batch was written, and nothing of that stays."""
    whole = workbook(tmp_path, *((f"P{number}", "x") for number in range(1200)))
    broken = tmp_path / "broken.xlsx"
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(broken, "w") as target:
        for name in source.namelist():
            part = source.read(name)
            target.writestr(name, part[: len(part) * 3 // 4] if "sheet1" in name else part)
    with pytest.raises(InvalidFileFormat):
        await imported(database, threads, broken)
    assert await codes(database) == []


@pytest.mark.each_engine
async def test_imports_at_once_do_not_mix(database: Database, threads: WorkerThreads, tmp_path: Path) -> None:
    """Of two imports of one file, one creates every product and the other skips them all."""
    path = workbook(tmp_path, *((f"P{number}", "x") for number in range(600)))
    results = await asyncio.gather(*(imported(database, threads, path) for _ in range(2)))
    assert sorted(counts(result) for result in results) == [(0, 0, 600, 0), (600, 0, 0, 0)]


@pytest.mark.each_engine
async def test_a_change_does_not_wait_for_a_file_that_is_being_read(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """The writer is free until the last row is read; then the import is written as a whole."""
    processes = HeldProcesses()
    under_way = asyncio.create_task(imported_by(processes, database, threads, workbook(tmp_path, ("A", "one"))))
    await asyncio.to_thread(processes.read.wait, 10)
    await create_product(database, ProductDraft(product_code="B", description="meanwhile"), NOW)
    assert await codes(database) == ["B"]
    processes.gate.set()
    assert counts(await under_way) == (1, 0, 0, 0)
    assert await codes(database) == ["B", "A"]


@pytest.mark.each_engine
async def test_the_catalogue_counts_as_it_is_when_the_rows_are_written(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """A product created while the file was read is skipped, and one deleted meanwhile is created again."""
    gone = await create_product(database, ProductDraft(product_code="gone", description="old"), NOW)
    processes = HeldProcesses()
    path = workbook(tmp_path, ("made", "new"), ("gone", "new"))
    under_way = asyncio.create_task(imported_by(processes, database, threads, path))
    await asyncio.to_thread(processes.read.wait, 10)
    await create_product(database, ProductDraft(product_code="made", description="meanwhile"), NOW)
    await delete_product(database, gone.id)
    processes.gate.set()
    assert counts(await under_way) == (1, 0, 1, 0)
    assert (await get_product_by_code(database, "made")).description == "meanwhile"


async def test_the_counts_grow_chunk_by_chunk(
    database: Database, threads: WorkerThreads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows are read before the first is written; then counts come after every chunk (made smaller here)."""
    monkeypatch.setattr(staging, "CHUNK", 3)
    reported: list[tuple[int, int]] = []
    path = workbook(tmp_path, *((f"P{number}", "x") for number in range(7)))
    file = CatalogueFile(path, SKIP, Entry(NOW))
    await importer(database, threads).run(
        file, alone, lambda result: reported.append((result.rows_read, result.imported))
    )
    assert reported == [(7, 0), (7, 3), (7, 6), (7, 7)]


@pytest.mark.each_engine
async def test_no_import_leaves_its_file_attached(
    database: Database, threads: WorkerThreads, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither an import nor a dry run reports a problem."""
    for _ in range(2):
        await tried_out(database, threads, workbook(tmp_path, ("A-1", "x")), UPDATE)
        await imported(database, threads, workbook(tmp_path, ("A-1", "x")), UPDATE)
    assert caplog.records == []


@pytest.mark.each_engine
async def test_a_cancelled_dry_run_waits_for_its_thread(
    database: Database, threads: WorkerThreads, tmp_path: Path
) -> None:
    """The file is closed after the thread has finished with it."""
    processes = HeldProcesses()
    file = CatalogueFile(workbook(tmp_path, ("A", "one")), SKIP, Entry(NOW))
    dry_run = asyncio.create_task(Importer(database, threads, processes).try_out(file))
    await asyncio.to_thread(processes.read.wait, 10)
    dry_run.cancel()
    assert await asyncio.wait([dry_run], timeout=0.05) == (set(), {dry_run})
    processes.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await dry_run


async def test_a_disk_that_takes_no_file_fails_the_import(
    database: Database, threads: WorkerThreads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If not even an empty file can be created, the message says what to do, and nothing is written."""
    path = workbook(tmp_path, ("A", "text"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(DatabaseFailure, match="free disk space and try again"):
        await imported(database, threads, path, SKIP)
    assert await codes(database) == []
