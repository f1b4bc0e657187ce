from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from pathlib import Path

import pytest

from barcodesvc.errors import BackupError
from barcodesvc.models import LevelUpdate
from barcodesvc.store.database import Database
from barcodesvc.store.inventory import set_level
from barcodesvc.store.sqlite.backup import Contents, back_up, restore
from barcodesvc.store.sqlite.database import open_database
from barcodesvc.store.sqlite.migrations import migration_scripts
from tests.store.sqlite.copied import NOON, add, codes_in, damage, made, names_in

VERSION = max(migration_scripts())


async def test_a_copy_is_whole_and_one_file(database_file: Path, tmp_path: Path) -> None:
    """What is in the log of a database in use is in the copy, which needs no log, and nothing else is left."""
    async with open_database(database_file) as database:
        await add(database, "A")
        contents = await asyncio.to_thread(back_up, database_file, tmp_path / "copy.db", overwrite=False)
    assert contents == Contents(VERSION, NOON, 1, 0, made=1)
    assert names_in(tmp_path) == {"test.db", "copy.db"}
    assert codes_in(tmp_path / "copy.db") == ["A"]


async def test_a_copy_taken_beside_changes_is_one_moment(database_file: Path, tmp_path: Path) -> None:
    """While products come in and levels change, each copy opens, and each level in it is that of its last change."""
    async with open_database(database_file) as database:
        for number in range(50):
            await add(database, f"first {number}")
        writing = asyncio.create_task(written(database))
        for number in range(5):
            await asyncio.to_thread(back_up, database_file, tmp_path / f"{number}.db", overwrite=False)
        assert not writing.done()
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
    sizes = [len(codes_in(tmp_path / f"{number}.db")) for number in range(5)]
    assert sizes == sorted(sizes)
    for number in range(5):
        assert differing(tmp_path / f"{number}.db") == []


async def written(database: Database) -> None:
    """Create products and set their levels, without an end."""
    number = 0
    while True:
        number += 1
        product = await add(database, f"more {number}")
        await set_level(database, product, LevelUpdate(new_level=number), NOON)


def differing(path: Path) -> list[tuple[int]]:
    """Return the products whose level is not that of their last change."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(
            "SELECT product_id FROM levels WHERE current_level <> COALESCE((SELECT new_level FROM level_changes "
            "WHERE level_changes.product_id = levels.product_id ORDER BY id DESC LIMIT 1), 0)"
        ).fetchall()


async def test_a_copy_overwrites_nothing_unless_forced(database_file: Path, tmp_path: Path) -> None:
    """A file of that name stays as it is, and is replaced as a whole if that is said."""
    await made(database_file, "A")
    (tmp_path / "copy.db").write_text("precious")
    with pytest.raises(BackupError, match="is there already; name another file, or overwrite it with --force"):
        back_up(database_file, tmp_path / "copy.db", overwrite=False)
    assert (tmp_path / "copy.db").read_text() == "precious"
    back_up(database_file, tmp_path / "copy.db", overwrite=True)
    assert codes_in(tmp_path / "copy.db") == ["A"]


async def test_a_damaged_database_makes_no_copy(database_file: Path, tmp_path: Path) -> None:
    """What is not whole gets no name, and the copy before it stays."""
    await made(database_file, *(str(number) for number in range(100)))
    damage(database_file)
    (tmp_path / "copy.db").write_text("yesterday's")
    with pytest.raises(BackupError, match=r"cannot be copied to .*copy\.db: "):
        back_up(database_file, tmp_path / "copy.db", overwrite=True)
    assert (tmp_path / "copy.db").read_text() == "yesterday's"
    assert not {name for name in names_in(tmp_path) if ".part" in name}


def test_what_is_not_there_is_not_copied(tmp_path: Path) -> None:
    """A database that does not exist is named, and none is made; neither is a folder."""
    with pytest.raises(BackupError, match=r"there is no file .*test\.db"):
        back_up(tmp_path / "test.db", tmp_path / "copy.db", overwrite=False)
    with pytest.raises(BackupError, match="there is no file"):
        restore(tmp_path / "copy.db", tmp_path / "test.db", overwrite=False, aside=tmp_path / "aside")
    assert list(tmp_path.iterdir()) == []


async def test_a_copy_where_none_can_be_made_says_why(database_file: Path, tmp_path: Path) -> None:
    """A folder that is not there is a failure with its name."""
    await made(database_file)
    with pytest.raises(BackupError, match="nowhere"):
        back_up(database_file, tmp_path / "nowhere" / "copy.db", overwrite=False)


async def test_a_copy_takes_no_log_of_another_file(database_file: Path, tmp_path: Path) -> None:
    """A log left beside the name of the copy would be read as its own, so it has to be moved away first."""
    await made(database_file, "A")
    (tmp_path / "copy.db-wal").write_text("left")
    with pytest.raises(BackupError, match=r"copy\.db-wal is left of a former copy\.db; move it away first"):
        back_up(database_file, tmp_path / "copy.db", overwrite=True)
    assert names_in(tmp_path) == {"test.db", "copy.db-wal"}


async def test_a_copy_may_go_through_a_link_to_another_file_system(
    database_file: Path, tmp_path: Path, elsewhere: Path
) -> None:
    """The copy gets to where the link leads, whether there is a file yet or not."""
    await made(database_file, "A")
    (tmp_path / "copy.db").symlink_to(elsewhere / "real.db")
    for overwrite in (False, True):
        back_up(database_file, tmp_path / "copy.db", overwrite=overwrite)
        assert codes_in(elsewhere / "real.db") == ["A"]
    assert (tmp_path / "copy.db").is_symlink()
