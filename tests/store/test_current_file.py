"""A file that was deleted, moved, replaced or could not be written: what becomes of work, and how it is opened anew."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure
from barcodesvc.store import current_file as module, opened_file
from barcodesvc.store.connection import Bounds, Connection
from barcodesvc.store.database import Database, open_database
from barcodesvc.store.file_identity import FileIdentity
from barcodesvc.store.lane import RETRY_PAUSE, Lane
from barcodesvc.store.statements import Statements
from tests.store.faulty import (
    add,
    checkpointed,
    codes,
    insert,
    sooner_or_later,
    sooner_or_later_gone,
    well,
    whole,
)


async def test_a_file_that_cannot_be_written_is_opened_anew(stocked: Database) -> None:
    """A change that meets a read-only file makes all connections be opened anew, for they share what is read-only."""
    before = stocked.version()
    await stocked.write_long(lambda connection: connection.control("PRAGMA query_only = ON"))
    with pytest.raises(DatabaseFailure):
        await add(stocked, "B")
    await sooner_or_later(stocked, ["A"])
    await well(stocked, wanted=True)
    await add(stocked, "C")
    assert await codes(stocked) == ["A", "C"]
    assert stocked.version() != before


async def test_what_cannot_be_written_yet_is_read_on(
    stocked: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As long as the system lets nobody write, nothing is opened anew, however many changes and questions fail."""
    monkeypatch.setattr(FileIdentity, "can_be_written", lambda _: False)
    monkeypatch.setattr(module, "REOPEN_PAUSE", 0.0)
    monkeypatch.setattr(opened_file, "_set_up", lambda writer: writer.execute_fetchall("PRAGMA query_only = ON"))
    before = stocked.version()
    await stocked.write_long(lambda connection: connection.control("PRAGMA query_only = ON"))
    for _ in range(3):
        with pytest.raises(DatabaseFailure):
            await add(stocked, "B")
        assert not await stocked.is_well()
    assert await codes(stocked) == ["A"]
    assert stocked.version() == before
    assert "opened anew" not in caplog.text
    monkeypatch.undo()
    await well(stocked, wanted=True)
    await add(stocked, "C")
    assert await codes(stocked) == ["A", "C"]


async def test_trust_lasts_as_long_as_it_is_made_use_of(stocked: Database, standing_clock: Any) -> None:
    """Whoever asks for the state again and again needs no read; whoever asks after a long while does."""
    await codes(stocked)
    file, ended = stocked._file, set[Any]()  # noqa: SLF001 - the read that asking lets go ahead has no other sign
    for read in range(1, 5):
        standing_clock.advance(0.6)
        assert stocked.version() is not None
        assert file._vouching is not None  # noqa: SLF001 - as above
        await file._vouching  # noqa: SLF001 - as above
        ended.add(file._vouching)  # noqa: SLF001 - as above
        assert len(ended) == read
    standing_clock.advance(1.1)
    assert stocked.version() is None


async def test_nothing_is_opened_anew_beside_a_snapshot(stocked: Database, caplog: pytest.LogCaptureFixture) -> None:
    """As long as one has the former file open, whoever asks is told of a failure; behind it all goes on."""
    async with stocked.snapshot():
        stocked._file.identity.give_up()  # noqa: SLF001 - as after a change that met a read-only file
        with pytest.raises(DatabaseFailure):
            await codes(stocked)
        assert "the former file is still read" in caplog.text
    await sooner_or_later(stocked, ["A"])


async def test_whoever_only_writes_finds_a_file_that_was_put_there(settings: Settings, stocked: Database) -> None:
    """Changes open it as well as reads do, and none is lost."""
    stocked._file.identity.give_up()  # noqa: SLF001 - as above
    await add(stocked, "B")
    assert whole(settings.database) == ["A", "B"]


def test_who_may_write_is_asked_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Database, log, index and folder have to be writable, and none of them is opened to find out."""
    path = tmp_path / "shop.db"
    files = [path, tmp_path / "shop.db-wal", tmp_path / "shop.db-shm"]
    for file in files:
        file.touch()
    identity = FileIdentity(path, lambda: 0.0)
    assert identity.can_be_written()
    for refused in [*files, tmp_path]:
        monkeypatch.setattr(os, "access", lambda file, *_, refused=refused, **__: Path(file) != refused)
        assert not identity.can_be_written()


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
    stocked._file.identity.give_up()  # noqa: SLF001 - as after a change that met a read-only file
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
        database._file.identity.give_up()  # noqa: SLF001 - as after a change that met a read-only file
        async with asyncio.timeout(10.0):
            for _ in range(2):
                with pytest.raises(DatabaseFailure):
                    await codes(database)
        monkeypatch.undo()
        await sooner_or_later(database, ["A"])


async def test_a_change_to_a_file_that_was_moved_is_never_answered(settings: Settings, stocked: Database) -> None:
    """A change fails where the file goes before its commit, however short a while ago anybody looked."""
    aside = settings.database.with_name("aside.db")

    def work(statements: Statements) -> None:
        insert(statements, "lost")
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
    identity = stocked._file.identity  # noqa: SLF001 - nothing else comes between a commit and the look
    look = identity.look

    def work(statements: Statements) -> None:
        insert(statements, "B")
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
