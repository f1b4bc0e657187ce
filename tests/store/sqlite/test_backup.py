from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from barcodesvc.config import Settings
from barcodesvc.errors import BackupError
from barcodesvc.models import LevelUpdate, ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.inventory import set_level
from barcodesvc.store.products import create_product
from barcodesvc.store.sqlite.backup import Contents, back_up, restore
from barcodesvc.store.sqlite.database import open_database
from barcodesvc.store.sqlite.migrations import migration_scripts

MORNING, NOON, EVENING = (f"2026-01-31T{hour}:00:00.000Z" for hour in ("08", "12", "18"))
VERSION = max(migration_scripts())


async def add(database: Database, code: str, now: str = NOON) -> int:
    """Create a product of this code and return its id."""
    return (await create_product(database, ProductDraft(product_code=code, description="x"), now)).id


async def made(path: Path, *codes: str, now: str = NOON) -> Path:
    """Make a database with products of these codes."""
    async with open_database(path) as database:
        for code in codes:
            await add(database, code, now)
    return path


def codes_in(path: Path) -> list[str]:
    """Return the codes in a file."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return [code for (code,) in connection.execute("SELECT product_code FROM products ORDER BY id")]


def content(path: Path) -> bytes:
    """Return the content of a file, nothing for one that is not there."""
    return path.read_bytes() if path.exists() else b""


def names_in(folder: Path) -> set[str]:
    """Return the names of the files in a folder."""
    return {path.name for path in folder.iterdir()}


def change(path: Path, statement: str) -> None:
    """Run a statement on a file."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


