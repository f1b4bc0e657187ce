"""Short changes that meet faults, are given up or outlive the event loop: what is told, and what is there."""

from __future__ import annotations

import asyncio
import sqlite3
import threading

import pytest

from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store.connection import Bounds, Connection
from barcodesvc.store.current_file import CurrentFile
from barcodesvc.store.database import Database, open_database
from barcodesvc.store.file_identity import LookingConnection
from barcodesvc.store.statements import FailedStatementError, Statements
from tests.store.faulty import ENDLESS, codes, insert, locked
from tests.store.together import inserting, raising, together


async def test_a_commit_that_fails_fails_the_group(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of its changes is there, and each is told so."""

    def fail(_: object) -> None:
        raise sqlite3.OperationalError("no")

    with monkeypatch.context() as patch:
        patch.setattr(LookingConnection, "commit", fail)
        found = await asyncio.gather(*(database.write(inserting(code)) for code in "AB"), return_exceptions=True)
    assert [type(outcome) for outcome in found] == [DatabaseFailure] * 2
    assert found[0] is not found[1]
    assert await together(database, inserting("C")) == ["C"]
    assert await codes(database) == ["C"]


async def test_a_fault_that_does_not_come_again_is_told(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    """Its cause stands in the log, the connection that met it is left, and all of the group is made."""
    fault = FailedStatementError("insert")
    fault.__cause__ = sqlite3.OperationalError("disk I/O error")
    fault.__cause__.sqlite_errorcode = sqlite3.SQLITE_IOERR
    faults = [fault]

    def met(statements: Statements) -> str:
        insert(statements, "B")
        if faults:
            raise faults.pop()
        return "B"

    before = await database._file._opened.writer.connection()  # noqa: SLF001 - nothing public tells connections apart
    assert await together(database, inserting("A"), met) == ["A", "B"]
    assert await database._file._opened.writer.connection() is not before  # noqa: SLF001 - as above
    assert "database failure in insert: disk I/O error" in caplog.text
    assert not database._condition.writes  # noqa: SLF001 - asking in public would set a check going


async def test_a_commit_that_fails_is_that_of_its_group_alone(
    database: Database, commits: list[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a group that is made again in parts, the others are made, and told so."""
    commit = LookingConnection.commit

    def fail_once(connection: LookingConnection) -> None:
        commit(connection) if len(commits) != 1 else commits.append(None)
        if len(commits) == 2:
            commits.append(None)
            raise sqlite3.OperationalError("no")

    monkeypatch.setattr(LookingConnection, "commit", fail_once)
    failure = LookupError("halfway")
    found = await together(database, inserting("A"), raising(failure), inserting("B"))
    assert [type(found[0]), *found[1:]] == [DatabaseFailure, failure, "B"]
    assert await codes(database) == ["B"]


async def test_whoever_fails_with_a_group_is_told_when_to_come_back(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each gets the headers of the failure, and its cause."""
    cause = sqlite3.OperationalError("no")

    async def fail(*_: object) -> None:
        raise DatabaseOverload("busy", headers={"Retry-After": "7"}) from cause

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "together", fail)
        found = await asyncio.gather(*(database.write(inserting(code)) for code in "AB"), return_exceptions=True)
    for outcome in found:
        assert isinstance(outcome, DatabaseOverload)
        assert (outcome.headers, outcome.__cause__) == ({"Retry-After": "7"}, cause)


async def test_a_connection_that_cannot_roll_back_is_left(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its transaction ends with it, and the next change has another one."""

    def fail(_: object) -> None:
        raise sqlite3.OperationalError("no")

    with monkeypatch.context() as patch:
        patch.setattr(LookingConnection, "rollback", fail)
        with pytest.raises(LookupError):
            await database.write(raising(LookupError()))
    assert await together(database, inserting("A")) == ["A"]
    assert await codes(database) == ["A"]


@pytest.mark.parametrize("kind", ["short", "long"])
async def test_a_file_that_may_be_read_only_hears_of_each_failure(
    stocked: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Failures of changes are what tells that it has to be opened anew."""
    met: list[DatabaseFailure] = []
    monkeypatch.setattr(CurrentFile, "met", lambda _, failure: met.append(failure))
    with locked(settings.database):
        changing = stocked.write(inserting("B")) if kind == "short" else stocked.write_long(codes)
        with pytest.raises(DatabaseFailure):
            await changing
    assert len(met) == 1


async def test_a_change_that_was_given_up_is_not_made_later(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever was told that nothing was changed can rely on it, although its thread goes on."""
    gate = threading.Event()

    def slow(statements: Statements) -> None:
        insert(statements, "A")
        gate.wait()

    bounds = Bounds(busy_timeout=0.05, statement_timeout=0.05)
    async with open_database(settings.database, bounds=bounds) as database:
        with pytest.raises(DatabaseFailure, match="nothing was changed"):
            await database.write(slow)
        assert "database failure in a change: no end within" in caplog.text
        gate.set()
        assert await together(database, inserting("B")) == ["B"]
        assert await codes(database) == ["B"]
    async with open_database(settings.database) as database:
        assert await codes(database) == ["B"]


async def test_what_was_given_up_is_begun_no_more(settings: Settings) -> None:
    """The changes of its group that come behind it are not run, and the lock is free for the next ones."""
    ran: list[None] = []

    def behind(statements: Statements) -> None:
        insert(statements, "B")
        ran.append(None)

    bounds = Bounds(busy_timeout=0.1, statement_timeout=0.1)
    async with open_database(settings.database, bounds=bounds) as database:
        found = await together(database, lambda statements: statements.rows(ENDLESS), behind, behind)
        assert {type(outcome) for outcome in found} == {DatabaseFailure}
        assert await together(database, inserting("A")) == ["A"]
        assert (await codes(database), ran) == (["A"], [])


async def test_a_transaction_that_the_end_of_the_loop_cancels_is_not_made(database: Database) -> None:
    """Its thread goes on to the commit, and is not let through."""
    begun, gate = threading.Event(), threading.Event()

    def slow(statements: Statements) -> None:
        insert(statements, "A")
        begun.set()
        gate.wait()

    others = asyncio.all_tasks()
    changing = asyncio.create_task(database.write(slow))
    await asyncio.to_thread(begun.wait)
    for task in asyncio.all_tasks() - others - {changing}:
        task.cancel()
    await asyncio.wait([changing])
    gate.set()
    assert changing.cancelled()
    assert await together(database, inserting("B")) == ["B"]
    assert await codes(database) == ["B"]


async def test_a_commit_is_told_as_such_whatever_ends_meanwhile(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread of a commit that was given up may end while the next one hangs: neither is said to be undone.

    SQLite empties its log behind a commit, with the lock let go: there two can hang (no real disk does on command).
    """
    gates, commit = [threading.Event(), threading.Event()], LookingConnection.commit
    hanging = iter(gates)

    def late(connection: LookingConnection) -> None:
        commit(connection)
        next(hanging).wait()

    async with open_database(settings.database, bounds=Bounds(busy_timeout=0.2, statement_timeout=0.4)) as database:
        with monkeypatch.context() as patch:
            patch.setattr(LookingConnection, "commit", late)
            with pytest.raises(DatabaseFailure, match="did not confirm"):
                await database.write(inserting("A"))
            changing = asyncio.create_task(database.write(inserting("B")))
            await asyncio.sleep(0.3)
            gates[0].set()
            with pytest.raises(DatabaseFailure, match="did not confirm"):
                await changing
            gates[1].set()


async def test_a_commit_that_ends_at_the_bound_is_not_said_to_be_undone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a loop that was held up finds both the bound and the end, nobody is told that nothing was changed."""
    loop, commit = asyncio.get_running_loop(), LookingConnection.commit

    def committed(connection: LookingConnection) -> None:
        commit(connection)
        loop.call_soon_threadsafe(threading.Event().wait, 1.0)

    async with open_database(settings.database, bounds=Bounds(busy_timeout=0.4, statement_timeout=0.4)) as database:
        with monkeypatch.context() as patch:
            patch.setattr(LookingConnection, "commit", committed)
            told = await asyncio.gather(database.write(inserting("A")), return_exceptions=True)
        assert "nothing was changed" not in str(told)
        assert await codes(database) == ["A"]


async def test_a_commit_that_was_given_up_is_not_said_to_be_undone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows what becomes of it, and that is what is told (no real disk hangs on command)."""
    gate, commit = threading.Event(), LookingConnection.commit

    def late(connection: LookingConnection) -> None:
        gate.wait()
        commit(connection)

    bounds = Bounds(busy_timeout=0.3, statement_timeout=0.3)
    async with open_database(settings.database, bounds=bounds) as database:
        with monkeypatch.context() as patch:
            patch.setattr(LookingConnection, "commit", late)
            with pytest.raises(DatabaseFailure, match="did not confirm"):
                await database.write(inserting("A"))
            gate.set()


async def test_who_waits_is_told_of_what_nobody_foresaw(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in the making of a group is that of each of its changes; the next group is made."""

    async def fail(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "together", fail)
        found = await asyncio.gather(*(database.write(inserting(code)) for code in "AB"), return_exceptions=True)
    assert [type(outcome) for outcome in found] == [RuntimeError] * 2
    assert await together(database, inserting("C")) == ["C"]


async def test_the_end_of_the_loop_leaves_nobody_waiting(database: Database) -> None:
    """Where the task that makes the changes is cancelled, so are those who wait for it; the next change is made."""
    for code in "AB":
        changing = asyncio.create_task(database.write(inserting(code)))
        others = asyncio.all_tasks()
        await asyncio.sleep(0)
        [making] = asyncio.all_tasks() - others
        making.cancel()
        await asyncio.wait([changing])
        assert changing.cancelled()
    assert await together(database, inserting("C")) == ["C"]
    assert (await codes(database))[-1] == "C"
