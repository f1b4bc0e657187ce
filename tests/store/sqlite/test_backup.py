"""Backups of a file: complete, of one moment, and never in place of a database, its log or another file."""

import asyncio
import contextlib
import sqlite3
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.errors import BackupError
from barcodesvc.models import LevelUpdate
from barcodesvc.store.database import Database
from barcodesvc.store.sqlite.backup import back_up
from barcodesvc.store.sqlite.database import open_database
from tests.stock import set_level
from tests.store.sqlite.copied import NOON, add, codes_in, content, made, names_in, restore_from


async def test_a_backup_is_one_complete_file(database_file: Path, tmp_path: Path) -> None:
    """It contains rows that were only in the log of a served database, needs no log, and leaves no temporary file."""
    async with open_database(database_file) as database:
        await add(database, "A")
        summary = await asyncio.to_thread(back_up, database_file, tmp_path / "copy.db", overwrite=False, now=NOON)
    assert summary == f"1 products, last changed at {NOON}, checked"
    assert names_in(tmp_path) == {"test.db", "copy.db"}
    assert codes_in(tmp_path / "copy.db") == ["A"]


async def test_a_backup_is_of_one_moment(database_file: Path, tmp_path: Path) -> None:
    """While products and levels change, each level in a backup is that of its last change in it."""
    async with open_database(database_file) as database:
        for number in range(50):
            await add(database, f"first {number}")
        writing = asyncio.create_task(written(database))
        for number in range(5):
            await asyncio.to_thread(back_up, database_file, tmp_path / f"{number}.db", overwrite=False, now=NOON)
        assert not writing.done()
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
    sizes = [len(codes_in(tmp_path / f"{number}.db")) for number in range(5)]
    assert sizes == sorted(sizes)
    for number in range(5):
        assert differing(tmp_path / f"{number}.db") == []


async def written(database: Database) -> None:
    """Create products and set their levels, in an endless loop."""
    number = 0
    while True:
        number += 1
        product = await add(database, f"more {number}")
        await set_level(database, product, LevelUpdate(new_level=number), NOON)


def differing(path: Path) -> list[tuple[int]]:
    """Return the products whose level is not that of their last change."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(
            "SELECT product_id FROM levels WHERE current_level <> COALESCE((SELECT new_level FROM movements "
            "WHERE movements.product_id = levels.product_id ORDER BY id DESC LIMIT 1), 0)"
        ).fetchall()


async def test_a_file_is_only_overwritten_with_force(database_file: Path, tmp_path: Path) -> None:
    """Without it the file does not change; with it the whole file is replaced."""
    await made(database_file, "A")
    (tmp_path / "copy.db").write_text("precious")
    with pytest.raises(BackupError, match="it already exists; name another file, or overwrite it with --force"):
        back_up(database_file, tmp_path / "copy.db", overwrite=False, now=NOON)
    assert (tmp_path / "copy.db").read_text() == "precious"
    back_up(database_file, tmp_path / "copy.db", overwrite=True, now=NOON)
    assert codes_in(tmp_path / "copy.db") == ["A"]


async def test_a_file_that_appears_meanwhile_is_not_overwritten(
    database_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program creates it while the database is copied."""
    await made(database_file, "A")
    real = tempfile.mkdtemp

    def beginning(*options: Any) -> str:
        (tmp_path / "copy.db").write_text("precious")
        folder: str = real(*options)
        return folder

    monkeypatch.setattr(tempfile, "mkdtemp", beginning)
    with pytest.raises(BackupError, match="File exists"):
        back_up(database_file, tmp_path / "copy.db", overwrite=False, now=NOON)
    assert (tmp_path / "copy.db").read_text() == "precious"


async def test_a_damaged_database_is_not_backed_up(database_file: Path, tmp_path: Path) -> None:
    """The previous backup is kept, and no temporary file is left."""
    await made(database_file, *(str(number) for number in range(100)))
    damaged = bytearray(database_file.read_bytes())
    damaged[4096 : len(damaged) // 2] = b"\xff" * (len(damaged) // 2 - 4096)  # not its first page
    database_file.write_bytes(damaged)
    (tmp_path / "copy.db").write_text("yesterday's")
    with pytest.raises(BackupError, match=r"cannot be copied to .*copy\.db: "):
        back_up(database_file, tmp_path / "copy.db", overwrite=True, now=NOON)
    assert (tmp_path / "copy.db").read_text() == "yesterday's"
    assert not {name for name in names_in(tmp_path) if ".part" in name}


async def test_a_database_whose_index_is_wrong_is_not_backed_up(database_file: Path, tmp_path: Path) -> None:
    """Such a file can be read and copied without an error, but scans and lists would miss products."""
    await made(database_file, "A")
    with contextlib.closing(sqlite3.connect(database_file)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, '(category', '(unit_of_measure') "
            "WHERE name = 'products_by_category'"
        )
    with pytest.raises(BackupError, match="the file is damaged: row 1 missing from index products_by_category"):
        back_up(database_file, tmp_path / "copy.db", overwrite=False, now=NOON)
    assert names_in(tmp_path) == {"test.db"}


