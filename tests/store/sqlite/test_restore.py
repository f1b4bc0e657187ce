from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from barcodesvc.errors import BackupError
from barcodesvc.store.sqlite.backup import Contents, back_up, restore
from barcodesvc.store.sqlite.database import open_database
from barcodesvc.store.sqlite.migrations import migration_scripts
from tests.store.sqlite.copied import NOON, add, change, codes_in, content, made, names_in, restore_from

MORNING, EVENING = (f"2026-01-31T{hour}:00:00.000Z" for hour in ("08", "18"))
VERSION = max(migration_scripts())
LOST = ("test.db", "test.db-wal", "test.db-journal")


async def test_a_backup_is_put_back(database_file: Path, tmp_path: Path) -> None:
    """The service finds what was copied, and the former file stays aside, with what its log held."""
    await made(database_file, "old", now=MORNING)
    await made(tmp_path / "copy.db", "new", now=NOON)
    database_file.chmod(0o640)
    contents = restore(tmp_path / "copy.db", database_file, overwrite=False, aside=tmp_path / "aside")
    assert contents == Contents(VERSION, NOON, 1, 0, made=1)
    assert codes_in(tmp_path / "aside") == ["old"]
    assert database_file.stat().st_mode & 0o777 == 0o640
    await made(database_file, "more")
    assert codes_in(database_file) == ["new", "more"]
    assert not {name for name in names_in(tmp_path) if ".part" in name}


async def test_a_backup_makes_a_database_that_is_not_there(database_file: Path, tmp_path: Path) -> None:
    """Nothing has to be set aside."""
    await made(tmp_path / "copy.db", "A")
    restore(tmp_path / "copy.db", database_file, overwrite=False, aside=tmp_path / "aside")
    assert codes_in(database_file) == ["A"]
    assert not (tmp_path / "aside").exists()


@pytest.mark.parametrize("now", [EVENING, NOON], ids=["later", "as late"])
async def test_a_newer_database_is_not_replaced_unless_forced(database_file: Path, tmp_path: Path, now: str) -> None:
    """Changed later than the backup, or as late with other products, it stays; if it is said, it is replaced."""
    await made(tmp_path / "copy.db", "A")
    await made(database_file, "A", "B", now=now)
    with pytest.raises(BackupError, match=r"the database is newer: it was last changed at .* and has 2 products and 0"):
        restore(tmp_path / "copy.db", database_file, overwrite=False, aside=tmp_path / "aside")
    assert codes_in(database_file) == ["A", "B"]
    restore(tmp_path / "copy.db", database_file, overwrite=True, aside=tmp_path / "aside")
    assert (codes_in(database_file), codes_in(tmp_path / "aside")) == (["A"], ["A", "B"])


@pytest.mark.parametrize("statement", ["DELETE FROM products WHERE id = 2", "DELETE FROM products"])
async def test_a_deletion_is_a_change(database_file: Path, tmp_path: Path, statement: str) -> None:
    """A database from which something was deleted since is newer than the backup."""
    database = await made(database_file, "A-1", "B-1")
    back_up(database, tmp_path / "backup.db", overwrite=False)
    change(database, statement)
    before = codes_in(database)
    with pytest.raises(BackupError, match="the database is newer"):
        restore(tmp_path / "backup.db", database, overwrite=False, aside=tmp_path / "aside.db")
    assert codes_in(database) == before


@pytest.mark.parametrize("codes", [("A",), ()], ids=["the same", "empty"])
async def test_a_database_without_anything_to_lose_is_replaced(
    database_file: Path, tmp_path: Path, codes: tuple[str, ...]
) -> None:
    """One that holds what the backup holds, or nothing at all, as after a first start, needs no force."""
    await made(tmp_path / "copy.db", "A")
    await made(database_file, *codes)
    restore(tmp_path / "copy.db", database_file, overwrite=False, aside=tmp_path / "aside")
    assert codes_in(database_file) == ["A"]


async def test_a_database_in_use_is_not_replaced(database_file: Path, tmp_path: Path) -> None:
    """While a service has it open, idle as it may be, nothing happens to it, whatever is said."""
    await made(tmp_path / "copy.db", "A")
    async with open_database(database_file) as database:
        for overwrite in (False, True):
            with pytest.raises(BackupError, match="is in use; stop the service first"):
                await asyncio.to_thread(
                    restore, tmp_path / "copy.db", database_file, overwrite=overwrite, aside=tmp_path / "aside"
                )
        await add(database, "B")
    assert codes_in(database_file) == ["B"]
    assert not (tmp_path / "aside").exists()


async def test_a_backup_of_a_newer_release_is_refused(database_file: Path, tmp_path: Path) -> None:
    """This release would not know what to do with it."""
    await made(tmp_path / "copy.db")
    change(tmp_path / "copy.db", "UPDATE schema_version SET version = 9999")
    with pytest.raises(BackupError, match="schema version 9999, which only a newer release"):
        restore(tmp_path / "copy.db", database_file, overwrite=True, aside=tmp_path / "aside")
    assert not database_file.exists()


async def test_another_program_s_file_is_refused(database_file: Path, tmp_path: Path) -> None:
    """A file that is no database, and a database of another program, are not put in the place of ours."""
    await made(database_file, "A")
    (tmp_path / "text.db").write_text("no database " * 1000)
    change(tmp_path / "notes.db", "CREATE TABLE notes (id INTEGER)")
    for name, message in (("text.db", "file is not a database"), ("notes.db", "no database of this service")):
        with pytest.raises(BackupError, match=message):
            restore(tmp_path / name, database_file, overwrite=True, aside=tmp_path / "aside")
    assert codes_in(database_file) == ["A"]


