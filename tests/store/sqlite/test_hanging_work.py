"""Work that hangs in the library or on a disk: its caller gets a failure, and later work still succeeds."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store.limits import DatabaseLimits
from barcodesvc.store.script import Script, Statement, one
from barcodesvc.store.sqlite.connection import Statements
from barcodesvc.store.sqlite.database import open_database
from tests.store.own_queries import ALL
from tests.store.sqlite.together import (
    codes,
    insert,
    inserting,
    together,
    well,
)

IMPATIENT = DatabaseLimits(busy_timeout=0.05, statement_timeout=0.5)


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Let each statement `codes` hang until the event is set (no real disk hangs on command)."""
    gate, result = threading.Event(), Statements.result

    def hang(statements: Statements, statement: Statement) -> Any:
        if statement.name == "codes":
            statements.running = statement.name
            gate.wait()
        return result(statements, statement)

    monkeypatch.setattr(Statements, "result", hang)
    yield gate
    gate.set()


def endless() -> Script[None]:
    """Change something and never end."""
    yield from insert("lost")
    yield one("endless")


async def test_a_statement_that_does_not_end_is_given_up(database_file: Path) -> None:
    """Its caller gets a failure after the timeout; it leaves nothing behind, and later changes succeed."""
    async with open_database(database_file, limits=IMPATIENT, queries=ALL) as database:
        waiting = (database.rows("endless"), database.rows("endless"), database.change(endless))
        found = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(each) for each in found] == [DatabaseFailure] * 3
        assert ["nothing was changed" in str(each) for each in found] == [True] * 3
        await database.change(inserting("A"))
        assert [await codes(database) for _ in range(2)] == [["A"]] * 2
        await well(database)


async def test_who_waits_behind_a_statement_that_does_not_end_is_asked_to_come_back(
    database_file: Path, hanging: threading.Event
) -> None:
    """It has not begun, so the database is busy and not broken."""
    async with open_database(database_file, limits=IMPATIENT, queries=ALL) as database:
        reads = (database.scan_row("codes"), database.scan_row("ping"))
        found = await asyncio.gather(*reads, return_exceptions=True)
        assert [type(each) for each in found] == [DatabaseFailure, DatabaseOverload]
        hanging.set()


async def test_a_change_that_was_given_up_is_not_made_later(database_file: Path) -> None:
    """A caller can rely on the response that nothing was changed, although its thread continues."""
    gate = threading.Event()

    def slow() -> Script[None]:
        yield from insert("A")
        gate.wait()

    async with open_database(database_file, limits=IMPATIENT, queries=ALL) as database:
        with pytest.raises(DatabaseFailure, match="nothing was changed"):
            await database.change(slow)
        gate.set()
        assert await database.change(inserting("B")) == "B"
        assert await codes(database) == ["B"]


async def test_what_was_given_up_is_begun_no_more(database_file: Path) -> None:
    """Later changes of its group are not made either, and the lock is free for others."""
    async with open_database(database_file, limits=IMPATIENT, queries=ALL) as database:
        found = await together(database, endless, inserting("B"), inserting("C"))
        assert {type(outcome) for outcome in found} == {DatabaseFailure}
        assert await together(database, inserting("A")) == ["A"]
        assert await codes(database) == ["A"]


@pytest.mark.parametrize("kind", ["change", "change_long"])
async def test_a_commit_that_was_given_up_is_not_said_to_be_undone(
    database_file: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Its outcome is unknown, and the message says so (no real disk hangs on command)."""
    gate, commit = threading.Event(), Statements.commit

    def late(statements: Statements) -> None:
        commit(statements)
        gate.wait()

    async with open_database(database_file, limits=IMPATIENT, queries=ALL) as database:
        with monkeypatch.context() as patch:
            patch.setattr(Statements, "commit", late)
            with pytest.raises(DatabaseFailure, match="did not confirm"):
                await getattr(database, kind)(inserting("A"))
        gate.set()
        assert await codes(database) == ["A"]
        assert await database.change(inserting("B")) == "B"


async def test_a_read_that_hangs_makes_the_database_unwell(database_file: Path, hanging: threading.Event) -> None:
    """One of the readers would block its share of all lists until a restart."""
    async with open_database(database_file, limits=IMPATIENT, queries=ALL) as database:
        with pytest.raises(DatabaseFailure):
            await codes(database)
        assert not await database.is_well()
        hanging.set()
        await well(database)


async def test_a_change_that_hangs_makes_the_database_unwell(
    database_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A supervisor learns of it by `/health`; a hang that ends needs no restart."""
    gate, commit = threading.Event(), Statements.commit

    def late(statements: Statements) -> None:
        gate.wait()
        commit(statements)

    async with open_database(database_file, limits=IMPATIENT, queries=ALL) as database:
        with monkeypatch.context() as patch:
            patch.setattr(Statements, "commit", late)
            with pytest.raises(DatabaseFailure):
                await database.change(inserting("A"))
            assert not await database.is_well()
        gate.set()
        await well(database)
        assert await codes(database) == []
