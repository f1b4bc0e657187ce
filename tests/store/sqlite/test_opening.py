"""Starts: which files are opened, migrated or refused as they are, and what a refusal says."""

import asyncio
import contextlib
import re
import resource
import sqlite3
import threading
from pathlib import Path

import pytest

from barcodesvc.errors import StartError
from barcodesvc.models import ProductDraft
from barcodesvc.store.migrations import scripts_of
from barcodesvc.store.sqlite import database as database_module, migrations, startup as module
from barcodesvc.store.sqlite.database import open_database
from barcodesvc.store.sqlite.files import why_not_opened
from tests.stock import create_product
from tests.store.own_queries import ALL
from tests.store.sqlite.together import codes, inserting

NOW = "2026-01-31T12:00:00.000Z"


async def opened_and_closed(path: Path) -> None:
    """Open the database, which migrates it, and close it."""
    async with open_database(path):
        pass


def run(path: Path, *statements: str) -> list[tuple[object, ...]]:
    """Run SQL on the file, as another program would, and return the rows of the last statement."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        return [list(connection.execute(statement)) for statement in statements][-1]


def dump(path: Path) -> list[str]:
    """Return the entire content of the file, as SQL."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.mark.parametrize("name", ["a?mode=memory", "a#b", "50%41", "ä ö.db", ":memory:", "file:x"])
async def test_any_file_name_names_its_file(tmp_path: Path, name: str) -> None:
    """Characters with a meaning in URIs have none in the setting."""
    async with open_database(tmp_path / name) as database:
        await create_product(database, ProductDraft(product_code="A", description="x"), NOW)
    assert (tmp_path / name).stat().st_size > 0


async def _refused(path: Path) -> str:
    with pytest.raises(StartError) as refusal:
        await opened_and_closed(path)
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
        await _refused(tmp_path)
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
        await opened_and_closed(database_file)
    for thread in set(threading.enumerate()) - before:
        thread.join(10.0)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    ("needed", "value", "why"),
    [
        ("LEAST_SQLITE", (99, 0, 0), r"SQLite 3\..* is too old"),
        ("TEXT_INDEX", "fts99", "built without its module fts99, which searching needs; start with a Python"),
    ],
    ids=["old", "without the text index"],
)
async def test_an_sqlite_that_lacks_something_stops_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, needed: str, value: object, why: str
) -> None:
    """It is refused before it touches a file (what is needed is changed, for lack of such a library)."""
    monkeypatch.setattr(module, needed, value)
    assert re.search(why, await _refused(tmp_path / "test.db"))
    assert not (tmp_path / "test.db").exists()


def test_a_place_without_a_write_ahead_log_stops_the_start() -> None:
    """If SQLite cannot keep the log, as in memory and on network disks, the service does not start."""
    memory = contextlib.closing(sqlite3.connect(":memory:", isolation_level=None))  # it behaves like a network disk
    with memory as connection, pytest.raises(StartError, match="name a file on a local disk"):
        module.log_ahead(connection)


