from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from barcodesvc.__main__ import main
from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import BackupError
from barcodesvc.store.copyable import CHANGES, KEYS, PRODUCTS, Source, Table, Target
from barcodesvc.store.copying import copy
from barcodesvc.store.engines import open_source, open_target
from barcodesvc.store.script import Row
from barcodesvc.store.sqlite.migrations import migration_scripts
from tests.beside import run_beside
from tests.engines import ENGINES, Place
from tests.store.copying.conftest import NewPlace
from tests.store.copying.stored import content, filled, made, written

NEWEST = max(migration_scripts())
OLDER = "UPDATE schema_version SET version = version - 1"
NEWER = "UPDATE schema_version SET version = version + 1"
ROWS = {
    "products": "INSERT INTO products VALUES (1, 'A', 'x', '', '', '', '', 'a', 'x', NULL, NULL)",
    "idempotency_keys": "INSERT INTO idempotency_keys VALUES ('k', '', '', '', '')",
    "session_key": "INSERT INTO session_key VALUES (1, 'x')",
    "ended_sessions": "INSERT INTO ended_sessions VALUES ('x', '')",
}
SQLITE_COLUMNS = (
    "(id, product_code, description, category, unit_of_measure, created_at, updated_at, code_folded, "
    "description_folded, gtin, short_gtin)"
)
TABLES_OF = {
    "sqlite": "SELECT name FROM sqlite_master",
    "postgres": "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
}


def refusal(source: Place, target: Place, capsys: pytest.CaptureFixture[str]) -> str:
    """Return why a copy is refused."""
    capsys.readouterr()
    assert main(["copy", written(source), written(target)]) == 2
    line = capsys.readouterr().err.removesuffix("\n")
    begin = f"{source} cannot be copied to {target}: "
    assert line.startswith(begin)
    return line.removeprefix(begin)


def is_as_new(place: Place) -> bool:
    """Return whether nothing is at a place that nobody has used before."""
    if isinstance(place, Path):
        return not list(place.parent.glob(f"{place.name}*"))
    return run_beside(place, TABLES_OF["postgres"]) == []


