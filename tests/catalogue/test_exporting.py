"""How exports are written and sent: from one moment, whole or not at all, and with nothing left behind."""

import asyncio
import shutil
import tempfile
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.catalogue import exporting
from barcodesvc.catalogue.export_tables import (
    catalogue_table,
    history_table,
    level_table,
    levels_with_history_table,
)
from barcodesvc.catalogue.exporting import Exporter, ExportTable, OpenTable
from barcodesvc.errors import DatabaseFailure, ExportFailure, ExportOverload
from barcodesvc.models import LevelUpdate
from barcodesvc.runtime.processes import IsWanted, always_wanted
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store import limits
from barcodesvc.store.database import Database, Snapshot
from barcodesvc.store.engines import open_database
from barcodesvc.store.lists import EVERY_PRODUCT, bounds_of
from barcodesvc.store.script import Row
from tests.catalogue.exported import NOW, content, csv_export, csv_rows, exporter, sheets, stock, xlsx_export
from tests.engines import Place
from tests.stock import delete_product, set_level

in_each_format = pytest.mark.parametrize("form", ["csv", "xlsx"])


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary files during the test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
async def exports(database: Database, threads: WorkerThreads) -> Exporter:
    """Return the dependencies of exports of fifty products."""
    await stock(database, *(f"P{number}" for number in range(50)))
    return exporter(database, threads)


def names(folder: Path) -> list[str]:
    """Return the names of the files in a folder."""
    return [path.name for path in folder.iterdir()]


def export(
    exports: Exporter, form: str, table: OpenTable = level_table, is_wanted: IsWanted = always_wanted
) -> AsyncGenerator[bytes]:
    """Return an export of a table in this format."""
    if form == "csv":
        return csv_export(exports, table, is_wanted)
    return xlsx_export(exports, table, is_wanted=is_wanted)