def damage(path: Path) -> None:
    """Overwrite the middle of a file, but not its first page."""
    content = bytearray(path.read_bytes())
    content[4096 : len(content) // 2] = b"\xff" * (len(content) // 2 - 4096)
    path.write_bytes(content)


async def test_a_copy_is_whole_and_one_file(settings: Settings, tmp_path: Path) -> None:
    """What is in the log of a database in use is in the copy, which needs no log, and nothing else is left."""
    async with open_database(settings.database) as database:
        await add(database, "A")
        contents = await asyncio.to_thread(back_up, settings.database, tmp_path / "copy.db", overwrite=False)
    assert contents == Contents(VERSION, NOON, 1, 0, made=1)
    assert names_in(tmp_path) == {"test.db", "copy.db"}
    assert codes_in(tmp_path / "copy.db") == ["A"]


async def test_a_copy_taken_beside_changes_is_one_moment(settings: Settings, tmp_path: Path) -> None:
    """While products come in and levels change, each copy opens, and each level in it is that of its last change."""
    async with open_database(settings.database) as database:
        for number in range(50):
            await add(database, f"first {number}")
        writing = asyncio.create_task(written(database))
        for number in range(5):
            await asyncio.to_thread(back_up, settings.database, tmp_path / f"{number}.db", overwrite=False)
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


async def test_a_copy_overwrites_nothing_untold(settings: Settings, tmp_path: Path) -> None:
    """A file of that name stays as it is, and is replaced as a whole if that is said."""
    await made(settings.database, "A")
    (tmp_path / "copy.db").write_text("precious")
    with pytest.raises(BackupError, match="is there already; name another file, or overwrite it with --force"):
        back_up(settings.database, tmp_path / "copy.db", overwrite=False)
    assert (tmp_path / "copy.db").read_text() == "precious"
    back_up(settings.database, tmp_path / "copy.db", overwrite=True)
    assert codes_in(tmp_path / "copy.db") == ["A"]


async def test_a_damaged_database_makes_no_copy(settings: Settings, tmp_path: Path) -> None:
    """What is not whole gets no name, and the copy before it stays."""
    await made(settings.database, *(str(number) for number in range(100)))
    damage(settings.database)
    (tmp_path / "copy.db").write_text("yesterday's")
    with pytest.raises(BackupError, match=r"cannot be copied to .*copy\.db: "):
        back_up(settings.database, tmp_path / "copy.db", overwrite=True)
    assert (tmp_path / "copy.db").read_text() == "yesterday's"
    assert not {name for name in names_in(tmp_path) if ".part" in name}


def test_what_is_not_there_is_not_copied(tmp_path: Path) -> None:
    """A database that does not exist is named, and none is made; neither is a folder."""
    with pytest.raises(BackupError, match=r"there is no file .*test\.db"):
        back_up(tmp_path / "test.db", tmp_path / "copy.db", overwrite=False)
    with pytest.raises(BackupError, match="there is no file"):
        restore(tmp_path / "copy.db", tmp_path / "test.db", overwrite=False, aside=tmp_path / "aside")
    assert list(tmp_path.iterdir()) == []


async def test_a_copy_where_none_can_be_made_says_why(settings: Settings, tmp_path: Path) -> None:
    """A folder that is not there is a failure with its name."""
    await made(settings.database)
    with pytest.raises(BackupError, match="nowhere"):
        back_up(settings.database, tmp_path / "nowhere" / "copy.db", overwrite=False)


async def test_a_backup_is_put_back(settings: Settings, tmp_path: Path) -> None:
    """The service finds what was copied, and the former file stays aside, with what its log held."""
    await made(settings.database, "old", now=MORNING)
    await made(tmp_path / "copy.db", "new", now=NOON)
    settings.database.chmod(0o640)
    contents = restore(tmp_path / "copy.db", settings.database, overwrite=False, aside=tmp_path / "aside")
    assert contents == Contents(VERSION, NOON, 1, 0, made=1)
    assert codes_in(tmp_path / "aside") == ["old"]
    assert settings.database.stat().st_mode & 0o777 == 0o640
    await made(settings.database, "more")
    assert codes_in(settings.database) == ["new", "more"]
    assert not {name for name in names_in(tmp_path) if ".part" in name}


async def test_a_backup_makes_a_database_that_is_not_there(settings: Settings, tmp_path: Path) -> None:
    """Nothing has to be set aside."""
    await made(tmp_path / "copy.db", "A")
    restore(tmp_path / "copy.db", settings.database, overwrite=False, aside=tmp_path / "aside")
    assert codes_in(settings.database) == ["A"]
    assert not (tmp_path / "aside").exists()


@pytest.mark.parametrize("now", [EVENING, NOON], ids=["later", "as late"])
async def test_a_newer_database_is_not_replaced_untold(settings: Settings, tmp_path: Path, now: str) -> None:
    """Changed later than the backup, or as late with other products, it stays; if it is said, it is replaced."""
    await made(tmp_path / "copy.db", "A")
    await made(settings.database, "A", "B", now=now)
    with pytest.raises(BackupError, match=r"the database is newer: it was last changed at .* and has 2 products and 0"):
        restore(tmp_path / "copy.db", settings.database, overwrite=False, aside=tmp_path / "aside")
    assert codes_in(settings.database) == ["A", "B"]
    restore(tmp_path / "copy.db", settings.database, overwrite=True, aside=tmp_path / "aside")
    assert (codes_in(settings.database), codes_in(tmp_path / "aside")) == (["A"], ["A", "B"])


@pytest.mark.parametrize("codes", [("A",), ()], ids=["the same", "empty"])
async def test_a_database_without_anything_to_lose_is_replaced(
    settings: Settings, tmp_path: Path, codes: tuple[str, ...]
) -> None:
    """One that holds what the backup holds, or nothing at all, as after a first start, needs no force."""
    await made(tmp_path / "copy.db", "A")
    await made(settings.database, *codes)
    restore(tmp_path / "copy.db", settings.database, overwrite=False, aside=tmp_path / "aside")
    assert codes_in(settings.database) == ["A"]


async def test_a_database_in_use_is_not_replaced(settings: Settings, tmp_path: Path) -> None:
    """While a service has it open, idle as it may be, nothing happens to it, whatever is said."""
    await made(tmp_path / "copy.db", "A")
    async with open_database(settings.database) as database:
        for overwrite in (False, True):
            with pytest.raises(BackupError, match="is in use; stop the service first"):
                await asyncio.to_thread(
                    restore, tmp_path / "copy.db", settings.database, overwrite=overwrite, aside=tmp_path / "aside"
                )
        await add(database, "B")
    assert codes_in(settings.database) == ["B"]
    assert not (tmp_path / "aside").exists()


async def test_a_backup_of_a_newer_release_is_refused(settings: Settings, tmp_path: Path) -> None:
    """This release would not know what to do with it."""
    await made(tmp_path / "copy.db")
    change(tmp_path / "copy.db", "UPDATE schema_version SET version = 9999")
    with pytest.raises(BackupError, match="schema version 9999, which only a newer release"):
        restore(tmp_path / "copy.db", settings.database, overwrite=True, aside=tmp_path / "aside")
    assert not settings.database.exists()


async def test_another_program_s_file_is_refused(settings: Settings, tmp_path: Path) -> None:
    """A file that is no database, and a database of another program, are not put in the place of ours."""
    await made(settings.database, "A")
    (tmp_path / "text.db").write_text("no database " * 1000)
    change(tmp_path / "notes.db", "CREATE TABLE notes (id INTEGER)")
    for name, told in (("text.db", "file is not a database"), ("notes.db", "no database of this service")):
        with pytest.raises(BackupError, match=told):
            restore(tmp_path / name, settings.database, overwrite=True, aside=tmp_path / "aside")
    assert codes_in(settings.database) == ["A"]


async def test_rows_without_their_product_are_damage(settings: Settings, tmp_path: Path) -> None:
    """A file whose pages are whole and whose references are not is refused as well."""
    await made(tmp_path / "copy.db", "A")
    change(tmp_path / "copy.db", "DELETE FROM products")
    with pytest.raises(BackupError, match="rows without their product"):
        restore(tmp_path / "copy.db", settings.database, overwrite=True, aside=tmp_path / "aside")


async def test_an_unreadable_database_is_replaced_if_that_is_said(settings: Settings, tmp_path: Path) -> None:
    """Whether it is newer cannot be told; it stays aside with all that lay beside it."""
    await made(tmp_path / "copy.db", "A")
    settings.database.write_text("garbage " * 1000)
    settings.database.with_name("test.db-wal").write_text("more")
    with pytest.raises(BackupError, match=r"cannot be read \(file is not a database\); --force replaces it"):
        restore(tmp_path / "copy.db", settings.database, overwrite=False, aside=tmp_path / "aside")
    restore(tmp_path / "copy.db", settings.database, overwrite=True, aside=tmp_path / "aside")
    assert codes_in(settings.database) == ["A"]
    assert (tmp_path / "aside").read_text().startswith("garbage")
    with pytest.raises(BackupError, match="aside is there already; move it away first"):
        restore(tmp_path / "copy.db", settings.database, overwrite=True, aside=tmp_path / "aside")


async def test_a_name_that_differs_in_case_alone_is_the_database(settings: Settings, tmp_path: Path) -> None:
    """It is the same file on some file systems, whether they tell it or not."""
    database = await made(settings.database, "A-1")
    other = tmp_path / "TEST.db"
    for _ in range(2):
        with pytest.raises(BackupError, match="is the database itself"):
            back_up(database, other, overwrite=True)
        other.write_text("there by now")


@pytest.mark.parametrize("link", [None, Path.symlink_to, Path.hardlink_to], ids=["itself", "symlink", "hardlink"])
async def test_a_database_is_no_copy_of_itself(settings: Settings, tmp_path: Path, link: object) -> None:
    """Under whatever name, nothing is put in the place of the file that is served."""
    database = await made(settings.database, "A-1")
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
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, path: str
) -> None:
    """Neither its log nor the index of that nor its journal, by whatever path, whether it is there yet or not."""
    own = Path(f"{settings.database}{ending}")
    async with open_database(settings.database) as database:
        await add(database, "A")
        before = content(own)
        target = another_path(own, path, tmp_path, monkeypatch)
        for act in (partial(back_up, settings.database, target), partial(restore_from, target, settings.database)):
            with pytest.raises(BackupError, match=r"is a part of the database .*test\.db; name|there is no file"):
                await asyncio.to_thread(act, overwrite=True)
        assert content(own) == before
        with pytest.raises(BackupError, match=r"is a part of the database .*test\.db; name another file"):
            await asyncio.to_thread(back_up, settings.database, target, overwrite=True)
    assert codes_in(settings.database) == ["A"]


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


