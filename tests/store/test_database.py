from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure, DatabaseOverload, ExportOverload
from barcodesvc.models import ProductDraft
from barcodesvc.store import database as module
from barcodesvc.store.connection import Bounds, Connection
from barcodesvc.store.database import Database, open_database
from barcodesvc.store.opened_file import READERS
from barcodesvc.store.products import insert_products
from barcodesvc.store.progress import Running
from barcodesvc.store.queries import Query
from barcodesvc.store.statements import Statements

NOW = "2026-01-31T12:00:00.000Z"
CODES = Query("codes", frozenset(), "", "SELECT product_code FROM products ORDER BY id")
LEVELS = Query("levels", frozenset(), "", "SELECT product_id FROM levels ORDER BY id")
ERASE = Query("erase", frozenset(), "!", "DELETE FROM products")
ECHO = Query("echo", frozenset({"value"}), "", "SELECT :value")

Work = Callable[[Statements], None]


def inserting(*codes: str) -> Work:
    """Return work that inserts products of these codes."""

    def work(statements: Statements) -> None:
        for code in codes:
            insert_products(statements, [ProductDraft(product_code=code, description="x", initial_level=1)], NOW)

    return work


async def insert(connection: Connection, *codes: str) -> None:
    """Insert products of these codes in one step of a long change."""
    await connection.together(inserting(*codes), Running())


async def codes(source: Database | Connection) -> list[str]:
    """Return the codes of all products."""
    return [code for (code,) in await source.rows(CODES)]


@contextlib.asynccontextmanager
async def busy_writer(database: Database) -> AsyncIterator[None]:
    """Keep the writer busy until the block ends."""
    begun, gate = asyncio.Event(), asyncio.Event()

    async def work(_: Connection) -> None:
        begun.set()
        await gate.wait()

    holder = asyncio.create_task(database.write_long(work))
    await begun.wait()
    yield
    gate.set()
    await holder


async def pragma(source: Connection, name: str) -> Any:
    """Return what a PRAGMA says on this connection."""
    return (await source.rows(Query(name, frozenset(), "^", f"PRAGMA {name}")))[0][0]


async def test_the_file_keeps_a_write_ahead_log(database: Database, settings: Settings) -> None:
    """Readers and the writer do not wait for each other, and a file keeps that mode."""
    async with database.snapshot() as connection:
        assert await pragma(connection, "journal_mode") == "wal"
    assert settings.database.with_name("test.db-wal").exists()


async def test_the_log_of_a_large_change_does_not_stay(database: Database, settings: Settings) -> None:
    """It is cut to 16 MiB when it is begun anew, and readers find everything meanwhile."""
    log, large = settings.database.with_name("test.db-wal"), "x" * 2_000_000
    blobs = Query("blobs", frozenset({"text"}), "!", "UPDATE products SET description = description || :text")
    await database.write(inserting("A"))
    await database.write(lambda statements: repeated(statements, blobs, large, 9))
    assert log.stat().st_size > 2**24
    await database.write(inserting("B"))
    assert log.stat().st_size <= 2**24
    assert await codes(database) == ["A", "B"]


def repeated(statements: Statements, query: Query, text: str, times: int) -> None:
    """Run a query with a text so many times."""
    for _ in range(times):
        statements.change(query, text=text)


async def test_the_writer_keeps_references_and_survives_a_power_cut(database: Database) -> None:
    """Foreign keys are enforced, and a commit waits for the disk."""

    async def work(connection: Connection) -> tuple[int, int]:
        return await pragma(connection, "foreign_keys"), await pragma(connection, "synchronous")

    assert await database.write_long(work) == (1, 2)


async def test_a_write_returns_what_its_work_returns(database: Database) -> None:
    """The result comes back once it is committed."""

    def work(statements: Statements) -> str:
        inserting("A")(statements)
        return "done"

    assert await database.write(work) == "done"
    assert await codes(database) == ["A"]


async def test_writes_run_one_after_the_other(database: Database) -> None:
    """No work begins before the one before it has ended."""
    steps: list[str] = []

    async def long(connection: Connection) -> None:
        steps.append("begin")
        await connection.rows(CODES)
        steps.append("end")

    def short(statements: Statements) -> None:
        steps.append("begin")
        statements.rows(CODES)
        steps.append("end")

    await asyncio.gather(*(write for _ in range(10) for write in (database.write_long(long), database.write(short))))
    assert steps == ["begin", "end"] * 20


async def test_a_write_whose_work_raises_is_undone(database: Database) -> None:
    """What the work did before it raised is not there, and its own exception comes out."""

    def short(statements: Statements) -> None:
        inserting("A", "B")(statements)
        raise LookupError("nothing of it")

    async def long(connection: Connection) -> None:
        await connection.together(short, Running())

    for write in (database.write(short), database.write_long(long)):
        with pytest.raises(LookupError, match="nothing of it"):
            await write
    assert await codes(database) == []


