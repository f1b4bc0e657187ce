from __future__ import annotations

import asyncio
import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from barcodesvc.errors import BackupError
from barcodesvc.print_jobs import JobState
from barcodesvc.store.print_jobs import NewJob, QueueLimits, get_job, queue, waiting_jobs
from barcodesvc.store.sqlite.backup import back_up, restore
from barcodesvc.store.sqlite.database import open_database
from tests.store.sqlite.copied import LATER, NOON, add, change, codes_in, content, made, names_in, restore_from


async def test_a_restore_keeps_the_former_database(database_file: Path, tmp_path: Path) -> None:
    """The backup gets the permissions of the former file, which is kept with the changes in its log."""
    async with open_database(database_file) as database:
        await add(database, "A")
        await asyncio.to_thread(back_up, database_file, tmp_path / "copy.db", overwrite=False, now=NOON)
        await add(database, "B")
        killed = {name: content(tmp_path / name) for name in ("test.db", "test.db-wal")}
    for name, data in killed.items():
        (tmp_path / name).write_bytes(data)
    database_file.chmod(0o640)
    assert restore_from(tmp_path / "copy.db", database_file) == f"1 products, last changed at {NOON}, checked"
    assert codes_in(tmp_path / "aside") == ["A", "B"]
    assert database_file.stat().st_mode & 0o777 == 0o640
    assert names_in(tmp_path) == {"test.db", "copy.db", "aside"}
    await made(database_file, "more")
    assert codes_in(database_file) == ["A", "more"]


async def test_a_restore_creates_a_missing_database(database_file: Path, tmp_path: Path) -> None:
    """There was nothing to keep."""
    await made(tmp_path / "copy.db", "A")
    restore_from(tmp_path / "copy.db", database_file)
    assert codes_in(database_file) == ["A"]
    assert not (tmp_path / "aside").exists()


async def test_a_database_in_use_is_not_replaced(database_file: Path, tmp_path: Path) -> None:
    """Even an idle service counts as use."""
    await made(tmp_path / "copy.db", "A")
    async with open_database(database_file) as database:
        with pytest.raises(BackupError, match="is in use; stop the service first"):
            await asyncio.to_thread(restore_from, tmp_path / "copy.db", database_file)
        await add(database, "B")
    assert codes_in(database_file) == ["B"]
    assert not (tmp_path / "aside").exists()