@pytest.mark.each_engine
async def test_an_export_of_many_batches_has_every_row(exports: Exporter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once, by id, in every format, whatever the batches and chunks."""
    monkeypatch.setattr(limits, "BATCH", 7)
    monkeypatch.setattr(exporting, "CHUNK", 100)
    codes = [f"P{number}" for number in range(50)]
    for table, column in ((level_table, 2), (levels_with_history_table, 2), (catalogue_table, 0)):
        rows = csv_rows(await content(csv_export(exports, table)))
        assert [row[column] for row in rows[1:]] == codes
    exported = sheets(await content(xlsx_export(exports, level_table, history_table)))
    assert [[row[2] for row in rows[1:]] for rows in exported.values()] == [codes, codes]


async def busy_shop(database: Database, closing: asyncio.Event) -> None:
    """Book changes of twenty products, and add and delete others, until the shop closes."""
    level = 0
    while not closing.is_set():
        level += 1
        await set_level(database, level % 20 + 1, LevelUpdate(new_level=level), NOW)
        await stock(database, f"new-{level}")
        await delete_product(database, 50 + level)


def levels_and_newest(exported: bytes) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return each product's level, and what its newest change set it to; from either format."""
    if exported.startswith(b"PK"):
        rows = sheets(exported)
        return {row[1]: row[4] for row in rows["Inventory"][1:]}, {row[0]: row[4] for row in rows["History"][1:]}
    lines = csv_rows(exported)[1:]
    return {row[1]: row[4] for row in lines}, {row[1]: row[13] for row in lines}


@pytest.mark.each_engine
@in_each_format
async def test_an_export_shows_one_moment(exports: Exporter, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """Whatever is booked, added and deleted between two batches, or two sheets: levels and history agree."""
    monkeypatch.setattr(limits, "BATCH", 5)
    closing = asyncio.Event()
    selling = asyncio.create_task(busy_shop(exports.database, closing))
    for _ in range(3):
        whole = csv_export(exports, levels_with_history_table)
        chunks = whole if form == "csv" else xlsx_export(exports, level_table, history_table)
        levels, newest = levels_and_newest(await content(chunks))
        assert levels == newest
        assert len(levels) in {50, 51}
    closing.set()
    await selling


@in_each_format
async def test_temporary_files_are_gone_afterwards(exports: Exporter, temporary: Path, form: str) -> None:
    """Whether an export is read to its end or dropped after a first chunk, no file stays."""
    await content(export(exports, form))
    assert names(temporary) == []
    async with aclosing(export(exports, form)) as chunks:
        assert await anext(chunks)
        assert names(temporary) != []
    assert names(temporary) == []


@pytest.mark.each_engine
@in_each_format
async def test_a_slow_client_holds_no_snapshot(exports: Exporter, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """However many clients stop reading, the next export gets its slot: reading the database does not wait for them."""
    monkeypatch.setattr(limits, "SNAPSHOT_WAIT", 5.0)
    monkeypatch.setattr(limits, "BATCH", 5)
    monkeypatch.setattr(exporting, "CHUNK", 10)
    stalled = [export(exports, form) for _ in range(limits.SNAPSHOTS + 1)]
    for chunks in stalled:
        assert await anext(chunks)
    for chunks in stalled:
        await chunks.aclose()


@in_each_format
async def test_an_export_without_a_place_is_refused(
    place: Place, threads: WorkerThreads, monkeypatch: pytest.MonkeyPatch, *, temporary: Path, form: str
) -> None:
    """The refusal comes before the first chunk, and leaves no file."""
    monkeypatch.setattr(limits, "SNAPSHOTS", 0)
    monkeypatch.setattr(limits, "SNAPSHOT_WAIT", 0.01)
    async with open_database(place) as full:
        with pytest.raises(ExportOverload):
            await anext(export(exporter(full, threads), form))
    assert names(temporary) == []


async def test_a_client_reads_half_of_the_snapshots_at_most(exports: Exporter, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that waits for its third is refused in the end; another client gets a snapshot at once."""
    monkeypatch.setattr(exporting, "SNAPSHOT_WAIT", 0.05)
    async with exports.snapshot("greedy"), exports.snapshot("greedy"):
        with pytest.raises(ExportOverload):
            await exports.snapshot("greedy").__aenter__()
        async with exports.snapshot("other"):
            pass


@in_each_format
async def test_the_files_of_exports_have_room_for_a_limited_size(
    exports: Exporter, monkeypatch: pytest.MonkeyPatch, temporary: Path, form: str
) -> None:
    """An export that runs out of space while it is written is rejected, and leaves no file and uses no space."""
    monkeypatch.setattr(limits, "BATCH", 5)
    limited = exporter(exports.database, exports.threads, most_bytes=20_000)
    with limited.bytes.held(19_000), pytest.raises(ExportOverload):
        await content(export(limited, form))
    assert (limited.bytes.used, limited.files.used, names(temporary)) == (0, 0, [])
    assert await content(export(limited, form))


@in_each_format
async def test_an_export_that_is_larger_than_a_clients_half_is_a_failure(
    exports: Exporter, caplog: pytest.LogCaptureFixture, form: str
) -> None:
    """Trying again would not help; the log names the setting."""
    with pytest.raises(ExportFailure, match="more than 1000 bytes"):
        await content(export(exporter(exports.database, exports.threads, most_bytes=2000), form))
    assert "BARCODESVC_MAX_EXPORT_BYTES" in caplog.text


def halting(gate: asyncio.Event, then: Exception | None = None) -> OpenTable:
    """Return a table whose first row is read at once, and the second one, or a failure, when the gate opens."""

    async def read(snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
        first, second, *_ = await snapshot.rows("export_levels", **bounds_of(EVERY_PRODUCT))
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


@in_each_format
async def test_an_export_that_breaks_half_way_is_reported_before_the_first_chunk(
    exports: Exporter, temporary: Path, form: str
) -> None:
    """It is sent when it is complete, so its failure is a readable error, and half a file cannot pass for a whole."""
    with pytest.raises(DatabaseFailure):
        await anext(export(exports, form, halting(opened(), then=DatabaseFailure("broken"))))
    assert names(temporary) == []


@pytest.mark.parametrize("wanted", [[False], [True, False]])
@in_each_format
async def test_an_export_whose_client_has_left_is_not_completed(
    exports: Exporter, temporary: Path, wanted: list[bool], form: str
) -> None:
    """At each batch it checks whether it is still wanted; if not, nothing is sent, and slot and file are free."""
    asked = iter(wanted)
    assert await content(export(exports, form, halting(opened()), lambda: next(asked))) == b""
    assert list(asked) == []
    assert names(temporary) == []


@pytest.mark.each_engine
@in_each_format
async def test_an_export_that_is_cancelled_reads_no_further(
    exports: Exporter, temporary: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """A shutdown frees the snapshot's slot and the file, even if rows are still to come."""
    monkeypatch.setattr(limits, "SNAPSHOT_WAIT", 0.01)
    for _ in range(limits.SNAPSHOTS + 1):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await anext(export(exports, form, halting(asyncio.Event())))
        assert names(temporary) == []


async def test_a_cancelled_export_waits_for_its_thread(
    exports: Exporter, temporary: Path, monkeypatch: pytest.MonkeyPatch
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
    reading = asyncio.create_task(anext(export(exports, "csv")))
    await asyncio.to_thread(writing.wait, 10)
    reading.cancel()
    assert await asyncio.wait([reading], timeout=0.05) == (set(), {reading})
    assert names(temporary) != []
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert names(temporary) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full is Linux's")
async def test_a_full_disk_is_an_export_failure(
    exports: Exporter, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's error is not shown (the file is put on a device that is always full)."""
    opened = Path.open
    monkeypatch.setattr(Path, "open", lambda path, mode: opened(Path("/dev/full") if mode == "wb" else path, mode))
    with pytest.raises(ExportFailure, match="free disk space and try again"):
        await anext(export(exports, "csv"))
    assert names(temporary) == []


@in_each_format
async def test_a_disk_that_takes_no_file_is_an_export_failure(exports: Exporter, temporary: Path, form: str) -> None:
    """A full or missing disk is a readable error, not an exception of the system."""
    shutil.rmtree(temporary)
    with pytest.raises(ExportFailure, match="free disk space and try again"):
        await anext(export(exports, form))
