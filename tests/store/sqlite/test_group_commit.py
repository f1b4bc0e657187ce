"""Group commit: short changes that wait for the writer share a commit, and each has its own outcome.

The last test is about the way of a change through the service, which a reader follows function by function.
"""

import asyncio
import inspect
import logging
import sqlite3
import threading
import traceback
from collections.abc import Iterator
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from types import CoroutineType
from typing import Any

import pytest

import barcodesvc
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store.database import Database
from barcodesvc.store.limits import DatabaseLimits
from barcodesvc.store.script import Begin, Script, Statement, rows
from barcodesvc.store.sqlite import group_commit as module, text_index
from barcodesvc.store.sqlite.connection import Statements
from barcodesvc.store.sqlite.database import open_database
from barcodesvc.store.sqlite.failures import COMMIT, StatementError
from tests.fixture_types import ClientMaker
from tests.store.own_queries import ALL
from tests.store.sqlite.together import busy_writer, codes, insert, inserting, raising, reading, running, together

PACKAGE = str(Path(barcodesvc.__file__).parent)
DOCUMENTED = Path(__file__).parents[3] / "docs" / "architecture.md"
MOST = 8


async def test_changes_that_wait_together_share_a_commit(database: Database, commits: list[None]) -> None:
    """The disk is synced once, and each change gets its own result, in order of arrival."""
    wanted = [str(number) for number in range(20)]
    assert await together(database, *map(inserting, wanted)) == wanted
    assert await codes(database) == wanted
    assert len(commits) == 2  # that of the busy writer, and that of the group


async def test_a_change_that_comes_when_another_ends_is_made(database: Database) -> None:
    """Of many changes that each follow another one's response, all are made and none waits forever."""

    def come(_: object) -> None:
        behind.append(asyncio.create_task(database.change(inserting(f"{len(behind)}-B"))))

    behind: list[asyncio.Task[str]] = []
    for number in range(50):
        first = asyncio.create_task(database.change(inserting(f"{number}-A")))
        first.add_done_callback(come)
        await first
        await asyncio.sleep(0)
        assert await behind[-1] == f"{number}-B"
    assert len(await codes(database)) == 100


