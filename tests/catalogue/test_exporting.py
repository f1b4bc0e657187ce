from __future__ import annotations

import asyncio
import gc
import shutil
import tempfile
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import openpyxl.worksheet._writer
import pytest

from barcodesvc.catalogue import exporting
from barcodesvc.catalogue.exported_levels import HISTORY, INVENTORY, INVENTORY_WITH_HISTORY
from barcodesvc.catalogue.exporting import ExportTable, csv_export, xlsx_export
from barcodesvc.errors import DatabaseFailure, ExportFailure, ExportOverload
from barcodesvc.models import LevelUpdate
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import inventory, snapshots
from barcodesvc.store.database import Database, Snapshot
from barcodesvc.store.engines import open_database
from barcodesvc.store.products import delete_product
from barcodesvc.store.script import Row
from tests.catalogue.exported import NOW, content, csv_rows, sheets, stock
from tests.engines import Place


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which temporary files are made during the test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def names(folder: Path) -> list[str]:
    """Return the names of the files in a folder."""
    return [path.name for path in folder.iterdir()]


async def test_an_export_of_many_batches_has_every_row(
    database: Database, threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of rows is right in every format, whatever the batches and chunks."""
    monkeypatch.setattr(snapshots, "BATCH", 7)
    monkeypatch.setattr(exporting, "CHUNK", 100)
    codes = [f"P{number}" for number in range(50)]
    await stock(database, *codes)
    for table in (INVENTORY, INVENTORY_WITH_HISTORY):
        rows = csv_rows(await content(csv_export(database, threads, table)))
        assert [row[2] for row in rows[1:]] == codes
    exported = sheets(await content(xlsx_export(database, threads, (INVENTORY, HISTORY))))
    assert [[row[2] for row in rows[1:]] for rows in exported.values()] == [codes, codes]


async def busy_shop(database: Database, closing: asyncio.Event) -> None:
    """Book changes of twenty products, and add and delete others, until the shop closes."""
    level = 0
    while not closing.is_set():
        level += 1
        await inventory.set_level(database, level % 20 + 1, LevelUpdate(new_level=level), NOW)
        await stock(database, f"new-{level}")
        await delete_product(database, 20 + level)


def levels_and_newest(exported: bytes) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return each product's level, and what its newest change set it to; from either format."""
    if exported.startswith(b"PK"):
        rows = sheets(exported)
        return {row[1]: row[4] for row in rows["Inventory"][1:]}, {row[0]: row[4] for row in rows["History"][1:]}
    lines = csv_rows(exported)[1:]
    return {row[1]: row[4] for row in lines}, {row[1]: row[13] for row in lines}


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_an_export_shows_one_moment(
    database: Database, threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Whatever is booked, added and deleted between two batches, or two sheets: levels and history agree."""
    monkeypatch.setattr(snapshots, "BATCH", 5)
    await stock(database, *(f"P{number}" for number in range(20)))
    closing = asyncio.Event()
    selling = asyncio.create_task(busy_shop(database, closing))
    for _ in range(3):
        levels, newest = levels_and_newest(await content(export(database, threads, form)))
        assert levels == newest
        assert len(levels) in {20, 21}
    closing.set()
    await selling


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_temporary_files_are_gone_afterwards(
    database: Database, threads: WorkerThreads, temporary: Path, form: str
) -> None:
    """Whether an export is read to its end or dropped after a first chunk, no file stays."""
    await stock(database, *(f"P{number}" for number in range(30)))
    await content(export(database, threads, form))
    assert names(temporary) == []
    async with aclosing(export(database, threads, form)) as chunks:
        assert await anext(chunks)
        assert names(temporary) != []
    assert names(temporary) == []


def export(database: Database, threads: WorkerThreads, form: str) -> AsyncGenerator[bytes]:
    """Return an export with history in this format."""
    if form == "csv":
        return csv_export(database, threads, INVENTORY_WITH_HISTORY)
    return xlsx_export(database, threads, (INVENTORY, HISTORY))


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_a_slow_client_holds_no_snapshot(
    database: Database, threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """However many clients stop reading, the next export has its place: the database is read without them."""
    monkeypatch.setattr(snapshots, "SNAPSHOT_WAIT", 5.0)
    monkeypatch.setattr(snapshots, "BATCH", 5)
    monkeypatch.setattr(exporting, "CHUNK", 10)
    await stock(database, *(f"P{number}" for number in range(50)))
    stalled = [export(database, threads, form) for _ in range(snapshots.SNAPSHOTS + 1)]
    for chunks in stalled:
        assert await anext(chunks)
    for chunks in stalled:
        await chunks.aclose()


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_an_export_without_a_place_is_refused(
    place: Place,
    threads: WorkerThreads,
    monkeypatch: pytest.MonkeyPatch,
    *,
    temporary: Path,
    form: str,
) -> None:
    """The refusal comes before the first chunk, and leaves no file."""
    monkeypatch.setattr(snapshots, "SNAPSHOTS", 0)
    monkeypatch.setattr(snapshots, "SNAPSHOT_WAIT", 0.01)
    async with open_database(place) as full:
        with pytest.raises(ExportOverload):
            await anext(export(full, threads, form))
    assert names(temporary) == []


def halting(gate: asyncio.Event, then: Exception | None = None) -> ExportTable:
    """Return a table whose first row is read at once, and the second one, or a failure, when the gate opens."""

    async def read(snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
        first, second = await snapshot.rows("export_levels")
        yield [first]
        await gate.wait()
        if then:
            raise then
        yield [second]

    return ExportTable(INVENTORY.design, read)


async def test_a_csv_is_handed_out_while_it_is_written(database: Database, threads: WorkerThreads) -> None:
    """Header and first rows come as soon as they are read; what is read later comes later, and all of it."""
    gate = asyncio.Event()
    await stock(database, "A-1", "A-2")
    chunks = csv_export(database, threads, halting(gate))
    async with asyncio.timeout(10):
        first = await anext(chunks)
    assert [row[2] for row in csv_rows(first)] == ["product_code", "A-1"]
    gate.set()
    assert [row[2] for row in csv_rows(first + await content(chunks))] == ["product_code", "A-1", "A-2"]


async def test_a_csv_that_breaks_half_way_does_not_end_well(
    database: Database, threads: WorkerThreads, temporary: Path
) -> None:
    """What was read is handed out, then the failure is raised, so that nobody takes half a file for a whole one."""
    gate = asyncio.Event()
    await stock(database, "A-1", "A-2")
    chunks = csv_export(database, threads, halting(gate, then=DatabaseFailure("broken")))
    assert (await anext(chunks)).endswith(b'"pcs"\r\n')
    gate.set()
    with pytest.raises(DatabaseFailure):
        await anext(chunks)
    assert names(temporary) == []


async def test_a_workbook_that_breaks_half_way_is_reported_before_the_first_chunk(
    database: Database, threads: WorkerThreads, temporary: Path
) -> None:
    """A workbook is handed out when it is complete, so that its failure is an error in words."""
    gate = asyncio.Event()
    gate.set()
    await stock(database, "A-1", "A-2")
    with pytest.raises(DatabaseFailure):
        await anext(xlsx_export(database, threads, (halting(gate, then=DatabaseFailure("broken")),)))
    assert names(temporary) == []


@pytest.mark.parametrize("answers", [[False], [True, False]])
async def test_a_workbook_that_nobody_wants_is_not_written_on(
    database: Database, threads: WorkerThreads, temporary: Path, answers: list[bool]
) -> None:
    """It is asked at each batch whether it is wanted; if not, nothing is handed out, and place and file are free."""
    gate = asyncio.Event()
    gate.set()
    await stock(database, "A-1", "A-2")
    asked = iter(answers)
    assert await content(xlsx_export(database, threads, (halting(gate), INVENTORY), lambda: next(asked))) == b""
    assert list(asked) == []
    assert names(temporary) == []


async def test_a_csv_that_is_given_up_reads_no_further(
    database: Database, threads: WorkerThreads, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that leaves frees the snapshot's place and the file, although rows are still to come."""
    monkeypatch.setattr(snapshots, "SNAPSHOT_WAIT", 0.01)
    await stock(database, "A-1", "A-2")
    for _ in range(snapshots.SNAPSHOTS + 1):
        async with aclosing(csv_export(database, threads, halting(asyncio.Event()))) as chunks:
            assert await anext(chunks)
    assert names(temporary) == []


async def test_a_csv_whose_failure_nobody_waits_for_is_quiet(
    database: Database, threads: WorkerThreads, caplog: pytest.LogCaptureFixture
) -> None:
    """A client that leaves after the failure, before it is reported, leaves nothing behind in the log."""
    gate = asyncio.Event()
    await stock(database, "A-1", "A-2")
    async with aclosing(csv_export(database, threads, halting(gate, then=ExportFailure("broken")))) as chunks:
        await anext(chunks)
        gate.set()
        await asyncio.sleep(0)
    gc.collect()
    assert caplog.records == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full is Linux's")
async def test_a_csv_on_a_full_disk_is_an_export_failure(
    database: Database, threads: WorkerThreads, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error of the system stays inside (the file is put on a device that is always full)."""
    await stock(database, "A-1")
    opened = Path.open
    monkeypatch.setattr(Path, "open", lambda path, mode: opened(Path("/dev/full") if mode == "wb" else path, mode))
    with pytest.raises(ExportFailure, match="free disk space and try again"):
        await anext(csv_export(database, threads, INVENTORY))
    assert names(temporary) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full is Linux's")
async def test_a_workbook_on_a_full_disk_is_an_export_failure(
    database: Database, threads: WorkerThreads, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is where the temporary files that the library makes for headers find no room."""
    await stock(database, "A-1")
    full = temporary.parent / "full"
    full.symlink_to("/dev/full")
    monkeypatch.setattr(openpyxl.worksheet._writer, "create_temporary_file", lambda: str(full))  # noqa: SLF001 - openpyxl has no other way
    with pytest.raises(ExportFailure, match="free disk space and try again"):
        await anext(xlsx_export(database, threads, (INVENTORY,)))
    assert names(temporary) == []


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_a_disk_that_takes_no_file_is_an_export_failure(
    database: Database, threads: WorkerThreads, temporary: Path, form: str
) -> None:
    """A full or missing disk is an error in words, not as an exception of the system."""
    shutil.rmtree(temporary)
    with pytest.raises(ExportFailure, match="free disk space and try again"):
        await anext(export(database, threads, form))


async def test_a_cancelled_export_waits_for_its_thread(
    database: Database, threads: WorkerThreads, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are removed after the thread let go of them (writing is held up in between, as no real row can do)."""
    writing, gate = threading.Event(), threading.Event()

    def held_up(_: object) -> bytes:
        if threading.current_thread() is not threading.main_thread():
            writing.set()
            gate.wait(10)
            assert names(temporary) != []
        return b""

    monkeypatch.setattr(exporting, "csv_bytes", held_up)
    await stock(database, "A-1")
    chunks = export(database, threads, "csv")
    reading = asyncio.create_task(anext(chunks))
    await asyncio.to_thread(writing.wait, 10)
    reading.cancel()
    assert await asyncio.wait([reading], timeout=0.05) == (set(), {reading})
    assert names(temporary) != []
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert names(temporary) == []