async def test_rows_without_their_product_are_damage(database_file: Path, tmp_path: Path) -> None:
    """A file whose pages are whole and whose references are not is refused as well."""
    await made(tmp_path / "copy.db", "A")
    change(tmp_path / "copy.db", "DELETE FROM products")
    with pytest.raises(BackupError, match="rows without their product"):
        restore(tmp_path / "copy.db", database_file, overwrite=True, aside=tmp_path / "aside")


async def test_an_unreadable_database_is_replaced_if_that_is_said(database_file: Path, tmp_path: Path) -> None:
    """Whether it is newer cannot be known; it stays aside with all that lay beside it."""
    await made(tmp_path / "copy.db", "A")
    database_file.write_text("garbage " * 1000)
    database_file.with_name("test.db-wal").write_text("more")
    with pytest.raises(BackupError, match=r"cannot be read \(file is not a database\); --force replaces it"):
        restore(tmp_path / "copy.db", database_file, overwrite=False, aside=tmp_path / "aside")
    restore(tmp_path / "copy.db", database_file, overwrite=True, aside=tmp_path / "aside")
    assert codes_in(database_file) == ["A"]
    assert (tmp_path / "aside").read_text().startswith("garbage")
    assert (tmp_path / "aside-wal").read_text() == "more"
    with pytest.raises(BackupError, match="aside is there already; move it away first"):
        restore(tmp_path / "copy.db", database_file, overwrite=True, aside=tmp_path / "aside")


async def test_a_backup_takes_no_log_of_a_database_that_is_gone(database_file: Path, tmp_path: Path) -> None:
    """What a killed service left beside a file that was removed goes aside, and nothing of it gets into the backup."""
    await made(tmp_path / "copy.db", "A")
    async with open_database(database_file) as database:
        await add(database, "B")
        left = content(tmp_path / "test.db-wal")
    database_file.unlink()
    (tmp_path / "test.db-wal").write_bytes(left)
    restore_from(tmp_path / "copy.db", database_file, overwrite=False)
    assert codes_in(database_file) == ["A"]
    assert (tmp_path / "aside-wal").read_bytes() == left


@pytest.mark.usefixtures("no_hard_links")
async def test_a_file_system_without_hard_links_will_do(database_file: Path, tmp_path: Path) -> None:
    """Copies are made and put back there too, nothing is overwritten unasked, and nothing else is left."""
    await made(database_file, "A")
    back_up(database_file, tmp_path / "copy.db", overwrite=False)
    with pytest.raises(BackupError, match="is there already"):
        back_up(database_file, tmp_path / "copy.db", overwrite=False)
    await made(database_file, "B")
    restore_from(tmp_path / "copy.db", database_file, overwrite=True)
    restore(tmp_path / "copy.db", tmp_path / "new.db", overwrite=False, aside=tmp_path / "unused")
    assert names_in(tmp_path) == {"test.db", "copy.db", "aside", "new.db"}
    assert [codes_in(tmp_path / name) for name in ("test.db", "aside", "new.db")] == [["A"], ["A", "B"], ["A"]]


async def test_a_database_may_be_a_link_to_another_file_system(
    database_file: Path, tmp_path: Path, elsewhere: Path
) -> None:
    """The file there is copied and replaced, the link stays, and the former file stays there too."""
    await made(elsewhere / "real.db", "A")
    database_file.symlink_to(elsewhere / "real.db")
    back_up(database_file, tmp_path / "copy.db", overwrite=False)
    await made(database_file, "B")
    restore(tmp_path / "copy.db", database_file, overwrite=True, aside=elsewhere / "aside")
    assert (codes_in(elsewhere / "real.db"), codes_in(elsewhere / "aside")) == (["A"], ["A", "B"])
    assert database_file.is_symlink()
    assert names_in(elsewhere) == {"real.db", "aside"}


@pytest.mark.usefixtures("no_hard_links")
async def test_what_cannot_be_replaced_stays_as_it_was(
    database_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system refuses the last step, everything that was set aside is back."""
    await made(tmp_path / "first.db", "A")
    back_up(tmp_path / "first.db", tmp_path / "copy.db", overwrite=False)
    for name in LOST:
        database_file.with_name(name).write_text(f"garbage of {name}")
    before = names_in(tmp_path)

    def refuse(_: object, target: Path) -> None:
        raise FileExistsError(errno.EEXIST, "File exists", target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(BackupError, match="File exists"):
        restore_from(tmp_path / "copy.db", database_file, overwrite=True)
    assert names_in(tmp_path) == before
    for name in LOST:
        assert database_file.with_name(name).read_text() == f"garbage of {name}"


@pytest.mark.parametrize("taken", ["aside", "aside-wal"])
async def test_nothing_is_set_aside_over_another_file(database_file: Path, tmp_path: Path, taken: str) -> None:
    """A file of a name that would be needed is named, and everything stays where it is."""
    await made(tmp_path / "copy.db", "A")
    await made(database_file, "B")
    (tmp_path / taken).write_text("precious")
    with pytest.raises(BackupError, match=f"{taken} is there already; move it away first"):
        restore_from(tmp_path / "copy.db", database_file, overwrite=True)
    assert (codes_in(database_file), (tmp_path / taken).read_text()) == (["B"], "precious")