async def test_a_log_of_a_former_file_is_not_applied_to_a_backup(database_file: Path, tmp_path: Path) -> None:
    """SQLite would apply the log to the backup, so it must be moved away first."""
    await made(database_file, "A")
    (tmp_path / "copy.db-wal").write_text("left")
    with pytest.raises(BackupError, match=r"copy\.db-wal is left over from an old copy\.db; move it away first"):
        back_up(database_file, tmp_path / "copy.db", overwrite=True, now=NOON)
    assert names_in(tmp_path) == {"test.db", "copy.db-wal"}


async def test_a_backup_follows_a_link(database_file: Path, tmp_path: Path, elsewhere: Path) -> None:
    """The link may lead to another file system, and to a file that does not exist yet."""
    await made(database_file, "A")
    (tmp_path / "copy.db").symlink_to(elsewhere / "real.db")
    for overwrite in (False, True):
        back_up(database_file, tmp_path / "copy.db", overwrite=overwrite, now=NOON)
        assert codes_in(elsewhere / "real.db") == ["A"]
    assert (tmp_path / "copy.db").is_symlink()


@pytest.mark.parametrize("link", [None, Path.symlink_to, Path.hardlink_to], ids=["itself", "symlink", "hardlink"])
async def test_a_database_is_not_a_backup_of_itself(database_file: Path, tmp_path: Path, link: object) -> None:
    """By its own name or through a link."""
    database = await made(database_file, "A-1")
    other = tmp_path / "link.db" if callable(link) else database
    if callable(link):
        link(other, database)
    for act in (partial(back_up, database, other, overwrite=True, now=NOON), partial(restore_from, other, database)):
        with pytest.raises(BackupError, match="is the database itself"):
            act()
    assert codes_in(database) == ["A-1"]


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("path", ["plain", "symlink"])
async def test_the_log_of_a_database_is_not_overwritten(
    database_file: Path, tmp_path: Path, ending: str, path: str
) -> None:
    """By any path, whether or not the file exists; the same holds for the log of another database."""
    await made(tmp_path / "other.db", "B")
    own = target = Path(f"{database_file}{ending}")
    if path == "symlink":
        target = tmp_path / "link.db"
        target.symlink_to(own)
    async with open_database(database_file) as database:
        await add(database, "A")
        before = content(own)
        for source in (database_file, tmp_path / "other.db"):
            for act in (
                partial(back_up, source, target, overwrite=True, now=NOON),
                partial(restore_from, source, target),
            ):
                with pytest.raises(BackupError, match=r"SQLite reserves the name .* for the log of a database; name"):
                    await asyncio.to_thread(act)
        assert content(own) == before
    assert codes_in(database_file) == ["A"]


async def test_a_hard_link_to_a_log_is_replaced_and_the_log_stays(database_file: Path, tmp_path: Path) -> None:
    """A backup replaces the name, never the content that it linked to."""
    async with open_database(database_file) as database:
        await add(database, "A")
        log = content(tmp_path / "test.db-wal")
        (tmp_path / "link.db").hardlink_to(tmp_path / "test.db-wal")
        await asyncio.to_thread(back_up, database_file, tmp_path / "link.db", overwrite=True, now=NOON)
        assert content(tmp_path / "test.db-wal") == log
    assert codes_in(database_file) == codes_in(tmp_path / "link.db") == ["A"]


@pytest.mark.parametrize("name", ["-wal", "wal", "shop.db-wal2", "n" * 247])
async def test_other_names_are_accepted(database_file: Path, tmp_path: Path, name: str) -> None:
    """No database has a log with such a name; a long one leaves room for the eight characters that SQLite appends."""
    await made(database_file, "A")
    back_up(database_file, tmp_path / name, overwrite=False, now=NOON)
    assert codes_in(tmp_path / name) == ["A"]
