"""Disks, files and other processes that fail the database: what fails, what goes on, and what is over by itself."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator
from inspect import getattr_static, iscoroutinefunction, signature
from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store import background
from barcodesvc.store.bounds import Bounds
from barcodesvc.store.database import Database
from barcodesvc.store.query_times import unobserved
from barcodesvc.store.script import Script, Statement
from barcodesvc.store.sqlite.connection import Connection, DatabaseFile
from barcodesvc.store.sqlite.database import READERS, open_database
from barcodesvc.store.sqlite.failures import COMMIT, ROLLBACK, FailureLog, StatementError
from barcodesvc.store.sqlite.staging_file import staging_file
from barcodesvc.store.sqlite.statements import Statements
from tests.store.own_queries import ALL
from tests.store.sqlite.together import (
    busy_writer,
    codes,
    inserting,
    locked,
    raising,
    reading,
    well,
)

BRIEF = Bounds(busy_timeout=0.05)


@pytest.fixture
async def brief(database_file: Path) -> AsyncIterator[Database]:
    """Return a database that waits for other processes only a moment."""
    async with open_database(database_file, bounds=BRIEF, queries=ALL) as database:
        await database.change(inserting("A"))
        yield database


def failing_with(code: int, at: str = COMMIT) -> StatementError:
    """Return what a commit raises where the disk fails it with this code."""
    error = sqlite3.OperationalError("no")
    error.sqlite_errorcode = code
    return StatementError(at, error)


def fail_commits(patch: pytest.MonkeyPatch, error: Exception) -> None:
    """Let every commit fail (no real disk does on command)."""

    def fail(_: Statements) -> None:
        raise error

    patch.setattr(Statements, "commit", fail)


async def test_a_commit_that_the_disk_broke_off_is_not_said_to_be_undone(
    brief: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may come back after a crash; the connection is opened anew, and the next change is made."""
    with monkeypatch.context() as patch:
        fail_commits(patch, failing_with(sqlite3.SQLITE_IOERR))
        with pytest.raises(DatabaseFailure, match="did not confirm"):
            await brief.change(inserting("B"))
    assert await brief.change(inserting("C")) == "C"
    assert await codes(brief) == ["A", "C"]


