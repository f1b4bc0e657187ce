"""Short changes that wait for the writer together: one commit for all of them, and each with an outcome of its own."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Any

import pytest

from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store import changes as module
from barcodesvc.store.connection import Bounds, Connection
from barcodesvc.store.current_file import CurrentFile
from barcodesvc.store.database import Database, open_database
from barcodesvc.store.file_identity import LookingConnection
from barcodesvc.store.queries import Query
from barcodesvc.store.statements import FailedStatementError, Statements
from barcodesvc.worker_threads import WorkDiedError
from tests.store.faulty import CODES, ENDLESS, codes, insert, locked

AGAIN = Query("again", frozenset(), "!", "INSERT INTO products SELECT * FROM products")
GIVE_ALL_UP = Query("give_all_up", frozenset(), "!", "INSERT OR ROLLBACK INTO products SELECT * FROM products")

Work = Callable[[Statements], Any]


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Return a list that grows by one with each commit."""
    made: list[None] = []
    commit = LookingConnection.commit

    def counted(connection: LookingConnection) -> None:
        made.append(None)
        commit(connection)

    monkeypatch.setattr(LookingConnection, "commit", counted)
    return made


@asynccontextmanager
async def busy_writer(database: Database) -> AsyncIterator[None]:
    """Let all changes of the block wait for the writer together."""
    gate = asyncio.Event()
    holder = asyncio.create_task(database.write_long(lambda _: gate.wait()))
    await asyncio.sleep(0)
    yield
    gate.set()
    await holder


async def together(database: Database, *works: Work) -> list[Any]:
    """Return the outcomes of changes that were made as one group."""
    async with busy_writer(database):
        changing = [asyncio.create_task(database.write(work)) for work in works]
        await asyncio.sleep(0)
    return await asyncio.gather(*changing, return_exceptions=True)


def inserting(code: str) -> Work:
    """Return work that inserts a product and returns its code."""

    def work(statements: Statements) -> str:
        insert(statements, code)
        return code

    return work


def raising(error: BaseException) -> Work:
    """Return work that inserts a product and then fails."""

    def work(statements: Statements) -> None:
        insert(statements, "lost")
        raise error

    return work


async def test_changes_that_wait_together_share_a_commit(database: Database, commits: list[None]) -> None:
    """The disk is waited for once, and each gets its own result, in the order in which they came."""
    wanted = [str(number) for number in range(20)]
    assert await together(database, *map(inserting, wanted)) == wanted
    assert await codes(database) == wanted
    assert len(commits) == 2  # that of the busy writer, and that of the group


