"""Both engines compared: they have the same queries by name, and search, list and count the same catalogue equally."""

import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
from hypothesis import given, strategies as st

from barcodesvc.models import ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.lists import Page, ProductFilter, list_products
from barcodesvc.store.migrations import scripts_of
from barcodesvc.store.postgres.queries import QUERIES as NUMBERED
from barcodesvc.store.queries import Query, load_queries
from tests.direct_sql import run_sql
from tests.engines import ServerPlaces
from tests.properties import examples
from tests.stock import insert_all
from tests.sweeps import sweep

NOW = "2026-01-31T12:00:00.000Z"
LETTERS = st.sampled_from(
    "abAB%_\\\"'*^():- \N{GRINNING FACE}\N{COMBINING DIAERESIS}uÜßİ"
    "\N{LATIN SMALL LETTER DOTLESS I}Σς\N{GREEK SMALL LETTER SIGMA}Жж\N{LATIN SMALL LETTER SHARP S}牛\ufffd\ufffe\uffff"
)
TEXTS = st.text(LETTERS, min_size=1, max_size=12).filter(str.strip)
CODES = st.text(st.sampled_from("abAB%_\\\"'*^():-"), min_size=1, max_size=12)
CATEGORIES = st.sampled_from(["", "Bolts", "Nuts"])
STORED = st.lists(st.tuples(CODES, TEXTS, CATEGORIES), max_size=10, unique_by=lambda fields: fields[0])
SQL = Path(__file__).parents[3] / "sql"
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


def names_in(file: Path) -> set[str]:
    """Return the names of the queries in an SQL file."""
    return set(re.findall(r"^-- name: (\w+)", file.read_text("utf-8"), re.MULTILINE))


def test_what_the_service_asks_is_there_for_both() -> None:
    """An engine has queries that the other one lacks only in files that it alone uses."""
    own = {name for path in SQL.glob("*/*.sql") if path.name in OWN_FILES for name in names_in(path)}
    assert SQLITE.keys() ^ POSTGRES.keys() <= own | ENGINES_OWN


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


@asynccontextmanager
async def both(postgres: ServerPlaces, drafts: list[ProductDraft]) -> AsyncIterator[tuple[Database, Database]]:
    """Open a database on either engine with these products in it."""
    with TemporaryDirectory() as folder, postgres.one() as place:
        async with open_database(Path(folder) / "test.db") as one, open_database(place) as other:
            for database in (one, other):
                await database.change(lambda: insert_all(drafts, NOW))
            yield one, other


async def page(database: Database, search: str | None, category: str | None, offset: int) -> Page:
    """Return at most three products from an offset."""
    return await list_products(database, ProductFilter(search or "", category), limit=3, offset=offset)


@examples(25)
@given(stored=STORED, searches=st.lists(TEXTS, max_size=4), category=st.none() | CATEGORIES)
async def test_searches_find_the_same(
    postgres: ServerPlaces, stored: list[tuple[str, str, str]], searches: list[str], category: str | None
) -> None:
    """Hits, order and total are equal for any text: in any script, with wildcards, short, and past the last page."""
    drafts = [ProductDraft(product_code=code, description=text, category=kept) for code, text, kept in stored]
    async with both(postgres, drafts) as (one, other):
        parts = [draft.description[:size] for draft in drafts[:2] for size in (1, 2, 5)]
        for search in (None, *searches, *parts, *(draft.product_code.swapcase() for draft in drafts[:2])):
            for offset in (0, 2, 11):
                asked = (search, category, offset)
                assert await page(one, *asked) == await page(other, *asked)


async def test_searches_find_the_same_without_the_index(postgres: ServerPlaces, tmp_path: Path) -> None:
    """Without the extension every text is compared, with the same result."""
    texts = ["Blue STRASSE", "blue straße", "100 % cotton", "a_b", "牛肉"]
    drafts = [ProductDraft(product_code=f"A-{number}", description=text) for number, text in enumerate(texts)]
    with postgres.one() as place:
        async with open_database(tmp_path / "test.db") as one, open_database(place) as other:
            for database in (one, other):
                await database.change(lambda: insert_all(drafts, NOW))
            run_sql(place, "DROP EXTENSION pg_trgm CASCADE")
            for search in ("strasse", "BLUE", "%", "_", "0 %", "牛", "肉", "nowhere"):
                assert await page(one, search, None, 0) == await page(other, search, None, 0)