async def test_a_group_is_bounded(database: Database, commits: list[None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Larger numbers are split into several groups, one after the other."""
    monkeypatch.setattr(module, "LARGEST_GROUP", 2)
    wanted = [str(number) for number in range(5)]
    assert await together(database, *map(inserting, wanted)) == wanted
    assert (await codes(database), len(commits)) == (wanted, 1 + 3)


async def test_a_change_that_is_refused_leaves_the_others_alone(database: Database, commits: list[None]) -> None:
    """Its exception is its own, and the group is committed."""
    refusal = LookupError("not this one")

    def refused() -> Script[None]:
        yield rows("codes")
        raise refusal

    assert await together(database, inserting("A"), refused, inserting("B")) == ["A", refusal, "B"]
    assert (await codes(database), len(commits)) == (["A", "B"], 2)


async def test_a_change_that_fails_halfway_is_undone_alone(database: Database, commits: list[None]) -> None:
    """Its own writes are rolled back, as are those of others that fail; the rest are repeated, with one commit."""
    failures = [LookupError(str(number)) for number in range(10)]
    scripts = [script for number, error in enumerate(failures) for script in (raising(error), inserting(f"{number}"))]
    found = await together(database, *scripts)
    assert (found[::2], found[1::2]) == (failures, [f"{number}" for number in range(10)])
    assert (await codes(database), len(commits)) == (found[1::2], 2)


@pytest.mark.parametrize("name", ["again", "give_all_up"])
async def test_a_change_that_the_database_refuses_leaves_the_others_alone(
    database: Database, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    """It fails like a single change, with its cause in the log, even if it ends the transaction."""
    found = await together(database, inserting("A"), running(name), inserting("B"))
    assert [type(outcome) for outcome in found] == [str, DatabaseFailure, str]
    assert found[1].message.endswith("nothing was changed")
    assert f"database failure in {name}: UNIQUE constraint failed" in caplog.text
    assert await codes(database) == ["A", "B"]


async def test_a_change_that_was_made_again_has_the_outcome_of_that(database: Database) -> None:
    """A script restarts each time, and its first result is discarded."""
    tries: list[int] = []

    def counting() -> Script[int]:
        tries.append(len(tries))
        yield from insert("B")
        return tries[-1]

    assert (await together(database, counting, raising(LookupError())))[0] == 1
    assert await codes(database) == ["B"]


async def test_a_group_does_not_let_others_wait_beyond_their_time(database_file: Path) -> None:
    """A started change completes, however long it takes; one that waited too long is refused, and is not made."""
    begun, gate = threading.Event(), threading.Event()

    def long() -> Script[str]:
        yield from insert("A")
        begun.set()
        gate.wait()
        return "A"

    async with open_database(database_file, limits=DatabaseLimits(write_wait=0.05), queries=ALL) as database:
        making = asyncio.create_task(database.change(long))
        await asyncio.to_thread(begun.wait)
        with pytest.raises(DatabaseOverload, match="busy with a long change") as refusal:
            await database.change(inserting("B"))
        gate.set()
        assert (await making, refusal.value.headers) == ("A", {"Retry-After": "10"})
        assert await database.change(inserting("C")) == "C"
        assert await codes(database) == ["A", "C"]


async def test_a_commit_that_fails_fails_the_group(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of its changes is applied, and each of them fails."""

    def fail(_: Statements) -> None:
        raise StatementError(COMMIT, sqlite3.OperationalError("no"))

    with monkeypatch.context() as patch:
        patch.setattr(Statements, "commit", fail)
        found = await asyncio.gather(*(database.change(inserting(code)) for code in "AB"), return_exceptions=True)
    assert [type(outcome) for outcome in found] == [DatabaseFailure] * 2
    assert await together(database, inserting("C")) == ["C"]
    assert await codes(database) == ["C"]


async def test_each_change_is_reported_as_its_own_request(
    database_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Times and failures of a group's members reach the observer and the log in the context of their callers."""
    asking: ContextVar[str] = ContextVar("asking", default="unknown")
    observed: list[tuple[str, str]] = []
    logged: list[tuple[str, str]] = []

    def noted(record: logging.LogRecord) -> bool:
        logged.append((asking.get(), record.getMessage()))
        return True

    async def ask(database: Database, who: str, script: Begin[object]) -> None:
        asking.set(who)
        with suppress(DatabaseFailure):
            await database.change(script)

    caplog.handler.addFilter(noted)
    async with open_database(
        database_file, observe=lambda name, _: observed.append((asking.get(), name)), queries=ALL
    ) as database:
        await ask(database, "setting up", inserting("A"))
        observed.clear()
        async with busy_writer(database):
            scripts: dict[str, Begin[object]] = {"reader": reading("codes"), "writer": inserting("B")}
            scripts["fool"] = running("again")
            asked = [asyncio.create_task(ask(database, who, script)) for who, script in scripts.items()]
            await asyncio.sleep(0)
        await asyncio.gather(*asked)
    caplog.handler.removeFilter(noted)
    assert observed[0] == ("reader", "codes")
    assert {who for who, name in observed if name == "insert_product"} == {"writer"}
    assert {who for who, name in observed if name == "again"} == {"fool"}
    assert [who for who, message in logged if "again" in message] == ["fool"]


def waiting(task: asyncio.Task[Any]) -> Iterator[str]:
    """Yield the service's functions in which a task waits, the outermost first."""
    coroutine: Any = task.get_coro()
    while isinstance(coroutine, CoroutineType):
        if coroutine.cr_code.co_filename.startswith(PACKAGE):
            yield coroutine.__qualname__
        coroutine = coroutine.cr_await


async def test_few_functions_lead_from_a_request_to_its_first_statement(
    make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the request, of the group that commits it, and of the thread are the documented ones."""
    loop, way, run = asyncio.get_running_loop(), list[str](), Statements.result
    monkeypatch.setattr(text_index, "PAUSE", 3600.0)  # its changes go another way
    client = await make_client()
    await client.post("/api/products", json={"product_code": "A", "description": "x"})

    async def of_tasks() -> list[list[str]]:
        return sorted((list(waiting(task)) for task in asyncio.all_tasks()), key=len, reverse=True)

    def noting(statements: Statements, statement: Statement) -> Any:
        if not way:
            tasks = asyncio.run_coroutine_threadsafe(of_tasks(), loop).result()  # once all of them wait
            way.extend(name for names in tasks if any("Writer." in name for name in names) for name in names)
            thread = reversed([frame.f_code for frame, _ in traceback.walk_stack(inspect.currentframe())])
            way.extend(code.co_qualname for code in thread if code.co_filename.startswith(PACKAGE))
            way.append(run.__qualname__)
        return run(statements, statement)

    monkeypatch.setattr(Statements, "result", noting)
    assert (await client.put("/api/inventory/1", json={"new_level": 8})).status == 200
    assert len(way) == MOST
    assert f"{', '.join(f'`{name}`' for name in way[:-1])} and `{way[-1]}`" in " ".join(DOCUMENTED.read_text().split())
