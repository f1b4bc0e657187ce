from __future__ import annotations

import asyncio
import contextlib
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.models import ProductDraft
from barcodesvc.store import connection as connection_module, database as module, opened_file
from barcodesvc.store.connection import Bounds, Connection, Leaving, Terms
from barcodesvc.store.database import Database, open_database
from barcodesvc.store.failures import StuckError
from barcodesvc.store.file_identity import FileIdentity, LookingConnection
from barcodesvc.store.lane import RETRY_PAUSE, Lane
from barcodesvc.store.products import create_product, insert_products
from barcodesvc.store.queries import Query
from barcodesvc.store.query_times import unobserved

NOW = "2026-01-31T12:00:00.000Z"
CODES = Query("codes", frozenset(), "", "SELECT product_code FROM products NOT INDEXED ORDER BY id")
ENDLESS = Query(
    "endless", frozenset(), "", "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n"
)
KEYS = Query("keys", frozenset(), "", "SELECT idempotency_key FROM idempotency_keys")
BRIEF = Bounds(busy_timeout=0.05)
IMPATIENT = Bounds(busy_timeout=0.05, statement_timeout=1.0)


async def add(database: Database, code: str) -> None:
    """Create a product of this code."""
    await create_product(database, ProductDraft(product_code=code, description="x"), NOW)


async def codes(source: Database | Connection) -> list[str]:
    """Return the codes of all products."""
    return [code for (code,) in await source.rows(CODES)]


async def endless(connection: Connection) -> None:
    """Change something and never come to an end."""
    await insert_products(connection, [ProductDraft(product_code="lost", description="x")], NOW)
    await connection.rows(ENDLESS)


async def sooner_or_later(database: Database, wanted: list[str]) -> None:
    """Read until the codes are these, within ten seconds."""
    async with asyncio.timeout(10.0):
        while True:
            with contextlib.suppress(DatabaseFailure):
                if await codes(database) == wanted:
                    return
            await asyncio.sleep(0.01)


async def well(database: Database, *, wanted: bool) -> None:
    """Ask until the database is well, or is not, within ten seconds."""
    async with asyncio.timeout(10.0):
        while await is_well(database) != wanted:  # noqa: ASYNC110 - the state sends no event
            await asyncio.sleep(0.01)


async def is_well(database: Database) -> bool:
    """Return whether the database is well; one that cannot be asked is not."""
    try:
        return await database.is_well()
    except DatabaseFailure:
        return False


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep the file locked against changes, as another process would."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@pytest.fixture
async def stocked(settings: Settings, standing_clock: Any) -> AsyncIterator[Database]:
    """Return a database with a product A, whose clock a test sets forward; its waits are short."""
    async with open_database(settings.database, bounds=BRIEF, clock=standing_clock.clock()) as database:
        await add(database, "A")
        yield database


def whole(path: Path) -> list[str]:
    """Return the codes in a file that nobody uses, after a check that it is whole."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [code for (code,) in connection.execute("SELECT product_code FROM products ORDER BY id")]


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
        waiting = [asyncio.create_task(database.write(lambda _: gate.wait())) for _ in range(2)]
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
    """What has waited as long as a change may for another process fails with the one in front of it."""
    tried, control = [], Connection.control

    async def noted(connection: Connection, statement: str) -> None:
        tried.append(statement)
        await control(connection, statement)

    async with open_database(settings.database, bounds=Bounds(busy_timeout=0.2)) as database:
        monkeypatch.setattr(Connection, "control", noted)
        with locked(settings.database):
            waiting = (add(database, str(number)) for number in range(20))
            found = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(each) for each in found} == {DatabaseFailure}
        assert tried == ["BEGIN IMMEDIATE"]
        await add(database, "A")
        assert await codes(database) == ["A"]


async def test_a_lock_is_told_before_the_first_change_has_failed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another process keeps a change waiting the database is not well; when the lock goes, it is."""
    monkeypatch.setattr(module, "HELD_UP", 0.05)
    async with open_database(settings.database) as database:
        with locked(settings.database):
            adding = asyncio.create_task(add(database, "A"))
            await well(database, wanted=False)
            assert await codes(database) == []
        await adding
        assert await database.is_well()


