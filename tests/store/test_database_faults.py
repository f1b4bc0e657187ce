"""Work that hangs and queues that are full: each has a bound, and whoever waits is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store import changes, connection as connection_module, database as module
from barcodesvc.store.connection import Bounds, Connection, Leaving, Terms
from barcodesvc.store.database import Database, open_database
from barcodesvc.store.file_identity import FileIdentity
from barcodesvc.store.queries import Query
from barcodesvc.store.query_times import unobserved
from barcodesvc.store.statements import Statements
from tests.store.faulty import (
    CODES,
    ENDLESS,
    IMPATIENT,
    add,
    codes,
    endless,
    locked,
)


async def test_a_statement_that_does_not_end_is_given_up(settings: Settings) -> None:
    """Whoever waits for it is told so after the bound; it leaves nothing behind, and the next ones find a way."""
    async with open_database(settings.database, bounds=IMPATIENT) as database:
        waiting = (database.rows(ENDLESS), database.rows(ENDLESS), database.write(endless))
        found = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(each) for each in found] == [DatabaseFailure] * 3
        await add(database, "A")
        assert [await codes(database) for _ in range(2)] == [["A"]] * 2


async def test_threads_that_hang_are_bounded(stocked: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """With as many connections left to their threads as may be, none is opened, until one of them has ended."""
    monkeypatch.setattr(connection_module, "MOST_LEAVING", 0)
    with pytest.raises(DatabaseFailure):
        async with stocked.snapshot():
            pass
    monkeypatch.undo()
    async with stocked.snapshot() as snapshot:
        assert await codes(snapshot) == ["A"]


async def test_the_queue_of_changes_is_bounded(settings: Settings) -> None:
    """One more than the bound is refused at once and told when to come back; those that wait are made."""
    gate = asyncio.Event()
    async with open_database(settings.database, bounds=Bounds(write_queue=2)) as database:
        waiting = [asyncio.create_task(database.write_long(lambda _: gate.wait())) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(DatabaseOverload) as refusal:
            await add(database, "A")
        assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "1"})
        gate.set()
        await asyncio.gather(*waiting)
        await add(database, "B")
        assert await codes(database) == ["B"]


async def test_the_queue_of_reads_is_bounded(settings: Settings) -> None:
    """One more than may wait for a connection is refused at once."""
    async with open_database(settings.database, bounds=Bounds(read_queue=3)) as database:
        reads = [database.scan_row(CODES) for _ in range(4)]
        *read, refused = await asyncio.gather(*reads, return_exceptions=True)
        assert read == [None] * 3
        assert isinstance(refused, DatabaseOverload)


class OneAfterTheOther:
    """Stands in for a connection whose second statement never ends, because no real one is slow on command."""

    async def execute_fetchall(self, sql: str, _: object) -> list[tuple[int]]:
        """End, or not."""
        if sql == "endless":
            await asyncio.Event().wait()
        return [(1,)]

    async def interrupt(self) -> None:
        """Do nothing."""


async def test_a_connection_on_which_others_end_is_not_given_up(settings: Settings) -> None:
    """Who waits too long behind reads that do end is told that the database is busy; who waits alone, of a failure."""
    bounds = Bounds(busy_timeout=0.05, statement_timeout=0.05)
    told: list[str] = []
    identity = FileIdentity(settings.database, lambda: 0.0)
    terms = Terms(identity, bounds, unobserved, lambda what, _: told.append(what), Leaving())
    connection = Connection(OneAfterTheOther(), terms)  # type: ignore[arg-type]  # it stands in for one
    waiting = asyncio.create_task(connection.rows(Query("slow", frozenset(), "", "endless")))
    await asyncio.sleep(0)
    await connection.rows(Query("quick", frozenset(), "", "quick"))
    with pytest.raises(DatabaseOverload, match="busy"):
        await waiting
    assert (told, connection.is_sound) == ([], True)
    with pytest.raises(DatabaseFailure):
        await connection.rows(Query("slow", frozenset(), "", "endless"))
    assert (told, connection.is_sound) == (["slow"], False)


async def test_of_changes_that_were_locked_out_together_one_tries(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has waited as long as a change may for another process fails with the group in front of it."""
    monkeypatch.setattr(changes, "MOST_TOGETHER", 1)
    tried, begin = [], Statements.begin

    def noted(statements: Statements) -> None:
        tried.append("BEGIN")
        begin(statements)

    async with open_database(settings.database, bounds=Bounds(busy_timeout=0.2)) as database:
        monkeypatch.setattr(Statements, "begin", noted)
        with locked(settings.database):
            waiting = (add(database, str(number)) for number in range(20))
            found = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(each) for each in found} == {DatabaseFailure}
        assert tried == ["BEGIN"]
        await add(database, "A")
        assert await codes(database) == ["A"]


async def test_work_in_the_background_is_tried_again(
    settings: Settings, stocked: Database, monkeypatch: pytest.MonkeyPatch, until: Any
) -> None:
    """A failure holds it up only as long as its cause lasts."""
    monkeypatch.setattr(module, "REPEAT_PAUSE", 0.01)
    done: list[str] = []

    def step(_: Statements) -> bool:
        done.append("step")
        return False

    with locked(settings.database):
        stocked.repeat(step)
        with pytest.raises(DatabaseFailure):
            await add(stocked, "B")
    await until(lambda: done == ["step"])
