"""Restores of a file: they keep the former database, and change nothing if they cannot be completed."""

import asyncio
import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from barcodesvc.errors import BackupError
from barcodesvc.store.sqlite.backup import back_up, restore
from barcodesvc.store.sqlite.database import open_database
from tests.store.sqlite.copied import NOON, add, change, codes_in, content, made, names_in, restore_from


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
        ("newer.db", "schema version 9999, this release knows"),
        ("torn.db", "rows without their product"),
        ("notes.db", "belongs to another program"),
        ("text.db", "file is not a database"),
    ):
        with pytest.raises(BackupError, match=message):
            restore_from(tmp_path / name, database_file)
    assert codes_in(database_file) == ["A"]


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


async def test_a_damaged_database_is_moved_away_by_its_owner(database_file: Path, tmp_path: Path) -> None:
    """A restore refuses, and leaves it and its log as they are; without them it goes on."""
    await made(tmp_path / "copy.db", "A")
    log = database_file.with_name("test.db-wal")
    database_file.write_text("garbage " * 1000)
    log.write_text("more")
    with pytest.raises(BackupError, match="file is not a database; move the previous database away first"):
        restore_from(tmp_path / "copy.db", database_file)
    assert (database_file.read_text(), log.read_text()) == ("garbage " * 1000, "more")
    database_file.unlink()
    with pytest.raises(BackupError, match=r"test\.db-wal is left over from an old test\.db; move it away first"):
        restore_from(tmp_path / "copy.db", database_file)
    log.unlink()
    database_file.with_name("test.db-shm").unlink(missing_ok=True)
    restore_from(tmp_path / "copy.db", database_file)
    assert codes_in(database_file) == ["A"]


@pytest.mark.parametrize("name", ["aside", "aside-wal"])
async def test_a_file_that_was_kept_is_not_overwritten(database_file: Path, tmp_path: Path, name: str) -> None:
    """The database stays as it is, too."""
    await made(tmp_path / "copy.db", "A")
    await made(database_file, "B")
    (tmp_path / name).write_text("precious")
    with pytest.raises(BackupError, match=name):
        restore_from(tmp_path / "copy.db", database_file)
    assert ((tmp_path / name).read_text(), codes_in(database_file)) == ("precious", ["B"])


async def test_a_restore_that_fails_changes_nothing(
    database_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the last step is refused, the database has no second name."""
    back_up(await made(tmp_path / "first.db", "A"), tmp_path / "copy.db", overwrite=False, now=NOON)
    await made(database_file, "B")
    before = names_in(tmp_path)

    def refuse(_: Path, target: Path) -> None:
        raise FileExistsError(errno.EEXIST, "File exists", str(target))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(BackupError, match="File exists"):
        restore_from(tmp_path / "copy.db", database_file)
    assert (names_in(tmp_path), codes_in(database_file)) == (before, ["B"])