async def test_the_end_of_a_lock_is_noticed_without_a_change(settings: Settings, stocked: Database) -> None:
    """After a change has failed the database is unwell until a check has made one."""
    with locked(settings.database):
        with pytest.raises(DatabaseFailure):
            await add(stocked, "B")
        assert not await stocked.is_well()
        assert await codes(stocked) == ["A"]
    await well(stocked, wanted=True)
    await add(stocked, "C")
    assert await codes(stocked) == ["A", "C"]


async def test_a_long_change_is_no_fault(stocked: Database) -> None:
    """Nobody who asks for the state waits behind a transaction, and the state is well."""
    gate = asyncio.Event()
    changing = asyncio.create_task(stocked.write(lambda _: gate.wait()))
    await asyncio.sleep(0)
    assert await stocked.is_well()
    gate.set()
    await changing


async def test_a_full_disk_is_told_until_it_has_room(stocked: Database, caplog: pytest.LogCaptureFixture) -> None:
    """A change that finds no room fails with its cause in the log; a check that finds some ends the fault.

    A bound on the pages of the file stands for the disk.
    """
    await stocked.write(lambda connection: connection.control("PRAGMA max_page_count = 1"))
    large = Query("large", frozenset(), "!", "UPDATE products SET description = zeroblob(10000000)")
    with pytest.raises(DatabaseFailure):
        await stocked.write(lambda connection: connection.change(large))
    assert "database failure in large: database or disk is full (SQLITE_FULL)" in caplog.text
    assert await codes(stocked) == ["A"]
    assert not await is_well(stocked)
    await stocked.rows(CODES)
    await widened(stocked)
    await well(stocked, wanted=True)
    assert "the database takes changes again" in caplog.text
    async with stocked.snapshot() as snapshot:
        assert await snapshot.rows(KEYS) == []


async def test_a_file_that_cannot_be_written_is_opened_anew(stocked: Database) -> None:
    """A change that meets a read-only file makes all connections be opened anew, for they share what is read-only."""
    before = stocked.version()
    await stocked.write(lambda connection: connection.control("PRAGMA query_only = ON"))
    with pytest.raises(DatabaseFailure):
        await add(stocked, "B")
    await sooner_or_later(stocked, ["A"])
    await well(stocked, wanted=True)
    await add(stocked, "C")
    assert await codes(stocked) == ["A", "C"]
    assert stocked.version() != before


async def test_a_change_that_writes_nothing_is_no_end_of_a_fault(stocked: Database) -> None:
    """What found nothing to write is committed on a full disk as well; only a check that writes ends the fault."""
    await stocked.write(lambda connection: connection.control("PRAGMA max_page_count = 1"))
    large = Query("large", frozenset(), "!", "UPDATE products SET description = zeroblob(10000000)")
    with pytest.raises(DatabaseFailure):
        await stocked.write(lambda connection: connection.change(large))
    await stocked.write(codes)
    assert not stocked._condition.writes  # noqa: SLF001 - asking in public would set a check going
    await widened(stocked)
    await well(stocked, wanted=True)


