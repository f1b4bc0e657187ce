import asyncio
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from barcodesvc.__main__ import main
from barcodesvc.addresses import ServerAddress
from barcodesvc.store.copying import Batch
from barcodesvc.store.engines import open_target
from barcodesvc.store.migrations import no_longer_known, scripts_of
from tests.direct_sql import run_sql
from tests.engines import ENGINES, Place
from tests.store.copying.conftest import NewPlace
from tests.store.copying.stored import content, filled, made, written

OLDEST, NEWEST = min(scripts_of("sqlite")), max(scripts_of("sqlite"))
OLDER = "UPDATE schema_version SET version = version - 1"
VERSION = "UPDATE schema_version SET version = {}"
PRODUCT = (
    "INSERT INTO products (id, product_code, description, category, unit_of_measure, created_at, updated_at, "
    "code_folded, description_folded) VALUES (1, 'A', 'x', '', '', '', '', 'a', 'x')"
)
KEY = "INSERT INTO idempotency_keys VALUES ('k', '', '', '', '')"
TABLES_OF = {
    "sqlite": "SELECT name FROM sqlite_master",
    "postgres": "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
}
FAULTS = {
    "sqlite": "CREATE TRIGGER fault BEFORE INSERT ON movements WHEN NEW.id = 2 BEGIN SELECT RAISE(IGNORE); END",
    "postgres": "CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql "
    "AS 'BEGIN IF NEW.id = 2 THEN RETURN NULL; END IF; RETURN NEW; END'",
}
"""What drops a row, as a fault of the storage would."""
FAULTY_TABLE = "CREATE TRIGGER fault BEFORE INSERT ON movements FOR EACH ROW EXECUTE FUNCTION fault()"


def refusal(source: Place, target: Place, capsys: pytest.CaptureFixture[str]) -> str:
    """Return why a copy is refused."""
    capsys.readouterr()
    assert main(["copy", written(source), written(target)]) == 2
    line = capsys.readouterr().err.removesuffix("\n")
    begin = f"{source} cannot be copied to {target}: "
    assert line.startswith(begin)
    return line.removeprefix(begin)


def is_unused(place: Place) -> bool:
    """Return whether there is no file, or the database on the server has no tables."""
    if isinstance(place, Path):
        return not list(place.parent.glob(f"{place.name}*"))
    return run_sql(place, TABLES_OF["postgres"]) == []


