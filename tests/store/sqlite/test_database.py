"""The open database: what it commits and rolls back, what snapshots and readers see of it, and what it reports."""

import asyncio
import contextlib
import gc
import logging
import threading
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.errors import DatabaseFailure, ExportOverload
from barcodesvc.store import limits
from barcodesvc.store.database import Database
from barcodesvc.store.limits import warning_of_slow
from barcodesvc.store.script import Begin, Script, run
from barcodesvc.store.sqlite.database import READERS, open_database
from tests.store.own_queries import ALL
from tests.store.sqlite.together import (
    busy_writer,
    codes,
    insert,
    inserting,
    raising,
    reading,
)


async def test_the_file_keeps_a_write_ahead_log(database: Database, database_file: Path) -> None:
    """Readers and the writer do not wait for each other, and a file stays in this mode."""
    async with database.snapshot() as connection:
        assert await connection.rows("journal_mode") == [("wal",)]
    assert database_file.with_name("test.db-wal").exists()


async def test_the_log_of_a_large_change_does_not_stay(database: Database, database_file: Path) -> None:
    """It is cut to 16 MiB when it restarts, and readers find everything meanwhile."""
    log, large = database_file.with_name("test.db-wal"), "x" * 2_000_000
    await database.change(inserting("A"))
    await database.change(lambda: repeated("lengthen", large, 9))
    assert log.stat().st_size > 2**24
    await database.change(inserting("B"))
    assert log.stat().st_size <= 2**24
    assert await codes(database) == ["A", "B"]


def repeated(name: str, text: str, times: int) -> Script[None]:
    """Run a query with a text this many times."""
    for _ in range(times):
        yield run(name, text=text)


async def test_the_writer_keeps_references_and_survives_a_power_cut(database: Database) -> None:
    """Foreign keys are enforced, and a commit waits for the disk."""
    for change in (database.change, database.change_long):
        assert (await change(reading("foreign_keys")), await change(reading("synchronous"))) == ([(1,)], [(2,)])


async def test_changes_run_one_after_the_other(database: Database) -> None:
    """No script begins before the previous one has ended, however long that takes."""
    steps: list[str] = []

    def script() -> Script[None]:
        steps.append("begin")
        yield run("erase")
        steps.append("end")

    changes = (change(script) for _ in range(10) for change in (database.change_long, database.change))
    await asyncio.gather(*changes)
    assert steps == ["begin", "end"] * 20


def repeating() -> Script[None]:
    """Insert products, and then a level that violates the schema."""
    yield from insert("A", "B")
    yield run("again")


@pytest.mark.parametrize("kind", ["change", "change_long"])
@pytest.mark.parametrize(
    ("script", "error"),
    [(raising(LookupError("nothing of it")), LookupError), (repeating, DatabaseFailure)],
    ids=["its script raises", "the database refuses it"],
)
async def test_a_change_that_fails_is_undone(
    database: Database, kind: str, script: Begin[None], error: type[Exception]
) -> None:
    """All of its writes are rolled back, its exception is raised, and the writer continues."""
    with pytest.raises(error):
        await getattr(database, kind)(script)
    await getattr(database, kind)(inserting("C"))
    assert await codes(database) == ["C"]


@pytest.mark.parametrize("kind", ["change", "change_long"])
async def test_a_caller_cancelled_before_its_turn_still_changes(database: Database, kind: str) -> None:
    """An accepted change completes, even if its caller is cancelled."""
    async with busy_writer(database):
        caller = asyncio.create_task(getattr(database, kind)(inserting("A", "B")))
        await asyncio.sleep(0)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
    await database.change(inserting("C"))
    assert await codes(database) == ["A", "B", "C"]


async def test_a_caller_cancelled_in_the_middle_leaves_the_change_whole(database: Database) -> None:
    """A client that disconnects between two statements affects neither."""

    def script() -> Script[None]:
        yield from insert("A")
        caller.cancel()
        yield from insert("B")

    caller = asyncio.create_task(database.change_long(script))
    await asyncio.wait([caller])
    await database.change(inserting("C"))
    assert caller.cancelled()
    assert await codes(database) == ["A", "B", "C"]


async def test_a_failing_change_that_no_one_waits_for_stays_silent(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """The exception of a change whose caller was cancelled is dropped, and the writer continues."""

    def script() -> Script[None]:
        yield from insert("A")
        callers[0].cancel()
        raise LookupError

    callers = [asyncio.create_task(database.change_long(script))]
    await asyncio.wait(callers)
    await database.change(inserting("B"))
    assert await codes(database) == ["B"]
    callers.clear()
    gc.collect()  # then asyncio logs an exception that was never retrieved
    assert caplog.text == ""


async def test_closing_waits_for_the_writes_under_way(database_file: Path) -> None:
    """A transaction that began before the close is committed, and so is one that waited behind it."""
    async with open_database(database_file, queries=ALL) as database:
        callers = [asyncio.create_task(database.change(inserting(code))) for code in ("A", "B")]
        await asyncio.sleep(0)
    await asyncio.gather(*callers)
    async with open_database(database_file, queries=ALL) as database:
        assert await codes(database) == ["A", "B"]


async def test_a_closed_database_fails_as_a_database_does(database_file: Path) -> None:
    """Reading and writing after the close are database failures, not other exceptions."""
    async with open_database(database_file, queries=ALL) as database:
        pass
    with pytest.raises(DatabaseFailure):
        await codes(database)
    with pytest.raises(DatabaseFailure):
        await database.change(inserting("A"))


async def test_readers_cannot_write(database: Database) -> None:
    """A statement that writes fails on every reader and in a snapshot, and changes nothing."""
    await database.change(inserting("A"))
    for _ in range(READERS):
        with pytest.raises(DatabaseFailure):
            await database.rows("erase")
    async with database.snapshot() as connection:
        with pytest.raises(DatabaseFailure):
            await connection.rows("erase")
    assert await codes(database) == ["A"]


async def test_failures_tell_the_client_nothing_of_the_sql(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """The message is the same for every cause; the log has the cause and the name of the query."""
    with pytest.raises(DatabaseFailure) as failure:
        await database.rows("wrong")
    assert failure.value.message == "the database could not carry out the operation; nothing was changed"
    assert failure.value.details == {}
    assert "database failure in wrong" in caplog.text
    assert "no such table: nowhere" in caplog.text


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, "\ud800", object()])
async def test_values_that_the_database_cannot_hold_are_database_failures(database: Database, value: object) -> None:
    """Whatever sqlite3 raises for a parameter becomes a database failure."""
    with pytest.raises(DatabaseFailure):
        await database.row("echo", value=value)


