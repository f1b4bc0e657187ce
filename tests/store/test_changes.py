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
from barcodesvc.errors import DatabaseFailure
from barcodesvc.store import changes as module
from barcodesvc.store.connection import Bounds, Connection
from barcodesvc.store.database import Database, open_database
from barcodesvc.store.file_identity import LookingConnection
from barcodesvc.store.queries import Query
from barcodesvc.store.statements import Statements
from barcodesvc.worker_threads import WorkDiedError
from tests.store.faulty import CODES, codes, insert

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


async def test_a_commit_that_was_given_up_is_not_said_to_be_undone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows what becomes of it, and that is what is told (no real disk hangs on command)."""
    gate, commit = threading.Event(), LookingConnection.commit

    def late(connection: LookingConnection) -> None:
        gate.wait()
        commit(connection)

    bounds = Bounds(busy_timeout=0.05, statement_timeout=0.05)
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
