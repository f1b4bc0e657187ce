"""Whether the database is well: told from a fault on to its end, and by nothing but a check that has found it over."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from pathlib import Path

import pytest

from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure
from barcodesvc.store import progress as module
from barcodesvc.store.connection import Bounds, Connection
from barcodesvc.store.database import Database, open_database
from barcodesvc.store.failures import StuckError
from barcodesvc.store.file_identity import LookingConnection
from barcodesvc.store.lane import RETRY_PAUSE
from barcodesvc.store.queries import Query
from tests.store.faulty import (
    CODES,
    ENDLESS,
    KEYS,
    add,
    checkpointed,
    codes,
    is_well,
    locked,
    sooner_or_later,
    well,
)


@pytest.mark.parametrize("kind", ["short", "long"])
async def test_a_lock_is_told_before_the_first_change_has_failed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """While another process keeps a change waiting the database is not well; when the lock goes, it is."""
    monkeypatch.setattr(module, "HELD_UP", 0.05)
    async with open_database(settings.database) as database:
        with locked(settings.database):
            changing = add(database, "A") if kind == "short" else database.write_long(codes)
            adding = asyncio.create_task(changing)
            await well(database, wanted=False)
            assert await codes(database) == []
        await adding
        assert await database.is_well()


async def test_the_end_of_a_lock_is_noticed_without_a_change(settings: Settings, stocked: Database) -> None:
    """After a change has failed the database is unwell until a check has made one."""
    with locked(settings.database):
        with pytest.raises(DatabaseFailure):
            await add(stocked, "B")
        assert not await stocked.is_well()
        assert await codes(stocked) == ["A"]
    await well(stocked, wanted=True)
    await add(stocked, "C")
    assert await codes(stocked) == ["A", "C"]


async def test_a_long_change_is_no_fault(stocked: Database) -> None:
    """Nobody who asks for the state waits behind a transaction, and the state is well."""
    gate = asyncio.Event()
    changing = asyncio.create_task(stocked.write_long(lambda _: gate.wait()))
    await asyncio.sleep(0)
    assert await stocked.is_well()
    gate.set()
    await changing


async def test_a_full_disk_is_told_until_it_has_room(stocked: Database, caplog: pytest.LogCaptureFixture) -> None:
    """A change that finds no room fails with its cause in the log; a check that finds some ends the fault.

    A bound on the pages of the file stands for the disk.
    """
    await stocked.write_long(lambda connection: connection.control("PRAGMA max_page_count = 1"))
    large = Query("large", frozenset(), "!", "UPDATE products SET description = zeroblob(10000000)")
    with pytest.raises(DatabaseFailure):
        await stocked.write(lambda statements: statements.change(large))
    assert "database failure in large: database or disk is full (SQLITE_FULL)" in caplog.text
    assert await codes(stocked) == ["A"]
    assert not await is_well(stocked)
    await stocked.rows(CODES)
    await widened(stocked)
    await well(stocked, wanted=True)
    assert "the database takes changes again" in caplog.text
    async with stocked.snapshot() as snapshot:
        assert await snapshot.rows(KEYS) == []


async def test_a_change_that_writes_nothing_is_no_end_of_a_fault(stocked: Database) -> None:
    """What found nothing to write is committed on a full disk as well; only a check that writes ends the fault."""
    await stocked.write_long(lambda connection: connection.control("PRAGMA max_page_count = 1"))
    large = Query("large", frozenset(), "!", "UPDATE products SET description = zeroblob(10000000)")
    with pytest.raises(DatabaseFailure):
        await stocked.write(lambda statements: statements.change(large))
    await stocked.write_long(codes)
    assert not stocked._condition.writes  # noqa: SLF001 - asking in public would set a check going
    await widened(stocked)
    await well(stocked, wanted=True)


@pytest.mark.parametrize("kind", ["short", "long"])
async def test_a_commit_that_a_disk_does_not_answer_is_told(
    stocked: Database, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The database is not well while it waits, and well when the commit has ended (no real disk hangs on command)."""
    monkeypatch.setattr(module, "COMMIT_WAIT", 0.05)
    gate, commit = threading.Event(), LookingConnection.commit

    def late(connection: LookingConnection) -> None:
        gate.wait()
        commit(connection)

    monkeypatch.setattr(LookingConnection, "commit", late)
    changing = add(stocked, "B") if kind == "short" else stocked.write_long(codes)
    adding = asyncio.create_task(changing)
    try:
        await well(stocked, wanted=False)
    finally:
        gate.set()
    await adding
    assert await stocked.is_well()