async def test_a_database_that_another_program_reads_is_not_replaced(database_file: Path, tmp_path: Path) -> None:
    """Even if it has no log, as a backup that was never served."""
    back_up(await made(tmp_path / "first.db", "A"), database_file, overwrite=False, now=NOON)
    back_up(await made(tmp_path / "first.db", "B"), tmp_path / "copy.db", overwrite=False, now=NOON)
    with closing(sqlite3.connect(database_file, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT id FROM products").fetchall()
        with pytest.raises(BackupError, match="is in use; stop the service first"):
            restore_from(tmp_path / "copy.db", database_file)
    assert codes_in(database_file) == ["A"]


async def test_a_file_that_is_not_a_valid_backup_is_refused(database_file: Path, tmp_path: Path) -> None:
    """From a newer release, a text file, another program's database, and one with rows without their product."""
    await made(database_file, "A")
    for name in ("newer.db", "torn.db"):
        await made(tmp_path / name, "B")
    change(tmp_path / "newer.db", "UPDATE schema_version SET version = 9999")
    change(tmp_path / "torn.db", "DELETE FROM products")
    change(tmp_path / "notes.db", "CREATE TABLE notes (id INTEGER)")
    (tmp_path / "text.db").write_text("no database " * 1000)
    for name, message in (
        ("newer.db", "schema version 9999, which only a newer release"),
        ("torn.db", "rows without their product"),
        ("notes.db", "not a database of this service"),
        ("text.db", "file is not a database"),
    ):
        with pytest.raises(BackupError, match=message):
            restore_from(tmp_path / name, database_file)
    assert codes_in(database_file) == ["A"]


async def test_a_damaged_database_is_kept_with_its_log(database_file: Path, tmp_path: Path) -> None:
    """SQLite does not open it for writing, which would delete the log; an existing name is never overwritten."""
    await made(tmp_path / "copy.db", "A")
    database_file.write_text("garbage " * 1000)
    database_file.with_name("test.db-wal").write_text("more")
    restore_from(tmp_path / "copy.db", database_file)
    assert codes_in(database_file) == ["A"]
    assert (tmp_path / "aside").read_text().startswith("garbage")
    assert (tmp_path / "aside-wal").read_text() == "more"
    with pytest.raises(BackupError, match="aside exists already; move it away first"):
        restore_from(tmp_path / "copy.db", database_file)
    (tmp_path / "aside").unlink()
    with pytest.raises(BackupError, match="aside-wal exists already; move it away first"):
        restore_from(tmp_path / "copy.db", database_file)


async def test_a_log_of_a_missing_database_is_kept(database_file: Path, tmp_path: Path) -> None:
    """A killed service left it; it is not applied to the backup."""
    await made(tmp_path / "copy.db", "A")
    async with open_database(database_file) as database:
        await add(database, "B")
        left = content(tmp_path / "test.db-wal")
    database_file.unlink()
    (tmp_path / "test.db-wal").write_bytes(left)
    restore_from(tmp_path / "copy.db", database_file)
    assert codes_in(database_file) == ["A"]
    assert (tmp_path / "aside-wal").read_bytes() == left


async def test_a_backup_prints_no_job_by_itself(database_file: Path, tmp_path: Path) -> None:
    """Jobs that were not over may have been printed since, whether it is restored or served as it is.

    A backup of an older release has none, and one that was made without `backup` does not say that they are in doubt.
    """
    async with open_database(tmp_path / "first.db") as database:
        for _ in range(2):
            await database.change(lambda: queue(NewJob("zebra", 3, "{}", NOON), QueueLimits(9, 99)))
    change(
        tmp_path / "first.db",
        "UPDATE print_jobs SET state = 'sending', labels_sure = 1, labels_unsure = 1 WHERE id = 1",
    )
    back_up(tmp_path / "first.db", tmp_path / "copy.db", overwrite=False, now=NOON)
    async with open_database(tmp_path / "copy.db") as database:
        assert await waiting_jobs(database) == {}
    restore_from(tmp_path / "first.db", database_file)
    async with open_database(database_file) as database:
        sending, waiting = [await get_job(database, "zebra", job_id) for job_id in (1, 2)]
        assert await waiting_jobs(database) == {}
    assert (sending.state, sending.labels_sure, sending.labels_unsure) == (JobState.IN_DOUBT, 1, 2)
    assert (waiting.state, waiting.labels_unsure, waiting.updated_at) == (JobState.IN_DOUBT, 3, LATER)
    change(tmp_path / "copy.db", "DROP TABLE print_jobs")
    restore(tmp_path / "copy.db", database_file, aside=tmp_path / "second", now=LATER)


async def test_no_print_job_gets_an_id_that_one_since_the_backup_had(database_file: Path, tmp_path: Path) -> None:
    """Clients that know the former job by it would take the new one for that."""

    async def queued(path: Path) -> int:
        async with open_database(path) as database:
            return (await database.change(lambda: queue(NewJob("zebra", 3, "{}", NOON), QueueLimits(9, 99)))).id

    await queued(database_file)
    back_up(database_file, tmp_path / "copy.db", overwrite=False, now=NOON)
    lost = await queued(database_file)
    restore_from(tmp_path / "copy.db", database_file)
    assert await queued(database_file) > lost
    assert await queued(database_file) == 1772280002  # follows 2026-02-28T12:00:01


@pytest.mark.usefixtures("no_hard_links")
async def test_a_file_system_without_hard_links_is_supported(database_file: Path, tmp_path: Path) -> None:
    """Backup and restore work there too, and leave no other file."""
    await made(database_file, "A")
    back_up(database_file, tmp_path / "copy.db", overwrite=False, now=NOON)
    await made(database_file, "B")
    restore_from(tmp_path / "copy.db", database_file)
    assert names_in(tmp_path) == {"test.db", "copy.db", "aside"}
    assert [codes_in(tmp_path / name) for name in ("test.db", "aside")] == [["A"], ["A", "B"]]


async def test_a_restore_follows_a_link(database_file: Path, tmp_path: Path, elsewhere: Path) -> None:
    """The file on the other file system is replaced and kept there, and the link stays."""
    await made(elsewhere / "real.db", "A")
    database_file.symlink_to(elsewhere / "real.db")
    back_up(database_file, tmp_path / "copy.db", overwrite=False, now=NOON)
    await made(database_file, "B")
    restore(tmp_path / "copy.db", database_file, aside=elsewhere / "aside", now=NOON)
    assert (codes_in(elsewhere / "real.db"), codes_in(elsewhere / "aside")) == (["A"], ["A", "B"])
    assert database_file.is_symlink()
    assert names_in(elsewhere) == {"real.db", "aside"}


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
async def test_a_restore_that_fails_changes_nothing(
    database_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    links: bool,  # noqa: FBT001 - a case
) -> None:
    """If the last step is refused, the database and its log get their names back."""
    if not links:
        request.getfixturevalue("no_hard_links")
    back_up(await made(tmp_path / "first.db", "A"), tmp_path / "copy.db", overwrite=False, now=NOON)
    lost = [tmp_path / name for name in ("test.db", "test.db-wal", "test.db-journal")]
    for file in lost:
        file.write_text(f"garbage of {file.name}")
    before, replace = names_in(tmp_path), Path.replace

    def refuse(source: Path, target: Path) -> None:
        if source.suffix == ".part":
            raise FileExistsError(errno.EEXIST, "File exists", target)
        replace(source, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(BackupError, match="File exists"):
        restore_from(tmp_path / "copy.db", database_file)
    assert names_in(tmp_path) == before
    assert [file.read_text() for file in lost] == [f"garbage of {file.name}" for file in lost]
