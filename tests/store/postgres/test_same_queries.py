"""Queries by name are independent of the engine: both have each one, with the same parameters, marks and columns."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import asyncpg

from barcodesvc.store.engines import open_database
from barcodesvc.store.migrations import scripts_of
from barcodesvc.store.postgres.queries import QUERIES as NUMBERED
from barcodesvc.store.queries import Query, load_queries
from tests.engines import ServerPlaces
from tests.store.test_queries import asked
from tests.sweeps import sweep

SQLITE, POSTGRES = load_queries("sqlite"), load_queries("postgres")
BOTH = sorted(SQLITE.keys() & POSTGRES.keys())
OWN_FILES = {"backup.sql", "connections.sql", "copy.sql", "text_index.sql"}
"""Queries that only an engine itself uses."""
KINDS = {"int4", "int8", "text", "name"}
"""Types whose values become an int or a str, like all values from SQLite."""
OBJECTS = {"attributes": "{}"}
"""Values of parameters that are JSON objects."""
ENGINES_OWN = {"put_staged_row", "count_staged_rows", "read_by_indexes"}
"""Queries of staged rows that an engine uses itself."""


def names_in(engine: str, file: str) -> set[str]:
    """Return the names of the queries in an SQL file of an engine."""
    text = (Path(__file__).parents[3] / "sql" / engine / file).read_text("utf-8")
    return {line.removeprefix("-- name: ").partition("(")[0] for line in text.splitlines() if "-- name: " in line}


SQLITES_OWN = names_in("sqlite", "backup.sql") | names_in("sqlite", "text_index.sql")


def test_files_of_one_name_hold_the_same_queries() -> None:
    """Each engine has its own text for the same query."""
    root = Path(__file__).parents[3] / "sql"
    files = {path.name for path in (root / "postgres").glob("*.sql")} - OWN_FILES
    assert files == {path.name for path in (root / "sqlite").glob("*.sql")} - OWN_FILES
    for file in files:
        assert names_in("sqlite", file) - ENGINES_OWN == names_in("postgres", file) - ENGINES_OWN


def names_asked() -> list[str]:
    """Return the names of the queries that the service asks."""
    return sorted({name for _, name in asked()} & (SQLITE.keys() | POSTGRES.keys()))


@sweep("name", names_asked)
def test_what_the_service_asks_is_there_for_both(name: str) -> None:
    """Every name that the engines do not use themselves exists in both."""
    asked_by_engines = {
        name
        for engine in ("sqlite", "postgres")
        for file in ("connections.sql", "copy.sql")
        for name in names_in(engine, file)
    }
    assert name in BOTH or name in asked_by_engines | ENGINES_OWN | names_in("sqlite", "backup.sql") | names_in(
        "sqlite", "text_index.sql"
    )


@sweep("name", BOTH)
def test_a_query_asks_and_gives_the_same(name: str) -> None:
    """Parameters and marks are equal in both engines."""
    one, other = SQLITE[name], POSTGRES[name]
    assert (one.parameters, one.yields) == (other.parameters, other.yields)


def test_migrations_have_the_same_numbers() -> None:
    """A schema version means the same in both."""
    assert list(scripts_of("sqlite")) == list(scripts_of("postgres"))


async def test_a_query_gives_the_same_columns(postgres: ServerPlaces, tmp_path: Path) -> None:
    """They have the same names, in the order of their use, and the kinds that SQLite has."""
    async with open_database(tmp_path / "test.db") as database:
        with database.staging(tmp_path / "staged"):
            pass
    with postgres.one() as place, closing(sqlite3.connect(tmp_path / "test.db")) as file:
        file.execute("ATTACH DATABASE ? AS staged", (str(tmp_path / "staged"),))
        connection = await asyncpg.connect(place.url)
        try:
            async with connection.transaction():
                await connection.execute(NUMBERED["create_staged_rows"].sql)
                for query in giving():
                    columns = (await connection.prepare(NUMBERED[query.name].sql)).get_attributes()
                    cursor = file.execute(query.sql, dict.fromkeys(query.parameters, 1) | OBJECTS)
                    names = [name for name, *_ in cursor.description]
                    assert (query.name, names) == (query.name, [column.name for column in columns])
                    assert {column.type.name for column in columns} <= KINDS, query.name
        finally:
            await connection.close()


def giving() -> Iterator[Query]:
    """Yield SQLite's queries that return rows, and that PostgreSQL has too."""
    for name in BOTH:
        if SQLITE[name].yields != "!":
            yield SQLITE[name]