@pytest.mark.parametrize("turns", range(8))
async def test_a_change_that_comes_when_another_ends_is_made(
    database: Database, turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever turn of the event loop behind the commit of the one it is that the other comes."""
    loop, commit = asyncio.get_running_loop(), LookingConnection.commit
    coming: asyncio.Future[asyncio.Task[str]] = loop.create_future()

    def come(turns: int) -> None:
        if turns:
            loop.call_soon(come, turns - 1)
        else:
            coming.set_result(asyncio.create_task(database.write(inserting("B"))))

    def committed(connection: LookingConnection) -> None:
        commit(connection)
        loop.call_soon_threadsafe(come, turns)

    with monkeypatch.context() as patch:
        patch.setattr(LookingConnection, "commit", committed)
        await database.write(inserting("A"))
    assert await (await coming) == "B"
    assert await codes(database) == ["A", "B"]


async def test_a_group_is_bounded(database: Database, commits: list[None], monkeypatch: pytest.MonkeyPatch) -> None:
    """More than may go together are several groups, one after the other."""
    monkeypatch.setattr(module, "MOST_TOGETHER", 2)
    wanted = [str(number) for number in range(5)]
    assert await together(database, *map(inserting, wanted)) == wanted
    assert (await codes(database), len(commits)) == (wanted, 1 + 3)


async def test_a_change_that_is_refused_leaves_the_others_alone(database: Database, commits: list[None]) -> None:
    """What it raised is its own, and the group is committed."""
    refusal = LookupError("not this one")

    def refused(statements: Statements) -> None:
        statements.rows(CODES)
        raise refusal

    assert await together(database, inserting("A"), refused, inserting("B")) == ["A", refusal, "B"]
    assert (await codes(database), len(commits)) == (["A", "B"], 2)


async def test_a_change_that_fails_halfway_is_undone_alone(database: Database, commits: list[None]) -> None:
    """What it did before it failed is not there; the others are made by themselves, each with a commit."""
    failure = LookupError("halfway")
    assert await together(database, inserting("A"), raising(failure), inserting("B")) == ["A", failure, "B"]
    assert (await codes(database), len(commits)) == (["A", "B"], 3)


async def test_a_change_that_the_database_refuses_leaves_the_others_alone(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """It fails as a change that was made alone, with its statement and cause in the log."""
    found = await together(database, inserting("A"), lambda statements: statements.change(AGAIN), inserting("B"))
    assert [type(outcome) for outcome in found] == [str, DatabaseFailure, str]
    assert found[1].message.endswith("nothing was changed")
    assert "database failure in again: UNIQUE constraint failed" in caplog.text
    assert await codes(database) == ["A", "B"]


async def test_a_change_that_undoes_the_transaction_leaves_the_others_alone(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """Some faults end a transaction by themselves; each of the others is made again (no disk is full on command)."""
    works = (inserting("A"), lambda statements: statements.change(GIVE_ALL_UP), inserting("B"))
    found = await together(database, *works)
    assert [type(outcome) for outcome in found] == [str, DatabaseFailure, str]
    assert "database failure in give_all_up" in caplog.text
    assert await codes(database) == ["A", "B"]


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


async def test_a_group_takes_no_change_beyond_its_time(
    database: Database, commits: list[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first ones have taken too long for goes with the next group, so that a bound is one change's."""
    monkeypatch.setattr(module, "LONGEST_GROUP", 0.0)
    wanted = [str(number) for number in range(5)]
    assert await together(database, *map(inserting, wanted)) == wanted
    assert (await codes(database), len(commits)) == (wanted, 1 + 5)


async def test_a_group_does_not_let_others_wait_beyond_their_time(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One that has begun ends, however long it takes; one that has not is told to come back, and is not made."""
    monkeypatch.setattr(module, "LONGEST_GROUP", 0.0)

    def long(statements: Statements) -> str:
        insert(statements, "A")
        threading.Event().wait(0.3)
        return "A"

    async with open_database(settings.database, bounds=Bounds(write_wait=0.2)) as database:
        made, late = await together(database, long, inserting("B"))
        assert (made, type(late), late.headers) == ("A", DatabaseOverload, {"Retry-After": "10"})
        assert await together(database, inserting("C")) == ["C"]
        assert await codes(database) == ["A", "C"]
    assert "Exception in callback" not in caplog.text


async def test_a_change_that_was_made_again_has_the_outcome_of_that(database: Database) -> None:
    """Of one that failed halfway for a while, the first time is forgotten."""
    tries: list[None] = []

    def flaky(statements: Statements) -> str:
        insert(statements, "B")
        tries.append(None)
        if len(tries) == 1:
            raise LookupError
        return "B"

    assert await together(database, inserting("A"), flaky, inserting("C")) == ["A", "B", "C"]
    assert await codes(database) == ["A", "B", "C"]


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

    before = await database._file.writer.connection()  # noqa: SLF001 - nothing public tells connections apart
    assert await together(database, inserting("A"), met) == ["A", "B"]
    assert await database._file.writer.connection() is not before  # noqa: SLF001 - as above
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


@pytest.mark.parametrize("error", [SystemExit(), StopIteration()], ids=["SystemExit", "StopIteration"])
async def test_whatever_a_change_raises_reaches_its_caller(database: Database, error: BaseException) -> None:
    """What would end the event loop, or never arrive, comes out as an error that tells it; the others are made."""
    found = await together(database, raising(error), inserting("A"))
    assert isinstance(found[0], WorkDiedError)
    assert (found[0].__cause__, found[1], await codes(database)) == (error, "A", ["A"])


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


async def test_each_change_is_told_as_its_own_request(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    """Times and failures of a group's members reach the observer and the log in the context of whoever asked."""
    asking: ContextVar[str] = ContextVar("asking", default="nobody")
    observed: list[tuple[str, str]] = []
    logged: list[tuple[str, str]] = []

    def noted(record: logging.LogRecord) -> bool:
        logged.append((asking.get(), record.getMessage()))
        return True

    async def ask(database: Database, who: str, work: Work) -> None:
        asking.set(who)
        with suppress(DatabaseFailure):
            await database.write(work)

    caplog.handler.addFilter(noted)
    async with open_database(
        settings.database, observe=lambda name, _: observed.append((asking.get(), name))
    ) as database:
        await ask(database, "setting up", inserting("A"))
        observed.clear()
        async with busy_writer(database):
            works = {"reader": lambda statements: statements.rows(CODES), "writer": inserting("B")}
            works["fool"] = lambda statements: statements.change(AGAIN)
            asked = [asyncio.create_task(ask(database, who, work)) for who, work in works.items()]
            await asyncio.sleep(0)
        await asyncio.gather(*asked)
    caplog.handler.removeFilter(noted)
    assert observed[0] == ("reader", "codes")
    assert {who for who, name in observed if name == "insert_product"} == {"writer"}
    assert {who for who, name in observed if name == "again"} == {"fool"}
    assert [who for who, message in logged if "again" in message] == ["fool"]
