import asyncio
import contextlib
import sqlite3
from pathlib import Path

import pytest

from barcodesvc.errors import StartError
from barcodesvc.store.migrations import scripts_of
from barcodesvc.store.sqlite import migrations
from barcodesvc.store.sqlite.database import open_database


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


async def test_a_newer_database_is_refused_untouched(tmp_path: Path) -> None:
    """A database of a newer release is not opened; the message names both versions and what to do."""
    path = tmp_path / "newer.db"
    await opened_and_closed(path)
    run(path, "UPDATE schema_version SET version = 99")
    before = dump(path)
    with pytest.raises(StartError, match=r"schema version 99, this release knows \d+; start a newer release"):
        await opened_and_closed(path)
    assert dump(path) == before


async def test_a_database_from_before_the_first_release_is_refused_untouched(tmp_path: Path) -> None:
    """The message says how its content comes into a new database."""
    path = tmp_path / "former.db"
    await opened_and_closed(path)
    run(path, "UPDATE schema_version SET version = 17")
    before = dump(path)
    with pytest.raises(StartError, match=r"version 17, from before the first release.*download /api/products/export"):
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