async def test_a_full_disk_fails_changes_until_there_is_room(brief: Database, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing of them is there, reads go on, and the next change tries again."""
    await brief.change(reading("grow_no_more"))
    wanted = [f"{number}" * 20 for number in range(100, 400)]
    for _ in range(2):
        with pytest.raises(DatabaseFailure, match="nothing was changed"):
            await brief.change(inserting(*wanted))
    assert await codes(brief) == ["A"]
    assert caplog.text.count("SQLITE_FULL") == 1
    await brief.change(reading("grow_on"))
    await brief.change(inserting(*wanted))
    assert len(await codes(brief)) == 301


async def test_a_connection_that_cannot_be_used_on_is_opened_anew(
    brief: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was set on the former one is gone with it."""
    await brief.change(reading("grow_no_more"))
    with monkeypatch.context() as patch:
        fail_commits(patch, failing_with(sqlite3.SQLITE_READONLY))
        with pytest.raises(DatabaseFailure):
            await brief.change(inserting("B"))
    await brief.change(inserting(*(f"{number}" * 20 for number in range(100, 400))))


async def test_a_connection_that_cannot_roll_back_is_left(brief: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its transaction ends with it, and the next change has another one."""

    def fail(_: Statements) -> None:
        raise failing_with(sqlite3.SQLITE_ERROR, ROLLBACK)

    with monkeypatch.context() as patch:
        patch.setattr(Statements, "roll_back", fail)
        with pytest.raises(DatabaseFailure):
            await brief.change(raising(LookupError()))
    assert await brief.change(inserting("B")) == "B"
    assert await codes(brief) == ["A", "B"]


async def test_a_connection_that_cannot_be_opened_fails_who_needs_it(
    database_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """An export of a file that is gone is a failure of the database; when it is back, there is one again."""
    moved = database_file.with_name("moved.db")
    async with open_database(database_file, queries=ALL) as database:
        await database.change(inserting("A"))
        database_file.rename(moved)
        for _ in range(5):
            with pytest.raises(DatabaseFailure):
                async with database.snapshot():
                    pass
        assert "database failure in opening a connection: unable to open" in caplog.text
        moved.rename(database_file)
        async with database.snapshot() as snapshot:
            assert await codes(snapshot) == ["A"]


async def test_a_connection_that_cannot_be_opened_is_tried_at_intervals(database_file: Path) -> None:
    """Of many requests that need it one tries, the others fail at once; after the pause the next one tries again."""
    tried: list[str] = []

    async def fail(_: aiosqlite.Connection) -> None:
        tried.append("opened")
        raise sqlite3.OperationalError("no")

    async with open_database(database_file, queries=ALL):
        file = DatabaseFile(database_file, ALL, BRIEF, unobserved, FailureLog(time.monotonic))
        connection = Connection(file, "ro", fail)
        asked = await asyncio.gather(*(connection.rows("codes") for _ in range(20)), return_exceptions=True)
        assert ({type(failure) for failure in asked}, tried) == ({DatabaseFailure}, ["opened"])
        async with asyncio.timeout(10.0):
            while len(tried) < 2:
                await asyncio.sleep(0.01)
                await asyncio.gather(connection.rows("codes"), return_exceptions=True)


async def test_a_file_that_cannot_be_detached_costs_its_connection(
    brief: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was committed with it stays so, and the next import attaches its own."""
    staged = tmp_path / "staged"
    with staging_file(staged):
        pass
    answer = Statements.answer

    def fail(statements: Statements, statement: Statement) -> Any:
        if statement.name == "detach_staged":
            raise failing_with(sqlite3.SQLITE_ERROR, statement.name)
        return answer(statements, statement)

    with monkeypatch.context() as patch:
        patch.setattr(Statements, "answer", fail)
        assert await brief.change_long(inserting("B"), staged=staged) == "B"
    assert await brief.change_long(inserting("C"), staged=staged) == "C"
    assert await codes(brief) == ["A", "B", "C"]


async def test_a_lock_is_waited_for(database_file: Path) -> None:
    """Another process that keeps the file for less than the bound fails nothing, and the database stays well."""
    async with open_database(database_file, queries=ALL) as database:
        with locked(database_file):
            changing = asyncio.create_task(database.change(inserting("A")))
            assert await database.is_well()
        assert await changing == "A"


async def test_a_lock_that_stays_fails_changes_until_it_is_gone(brief: Database, database_file: Path) -> None:
    """Reads go on; the database is unwell, and well again without any change by a client."""
    with locked(database_file):
        with pytest.raises(DatabaseFailure, match="nothing was changed"):
            await brief.change(inserting("B"))
        assert not await brief.is_well()
        assert await codes(brief) == ["A"]
    await well(brief)
    assert await brief.change(inserting("B")) == "B"


async def test_a_lock_is_found_without_a_change(brief: Database, database_file: Path) -> None:
    """Whoever asks for the state begins a change."""
    with locked(database_file):
        assert not await brief.is_well()


async def test_asking_for_the_state_changes_nothing_while_all_is_well(brief: Database) -> None:
    """What is remembered of scans stays fresh however often a load balancer asks."""
    version = brief.version()
    assert version is not None
    assert [await brief.is_well() for _ in range(3)] == [True] * 3
    assert brief.version() == version


async def test_a_long_change_is_no_fault(brief: Database) -> None:
    """Nobody who asks for the state waits behind it."""
    async with busy_writer(brief):
        assert await brief.is_well()


async def test_a_refused_change_does_not_end_a_fault(brief: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a change that was written shows that the disk takes changes again."""
    fail_commits(monkeypatch, failing_with(sqlite3.SQLITE_FULL))
    with pytest.raises(DatabaseFailure):
        await brief.change(inserting("B"))
    assert [await brief.is_well() for _ in range(2)] == [False, False]
    monkeypatch.undo()
    await brief.change(reading("codes"))
    await well(brief)


async def test_a_read_only_file_has_all_connections_opened_anew(
    brief: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads go on beside that, and what is remembered of before is not taken for fresh."""
    before = brief.version()
    with monkeypatch.context() as patch:
        fail_commits(patch, failing_with(sqlite3.SQLITE_READONLY))
        for _ in range(3):
            assert not await _changes(brief)
            assert not await brief.is_well()
            assert await codes(brief) == ["A"]
    await well(brief)
    assert brief.version() not in {None, before}


async def _changes(database: Database) -> bool:
    with contextlib.suppress(DatabaseFailure):
        await database.change(inserting("B"))
        return True
    return False


@pytest.mark.parametrize("instead", [False, True], ids=["gone", "replaced"])
async def test_asking_for_the_state_leaves_reads_alone(brief: Database, database_file: Path, *, instead: bool) -> None:
    """Reads, scans and what is remembered of them go on in the file that was moved, however often anybody asks."""
    version = brief.version()
    moved = database_file.rename(database_file.with_name("moved.db"))
    if instead:
        database_file.write_bytes(moved.read_bytes()[:4096])
    for _ in range(3):
        assert not await brief.is_well()
        assert [await codes(brief) for _ in range(READERS)] == [["A"]] * READERS
        assert await brief.scan_row("codes") is not None
    assert brief.version() == version


@pytest.mark.parametrize("instead", [False, True], ids=["gone", "replaced"])
@pytest.mark.parametrize("kind", ["change", "change_long"])
async def test_a_file_that_nobody_finds_is_not_written_to(
    brief: Database, database_file: Path, kind: str, caplog: pytest.LogCaptureFixture, *, instead: bool
) -> None:
    """Moved or replaced, it fails changes, with a line in the log; the database is unwell until a restart."""
    moved = database_file.with_name("moved.db")
    database_file.rename(moved)
    if instead:
        database_file.write_bytes(moved.read_bytes())
    with pytest.raises(DatabaseFailure, match="nothing was changed"):
        await getattr(brief, kind)(inserting("B"))
    assert "MovedFileError" in caplog.text
    moved.replace(database_file)
    assert not await brief.is_well()
    assert await codes(brief) == ["A"]


async def test_a_broken_page_makes_the_database_unwell(database_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What meets it fails with a line in the log, and `/health` is an error until a restart."""
    async with open_database(database_file, queries=ALL) as database:
        for number in range(30):
            await database.change(inserting(*(f"{number}-{other}" for other in range(20))))
    broken = bytearray(database_file.read_bytes())
    broken[2 * 4096 :] = b"\xa5" * (len(broken) - 2 * 4096)
    async with open_database(database_file, queries=ALL) as database:
        database_file.write_bytes(broken)
        with pytest.raises(DatabaseFailure):
            await codes(database)
        assert "SQLITE_CORRUPT" in caplog.text
        assert not await database.is_well()


async def test_the_queue_of_changes_is_bounded(database_file: Path) -> None:
    """One more than the bound is refused at once with the time to come back; those that wait are made."""
    async with open_database(database_file, bounds=Bounds(write_queue=2), queries=ALL) as database:
        async with busy_writer(database):
            waiting = asyncio.create_task(database.change(inserting("A")))
            await asyncio.sleep(0)
            for change in (database.change, database.change_long):
                with pytest.raises(DatabaseOverload) as refusal:
                    await change(inserting("lost"))
                assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "1"})
            assert (await database.is_well(), database.writes_under_way) == (True, 2)
        await waiting
        await database.change(inserting("B"))
        assert (await codes(database), database.writes_under_way) == (["A", "B"], 0)


async def test_the_queue_of_reads_is_bounded(database_file: Path) -> None:
    """One more than may wait for a connection is refused at once."""
    async with open_database(database_file, bounds=Bounds(read_queue=3), queries=ALL) as database:
        *read, refused = await asyncio.gather(*(database.scan_row("codes") for _ in range(4)), return_exceptions=True)
        assert read == [None] * 3
        assert isinstance(refused, DatabaseOverload)


async def test_work_in_the_background_is_tried_again(
    database_file: Path, brief: Database, monkeypatch: pytest.MonkeyPatch, until: Any
) -> None:
    """A failure holds it up only as long as its cause lasts."""
    monkeypatch.setattr(background, "REPEAT_PAUSE", 0.01)
    done: list[str] = []

    def step() -> Script[bool]:
        done.append("step")
        yield from ()
        return False

    with locked(database_file):
        brief.repeat(step)
        with pytest.raises(DatabaseFailure):
            await brief.change(inserting("B"))
    await until(lambda: done == ["step"])


async def test_every_commit_changes_the_version(brief: Database, database_file: Path) -> None:
    """Whoever commits, this process or another; nothing else does."""
    seen = [brief.version()]
    await brief.change(inserting("B"))
    seen.append(brief.version())
    with contextlib.closing(sqlite3.connect(database_file)) as other, other:
        other.execute("UPDATE products SET description = 'another'")
    seen.append(brief.version())
    await codes(brief)
    assert None not in seen
    assert (len(set(seen)), brief.version()) == (3, seen[-1])


async def test_an_unknown_version_is_none(database_file: Path) -> None:
    """Where the file cannot be opened, nothing that is remembered is taken for fresh."""
    async with open_database(database_file) as database:
        database_file.rename(database_file.with_name("moved.db"))
        assert database.version() is None


def test_aiosqlite_is_used_behind_its_back_in_one_place() -> None:
    """`_execute` and `_conn` are private: if a release changes them, this fails, and `Connection._trip` has to change.

    Group commit needs them: the public methods of aiosqlite make one trip to its thread for each statement.
    """
    execute = getattr_static(aiosqlite.Connection, "_execute")
    assert iscoroutinefunction(execute)
    assert list(signature(execute).parameters)[:2] == ["self", "fn"]
    assert isinstance(getattr_static(aiosqlite.Connection, "_conn"), property)
    engine = Path(__file__).parents[3] / "barcodesvc" / "store" / "sqlite"
    users = {file.name for file in engine.glob("*.py") if "SLF001" in file.read_text("utf-8")}
    assert users == {"connection.py"}