async def widened(database: Database) -> None:
    """Take the bound on the pages away again."""
    await database._file._opened.writer._connection.control(  # type: ignore[union-attr]  # noqa: SLF001 - a disk has no such door
        "PRAGMA max_page_count = 1000000"
    )


def broken(table: str, path: Path) -> bytes:
    """Break the root page of a table, and return the file as it was."""
    saved = path.read_bytes()
    root, size = page_of(table, path)
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    return saved


async def test_a_broken_page_is_told_until_it_is_mended(
    settings: Settings, stocked: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """Reads of it fail with their cause in the log, others go on; when it is mended all is well, without a restart."""
    await checkpointed(settings.database)
    saved = broken("products", settings.database)
    await failing(stocked)
    assert "SQLITE_CORRUPT" in caplog.text
    assert not await is_well(stocked)
    settings.database.write_bytes(saved)
    await well(stocked, wanted=True)
    await sooner_or_later(stocked, ["A"])
    await add(stocked, "B")
    assert await codes(stocked) == ["A", "B"]


async def test_a_broken_page_that_only_changes_need_is_told(settings: Settings, stocked: Database) -> None:
    """A change elsewhere in the file, such as that of a check, is no end of it."""
    await checkpointed(settings.database)
    saved = broken("levels", settings.database)
    stocked._file._opened.writer.leave()  # noqa: SLF001 - it remembers the page, and nothing public makes it forget
    with pytest.raises(DatabaseFailure):
        await add(stocked, "B")
    for _ in range(3):
        assert not await is_well(stocked)
        await asyncio.sleep(RETRY_PAUSE)
    settings.database.write_bytes(saved)
    await well(stocked, wanted=True)
    await add(stocked, "C")
    assert await codes(stocked) == ["A", "C"]


async def failing(database: Database) -> None:
    """Read until that fails, with the pages that connections remember forgotten by a change of another one."""
    for _ in range(20):
        try:
            async with database.snapshot() as fresh:
                await codes(fresh)
        except DatabaseFailure:
            return
    pytest.fail("a broken page was read")


def page_of(table: str, path: Path) -> tuple[int, int]:
    """Return the number of a table's first page, and the size of a page."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        [root] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        [size] = connection.execute("PRAGMA page_size").fetchone()
    return root, size


async def test_a_lack_of_memory_is_a_fault(stocked: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where SQLite finds no memory, Python raises MemoryError; a change that meets it fails as with any other fault."""

    def lack(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(LookingConnection, "commit", lack)
        with pytest.raises(DatabaseFailure):
            await add(stocked, "B")
    assert not stocked._condition.writes  # noqa: SLF001 - asking in public would set a check going
    await well(stocked, wanted=True)
    assert await codes(stocked) == ["A"]


async def test_the_whole_file_is_read_only_after_a_broken_page(
    stocked: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what a disk did not answer, a read on a new connection shows the end, however large the file is."""
    monkeypatch.setattr(Connection, "is_whole", lambda _: pytest.fail("the whole file is read"))
    stocked._condition.read_failed("scan", StuckError("no end"))  # noqa: SLF001 - no real disk hangs on command
    await well(stocked, wanted=True)


async def test_a_check_of_the_whole_file_may_take_longer_than_a_statement(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is not well meanwhile and well in the end; its close does not wait for a check that goes on."""
    gate = asyncio.Event()
    whole_in_time = Connection.is_whole

    async def long(connection: Connection) -> bool:
        await gate.wait()
        return await whole_in_time(connection)

    broken = sqlite3.DatabaseError("broken")
    broken.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    monkeypatch.setattr(Connection, "is_whole", long)
    bounds = Bounds(busy_timeout=0.05, statement_timeout=0.05)
    async with asyncio.timeout(10.0), open_database(settings.database, bounds=bounds) as database:
        database._condition.read_failed("scan", broken)  # noqa: SLF001 - a file that is mended by itself
        for _ in range(2):
            assert not await is_well(database)
        gate.set()
        await well(database, wanted=True)
        gate.clear()
        database._condition.read_failed("scan", broken)  # noqa: SLF001 - as above
        assert not await is_well(database)


async def test_a_long_check_breaks_off_at_the_close(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement without an end stands for the check of a very large file."""

    async def endless_check(connection: Connection) -> bool:
        await connection._connection.execute_fetchall(ENDLESS.sql)  # noqa: SLF001 - as is_whole does it
        return True

    broken = sqlite3.DatabaseError("broken")
    broken.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    monkeypatch.setattr(Connection, "is_whole", endless_check)
    async with asyncio.timeout(10.0), open_database(settings.database) as database:
        database._condition.read_failed("scan", broken)  # noqa: SLF001 - a file that is mended by itself
        assert not await is_well(database)