@pytest.mark.parametrize("table", ROWS)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_target_with_a_row_is_refused(
    new_place: NewPlace, engine: str, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names its table; the target stays as it was."""
    source, target = filled(new_place("sqlite")), made(new_place(engine))
    run_beside(target, ROWS[table].replace("products VALUES", f"products {SQLITE_COLUMNS} VALUES"))
    before = content(target)
    why = f"the target is not empty: there are rows in its table {table}; name a new database"
    assert refusal(source, target, capsys) == why
    assert content(target) == before


@pytest.mark.parametrize("engine", ENGINES)
def test_a_database_is_not_copied_into_itself(
    new_place: NewPlace, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not empty, and stays as it was."""
    place = filled(new_place(engine))
    before = content(place)
    assert "the target is not empty" in refusal(place, place, capsys)
    assert content(place) == before


@pytest.mark.parametrize("name", ["copy.db", "link.db"])
def test_a_backup_is_not_copied_into_itself(
    new_place: NewPlace, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Under its own name or by a link; a file without a log beside it would be locked by its reader."""
    shop = filled(new_place("sqlite"))
    assert isinstance(shop, Path)
    copy, other = shop.with_name("copy.db"), shop.with_name(name)
    shop.with_name("link.db").symlink_to(copy)
    monkeypatch.setenv("BARCODESVC_DATABASE", str(shop))
    assert main(["backup", str(copy)]) == 0
    assert refusal(copy, other, capsys) == "the target is not empty: it is the source; name a new database"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_source_of_another_version_is_refused(
    new_place: NewPlace, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says which release to start first, or to copy with; nothing is made."""
    source, target = filled(new_place(engine)), new_place("sqlite")
    run_beside(source, OLDER)
    assert refusal(source, target, capsys) == (
        f"it has schema version {NEWEST - 1}, and {NEWEST} is needed; "
        f"start barcodesvc {version('barcodesvc')} with it once, which brings it there"
    )
    run_beside(source, NEWER, NEWER)
    assert refusal(source, target, capsys) == (
        f"it has schema version {NEWEST + 1}, this release knows {NEWEST}; copy it with the newer release that made it"
    )
    assert is_as_new(target)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_target_of_a_newer_release_is_refused(
    new_place: NewPlace, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though it has no rows."""
    source, target = filled(new_place("sqlite")), made(new_place(engine))
    run_beside(target, NEWER)
    assert f"the database has schema version {NEWEST + 1}, this release knows" in refusal(source, target, capsys)


@pytest.mark.parametrize("engine", ENGINES)
def test_databases_of_other_programs_are_refused(
    new_place: NewPlace, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a source and as a target."""
    ours, other = filled(new_place("sqlite")), new_place(engine)
    run_beside(other, "CREATE TABLE theirs (id BIGINT)")
    assert refusal(other, new_place("sqlite"), capsys) == "the source is no database of this service"
    assert "the database belongs to another program" in refusal(ours, other, capsys)
    assert ("theirs",) in run_beside(other, TABLES_OF[engine])


def test_a_missing_source_is_not_made(new_place: NewPlace, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither it nor the target is there afterwards."""
    source, target = new_place("sqlite"), new_place("sqlite")
    assert refusal(source, target, capsys) == f"there is no file {source}"
    assert is_as_new(source)
    assert is_as_new(target)


def test_where_no_file_can_be_made_is_told(new_place: NewPlace, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder is named; so is what is left of a former file, and a part of another database."""
    source = filled(new_place("sqlite"))
    assert isinstance(source, Path)
    folder = source.parent
    nowhere = refusal(source, folder / "nowhere" / "x.db", capsys)
    assert f"there is no folder {folder / 'nowhere'}; make it" in nowhere
    (folder / "left.db-wal").touch()
    left = f"{folder / 'left.db-wal'} is left of a former left.db; move it away first, or name another file"
    assert refusal(source, folder / "left.db", capsys) == left
    part = f"{source}-journal is a part of the database {source}; name another file"
    assert refusal(source, Path(f"{source}-journal"), capsys) == part
    assert not (folder / "left.db").exists()


@pytest.mark.parametrize("engine", ENGINES)
def test_what_fails_in_the_middle_leaves_nothing(
    new_place: NewPlace, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A change of a product that is not there comes behind all products and levels."""
    source, target = filled(new_place("sqlite")), new_place(engine)
    run_beside(source, "INSERT INTO level_changes VALUES (99, 999, 0, 1, '', '', '', NULL, NULL)")
    assert "the rows of the table level_changes behind 1 do not fit" in refusal(source, target, capsys)
    assert is_as_new(target)


@pytest.mark.parametrize("value", ["'a' || char(0) || 'b'", "x'00ff'"])
def test_what_postgres_cannot_store_is_named(
    new_place: NewPlace, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The character U+0000 in a text, and bytes where a text belongs: a file of SQLite's may hold both."""
    source, target = filled(new_place("sqlite")), new_place("postgres")
    run_beside(source, f"UPDATE idempotency_keys SET answer = {value} WHERE used_for = 'NULL'")  # noqa: S608 - of the test's own
    assert "the rows of the table idempotency_keys behind 'k '" in refusal(source, target, capsys)
    assert is_as_new(target)


class Broken:
    """A source that ends at a table as a command does that is broken off."""

    def __init__(self, source: Source) -> None:
        self._source = source

    async def rows(self, table: Table, after: int | str) -> Sequence[Row]:
        """Read, but for the keys."""
        if table is KEYS:
            raise asyncio.CancelledError
        return await self._source.rows(table, after)

    async def last_id(self, table: Table) -> int:
        """Return what the source returns."""
        return await self._source.last_id(table)


class Distorting:
    """A target that does not store everything as it comes."""

    def __init__(self, target: Target, fault: str) -> None:
        self._target = target
        self._fault = fault

    async def rows(self, table: Table, after: int | str) -> Sequence[Row]:
        """Return what the target returns."""
        return await self._target.rows(table, after)

    async def last_id(self, table: Table) -> int:
        """Return what the target returns."""
        return await self._target.last_id(table)

    async def complete(self) -> None:
        """Let the target do it."""
        await self._target.complete()

    async def put(self, table: Table, rows: Sequence[Row]) -> None:
        """Put rows, with the fault that is asked for."""
        if table is PRODUCTS and self._fault == "text":
            rows = [(*row[:2], row[2].rstrip(), *row[3:]) for row in rows]
        if table is CHANGES and self._fault == "row":
            rows = rows[:-1]
        await self._target.put(table, rows)

    async def set_last_id(self, table: Table, last: int) -> None:
        """Let the target do it, unless that is the fault."""
        await self._target.set_last_id(table, last - (self._fault == "id"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("text", "rows of the table products are others in the target than in the source"),
        ("row", "the table level_changes has 10 rows in the target, 11 in the source"),
        ("id", "the ids of the table products do not go on behind 10 in the target"),
    ],
)
def test_what_is_not_the_same_is_not_committed(new_place: NewPlace, engine: str, fault: str, message: str) -> None:
    """A blank that is lost, a row that is missing, ids that would be given again."""
    source, target = filled(new_place("sqlite")), new_place(engine)

    async def distorted() -> None:
        async with open_source(source) as reading, open_target(target) as writing:
            await copy(reading, Distorting(writing, fault))

    with pytest.raises(BackupError, match=message):
        asyncio.run(distorted())
    assert is_as_new(target)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_copy_that_is_broken_off_leaves_nothing(new_place: NewPlace, engine: str) -> None:
    """As by Ctrl+C: a file that was made is gone, one that was there, and a database, are as they were."""
    source, target, empty = filled(new_place("sqlite")), new_place(engine), made(new_place(engine))

    async def broken(place: Place) -> None:
        async with open_source(source) as reading, open_target(place) as writing:
            await copy(Broken(reading), writing)

    before = content(empty)
    for place in (target, empty):
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(broken(place))
    assert is_as_new(target)
    assert content(empty) == before


def with_password(place: Place, **parts: str) -> ServerAddress:
    """Return the address of a database with a password in it."""
    assert isinstance(place, ServerAddress)
    user, _, host = urlsplit(place.url).netloc.rpartition("@")
    netloc = f"{user.partition(':')[0]}:s3cr%40t@{host}"
    return ServerAddress(urlsplit(place.url)._replace(netloc=netloc, **parts).geturl())


def test_a_password_is_never_shown(new_place: NewPlace, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither where the copy is made, nor where the server or the address is refused."""
    source, target = filled(new_place("sqlite")), new_place("postgres")
    assert main(["copy", str(source), with_password(target).url]) == 0
    assert main(["copy", str(source), with_password(target, path="/not%20there").url]) == 2
    assert main(["copy", str(source), "postgresql://me:s3cr%40t@127.0.0.1:1/x"]) == 2
    with pytest.raises(SystemExit):
        main(["copy", "postgresql://me:s3cr%40t@[x/y", str(source)])
    output, errors = capsys.readouterr()
    assert f"is copied to {target}: " in output
    assert 'database "not there" does not exist' in errors
    assert "argument FROM: is no address such as postgresql://user@host/name" in errors
    assert "s3cr" not in output + errors