async def test_a_snapshot_sees_one_moment(database: Database) -> None:
    """Writes after a snapshot was opened are not in it, even if it had not read anything before."""
    await database.change(inserting("A"))
    async with database.snapshot() as connection:
        await database.change(inserting("B"))
        assert await codes(connection) == ["A"]
        await database.change(inserting("C"))
        assert await codes(connection) == ["A"]
    async with database.snapshot() as connection:
        assert await codes(connection) == ["A", "B", "C"]


async def test_the_slots_for_snapshots_are_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """If all slots are taken, one more is refused temporarily; a released slot is reused."""
    monkeypatch.setattr(limits, "SNAPSHOT_WAIT", 0.01)
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(limits.SNAPSHOTS):
            await stack.enter_async_context(database.snapshot())
        with pytest.raises(ExportOverload) as refusal:
            await stack.enter_async_context(database.snapshot())
        assert refusal.value.headers == {"Retry-After": "10"}
    async with database.snapshot() as connection:
        assert await codes(connection) == []


async def test_a_failure_gives_the_slot_of_a_snapshot_back(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often reading a snapshot fails, all slots are released."""
    monkeypatch.setattr(limits, "SNAPSHOT_WAIT", 0.01)
    for _ in range(limits.SNAPSHOTS + 1):
        with pytest.raises(LookupError):
            async with database.snapshot():
                raise LookupError


async def codes_of_snapshot(database: Database) -> list[str]:
    """Return the codes that a new snapshot contains."""
    async with database.snapshot() as connection:
        return await codes(connection)


async def test_snapshots_that_are_cancelled_give_their_slots_back(
    database: Database, monkeypatch: pytest.MonkeyPatch, until: Any
) -> None:
    """Exports whose clients disconnect while snapshots open, read or close release every slot, and leave no thread."""
    monkeypatch.setattr(limits, "SNAPSHOT_WAIT", 1.0)
    before = threading.active_count()
    for moment in range(40):
        reading = asyncio.create_task(codes_of_snapshot(database))
        await asyncio.wait([reading], timeout=moment / 10_000)
        reading.cancel()
        await asyncio.wait([reading])
    assert await asyncio.gather(*(codes_of_snapshot(database) for _ in range(limits.SNAPSHOTS))) == [[]] * 4
    await until(lambda: threading.active_count() <= before)


async def test_a_hundred_readers_wait_for_no_writer(database: Database) -> None:
    """Reading continues while a transaction is open."""
    await database.change(inserting("A"))
    async with busy_writer(database):
        assert await asyncio.gather(*(codes(database) for _ in range(100))) == [["A"]] * 100


async def test_each_query_is_observed_by_its_name(database_file: Path) -> None:
    """Reads, scans, changes and snapshots pass a query's name and duration to the observer, even of one that fails."""
    seen: list[tuple[str, float]] = []

    def script() -> Script[None]:
        yield run("touch", text="x")
        yield run("touch", text="y")

    async with open_database(database_file, observe=lambda *message: seen.append(message), queries=ALL) as database:
        seen.clear()
        await database.row("echo", value=1)
        await database.scan_row("echo", value=1)
        await database.change(script)
        await database.change_long(script)
        async with database.snapshot() as snapshot:
            await snapshot.rows("codes")
        with pytest.raises(DatabaseFailure):
            await database.rows("wrong")
    named = [name for name, _ in seen if name not in {"ping", "begin_reading"}]
    assert named == ["echo", "echo", *["touch"] * 4, "codes", "wrong"]
    assert all(0 < seconds < 3600 for _, seconds in seen)


async def test_a_slow_query_is_logged_by_name_alone(database_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A query over the limit is a warning with name and duration, without parameters."""
    async with open_database(database_file, slow_query=1e-9, queries=ALL) as database:
        caplog.clear()
        await database.row("echo", value="somebody's data")
    [record] = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert record.message.startswith("slow query echo: 0.")
    assert "somebody" not in caplog.text


@pytest.mark.parametrize(("bound", "logged"), [(1.0, ["slow query slow: 1.500 s"]), (0.0, [])], ids=["on", "off"])
def test_only_slow_queries_are_logged(bound: float, logged: list[str], caplog: pytest.LogCaptureFixture) -> None:
    """All are observed; one within the limit is not logged, and a limit of 0 disables the log."""
    seen: list[tuple[str, float]] = []
    observe = warning_of_slow(lambda *message: seen.append(message), bound)
    observe("quick", 1.0)
    observe("slow", 1.5)
    assert seen == [("quick", 1.0), ("slow", 1.5)]
    assert caplog.messages == logged
