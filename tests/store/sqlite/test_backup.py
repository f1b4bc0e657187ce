import asyncio
import contextlib
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.errors import BackupError
from barcodesvc.models import LevelUpdate
from barcodesvc.store.database import Database
from barcodesvc.store.sqlite.backup import back_up
from barcodesvc.store.sqlite.database import open_database
from tests.stock import set_level
from tests.store.sqlite.copied import NOON, add, codes_in, damage, made, names_in


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
    damage(database_file)
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
