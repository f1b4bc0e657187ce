"""Disks, files and other processes that fail the database: what fails, what continues, and what recovers by itself."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store.database import Database
from barcodesvc.store.limits import LOG_PAUSE, NOTHING_CHANGED, UNCONFIRMED, DatabaseLimits, FailureLog
from barcodesvc.store.sqlite.connection import Statements
from barcodesvc.store.sqlite.database import READERS, open_database
from barcodesvc.store.sqlite.failures import (
    COMMIT,
    ROLLBACK,
    StatementError,
    StatementTimeoutError,
    failure_of,
    is_fatal,
    is_fault,
)
from tests.conftest import StandingClock
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

BRIEF = DatabaseLimits(busy_timeout=0.05)


@pytest.fixture
async def brief(database_file: Path) -> AsyncIterator[Database]:
    """Return a database that waits only briefly for other processes."""
    async with open_database(database_file, limits=BRIEF, queries=ALL) as database:
        await database.change(inserting("A"))
        yield database


def coded(code: int) -> sqlite3.Error:
    """Return an error as SQLite raises it with this code."""
    error = sqlite3.OperationalError("broken")
    error.sqlite_errorcode = code
    return error


def fail_commits(patch: pytest.MonkeyPatch, code: int) -> None:
    """Make every commit fail with this code (no real disk fails on command)."""

    def fail(_: Statements) -> None:
        raise StatementError(COMMIT, coded(code))

    patch.setattr(Statements, "commit", fail)


async def test_a_commit_that_the_disk_broke_off_is_not_said_to_be_undone(
    brief: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may reappear after a crash; the connection is reopened, and the next change succeeds."""
    with monkeypatch.context() as patch:
        fail_commits(patch, sqlite3.SQLITE_IOERR)
        with pytest.raises(DatabaseFailure, match="did not confirm"):
            await brief.change(inserting("B"))
    assert await brief.change(inserting("C")) == "C"
    assert await codes(brief) == ["A", "C"]


async def test_a_full_disk_fails_changes_until_there_is_room(brief: Database, caplog: pytest.LogCaptureFixture) -> None:
    """The changes are rolled back, reads continue, and the next change tries again."""
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
    """Settings of the former connection are gone with it."""
    await brief.change(reading("grow_no_more"))
    with monkeypatch.context() as patch:
        fail_commits(patch, sqlite3.SQLITE_READONLY)
        with pytest.raises(DatabaseFailure):
            await brief.change(inserting("B"))
    await brief.change(inserting(*(f"{number}" * 20 for number in range(100, 400))))