async def test_a_write_that_the_database_refuses_is_undone(database: Database) -> None:
    """A statement that breaks a rule of the schema takes the whole transaction back, and the writer goes on."""
    with pytest.raises(DatabaseFailure):
        await database.write(inserting("A", "B", "A"))
    await database.write(inserting("C"))
    assert await codes(database) == ["C"]


async def test_a_caller_cancelled_before_its_turn_still_writes(database: Database) -> None:
    """A write that was accepted is carried out as a whole, whoever still listens."""
    async with busy_writer(database):
        caller = asyncio.create_task(database.write(inserting("A", "B")))
        await asyncio.sleep(0)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
    await database.finish()
    assert await codes(database) == ["A", "B"]


async def test_a_caller_cancelled_in_the_middle_leaves_the_write_whole(database: Database) -> None:
    """A client that goes away between two statements changes nothing about either."""
    halfway, gate = asyncio.Event(), asyncio.Event()

    async def work(connection: Connection) -> None:
        await insert(connection, "A")
        halfway.set()
        await gate.wait()
        await insert(connection, "B")

    caller = asyncio.create_task(database.write_long(work))
    await halfway.wait()
    caller.cancel()
    gate.set()
    await database.finish()
    assert caller.cancelled()
    assert await codes(database) == ["A", "B"]


async def test_a_caller_cancelled_at_the_commit_leaves_the_write_whole(database: Database) -> None:
    """A client that goes away while its transaction is committed finds it committed."""

    async def work(connection: Connection) -> None:
        await insert(connection, "A")
        caller.cancel()

    caller = asyncio.create_task(database.write_long(work))
    with pytest.raises(asyncio.CancelledError):
        await caller
    await database.finish()
    assert await codes(database) == ["A"]


async def test_a_failing_write_that_nobody_waits_for_stays_silent(database: Database) -> None:
    """The exception of a write whose caller went away is nobody's, and the writer goes on."""

    async def work(connection: Connection) -> None:
        await insert(connection, "A")
        caller.cancel()
        raise LookupError

    caller = asyncio.create_task(database.write_long(work))
    with pytest.raises(asyncio.CancelledError):
        await caller
    await database.finish()
    await database.write(inserting("B"))
    assert await codes(database) == ["B"]


async def test_transactions_cancelled_at_any_point_are_whole_or_gone(database: Database) -> None:
    """A loop that ends cancels the transactions themselves: each leaves product and level, or neither, and no lock."""
    for turns in range(40):
        others = asyncio.all_tasks()
        caller = asyncio.create_task(database.write(inserting(f"code-{turns}")))
        await asyncio.sleep(0)
        [transaction] = asyncio.all_tasks() - others - {caller}
        for _ in range(turns):
            await asyncio.sleep(0)
        transaction.cancel()
        await asyncio.wait([transaction, caller])
    await database.write(inserting("last"))
    assert len(await database.rows(LEVELS)) == len(await codes(database))
    assert (await codes(database))[-1] == "last"


async def test_closing_waits_for_the_writes_under_way(settings: Settings) -> None:
    """A transaction that began before the end is committed, and so is one that waited behind it."""
    async with open_database(settings.database) as database:
        callers = [asyncio.create_task(database.write(inserting(code))) for code in ("A", "B")]
        await asyncio.sleep(0)
    await asyncio.gather(*callers)
    async with open_database(settings.database) as database:
        assert await codes(database) == ["A", "B"]


async def test_a_closed_database_fails_as_a_database_does(settings: Settings) -> None:
    """Reading and writing after the end are database failures, not foreign exceptions."""
    async with open_database(settings.database) as database:
        pass
    with pytest.raises(DatabaseFailure):
        await codes(database)
    with pytest.raises(DatabaseFailure):
        await database.write(inserting("A"))


async def test_readers_cannot_write(database: Database) -> None:
    """A statement that writes fails on every reader and in a snapshot, and changes nothing."""
    await database.write(inserting("A"))
    for _ in range(READERS):
        with pytest.raises(DatabaseFailure):
            await database.rows(ERASE)
    async with database.snapshot() as connection:
        with pytest.raises(DatabaseFailure):
            await connection.rows(ERASE)
    assert await codes(database) == ["A"]


async def test_failures_tell_the_client_nothing_of_the_sql(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """The message is the same for every cause; the cause and the name of the query stand in the log."""
    with pytest.raises(DatabaseFailure) as failure:
        await database.rows(Query("lost", frozenset(), "", "SELECT secret FROM nowhere"))
    assert failure.value.message == "the database did not carry out the operation; nothing was changed"
    assert failure.value.details == {}
    assert "database failure in lost" in caplog.text
    assert "no such table: nowhere" in caplog.text


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, "\ud800", object()])
async def test_values_that_the_database_cannot_hold_are_database_failures(database: Database, value: object) -> None:
    """Whatever sqlite3 raises for a parameter comes out as a database failure."""
    with pytest.raises(DatabaseFailure):
        await database.rows(ECHO, value=value)


