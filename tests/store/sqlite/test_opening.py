import resource
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from barcodesvc.errors import StartError
from barcodesvc.models import ProductDraft
from barcodesvc.store.sqlite import database as database_module, startup as module
from barcodesvc.store.sqlite.database import open_database
from barcodesvc.store.sqlite.files import why_not_opened
from tests.stock import create_product
from tests.store.own_queries import ALL
from tests.store.sqlite.together import codes, inserting

NOW = "2026-01-31T12:00:00.000Z"


@pytest.mark.parametrize("name", ["a?mode=memory", "a#b", "50%41", "ä ö.db", ":memory:", "file:x"])
async def test_any_file_name_names_its_file(tmp_path: Path, name: str) -> None:
    """Characters with a meaning in URIs have none in the setting."""
    async with open_database(tmp_path / name) as database:
        await create_product(database, ProductDraft(product_code="A", description="x"), NOW)
    assert (tmp_path / name).stat().st_size > 0


async def test_a_path_that_cannot_be_a_database_stops_the_start(tmp_path: Path) -> None:
    """A folder, and a file in a missing folder, are named in the message."""
    for path in (tmp_path, tmp_path / "nowhere" / "test.db"):
        with pytest.raises(StartError, match="cannot be used: unable to open database file") as refusal:
            async with open_database(path):
                pass
        assert str(path) in str(refusal.value)


async def _refused(path: Path) -> str:
    with pytest.raises(StartError) as refusal:
        async with open_database(path):
            pass
    return str(refusal.value)


async def test_why_a_file_cannot_be_opened_is_reported(tmp_path: Path) -> None:
    """The message names the offending folder or file, and says what to do; SQLite itself does not."""
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "link.db").symlink_to(tmp_path / "gone" / "x.db")
    (tmp_path / "loop.db").symlink_to(tmp_path / "loop.db")
    (tmp_path / "logged.db-wal").mkdir()
    for path, message in (
        (tmp_path, f"{tmp_path}: Is a directory; change that, or name another file in BARCODESVC_DATABASE"),
        (
            tmp_path / "nowhere" / "x.db",
            f"in the folder {tmp_path / 'nowhere'}: No such file or directory; change",
        ),
        (tmp_path / "file" / "x.db", f"in the folder {tmp_path / 'file'}: Not a directory; change that, or name"),
        (tmp_path / "link.db", f"in the folder {tmp_path / 'gone'}: No such file or directory; change that, or name"),
        (tmp_path / "logged.db", f"{tmp_path / 'logged.db-wal'}: Is a directory; change that, or name another file"),
        (tmp_path / ("n" * 300), "File name too long; change that, or name another file"),
        (Path("/sys/x.db"), "no file can be created in the folder /sys: "),
        (
            Path("/proc/x.db"),
            "no file can be created in the folder /proc: No such file or directory; change that, or name",
        ),
        (tmp_path / "loop.db", f"{tmp_path / 'loop.db'}: Too many levels of symbolic links; change that, or name"),
        (tmp_path / ("n" * 250), "File name too long; change that, or name another file"),
    ):
        assert message in await _refused(path)


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
async def test_a_log_is_not_opened_as_a_database(tmp_path: Path, ending: str) -> None:
    """SQLite would take an emptied log for a new file and overwrite it; a database with such a name must be renamed."""
    (tmp_path / "link.db").symlink_to(tmp_path / f"shop.db{ending}")
    for exists in (False, True):
        for name in (f"shop.db{ending}", "link.db"):
            refusal = await _refused(tmp_path / name)
            assert "name another file, or rename it" in refusal
        assert (tmp_path / f"shop.db{ending}").exists() == exists
        (tmp_path / f"shop.db{ending}").touch()


@pytest.mark.parametrize("is_empty", [False, True], ids=["missing", "empty"])
async def test_changes_in_a_log_outlive_a_start_without_their_database(tmp_path: Path, is_empty: bool) -> None:  # noqa: FBT001 - a parameter of a test
    """SQLite would delete them: a file that was moved away by mistake is put back."""
    file, away = tmp_path / "shop.db", tmp_path / "away.db"
    async with open_database(file, queries=ALL) as database:
        await database.change(inserting("A"))
        left = {name: (tmp_path / name).read_bytes() for name in ("shop.db", "shop.db-wal")}
    away.write_bytes(left["shop.db"])
    (tmp_path / "shop.db-wal").write_bytes(left["shop.db-wal"])
    file.unlink()
    if is_empty:
        file.touch()
    assert "put the file back" in await _refused(file)
    away.rename(file)
    async with open_database(file, queries=ALL) as database:
        assert await codes(database) == ["A"]


def test_the_diagnosis_leaves_nothing_behind(tmp_path: Path) -> None:
    """A writable folder and a valid file are unchanged afterwards."""
    (tmp_path / "x.db").write_bytes(b"as it is")
    assert why_not_opened(tmp_path / "x.db") == why_not_opened(tmp_path / "y.db") == ""
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("x.db", b"as it is")]


def test_a_folder_without_room_for_the_index_of_a_log_is_named(tmp_path: Path) -> None:
    """SQLite itself would only report a disk I/O error."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        why = why_not_opened(tmp_path / "x.db")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert why.startswith(f"no file can be created in the folder {tmp_path}: File too large")


async def test_a_start_that_fails_leaves_no_thread(tmp_path: Path) -> None:
    """No thread of a database that could not be opened remains."""
    before = set(threading.enumerate())
    for _ in range(20):
        with pytest.raises(StartError):
            async with open_database(tmp_path):
                pass
        assert set(threading.enumerate()) - before == set()


async def test_a_start_that_fails_closes_what_is_open(database_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that waits for work would keep the process alive (no real disk fails its second connection alone)."""
    before, opened = set(threading.enumerate()), iter([module.open_log])

    def fail_later(connection: sqlite3.Connection) -> None:
        next(opened, failing)(connection)

    def failing(_: sqlite3.Connection) -> None:
        raise sqlite3.OperationalError("no")

    monkeypatch.setattr(database_module, "open_log", fail_later)
    with pytest.raises(StartError, match="the log says why"):
        async with open_database(database_file):
            pass
    for thread in set(threading.enumerate()) - before:
        thread.join(10.0)
        assert not thread.is_alive()


async def test_an_old_sqlite_stops_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library without RETURNING is refused before it touches a file (the version limit is moved, for lack of one)."""
    monkeypatch.setattr(module, "LEAST_SQLITE", (99, 0, 0))
    with pytest.raises(StartError, match=r"SQLite 3\..* is too old"):
        async with open_database(tmp_path / "test.db"):
            pass
    assert not (tmp_path / "test.db").exists()


async def test_an_sqlite_without_the_text_index_stops_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says what is missing and what to do (another module is requested, for lack of such a library)."""
    monkeypatch.setattr(module, "TEXT_INDEX", "fts99")
    with pytest.raises(StartError, match="built without its module fts99, which searching needs; start with a Python"):
        async with open_database(tmp_path / "test.db"):
            pass


def test_a_place_without_a_write_ahead_log_stops_the_start() -> None:
    """If SQLite cannot keep the log, as in memory and on network disks, the service does not start."""
    memory = closing(sqlite3.connect(":memory:", isolation_level=None))  # it behaves like a network disk
    with memory as connection, pytest.raises(StartError, match="name a file on a local disk"):
        module.log_ahead(connection)
