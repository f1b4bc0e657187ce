"""Short changes that wait for the writer together: one commit for all of them, and each with an outcome of its own."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import suppress
from contextvars import ContextVar

import pytest

from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store import changes as module
from barcodesvc.store.connection import Bounds
from barcodesvc.store.database import Database, open_database
from barcodesvc.store.file_identity import LookingConnection
from barcodesvc.store.queries import Query
from barcodesvc.store.statements import Statements
from barcodesvc.worker_threads import WorkDiedError
from tests.store.faulty import CODES, codes, insert
from tests.store.together import Work, busy_writer, inserting, raising, together

AGAIN = Query("again", frozenset(), "!", "INSERT INTO levels SELECT * FROM levels")
GIVE_ALL_UP = Query("give_all_up", frozenset(), "!", "INSERT OR ROLLBACK INTO products SELECT * FROM products")


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


@pytest.mark.parametrize("error", [SystemExit(), StopIteration()], ids=["SystemExit", "StopIteration"])
async def test_whatever_a_change_raises_reaches_its_caller(database: Database, error: BaseException) -> None:
    """What would end the event loop, or never arrive, comes out as an error that tells it; the others are made."""
    found = await together(database, raising(error), inserting("A"))
    assert isinstance(found[0], WorkDiedError)
    assert (found[0].__cause__, found[1], await codes(database)) == (error, "A", ["A"])


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