async def test_a_connection_that_cannot_roll_back_is_left(brief: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its transaction ends with it, and the next change gets another one."""

    def fail(_: Statements) -> None:
        raise StatementError(ROLLBACK, coded(sqlite3.SQLITE_ERROR))

    with monkeypatch.context() as patch:
        patch.setattr(Statements, "roll_back", fail)
        with pytest.raises(DatabaseFailure):
            await brief.change(raising(LookupError()))
    assert await brief.change(inserting("B")) == "B"
    assert await codes(brief) == ["A", "B"]


async def test_a_connection_that_cannot_be_opened_fails_who_needs_it(
    database_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """An export of a missing file is a database failure; when the file is back, exports work again."""
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


async def test_a_lock_is_waited_for(database_file: Path) -> None:
    """Another process that locks the file for less than the limit fails nothing, and the database stays healthy."""
    async with open_database(database_file, queries=ALL) as database:
        with locked(database_file):
            changing = asyncio.create_task(database.change(inserting("A")))
            assert await database.is_well()
        assert await changing == "A"


async def test_a_lock_that_stays_fails_changes_until_it_is_gone(brief: Database, database_file: Path) -> None:
    """Reads continue; the database is unhealthy, and recovers without a client's change."""
    with locked(database_file):
        with pytest.raises(DatabaseFailure, match="nothing was changed"):
            await brief.change(inserting("B"))
        assert not await brief.is_well()
        assert await codes(brief) == ["A"]
    await well(brief)
    assert await brief.change(inserting("B")) == "B"


async def test_a_lock_is_found_without_a_change(brief: Database, database_file: Path) -> None:
    """A health check begins a change."""
    with locked(database_file):
        assert not await brief.is_well()


async def test_asking_for_the_state_changes_nothing_while_all_is_well(brief: Database) -> None:
    """Cached scans stay valid however often a load balancer checks."""
    version = brief.version()
    assert version is not None
    assert [await brief.is_well() for _ in range(3)] == [True] * 3
    assert brief.version() == version


async def test_a_long_change_is_no_fault(brief: Database) -> None:
    """Health checks do not wait for it."""
    async with busy_writer(brief):
        assert await brief.is_well()


async def test_a_refused_change_does_not_end_a_fault(brief: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a committed change proves that the disk accepts changes again."""
    fail_commits(monkeypatch, sqlite3.SQLITE_FULL)
    with pytest.raises(DatabaseFailure):
        await brief.change(inserting("B"))
    assert [await brief.is_well() for _ in range(2)] == [False, False]
    monkeypatch.undo()
    await brief.change(reading("codes"))
    await well(brief)


@pytest.mark.parametrize("instead", [False, True], ids=["gone", "replaced"])
async def test_asking_for_the_state_leaves_reads_alone(brief: Database, database_file: Path, *, instead: bool) -> None:
    """Reads, scans and cached scans of the moved file continue, however often health is checked."""
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
async def test_a_file_that_no_one_finds_is_not_written_to(
    brief: Database, database_file: Path, kind: str, caplog: pytest.LogCaptureFixture, *, instead: bool
) -> None:
    """If it was moved or replaced, changes fail, with a log line; the database is unhealthy until a restart."""
    moved = database_file.with_name("moved.db")
    database_file.rename(moved)
    if instead:
        database_file.write_bytes(moved.read_bytes())
    with pytest.raises(DatabaseFailure, match="nothing was changed"):
        await getattr(brief, kind)(inserting("B"))
    assert "database failure in a change" in caplog.text
    moved.replace(database_file)
    assert not await brief.is_well()
    assert await codes(brief) == ["A"]


async def test_a_broken_page_makes_the_database_unwell(database_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Operations that touch it fail with a log line, and `/health` is an error until a restart."""
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
    """One more than the limit is refused at once with the time to retry; waiting ones are carried out."""
    async with open_database(database_file, limits=DatabaseLimits(write_queue=2), queries=ALL) as database:
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
    async with open_database(database_file, limits=DatabaseLimits(read_queue=3), queries=ALL) as database:
        *read, refused = await asyncio.gather(*(database.scan_row("codes") for _ in range(4)), return_exceptions=True)
        assert read == [None] * 3
        assert isinstance(refused, DatabaseOverload)


async def test_every_commit_changes_the_version(brief: Database, database_file: Path) -> None:
    """Any commit does, by this process or another, and nothing else."""
    seen = [brief.version()]
    await brief.change(inserting("B"))
    seen.append(brief.version())
    with contextlib.closing(sqlite3.connect(database_file)) as other, other:
        other.execute("UPDATE products SET description = 'another'")
    seen.append(brief.version())
    await codes(brief)
    assert None not in seen
    assert (len(set(seen)), brief.version()) == (3, seen[-1])


async def test_an_unknown_version_is_reported_as_none(database_file: Path) -> None:
    """If the file cannot be opened, no cached scan is treated as current."""
    async with open_database(database_file) as database:
        database_file.rename(database_file.with_name("moved.db"))
        assert database.version() is None


def error_of(statement: str) -> sqlite3.Error:
    """Return what SQLite raises for a statement."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection, pytest.raises(sqlite3.Error) as raised:
        connection.execute(statement)
    return raised.value


def test_a_cause_that_stays_is_logged_once_a_minute(
    standing_clock: StandingClock, caplog: pytest.LogCaptureFixture
) -> None:
    """However often it occurs, there is one line, and a minute later one more that counts the others."""
    log = FailureLog(standing_clock.clock().steady, failure_of)
    for _ in range(1000):
        log.failed("scan", error_of("SELECT 1 FROM nowhere"))
    log.failed("scan", error_of("SELECT 1 FROM elsewhere"))
    standing_clock.advance(LOG_PAUSE)
    log.failed("list", error_of("SELECT 1 FROM nowhere"))
    assert [record.message for record in caplog.records] == [
        "database failure in scan: no such table: nowhere (SQLITE_ERROR)",
        "database failure in scan: no such table: elsewhere (SQLITE_ERROR)",
        "database failure in list: no such table: nowhere (SQLITE_ERROR); 999 more like it since it was last logged",
    ]


def test_many_causes_are_all_logged(standing_clock: StandingClock, caplog: pytest.LogCaptureFixture) -> None:
    """Each different cause has a line, however few are remembered."""
    log = FailureLog(standing_clock.clock().steady, failure_of)
    for number in range(1000):
        log.failed("scan", ValueError(str(number)))
    assert len(caplog.records) == 1000


@pytest.mark.parametrize(
    ("error", "fault", "fatal", "lasting"),
    [
        (ValueError("embedded null byte"), False, False, False),
        (coded(sqlite3.SQLITE_ERROR), False, False, False),
        (coded(sqlite3.SQLITE_CONSTRAINT), False, False, False),
        (coded(sqlite3.SQLITE_BUSY), True, False, False),
        (coded(sqlite3.SQLITE_FULL), True, False, False),
        (coded(sqlite3.SQLITE_READONLY), True, True, False),
        (coded(sqlite3.SQLITE_IOERR_SHORT_READ), True, True, False),
        (coded(sqlite3.SQLITE_CANTOPEN), True, True, False),
        (coded(sqlite3.SQLITE_CORRUPT), True, True, True),
        (coded(sqlite3.SQLITE_NOTADB), True, True, True),
        (StatementTimeoutError("no end"), True, False, False),
        (FileNotFoundError("gone"), True, False, True),
    ],
    ids=repr,
)
def test_errors_are_distinguished(
    standing_clock: StandingClock, error: Exception, *, fault: bool, fatal: bool, lasting: bool
) -> None:
    """A wrong statement is not a fault; a disk fails temporarily, a connection for good, a file until a restart."""
    log = FailureLog(standing_clock.clock().steady, failure_of)
    log.failed("scan", error)
    assert (is_fault(error), is_fatal(error), log.is_broken) == (fault, fatal, lasting)


def test_a_commit_that_was_broken_off_promises_nothing(standing_clock: StandingClock) -> None:
    """If the disk did not confirm the commit, it is unknown whether a change was made; else nothing was changed."""
    log = FailureLog(standing_clock.clock().steady, failure_of)
    assert log.failed("COMMIT", StatementTimeoutError("no end")).message == UNCONFIRMED
    assert log.failed("COMMIT", coded(sqlite3.SQLITE_IOERR_FSYNC)).message == UNCONFIRMED
    assert log.failed("COMMIT", coded(sqlite3.SQLITE_FULL)).message == NOTHING_CHANGED
    assert log.failed("COMMIT", FileNotFoundError("gone")).message == NOTHING_CHANGED
    assert log.failed("COMMIT", error_of("SELECT 1 FROM nowhere")).message == NOTHING_CHANGED
    assert log.failed("insert", StatementTimeoutError("no end")).message == NOTHING_CHANGED