async def test_the_wait_for_the_writer_is_bounded(settings: Settings) -> None:
    """Who waits too long is told to come back, and nothing of that write happens later."""
    async with open_database(settings.database, bounds=Bounds(write_wait=0.01)) as database:
        async with busy_writer(database):
            with pytest.raises(DatabaseOverload, match="busy with a long change; try again later") as refusal:
                await database.write(inserting("A"))
        await database.write(inserting("B"))
        assert await codes(database) == ["B"]
    assert refusal.value.headers == {"Retry-After": "10"}


async def test_another_process_may_hold_the_file_for_a_bounded_time(settings: Settings) -> None:
    """A write that finds the file locked fails before its work begins; the next one, with the file free, succeeds."""
    begun = []

    def work(_: Statements) -> None:
        begun.append("too early")

    async with open_database(settings.database, bounds=Bounds(busy_timeout=0.01)) as database:
        with contextlib.closing(sqlite3.connect(settings.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(DatabaseFailure):
                await database.write(work)
        await database.write(inserting("B"))
        assert (begun, await codes(database)) == ([], ["B"])


async def test_a_snapshot_sees_one_moment(database: Database) -> None:
    """What is written after a snapshot was opened is not in it, even if it had not read anything before."""
    await database.write(inserting("A"))
    async with database.snapshot() as connection:
        await database.write(inserting("B"))
        assert await codes(connection) == ["A"]
        await database.write(inserting("C"))
        assert await codes(connection) == ["A"]
    async with database.snapshot() as connection:
        assert await codes(connection) == ["A", "B", "C"]


async def test_the_places_for_snapshots_are_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all places taken, one more is told when to come back; a place that falls free is given out again."""
    monkeypatch.setattr(module, "SNAPSHOT_WAIT", 0.01)
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(module.SNAPSHOTS):
            await stack.enter_async_context(database.snapshot())
        with pytest.raises(ExportOverload) as refusal:
            await stack.enter_async_context(database.snapshot())
        assert refusal.value.headers == {"Retry-After": "10"}
    async with database.snapshot() as connection:
        assert await codes(connection) == []


async def test_a_failure_gives_the_place_of_a_snapshot_back(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often the reader of a snapshot fails, the places do not run out."""
    monkeypatch.setattr(module, "SNAPSHOT_WAIT", 0.01)
    for _ in range(module.SNAPSHOTS + 1):
        with pytest.raises(LookupError):
            async with database.snapshot():
                raise LookupError


async def test_a_snapshot_that_cannot_be_opened_is_a_database_failure(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that went away is no export failure of its own, and costs no place."""
    monkeypatch.setattr(module, "SNAPSHOT_WAIT", 0.01)
    settings.database.rename(settings.database.with_name("moved.db"))
    for _ in range(module.SNAPSHOTS + 1):
        with pytest.raises(DatabaseFailure):
            await codes_of_snapshot(database)


async def codes_of_snapshot(database: Database) -> list[str]:
    """Return the codes that a new snapshot sees."""
    async with database.snapshot() as connection:
        return await codes(connection)


async def test_a_snapshot_cancelled_at_any_point_gives_its_place_back(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export that is cancelled while it opens, reads or closes its snapshot leaves every place free."""
    monkeypatch.setattr(module, "SNAPSHOT_WAIT", 1.0)
    for turns in range(30):
        reading = asyncio.create_task(codes_of_snapshot(database))
        for _ in range(turns):
            await asyncio.sleep(0)
        reading.cancel()
        await asyncio.wait([reading])
    assert await asyncio.gather(*(codes_of_snapshot(database) for _ in range(module.SNAPSHOTS))) == [[]] * 4


def connection_threads() -> int:
    """Return how many threads of connections there are in this process."""
    return sum("_connection_worker_thread" in thread.name for thread in threading.enumerate())


async def test_a_snapshot_cancelled_at_any_point_leaves_no_thread(database: Database, until: Any) -> None:
    """An export that is cancelled twice, while it opens, reads or closes its snapshot, does not keep the process."""
    before = connection_threads()
    for turns in range(40):
        reading = asyncio.create_task(codes_of_snapshot(database))
        for _ in range(turns):
            await asyncio.sleep(0)
        reading.cancel()
        await asyncio.sleep(0)
        reading.cancel()
        await asyncio.wait([reading])
    await until(lambda: connection_threads() == before)


async def test_a_hundred_readers_wait_for_no_writer(database: Database) -> None:
    """Reading goes on while a transaction is open."""
    await database.write(inserting("A"))
    async with busy_writer(database):
        assert await asyncio.gather(*(codes(database) for _ in range(100))) == [["A"]] * 100
