"""Files that neither a backup nor a restore overwrites, by any path and with any option."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from barcodesvc.errors import BackupError
from barcodesvc.store.sqlite.backup import back_up
from barcodesvc.store.sqlite.database import open_database
from tests.store.sqlite.copied import NOON, add, codes_in, content, made, restore_from


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
@pytest.mark.parametrize("path", ["plain", "relative", "symlink", "folder"])
async def test_the_log_of_a_database_is_not_overwritten(
    database_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, path: str
) -> None:
    """By any path, whether or not the file exists; the same holds for the log of another database."""
    await made(tmp_path / "other.db", "B")
    own = Path(f"{database_file}{ending}")
    async with open_database(database_file) as database:
        await add(database, "A")
        before = content(own)
        target = another_path(own, path, tmp_path, monkeypatch)
        for source in (database_file, tmp_path / "other.db"):
            for act in (
                partial(back_up, source, target, overwrite=True, now=NOON),
                partial(restore_from, source, target),
            ):
                with pytest.raises(
                    BackupError, match=r"SQLite reserves the name .* for the log of a database; name an"
                ):
                    await asyncio.to_thread(act)
        assert content(own) == before
    assert codes_in(database_file) == ["A"]


def another_path(own: Path, path: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return another path to a file, which may not exist."""
    if path == "relative":
        monkeypatch.chdir(folder)
        return Path(own.name)
    if path == "folder":
        (folder / "linked").symlink_to(folder, target_is_directory=True)
        return folder / "linked" / own.name
    if path == "symlink":
        (folder / "link.db").symlink_to(own)
        return folder / "link.db"
    return own


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
