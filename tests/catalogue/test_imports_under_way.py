"""Imports that fail, meet other changes, or are given up: whole or not at all."""

import asyncio
import sqlite3
import tempfile
import threading
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.catalogue.importing import CatalogueFile, Importer
from barcodesvc.errors import DatabaseFailure, InvalidFileFormat
from barcodesvc.models import ProductDraft
from barcodesvc.runtime.processes import WorkerProcesses
from barcodesvc.store import staging
from barcodesvc.store.products import get_product_by_code
from barcodesvc.store.staging import SKIP, UPDATE, Mode
from tests.catalogue.imported import NOW, UNSIGNED, Imports, alone, codes, counts, imported, importer, levels, workbook
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


@pytest.mark.parametrize("mode", [SKIP, UPDATE])
async def test_a_database_failure_imports_nothing(imports: Imports, database_file: Path, mode: Mode) -> None:
    """A failure far into the file takes back everything before it, and the next import succeeds."""
    await imports.run(("P0", "old"))
    with closing(sqlite3.connect(database_file)) as other:
        other.execute(
            "CREATE TRIGGER fail BEFORE INSERT ON products WHEN NEW.product_code = 'P2100' "
            "BEGIN SELECT RAISE(ABORT, 'disk on fire'); END"
        )
    with pytest.raises(DatabaseFailure):
        await imports.run(*((f"P{number}", "x", "", 1) for number in range(staging.CHUNK + 200)), mode=mode)
    assert (await codes(imports.database), list(await levels(imports.database))) == (["P0"], ["P0"])
    assert (await get_product_by_code(imports.database, "P0")).description == "old"
    assert (await imports.run(("A-1", "x"))).imported == 1


@pytest.mark.each_engine
async def test_a_file_that_breaks_half_way_imports_nothing(imports: Imports) -> None:
    """A workbook cut inside its rows is rejected after a first batch was written, and nothing of that stays."""
    whole = workbook(imports.folder, *((f"P{number}", "x") for number in range(1200)))
    broken = imports.folder / "broken.xlsx"
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(broken, "w") as target:
        for name in source.namelist():
            part = source.read(name)
            target.writestr(name, part[: len(part) * 3 // 4] if "sheet1" in name else part)
    with pytest.raises(InvalidFileFormat):
        await imported(imports.database, imports.threads, broken)
    assert await codes(imports.database) == []


@pytest.mark.each_engine
async def test_imports_at_once_do_not_mix(imports: Imports) -> None:
    """Of two imports of one file, one creates every product and the other skips them all."""
    path = workbook(imports.folder, *((f"P{number}", "x") for number in range(600)))
    results = await asyncio.gather(*(imported(imports.database, imports.threads, path) for _ in range(2)))
    assert sorted(counts(result) for result in results) == [(0, 0, 600, 0), (600, 0, 0, 0)]


@pytest.mark.each_engine
async def test_changes_do_not_wait_for_a_file_that_is_being_read(imports: Imports) -> None:
    """A product created meanwhile is skipped, and one deleted meanwhile is created again."""
    database = imports.database
    gone = await create_product(database, ProductDraft(product_code="gone", description="old"), NOW)
    processes = HeldProcesses()
    file = CatalogueFile(workbook(imports.folder, ("made", "new"), ("gone", "new")), SKIP, UNSIGNED)
    under_way = asyncio.create_task(Importer(database, imports.threads, processes).run(file, alone))
    await asyncio.to_thread(processes.read.wait, 10)
    await create_product(database, ProductDraft(product_code="made", description="meanwhile"), NOW)
    await delete_product(database, gone.id)
    assert await codes(database) == ["made"]
    processes.gate.set()
    assert counts(await under_way) == (1, 0, 1, 0)
    assert await codes(database) == ["made", "gone"]
    assert (await get_product_by_code(database, "made")).description == "meanwhile"


async def test_the_counts_grow_chunk_by_chunk(imports: Imports, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows are read before the first is written; then counts come after every chunk (made smaller here)."""
    monkeypatch.setattr(staging, "CHUNK", 3)
    reported: list[tuple[int, int]] = []
    path = workbook(imports.folder, *((f"P{number}", "x") for number in range(7)))
    await importer(imports.database, imports.threads).run(
        CatalogueFile(path, SKIP, UNSIGNED),
        alone,
        lambda result: reported.append((result.rows_read, result.imported)),
    )
    assert reported == [(7, 0), (7, 3), (7, 6), (7, 7)]


@pytest.mark.each_engine
async def test_no_import_leaves_its_file_attached(imports: Imports, caplog: pytest.LogCaptureFixture) -> None:
    """Neither an import nor a dry run reports a problem."""
    for _ in range(2):
        await imports.try_out(("A-1", "x"), mode=UPDATE)
        await imports.run(("A-1", "x"), mode=UPDATE)
    assert caplog.records == []


@pytest.mark.each_engine
async def test_a_cancelled_dry_run_waits_for_its_thread(imports: Imports) -> None:
    """The file is closed after the thread has finished with it."""
    processes = HeldProcesses()
    file = CatalogueFile(workbook(imports.folder, ("A", "one")), SKIP, UNSIGNED)
    dry_run = asyncio.create_task(Importer(imports.database, imports.threads, processes).try_out(file))
    await asyncio.to_thread(processes.read.wait, 10)
    dry_run.cancel()
    assert await asyncio.wait([dry_run], timeout=0.05) == (set(), {dry_run})
    processes.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await dry_run


async def test_a_disk_that_takes_no_file_fails_the_import(imports: Imports, monkeypatch: pytest.MonkeyPatch) -> None:
    """If not even an empty file can be created, the message says what to do, and nothing is written."""
    path = workbook(imports.folder, ("A", "text"))
    monkeypatch.setattr(tempfile, "tempdir", str(imports.folder / "missing"))
    with pytest.raises(DatabaseFailure, match="free disk space and try again"):
        await imported(imports.database, imports.threads, path)
    assert await codes(imports.database) == []
