import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.catalogue import exporting
from barcodesvc.catalogue.export_tables import history_table, level_table, levels_with_history_table
from barcodesvc.catalogue.exporting import Exporter, ExportTable, OpenTable
from barcodesvc.errors import DatabaseFailure, ExportFailure, ExportOverload
from barcodesvc.models import LevelUpdate
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import limits
from barcodesvc.store.database import Database, Snapshot
from barcodesvc.store.engines import open_database
from barcodesvc.store.lists import bounds_of
from barcodesvc.store.script import Row
from tests.catalogue.exported import NOW, content, csv_export, csv_rows, exporter, sheets, stock, xlsx_export
from tests.engines import Place
from tests.stock import delete_product, set_level


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary files during the test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def names(folder: Path) -> list[str]:
    """Return the names of the files in a folder."""
    return [path.name for path in folder.iterdir()]


@pytest.mark.each_engine
async def test_an_export_of_many_batches_has_every_row(
    database: Database, threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of rows is right in every format, whatever the batches and chunks."""
    monkeypatch.setattr(limits, "BATCH", 7)
    monkeypatch.setattr(exporting, "CHUNK", 100)
    codes = [f"P{number}" for number in range(50)]
    await stock(database, *codes)
    for table in (level_table, levels_with_history_table):
        rows = csv_rows(await content(csv_export(database, threads, table)))
        assert [row[2] for row in rows[1:]] == codes
    exported = sheets(await content(xlsx_export(database, threads, (level_table, history_table))))
    assert [[row[2] for row in rows[1:]] for rows in exported.values()] == [codes, codes]


async def busy_shop(database: Database, closing: asyncio.Event) -> None:
    """Book changes of twenty products, and add and delete others, until the shop closes."""
    level = 0
    while not closing.is_set():
        level += 1
        await set_level(database, level % 20 + 1, LevelUpdate(new_level=level), NOW)
        await stock(database, f"new-{level}")
        await delete_product(database, 20 + level)


def levels_and_newest(exported: bytes) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return each product's level, and what its newest change set it to; from either format."""
    if exported.startswith(b"PK"):
        rows = sheets(exported)
        return {row[1]: row[4] for row in rows["Inventory"][1:]}, {row[0]: row[4] for row in rows["History"][1:]}
    lines = csv_rows(exported)[1:]
    return {row[1]: row[4] for row in lines}, {row[1]: row[13] for row in lines}


@pytest.mark.each_engine
@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_an_export_shows_one_moment(
    database: Database, threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Whatever is booked, added and deleted between two batches, or two sheets: levels and history agree."""
    monkeypatch.setattr(limits, "BATCH", 5)
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
        return csv_export(database, threads, levels_with_history_table)
    return xlsx_export(database, threads, (level_table, history_table))


@pytest.mark.each_engine
@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_a_slow_client_holds_no_snapshot(
    database: Database, threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """However many clients stop reading, the next export gets its slot: reading the database does not wait for them."""
    monkeypatch.setattr(limits, "SNAPSHOT_WAIT", 5.0)
    monkeypatch.setattr(limits, "BATCH", 5)
    monkeypatch.setattr(exporting, "CHUNK", 10)
    await stock(database, *(f"P{number}" for number in range(50)))
    stalled = [export(database, threads, form) for _ in range(limits.SNAPSHOTS + 1)]
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
    monkeypatch.setattr(limits, "SNAPSHOTS", 0)
    monkeypatch.setattr(limits, "SNAPSHOT_WAIT", 0.01)
    async with open_database(place) as full:
        with pytest.raises(ExportOverload):
            await anext(export(full, threads, form))
    assert names(temporary) == []


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_the_files_of_exports_have_room_for_a_limited_size(
    database: Database, threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch, *, temporary: Path, form: str
) -> None:
    """An export that runs out of space while it is written is rejected, and leaves no file and uses no space."""
    monkeypatch.setattr(limits, "BATCH", 5)
    await stock(database, *(f"P{number}" for number in range(50)))
    exports = exporter(database, threads, most_bytes=20_000)
    with exports.bytes.held(19_000), pytest.raises(ExportOverload):
        await content(exported(exports, form))
    assert (exports.bytes.used, exports.files.used, names(temporary)) == (0, 0, [])
    assert await content(exported(exports, form))


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_an_export_that_is_larger_than_a_clients_half_is_a_failure(
    database: Database, threads: WorkerThreads, caplog: pytest.LogCaptureFixture, form: str
) -> None:
    """Trying again would not help; the log names the setting."""
    await stock(database, *(f"P{number}" for number in range(50)))
    with pytest.raises(ExportFailure, match="more than 1000 bytes"):
        await content(exported(exporter(database, threads, most_bytes=2000), form))
    assert "BARCODESVC_MAX_EXPORT_BYTES" in caplog.text


def exported(exports: Exporter, form: str) -> AsyncGenerator[bytes]:
    """Return an export in this format."""
    if form == "csv":
        return exporting.csv_export(exports, level_table, "anyone")
    return exporting.xlsx_export(exports, (level_table,), "anyone")


def halting(gate: asyncio.Event, then: Exception | None = None) -> OpenTable:
    """Return a table whose first row is read at once, and the second one, or a failure, when the gate opens."""

    async def read(snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
        first, second = await snapshot.rows("export_levels", **bounds_of(None))
        yield [first]
        await gate.wait()
        if then:
            raise then
        yield [second]

    async def opened(snapshot: Snapshot) -> ExportTable:
        return ExportTable((await level_table(snapshot)).design, read(snapshot))

    return opened


def opened() -> asyncio.Event:
    """Return a gate that is open."""
    gate = asyncio.Event()
    gate.set()
    return gate


EXPORTS = {
    "csv": csv_export,
    "xlsx": lambda database, threads, table, *wanted: xlsx_export(database, threads, (table,), *wanted),
}


@pytest.mark.each_engine
@pytest.mark.parametrize("form", EXPORTS)
async def test_an_export_that_breaks_half_way_is_reported_before_the_first_chunk(
    database: Database, threads: WorkerThreads, temporary: Path, form: str
) -> None:
    """It is sent when it is complete, so its failure is a readable error, and half a file cannot pass for a whole."""
    await stock(database, "A-1", "A-2")
    with pytest.raises(DatabaseFailure):
        await anext(EXPORTS[form](database, threads, halting(opened(), then=DatabaseFailure("broken"))))
    assert names(temporary) == []


@pytest.mark.each_engine
@pytest.mark.parametrize("wanted", [[False], [True, False]])
@pytest.mark.parametrize("form", EXPORTS)
async def test_an_export_whose_client_has_left_is_not_completed(
    database: Database, threads: WorkerThreads, *, temporary: Path, wanted: list[bool], form: str
) -> None:
    """At each batch it checks whether it is still wanted; if not, nothing is sent, and slot and file are free."""
    await stock(database, "A-1", "A-2")
    asked = iter(wanted)
    assert await content(EXPORTS[form](database, threads, halting(opened()), lambda: next(asked))) == b""
    assert list(asked) == []
    assert names(temporary) == []


@pytest.mark.each_engine
@pytest.mark.parametrize("form", EXPORTS)
async def test_an_export_that_is_cancelled_reads_no_further(
    database: Database, threads: WorkerThreads, *, temporary: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """A shutdown frees the snapshot's slot and the file, even if rows are still to come."""
    monkeypatch.setattr(limits, "SNAPSHOT_WAIT", 0.01)
    await stock(database, "A-1", "A-2")
    for _ in range(limits.SNAPSHOTS + 1):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await anext(EXPORTS[form](database, threads, halting(asyncio.Event())))
        assert names(temporary) == []


@pytest.mark.parametrize("form", EXPORTS)
async def test_the_folder_of_an_export_is_made_and_removed_in_a_thread(
    database: Database, threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Removing a large file takes long, and the event loop answers others meanwhile."""
    where: list[tuple[str, bool]] = []

    def noted(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def do(*arguments: Any, **options: Any) -> Any:
            where.append((name, threading.current_thread() is threading.main_thread()))
            return work(*arguments, **options)

        return do

    await stock(database, "A-1")
    monkeypatch.setattr(os, "mkdir", noted("made", os.mkdir))
    monkeypatch.setattr(shutil, "rmtree", noted("removed", shutil.rmtree))
    assert await content(export(database, threads, form))
    assert where == [("made", False), ("removed", False)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full is Linux's")
async def test_a_csv_on_a_full_disk_is_an_export_failure(
    database: Database, threads: WorkerThreads, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's error is not shown (the file is put on a device that is always full)."""
    await stock(database, "A-1")
    opened = Path.open
    monkeypatch.setattr(Path, "open", lambda path, mode: opened(Path("/dev/full") if mode == "wb" else path, mode))
    with pytest.raises(ExportFailure, match="free disk space and try again"):
        await anext(csv_export(database, threads, level_table))
    assert names(temporary) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full is Linux's")
async def test_a_workbook_on_a_full_disk_is_an_export_failure(
    database: Database, threads: WorkerThreads, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same happens if the library's temporary file for a header finds no space; it is removed when Python exits."""
    await stock(database, "A-1")
    opened = open

    def on_full_disk(file: str, *arguments: Any, **options: Any) -> Any:
        return opened("/dev/full" if "openpyxl." in str(file) else file, *arguments, **options)

    monkeypatch.setattr("builtins.open", on_full_disk)
    with pytest.raises(ExportFailure, match="free disk space and try again"):
        await anext(xlsx_export(database, threads, (level_table,)))
    assert not [name for name in names(temporary) if not name.startswith("openpyxl.")]


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_a_disk_that_takes_no_file_is_an_export_failure(
    database: Database, threads: WorkerThreads, temporary: Path, form: str
) -> None:
    """A full or missing disk is a readable error, not an exception of the system."""
    shutil.rmtree(temporary)
    with pytest.raises(ExportFailure, match="free disk space and try again"):
        await anext(export(database, threads, form))


async def test_a_cancelled_export_waits_for_its_thread(
    database: Database, threads: WorkerThreads, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are removed after the thread has closed them (the test delays writing, as no real row can)."""
    writing, gate = threading.Event(), threading.Event()

    def held_up(*_: object) -> bytes:
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


@pytest.mark.each_engine
async def test_a_client_reads_half_of_the_snapshots_at_most(
    database: Database, threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that waits for its third is refused in the end; another client gets a snapshot at once."""
    monkeypatch.setattr(exporting, "SNAPSHOT_WAIT", 0.05)
    exports = exporter(database, threads)
    async with exports.snapshot("greedy"), exports.snapshot("greedy"):
        with pytest.raises(ExportOverload):
            await exports.snapshot("greedy").__aenter__()
        async with exports.snapshot("other"):
            pass