async def test_a_commit_that_a_disk_does_not_answer_is_told(stocked: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is not well while it waits, and well when the commit has ended (no real disk hangs on command)."""
    monkeypatch.setattr(module, "COMMIT_WAIT", 0.05)
    gate, commit = asyncio.Event(), Connection.commit

    async def late(connection: Connection) -> None:
        await gate.wait()
        await commit(connection)

    monkeypatch.setattr(Connection, "commit", late)
    adding = asyncio.create_task(add(stocked, "B"))
    try:
        await well(stocked, wanted=False)
    finally:
        gate.set()
    await adding
    assert await stocked.is_well()


async def widened(database: Database) -> None:
    """Take the bound on the pages away again."""
    await database._file.writer._connection.control(  # type: ignore[union-attr]  # noqa: SLF001 - a disk has no such door
        "PRAGMA max_page_count = 1000000"
    )


async def test_a_broken_page_is_told_until_it_is_mended(
    settings: Settings, stocked: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """Reads of it fail with their cause in the log, others go on; when it is mended all is well, without a restart."""
    await checkpointed(settings.database)
    saved = settings.database.read_bytes()
    root, size = page_of("products", settings.database)
    with settings.database.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    await failing(stocked)
    assert "SQLITE_CORRUPT" in caplog.text
    assert not await is_well(stocked)
    settings.database.write_bytes(saved)
    await well(stocked, wanted=True)
    await sooner_or_later(stocked, ["A"])
    await add(stocked, "B")
    assert await codes(stocked) == ["A", "B"]


async def test_a_broken_page_that_only_changes_need_is_told(settings: Settings, stocked: Database) -> None:
    """A change elsewhere in the file, such as that of a check, is no end of it."""
    await checkpointed(settings.database)
    saved = settings.database.read_bytes()
    root, size = page_of("levels", settings.database)
    with settings.database.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    stocked._file.writer.leave()  # noqa: SLF001 - it remembers the page, and nothing public makes it forget
    with pytest.raises(DatabaseFailure):
        await add(stocked, "B")
    for _ in range(3):
        assert not await is_well(stocked)
        await asyncio.sleep(RETRY_PAUSE)
    settings.database.write_bytes(saved)
    await well(stocked, wanted=True)
    await add(stocked, "C")
    assert await codes(stocked) == ["A", "C"]


async def failing(database: Database) -> None:
    """Read until that fails, with the pages that connections remember forgotten by a change of another one."""
    for _ in range(20):
        try:
            async with database.snapshot() as fresh:
                await codes(fresh)
        except DatabaseFailure:
            return
    pytest.fail("a broken page was read")


async def checkpointed(path: Path) -> None:
    """Bring what is in the log into the file, in a thread, for the service's own connections are in this one."""

    def bring() -> None:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    await asyncio.to_thread(bring)


def page_of(table: str, path: Path) -> tuple[int, int]:
    """Return the number of a table's first page, and the size of a page."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        [root] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        [size] = connection.execute("PRAGMA page_size").fetchone()
    return root, size


async def test_a_deleted_file_is_missed_and_not_made_anew(
    settings: Settings, stocked: Database, standing_clock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Reads and changes fail while nothing stands at the path; a file put back there is taken up."""
    aside = settings.database.with_name("aside.db")
    settings.database.rename(aside)
    standing_clock.advance(1.0)
    assert stocked.version() is None
    for attempt in (codes(stocked), add(stocked, "B"), stocked.is_well()):
        with pytest.raises(DatabaseFailure):
            await attempt
    assert not settings.database.exists()
    assert "test.db is gone" in caplog.text
    assert whole(aside) == ["A"]
    aside.rename(settings.database)
    await sooner_or_later(stocked, ["A"])
    await add(stocked, "C")
    await well(stocked, wanted=True)
    assert await codes(stocked) == ["A", "C"]


async def test_who_waited_for_an_opening_that_failed_fails_with_it() -> None:
    """However long the opening took, those behind it do not try one after the other."""
    tried: list[str] = []

    async def failed() -> Connection:
        tried.append("open")
        await asyncio.sleep(RETRY_PAUSE * 1.5)
        raise DatabaseFailure("no")

    lane = Lane(failed)
    found = await asyncio.gather(*(lane.connection() for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in found] == [DatabaseFailure] * 3
    assert tried == ["open"]


async def test_who_goes_away_does_not_break_off_the_opening(
    stocked: Database, monkeypatch: pytest.MonkeyPatch, until: Any
) -> None:
    """A file that takes longer to open than anybody asks is open in the end (no real one is slow on command)."""
    gate, opened, tried = asyncio.Event(), opened_file.open_file, []

    async def slow(*arguments: Any) -> Any:
        tried.append("open")
        await gate.wait()
        return await opened(*arguments)

    monkeypatch.setattr(module, "open_file", slow)
    stocked._file.terms.identity.give_up()  # noqa: SLF001 - as after a change that met a read-only file
    for _ in range(3):
        asking = asyncio.create_task(codes(stocked))
        await until(lambda: tried)
        asking.cancel()
        await asyncio.wait([asking])
    gate.set()
    assert await codes(stocked) == ["A"]
    assert tried == ["open"]


async def test_an_opening_that_hangs_is_given_up(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits is told so after the bound; the next opening may succeed (no real disk hangs on command)."""
    async with open_database(settings.database, bounds=Bounds(busy_timeout=0.05, statement_timeout=0.2)) as database:
        await add(database, "A")
        monkeypatch.setattr(opened_file, "prepare", lambda *_: asyncio.Event().wait())
        database._file.terms.identity.give_up()  # noqa: SLF001 - as after a change that met a read-only file
        async with asyncio.timeout(10.0):
            for _ in range(2):
                with pytest.raises(DatabaseFailure):
                    await codes(database)
        monkeypatch.undo()
        await sooner_or_later(database, ["A"])


async def test_a_change_to_a_file_that_was_moved_is_never_answered(settings: Settings, stocked: Database) -> None:
    """A change fails where the file goes before its commit, however short a while ago anybody looked."""
    aside = settings.database.with_name("aside.db")

    async def work(connection: Connection) -> None:
        await insert_products(connection, [ProductDraft(product_code="lost", description="x")], NOW)
        settings.database.rename(aside)

    with pytest.raises(DatabaseFailure):
        await stocked.write(work)
    await sooner_or_later_gone(stocked)
    assert whole(aside) == ["A"]


async def test_a_change_behind_whose_commit_the_file_has_gone_is_not_said_to_be_undone(
    settings: Settings, stocked: Database
) -> None:
    """The look behind a commit finds the file moved: the change is there, and nobody is told that nothing changed."""
    aside = settings.database.with_name("aside.db")
    looks = iter((lambda: None, lambda: settings.database.rename(aside)))
    identity = stocked._file.terms.identity  # noqa: SLF001 - nothing else comes between a commit and the look
    look = identity.look

    async def work(connection: Connection) -> None:
        await insert_products(connection, [ProductDraft(product_code="B", description="x")], NOW)
        identity.look = lambda: (next(looks)(), look())[1]  # type: ignore[method-assign]  # as above

    with pytest.raises(DatabaseFailure, match="did not confirm"):
        await stocked.write(work)
    await sooner_or_later_gone(stocked)
    assert whole(aside) == ["A", "B"]


async def test_a_folder_that_became_a_file_is_a_fault(
    settings: Settings, stocked: Database, standing_clock: Any
) -> None:
    """Whatever hides the file, requests end with a failure of the database, and it is opened when it is back."""
    folder, aside = settings.database.parent, settings.database.parent.with_name("aside")
    folder.rename(aside)
    folder.write_text("")
    standing_clock.advance(1.0)
    for attempt in (codes(stocked), add(stocked, "B"), stocked.is_well()):
        with pytest.raises(DatabaseFailure):
            await attempt
    folder.unlink()
    aside.rename(folder)
    await sooner_or_later(stocked, ["A"])
    await well(stocked, wanted=True)


async def test_a_lack_of_memory_is_a_fault(stocked: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where SQLite finds no memory, Python raises MemoryError; a change that meets it fails as with any other fault."""

    def lack(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(LookingConnection, "commit", lack)
        with pytest.raises(DatabaseFailure):
            await add(stocked, "B")
    assert not stocked._condition.writes  # noqa: SLF001 - asking in public would set a check going
    await well(stocked, wanted=True)
    assert await codes(stocked) == ["A"]


async def test_the_whole_file_is_read_only_after_a_broken_page(
    stocked: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what a disk did not answer, a read on a new connection shows the end, however large the file is."""
    monkeypatch.setattr(Connection, "is_whole", lambda _: pytest.fail("the whole file is read"))
    stocked._condition.read_failed("scan", StuckError("no end"))  # noqa: SLF001 - no real disk hangs on command
    await well(stocked, wanted=True)


async def test_a_check_of_the_whole_file_may_take_longer_than_a_statement(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is not well meanwhile and well in the end; its close does not wait for a check that goes on."""
    gate = asyncio.Event()
    whole_in_time = Connection.is_whole

    async def long(connection: Connection) -> bool:
        await gate.wait()
        return await whole_in_time(connection)

    broken = sqlite3.DatabaseError("broken")
    broken.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    monkeypatch.setattr(Connection, "is_whole", long)
    bounds = Bounds(busy_timeout=0.05, statement_timeout=0.05)
    async with asyncio.timeout(10.0), open_database(settings.database, bounds=bounds) as database:
        database._condition.read_failed("scan", broken)  # noqa: SLF001 - a file that is mended by itself
        for _ in range(2):
            assert not await is_well(database)
        gate.set()
        await well(database, wanted=True)
        gate.clear()
        database._condition.read_failed("scan", broken)  # noqa: SLF001 - as above
        assert not await is_well(database)


async def test_a_long_check_breaks_off_at_the_close(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement without an end stands for the check of a very large file."""

    async def endless_check(connection: Connection) -> bool:
        await connection._connection.execute_fetchall(ENDLESS.sql)  # noqa: SLF001 - as is_whole does it
        return True

    broken = sqlite3.DatabaseError("broken")
    broken.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    monkeypatch.setattr(Connection, "is_whole", endless_check)
    async with asyncio.timeout(10.0), open_database(settings.database) as database:
        database._condition.read_failed("scan", broken)  # noqa: SLF001 - a file that is mended by itself
        assert not await is_well(database)


async def sooner_or_later_gone(database: Database) -> None:
    """Let the database notice that its file is gone, and close it."""
    for _ in range(2):
        with pytest.raises(DatabaseFailure):
            await codes(database)


async def test_a_file_renamed_over_the_database_is_taken_up(
    settings: Settings, stocked: Database, standing_clock: Any
) -> None:
    """Within a second it is read and written, with nothing of the former file's log; numbers of versions are new."""
    other = settings.database.with_name("other.db")
    async with open_database(other) as made:
        await add(made, "other")
    before = stocked.version()
    other.rename(settings.database)
    standing_clock.advance(1.0)
    await sooner_or_later(stocked, ["other"])
    assert stocked.version() not in {None, before}
    await add(stocked, "more")
    assert await codes(stocked) == ["other", "more"]


@pytest.mark.parametrize("ending", ["-wal", "-shm"])
async def test_a_log_that_was_removed_loses_nothing(
    settings: Settings, stocked: Database, standing_clock: Any, ending: str
) -> None:
    """What was answered before is there, a change meanwhile fails or stays, and later ones are in a new log."""
    settings.database.with_name(f"test.db{ending}").unlink()
    with pytest.raises(DatabaseFailure):
        await add(stocked, "B")
    standing_clock.advance(1.0)
    await sooner_or_later(stocked, ["A"])
    await add(stocked, "C")
    await stocked.finish()
    copy = settings.database.with_name("copy.db")
    await checkpointed(settings.database)
    shutil.copy(settings.database, copy)
    assert whole(copy) == ["A", "C"]


async def test_work_in_the_background_is_tried_again(
    settings: Settings, stocked: Database, monkeypatch: pytest.MonkeyPatch, until: Any
) -> None:
    """A failure holds it up only as long as its cause lasts."""
    monkeypatch.setattr(module, "REPEAT_PAUSE", 0.01)
    done: list[str] = []

    async def step(_: Connection) -> bool:
        done.append("step")
        return False

    with locked(settings.database):
        stocked.repeat(step)
        with pytest.raises(DatabaseFailure):
            await add(stocked, "B")
    await until(lambda: done == ["step"])