def add_migration(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Give the package one more migration."""
    scripts = scripts_of("sqlite")
    longer = {**scripts, max(scripts) + 1: script}
    monkeypatch.setattr(migrations, "scripts_of", lambda _: longer)


def test_migrations_are_numbered_without_gaps() -> None:
    """The first one makes the schema, under the number that it had reached then."""
    scripts = scripts_of("sqlite")
    assert list(scripts) == list(range(18, max(scripts) + 1))


async def test_an_empty_database_gets_every_table(tmp_path: Path) -> None:
    """The file is created, and migrated to the newest version."""
    await opened_and_closed(tmp_path / "new.db")
    tables = {name for (name,) in run(tmp_path / "new.db", "SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables >= {"schema_version", "products", "levels", "movements"}
    assert run(tmp_path / "new.db", "SELECT version FROM schema_version") == [(max(scripts_of("sqlite")),)]


async def test_a_file_of_no_bytes_is_an_empty_database(tmp_path: Path) -> None:
    """An empty file is accepted, as SQLite accepts it."""
    (tmp_path / "touched.db").touch()
    await opened_and_closed(tmp_path / "touched.db")
    assert run(tmp_path / "touched.db", "SELECT COUNT(*) FROM products") == [(0,)]


async def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    """A database of the newest version stays unchanged."""
    await opened_and_closed(tmp_path / "test.db")
    before = dump(tmp_path / "test.db")
    await opened_and_closed(tmp_path / "test.db")
    assert dump(tmp_path / "test.db") == before


async def test_an_older_database_gets_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the migrations beyond the stored version run, and stored rows are kept."""
    await opened_and_closed(tmp_path / "test.db")
    add_migration(monkeypatch, "CREATE TABLE later (id INTEGER);\n-- half a word\nINSERT INTO later VALUES (7)")
    await opened_and_closed(tmp_path / "test.db")
    assert run(tmp_path / "test.db", "SELECT id FROM later") == [(7,)]
    assert run(tmp_path / "test.db", "SELECT version FROM schema_version") == [(max(scripts_of("sqlite")) + 1,)]


@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("99", r"schema version 99, this release knows \d+; start a newer release"),
        ("17", r"version 17, from before the first release.*download /api/products/export"),
    ],
    ids=["newer", "before the first release"],
)
async def test_a_database_of_another_release_is_refused_untouched(tmp_path: Path, version: str, why: str) -> None:
    """The message names its version, and what to do."""
    path = tmp_path / "other.db"
    await opened_and_closed(path)
    run(path, f"UPDATE schema_version SET version = {version}")  # noqa: S608 - of the test's own
    before = dump(path)
    with pytest.raises(StartError, match=why):
        await opened_and_closed(path)
    assert dump(path) == before


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE notes (id INTEGER)"],
        ["CREATE TABLE schema_version (version INTEGER)", "INSERT INTO schema_version VALUES (1)"],
        ["CREATE TABLE schema_version (installed_rank INTEGER)", "CREATE TABLE products (id INTEGER)"],
        ["CREATE TABLE notes (id INTEGER)", "CREATE VIEW products AS SELECT * FROM notes"],
    ],
)
async def test_the_database_of_another_program_is_refused_untouched(tmp_path: Path, statements: list[str]) -> None:
    """Another program's file is not opened and keeps every byte, including its journal mode."""
    path = tmp_path / "foreign.db"
    run(path, *statements)
    before = path.read_bytes()
    with pytest.raises(StartError, match="belongs to another program; name another one in BARCODESVC_DATABASE"):
        await opened_and_closed(path)
    assert path.read_bytes() == before
    assert not path.with_name("foreign.db-wal").exists()


async def test_a_file_that_is_no_database_is_refused_untouched(tmp_path: Path) -> None:
    """A text file is not opened, and the message names it."""
    path = tmp_path / "letter.db"
    path.write_text("Dear customer, " * 100, "utf-8")
    with pytest.raises(StartError, match=r"letter\.db cannot be used: file is not a database"):
        await opened_and_closed(path)
    assert path.read_text("utf-8") == "Dear customer, " * 100


async def test_a_failing_migration_leaves_the_database_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a migration did before its failing statement is rolled back, and the service does not start."""
    await opened_and_closed(tmp_path / "test.db")
    before = dump(tmp_path / "test.db")
    add_migration(monkeypatch, "CREATE TABLE later (id INTEGER);\nDELETE FROM nowhere;\n")
    with pytest.raises(StartError, match="cannot be used: no such table: nowhere"):
        await opened_and_closed(tmp_path / "test.db")
    assert dump(tmp_path / "test.db") == before


async def test_connections_that_start_at_once_all_find_it_migrated(tmp_path: Path) -> None:
    """Of many that open a new file at once, none fails."""
    for attempt in range(5):
        path = tmp_path / f"{attempt}.db"
        await asyncio.gather(*(opened_and_closed(path) for _ in range(4)))
        assert run(path, "SELECT COUNT(*) FROM schema_version") == [(1,)]