async def test_a_second_name_of_a_log_is_taken_and_the_log_stays(settings: Settings, tmp_path: Path) -> None:
    """A copy replaces the name, never what is in the file."""
    async with open_database(settings.database) as database:
        await add(database, "A")
        log = content(tmp_path / "test.db-wal")
        (tmp_path / "link.db").hardlink_to(tmp_path / "test.db-wal")
        await asyncio.to_thread(back_up, settings.database, tmp_path / "link.db", overwrite=True)
        assert content(tmp_path / "test.db-wal") == log
    assert codes_in(settings.database) == codes_in(tmp_path / "link.db") == ["A"]


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
async def test_what_lies_beside_another_database_is_not_overwritten(
    settings: Settings, tmp_path: Path, ending: str
) -> None:
    """Neither by a backup nor by a restore: what was confirmed there is there after its service is killed."""
    await made(settings.database, "A")
    other = tmp_path / "other.db"
    async with open_database(other) as database:
        await add(database, "B")
        before = content(tmp_path / f"other.db{ending}")
        beside = Path(f"{other}{ending}")
        for act in (partial(back_up, settings.database, beside), partial(restore_from, settings.database, beside)):
            with pytest.raises(BackupError, match=r"is a part of the database .*other\.db; name another file"):
                await asyncio.to_thread(act, overwrite=True)
        assert content(beside) == before
    assert codes_in(other) == ["B"]


