from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path

import pytest

from barcodesvc.errors import BackupError
from barcodesvc.store.sqlite.backup import back_up, restore
from barcodesvc.store.sqlite.database import open_database
from tests.store.sqlite.copied import add, codes_in, content, made, restore_from


async def test_a_name_that_differs_in_case_alone_is_the_database(database_file: Path, tmp_path: Path) -> None:
    """It is the same file on some file systems, whether they say so or not."""
    database = await made(database_file, "A-1")
    other = tmp_path / "TEST.db"
    for _ in range(2):
        with pytest.raises(BackupError, match="is the database itself"):
            back_up(database, other, overwrite=True)
        other.write_text("there by now")


@pytest.mark.parametrize("link", [None, Path.symlink_to, Path.hardlink_to], ids=["itself", "symlink", "hardlink"])
async def test_a_database_is_no_copy_of_itself(database_file: Path, tmp_path: Path, link: object) -> None:
    """Under whatever name, nothing is put in the place of the file that is served."""
    database = await made(database_file, "A-1")
    other = tmp_path / "link.db" if callable(link) else database
    if callable(link):
        link(other, database)
    with pytest.raises(BackupError, match="is the database itself"):
        back_up(database, other, overwrite=True)
    with pytest.raises(BackupError, match="is the database itself"):
        restore(other, database, overwrite=True, aside=tmp_path / "aside.db")
    assert codes_in(database) == ["A-1"]


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("path", ["plain", "relative", "symlink", "folder", "case"])
async def test_what_lies_beside_a_database_is_not_overwritten(
    database_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, path: str
) -> None:
    """Neither its log nor the index of that nor its journal, by whatever path, whether it is there yet or not."""
    own = Path(f"{database_file}{ending}")
    async with open_database(database_file) as database:
        await add(database, "A")
        before = content(own)
        target = another_path(own, path, tmp_path, monkeypatch)
        for act in (partial(back_up, database_file, target), partial(restore_from, target, database_file)):
            with pytest.raises(BackupError, match=r"is a part of the database .*test\.db; name|there is no file"):
                await asyncio.to_thread(act, overwrite=True)
        assert content(own) == before
        with pytest.raises(BackupError, match=r"is a part of the database .*test\.db; name another file"):
            await asyncio.to_thread(back_up, database_file, target, overwrite=True)
    assert codes_in(database_file) == ["A"]


def another_path(own: Path, path: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return another path to a file, which need not be there."""
    if path == "relative":
        monkeypatch.chdir(folder)
        return Path(own.name)
    if path == "folder":
        (folder / "linked").symlink_to(folder, target_is_directory=True)
        return folder / "linked" / own.name
    if path == "case":
        return own.with_name(own.name.upper())
    if path == "symlink":
        (folder / "link.db").symlink_to(own)
        return folder / "link.db"
    return own


async def test_a_second_name_of_a_log_is_taken_and_the_log_stays(database_file: Path, tmp_path: Path) -> None:
    """A copy replaces the name, never what is in the file."""
    async with open_database(database_file) as database:
        await add(database, "A")
        log = content(tmp_path / "test.db-wal")
        (tmp_path / "link.db").hardlink_to(tmp_path / "test.db-wal")
        await asyncio.to_thread(back_up, database_file, tmp_path / "link.db", overwrite=True)
        assert content(tmp_path / "test.db-wal") == log
    assert codes_in(database_file) == codes_in(tmp_path / "link.db") == ["A"]


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
async def test_what_lies_beside_another_database_is_not_overwritten(
    database_file: Path, tmp_path: Path, ending: str
) -> None:
    """Neither by a backup nor by a restore: what was confirmed there is there after its service is killed."""
    await made(database_file, "A")
    other = tmp_path / "other.db"
    async with open_database(other) as database:
        await add(database, "B")
        before = content(tmp_path / f"other.db{ending}")
        beside = Path(f"{other}{ending}")
        for act in (partial(back_up, database_file, beside), partial(restore_from, database_file, beside)):
            with pytest.raises(BackupError, match=r"is a part of the database .*other\.db; name another file"):
                await asyncio.to_thread(act, overwrite=True)
        assert content(beside) == before
    assert codes_in(other) == ["B"]


async def test_a_name_that_ends_like_a_log_is_one_like_any_other(database_file: Path, tmp_path: Path) -> None:
    """Where there is no database of that name."""
    await made(database_file, "A")
    (tmp_path / "shop").mkdir()
    back_up(database_file, tmp_path / "shop-wal", overwrite=False)
    assert codes_in(tmp_path / "shop-wal") == ["A"]


async def test_a_copy_may_have_a_long_name(database_file: Path, tmp_path: Path) -> None:
    """As long as a database can have: SQLite adds up to eight characters to it."""
    await made(database_file, "A")
    back_up(database_file, tmp_path / ("n" * 247), overwrite=False)
    assert codes_in(tmp_path / ("n" * 247)) == ["A"]


@pytest.mark.parametrize("path", ["fifo", "link to a fifo"])
async def test_only_a_regular_file_is_overwritten(database_file: Path, tmp_path: Path, path: str) -> None:
    """A FIFO stays one, whatever is said, and a backup into it ends at once."""
    await made(database_file, "A")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link to a fifo").symlink_to(tmp_path / "fifo")
    for overwrite in (False, True):
        with pytest.raises(BackupError, match="fifo is no regular file; name another file"):
            back_up(database_file, tmp_path / path, overwrite=overwrite)
    with pytest.raises(BackupError, match="fifo is no regular file; name another file"):
        restore_from(database_file, tmp_path / path, overwrite=True)
    assert (tmp_path / "fifo").is_fifo()


async def test_a_backup_onto_a_live_log_loses_nothing(database_file: Path, tmp_path: Path) -> None:
    """What was confirmed before it is there after the service is killed."""
    async with open_database(database_file) as database:
        await add(database, "A")
        with pytest.raises(BackupError, match="is a part of the database"):
            await asyncio.to_thread(back_up, database_file, Path(f"{database_file}-wal"), overwrite=True)
        for name in ("test.db", "test.db-wal"):
            (tmp_path / f"killed-{name}").write_bytes(content(tmp_path / name))
    assert codes_in(tmp_path / "killed-test.db") == ["A"]