@pytest.mark.parametrize(("table", "row"), [("products", PRODUCT), ("idempotency_keys", KEY)])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_target_with_a_row_is_refused(
    new_place: NewPlace, engine: str, table: str, row: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the table, and the target does not change."""
    source, target = filled(new_place("sqlite")), made(new_place(engine))
    run_sql(target, row)
    before = content(target)
    why = f"the target is not empty: its table {table} has rows; name a new database"
    assert refusal(source, target, capsys) == why
    assert content(target) == before


@pytest.mark.parametrize("engine", ENGINES)
def test_a_database_is_not_copied_into_itself(
    new_place: NewPlace, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not empty, and does not change."""
    place = filled(new_place(engine))
    before = content(place)
    assert "the target is not empty" in refusal(place, place, capsys)
    assert content(place) == before


@pytest.mark.parametrize("engine", ENGINES)
def test_a_database_with_another_schema_is_refused(
    new_place: NewPlace, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says what to do, and no target is created; neither is a target of a newer release filled."""
    source, target = filled(new_place(engine)), new_place("sqlite")
    run_sql(source, OLDER)
    assert re.search(rf"{NEWEST} is needed; start barcodesvc \S+ with it once", refusal(source, target, capsys))
    run_sql(source, VERSION.format(OLDEST - 1))
    assert refusal(source, target, capsys) == no_longer_known(OLDEST - 1)
    run_sql(source, VERSION.format(NEWEST + 1))
    newer = f"the database has schema version {NEWEST + 1}, this release knows {NEWEST}; "
    assert refusal(source, target, capsys).startswith(newer)
    assert is_unused(target)
    assert refusal(filled(new_place("sqlite")), source, capsys).startswith(newer)


@pytest.mark.parametrize("engine", ENGINES)
def test_databases_of_other_programs_are_refused(
    new_place: NewPlace, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a source and as a target."""
    ours, other = filled(new_place("sqlite")), new_place(engine)
    run_sql(other, "CREATE TABLE theirs (id BIGINT)")
    assert "the database belongs to another program" in refusal(other, new_place("sqlite"), capsys)
    assert "the database belongs to another program" in refusal(ours, other, capsys)
    assert ("theirs",) in run_sql(other, TABLES_OF[engine])


def test_a_missing_source_is_not_created(new_place: NewPlace, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither is the target."""
    source, target = new_place("sqlite"), new_place("sqlite")
    assert refusal(source, target, capsys) == f"there is no file {source}"
    assert is_unused(source)
    assert is_unused(target)


def test_a_target_that_cannot_be_created_is_refused(new_place: NewPlace, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the missing folder, the log left of a former file, or the reserved name."""
    source = filled(new_place("sqlite"))
    assert isinstance(source, Path)
    folder = source.parent
    nowhere = refusal(source, folder / "nowhere" / "x.db", capsys)
    assert f"no file can be created in the folder {folder / 'nowhere'}: No such file or directory" in nowhere
    (folder / "left.db-wal").touch()
    left = f"{folder / 'left.db-wal'} is left over from an old left.db; move it away first, or name another file"
    assert refusal(source, folder / "left.db", capsys) == left
    reserved = f"SQLite reserves the name {source}-journal for the log of a database; name another file, or rename it"
    assert refusal(source, Path(f"{source}-journal"), capsys) == reserved
    assert not (folder / "left.db").exists()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_copy_that_fails_leaves_nothing(new_place: NewPlace, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A change of a missing product violates a constraint after all products and levels are inserted."""
    source, target = filled(new_place("sqlite")), new_place(engine)
    run_sql(source, "INSERT INTO movements VALUES (99, 999, 0, 1, '', '', '', NULL, NULL, NULL)")
    assert "the target cannot store a row of the table movements: " in refusal(source, target, capsys)
    assert is_unused(target)


@pytest.mark.parametrize("value", ["'a' || char(0) || 'b'", "x'00ff'"])
def test_postgres_refuses_a_value_that_it_cannot_store(
    new_place: NewPlace, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An SQLite file may hold the character U+0000 in a text, and bytes instead of a text."""
    source, target = filled(new_place("sqlite")), new_place("postgres")
    run_sql(source, f"UPDATE idempotency_keys SET body = {value} WHERE used_for = 'NULL'")  # noqa: S608 - of the test's own
    assert "the target cannot store a row of the table idempotency_keys: " in refusal(source, target, capsys)
    assert is_unused(target)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_target_that_lacks_a_row_is_not_committed(
    new_place: NewPlace, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the table, and both numbers of rows."""
    source, target = filled(new_place("sqlite")), made(new_place(engine))
    run_sql(target, FAULTS[engine])
    if engine == "postgres":
        run_sql(target, FAULTY_TABLE)
    before = content(target)
    message = "the table movements differs between source (12 rows) and target (11 rows)"
    assert refusal(source, target, capsys) == message
    assert content(target) == before


@pytest.mark.parametrize("engine", ENGINES)
def test_an_interrupted_copy_leaves_nothing(new_place: NewPlace, engine: str) -> None:
    """A new file is removed; an existing database is as it was."""
    key = Batch(("idempotency_key", "used_for", "fingerprint", "body", "used_at"), [("k", "", "", "", "")])
    target, empty = new_place(engine), made(new_place(engine))

    async def interrupted(place: Place) -> None:
        async with open_target(place) as writing:
            await writing.insert("idempotency_keys", key)
            raise asyncio.CancelledError

    before = content(empty)
    for place in (target, empty):
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(interrupted(place))
    assert is_unused(target)
    assert content(empty) == before


def with_password(place: Place, **parts: str) -> ServerAddress:
    """Return the address of a database with a password in it."""
    assert isinstance(place, ServerAddress)
    user, _, host = urlsplit(place.url).netloc.rpartition("@")
    netloc = f"{user.partition(':')[0]}:s3cr%40t@{host}"
    return ServerAddress(urlsplit(place.url)._replace(netloc=netloc, **parts).geturl())


def test_a_password_is_never_shown(new_place: NewPlace, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither by a copy that succeeds, nor where the server or the address is refused."""
    source, target = filled(new_place("sqlite")), new_place("postgres")
    assert main(["copy", str(source), with_password(target).url]) == 0
    assert main(["copy", str(source), with_password(target, path="/not%20there").url]) == 2
    assert main(["copy", str(source), "postgresql://me:s3cr%40t@127.0.0.1:1/x"]) == 2
    with pytest.raises(SystemExit):
        main(["copy", "postgresql://me:s3cr%40t@[x/y", str(source)])
    output, errors = capsys.readouterr()
    assert f"is copied to {target}: " in output
    assert 'database "not there" does not exist' in errors
    assert "argument FROM: is not an address such as postgresql://user@host/name" in errors
    assert "s3cr" not in output + errors