async def test_a_name_that_ends_like_a_log_is_one_like_any_other(settings: Settings, tmp_path: Path) -> None:
    """Where there is no database of that name."""
    await made(settings.database, "A")
    (tmp_path / "shop").mkdir()
    back_up(settings.database, tmp_path / "shop-wal", overwrite=False)
    assert codes_in(tmp_path / "shop-wal") == ["A"]


async def test_a_copy_may_have_a_long_name(settings: Settings, tmp_path: Path) -> None:
    """As long as a database can have: SQLite adds up to eight characters to it."""
    await made(settings.database, "A")
    back_up(settings.database, tmp_path / ("n" * 247), overwrite=False)
    assert codes_in(tmp_path / ("n" * 247)) == ["A"]


@pytest.mark.parametrize("path", ["fifo", "link to a fifo"])
async def test_only_a_regular_file_is_overwritten(settings: Settings, tmp_path: Path, path: str) -> None:
    """A FIFO stays one, whatever is said, and a backup into it ends at once."""
    await made(settings.database, "A")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link to a fifo").symlink_to(tmp_path / "fifo")
    for overwrite in (False, True):
        with pytest.raises(BackupError, match="fifo is no regular file; name another file"):
            back_up(settings.database, tmp_path / path, overwrite=overwrite)
    with pytest.raises(BackupError, match="fifo is no regular file; name another file"):
        restore_from(settings.database, tmp_path / path, overwrite=True)
    assert (tmp_path / "fifo").is_fifo()


def restore_from(backup: Path, database: Path, *, overwrite: bool) -> Contents:
    """Put a backup in the place of a database, whose former file goes beside it."""
    return restore(backup, database, overwrite=overwrite, aside=database.with_name("aside"))


async def test_a_backup_onto_a_live_log_loses_nothing(settings: Settings, tmp_path: Path) -> None:
    """What was confirmed before it is there after the service is killed."""
    async with open_database(settings.database) as database:
        await add(database, "A")
        with pytest.raises(BackupError, match="is a part of the database"):
            await asyncio.to_thread(back_up, settings.database, Path(f"{settings.database}-wal"), overwrite=True)
        for name in ("test.db", "test.db-wal"):
            (tmp_path / f"killed-{name}").write_bytes(content(tmp_path / name))
    assert codes_in(tmp_path / "killed-test.db") == ["A"]


async def test_a_copy_takes_no_log_of_another_file(settings: Settings, tmp_path: Path) -> None:
    """A log left beside the name of the copy would be read as its own, so it has to be moved away first."""
    await made(settings.database, "A")
    (tmp_path / "copy.db-wal").write_text("left")
    with pytest.raises(BackupError, match=r"copy\.db-wal is left of a former copy\.db; move it away first"):
        back_up(settings.database, tmp_path / "copy.db", overwrite=True)
    assert names_in(tmp_path) == {"test.db", "copy.db-wal"}


async def test_a_backup_takes_no_log_of_a_database_that_is_gone(settings: Settings, tmp_path: Path) -> None:
    """What a killed service left beside a file that was removed goes aside, and nothing of it gets into the backup."""
    await made(tmp_path / "copy.db", "A")
    async with open_database(settings.database) as database:
        await add(database, "B")
        left = content(tmp_path / "test.db-wal")
    settings.database.unlink()
    (tmp_path / "test.db-wal").write_bytes(left)
    restore_from(tmp_path / "copy.db", settings.database, overwrite=False)
    assert codes_in(settings.database) == ["A"]
    assert (tmp_path / "aside-wal").read_bytes() == left


@pytest.fixture
def no_hard_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer as a file system does that knows no hard links, such as FAT."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.usefixtures("no_hard_links")
async def test_a_file_system_without_hard_links_will_do(settings: Settings, tmp_path: Path) -> None:
    """Copies are made and put back there too, nothing is overwritten untold, and nothing else is left."""
    await made(settings.database, "A")
    back_up(settings.database, tmp_path / "copy.db", overwrite=False)
    with pytest.raises(BackupError, match="is there already"):
        back_up(settings.database, tmp_path / "copy.db", overwrite=False)
    await made(settings.database, "B")
    restore_from(tmp_path / "copy.db", settings.database, overwrite=True)
    restore(tmp_path / "copy.db", tmp_path / "new.db", overwrite=False, aside=tmp_path / "unused")
    assert names_in(tmp_path) == {"test.db", "copy.db", "aside", "new.db"}
    assert [codes_in(tmp_path / name) for name in ("test.db", "aside", "new.db")] == [["A"], ["A", "B"], ["A"]]


@pytest.mark.usefixtures("no_hard_links")
async def test_a_database_stays_out_of_use_while_it_is_copied_aside(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can change it between the copy and its replacement."""
    await made(settings.database, "A")
    back_up(settings.database, tmp_path / "copy.db", overwrite=False)
    told, replace = [], Path.replace

    def try_to_change(path: Path, target: Path) -> Path:
        if target == settings.database:
            script = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('DELETE FROM products')"
            other = subprocess.run([sys.executable, "-c", script, target], capture_output=True, text=True, check=False)  # noqa: S603 - this interpreter, and fixed text
            told.append(other.stderr.splitlines()[-1])
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", try_to_change)
    restore_from(tmp_path / "copy.db", settings.database, overwrite=False)
    assert told == ["sqlite3.OperationalError: database is locked"]


async def test_a_database_may_be_a_link_to_another_file_system(
    settings: Settings, tmp_path: Path, elsewhere: Path
) -> None:
    """The file there is copied and replaced, the link stays, and the former file goes where it is wanted."""
    await made(elsewhere / "real.db", "A")
    settings.database.symlink_to(elsewhere / "real.db")
    back_up(settings.database, tmp_path / "copy.db", overwrite=False)
    await made(settings.database, "B")
    restore_from(tmp_path / "copy.db", settings.database, overwrite=True)
    assert (codes_in(elsewhere / "real.db"), codes_in(tmp_path / "aside")) == (["A"], ["A", "B"])
    assert settings.database.is_symlink()
    assert names_in(elsewhere) == {"real.db"}


async def test_a_copy_may_go_through_a_link_to_another_file_system(
    settings: Settings, tmp_path: Path, elsewhere: Path
) -> None:
    """The copy gets to where the link leads, whether there is a file yet or not."""
    await made(settings.database, "A")
    (tmp_path / "copy.db").symlink_to(elsewhere / "real.db")
    for overwrite in (False, True):
        back_up(settings.database, tmp_path / "copy.db", overwrite=overwrite)
        assert codes_in(elsewhere / "real.db") == ["A"]
    assert (tmp_path / "copy.db").is_symlink()


async def test_a_broken_database_goes_to_another_file_system_with_what_lies_beside_it(
    settings: Settings, tmp_path: Path, elsewhere: Path
) -> None:
    """Its log is moved with it, byte for byte."""
    await made(tmp_path / "first.db", "A")
    back_up(tmp_path / "first.db", tmp_path / "copy.db", overwrite=False)
    settings.database.write_text("garbage " * 1000)
    settings.database.with_name("test.db-wal").write_text("more")
    restore(tmp_path / "copy.db", settings.database, overwrite=True, aside=elsewhere / "aside")
    assert codes_in(settings.database) == ["A"]
    assert (elsewhere / "aside").read_text() == "garbage " * 1000
    assert (elsewhere / "aside-wal").read_text() == "more"
    assert names_in(tmp_path) == {"first.db", "copy.db", "test.db"}


@pytest.mark.parametrize("refused", ["aside-wal", "test.db"], ids=["its second name", "its replacement"])
async def test_what_cannot_be_replaced_stays_as_it_was(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    """Wherever the system refuses a name, everything that was set aside is back."""
    await made(tmp_path / "copy.db", "A")
    settings.database.with_name("test.db-wal").write_text("more")
    settings.database.with_name("test.db-journal").write_text("still more")
    before = names_in(tmp_path) | {"copy.db-wal", "copy.db-shm"}
    link = os.link

    def refuse(source: Path, target: Path) -> None:
        if target.name == refused:
            raise FileExistsError(errno.EEXIST, "File exists")
        link(source, target)

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(BackupError, match=r"is there already|File exists"):
        restore_from(tmp_path / "copy.db", settings.database, overwrite=True)
    assert names_in(tmp_path) == before
    assert settings.database.with_name("test.db-wal").read_text() == "more"
    assert settings.database.with_name("test.db-journal").read_text() == "still more"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on another file system."""
    memory = Path("/dev/shm")  # noqa: S108 - a file system that every Linux has, and a folder of the test's own in it
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no other file system here")
    with TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.mark.parametrize("statement", ["DELETE FROM products WHERE id = 2", "DELETE FROM products"])
async def test_a_deletion_is_a_change(settings: Settings, tmp_path: Path, statement: str) -> None:
    """A database from which something was deleted since is newer than the backup."""
    database = await made(settings.database, "A-1", "B-1")
    back_up(database, tmp_path / "backup.db", overwrite=False)
    change(database, statement)
    before = codes_in(database)
    with pytest.raises(BackupError, match="the database is newer"):
        restore(tmp_path / "backup.db", database, overwrite=False, aside=tmp_path / "aside.db")
    assert codes_in(database) == before
