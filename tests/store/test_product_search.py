import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, strategies as st

from barcodesvc.models import ProductChange, ProductDraft
from barcodesvc.store import lists
from barcodesvc.store.database import Database
from barcodesvc.store.lists import MOST_WORDS, Page, ProductFilter, list_products
from barcodesvc.store.script import Script
from barcodesvc.store.sqlite import text_index
from barcodesvc.store.sqlite.connection import QUERIES
from barcodesvc.store.sqlite.database import open_database
from barcodesvc.store.sqlite.text_index import index_more
from barcodesvc.store.staging import Entry, StagedRows, ValidRow, chunks, insert_new, update_stored
from barcodesvc.texts import fold
from tests.fixture_types import Add, Until
from tests.properties import examples
from tests.stock import change_product, create_product, delete_product, insert_all

pytestmark = pytest.mark.each_engine

NOW = "2026-01-31T12:00:00.000Z"


FULL = "disk BEFORE UPDATE ON indexed_products BEGIN SELECT RAISE(ABORT, 'full'); END"
BETWEEN = (
    "(id, product_code, description, category, unit_of_measure, created_at, updated_at, code_folded, "
    "description_folded) VALUES (2, 'X', 'Bolt', '', 'pcs', '', '', 'x', 'bolt')"
)
LETTERS = st.sampled_from(
    "abAB%_\\\"'*^():-  \N{GRINNING FACE}\N{COMBINING DIAERESIS}uÜ\N{LATIN SMALL LETTER SHARP S}İø牛²\ufffd\ufffe\uffff"
)
TEXTS = st.text(LETTERS, min_size=1, max_size=12).filter(str.strip)
CATEGORIES = st.sampled_from(["", "Bolts", "Nuts"])
NAMES = st.sampled_from("xyz")
ATTRIBUTES = st.dictionaries(NAMES, TEXTS, max_size=3)
GIVEN = st.dictionaries(NAMES, st.none() | TEXTS, max_size=3)
"""Attributes that a change sets and removes."""
CHANGES = st.fixed_dictionaries({}, optional={"description": TEXTS, "category": CATEGORIES, "attributes": GIVEN})


def everything(path: Path) -> list[tuple[int, str, str, str]]:
    """Return id, category and folded texts of every product, by id."""
    with closing(sqlite3.connect(path)) as connection:
        statement = "SELECT id, category, code_folded, description_folded FROM products ORDER BY id"
        return connection.execute(statement).fetchall()


def run(path: Path, statement: str, *values: int) -> list[tuple[Any, ...]]:
    """Run a statement on the file, as another program would."""
    with closing(sqlite3.connect(path, timeout=10)) as connection, connection:
        return connection.execute(statement, values).fetchall()


UPTO = "SELECT upto FROM indexed_products"
KEPT = "SELECT category, products FROM product_counts ORDER BY 1"
COUNTED = "SELECT category, COUNT(*) FROM products GROUP BY 1 ORDER BY 1"


def require_in_step(path: Path) -> None:
    """Fail unless the trigrams are those of the indexed products, and the counts those of all products."""
    run(path, "INSERT INTO product_texts (product_texts, rank) VALUES ('integrity-check', 1)")
    assert run(path, KEPT) == run(path, COUNTED)


@asynccontextmanager
async def new_database() -> AsyncIterator[tuple[Database, Path]]:
    """Open an empty database in a new folder, one for each example."""
    with TemporaryDirectory() as folder:
        async with open_database(Path(folder) / "test.db") as database:
            yield database, Path(folder) / "test.db"


async def import_rows(database: Database, drafts: list[ProductDraft]) -> None:
    """Insert products as an import does, which defers the indexing."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "staged"
        with database.staging(file) as rows:
            StagedRows(rows).put(
                [ValidRow(number, draft, frozenset(draft.model_fields_set)) for number, draft in enumerate(drafts)]
            )

        def script() -> Script[None]:
            for chunk in chunks(len(drafts)):
                yield from update_stored(chunk, NOW)
                yield from insert_new(chunk, Entry(NOW))

        await database.change_long(script, staged=file)


async def found(
    database: Database, search: str | None, category: str | None, limit: int = 500, offset: int = 0
) -> Page:
    """Return the page of matching products."""
    return await list_products(database, ProductFilter(search or "", category), limit=limit, offset=offset)


def ids(page: Page) -> list[int]:
    """Return the ids of a page."""
    return [product.id for product in page.products]


def matching(path: Path, search: str, category: str | None) -> list[int]:
    """Return the ids of the matching products, in order: the definition that every search is compared with."""
    wanted, codes = search.strip(), dict(run(path, "SELECT id, product_code FROM products"))
    text, words = fold(wanted), fold(search).split()
    placed = [
        (codes[product_id] != wanted, code != text, not code.startswith(text), product_id)
        for product_id, kept, code, description in everything(path)
        if category in (None, kept) and all(word in code or word in description for word in words)
    ]
    return [product_id for *_, product_id in sorted(placed)]


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("create"), CATEGORIES),
        st.tuples(st.just("import"), st.integers(1, 5)),
        st.tuples(st.just("reimport"), st.tuples(TEXTS, ATTRIBUTES)),
        st.tuples(st.just("delete"), st.integers(0, 40)),
        st.tuples(st.just("change"), st.tuples(st.integers(0, 40), CHANGES)),
        st.tuples(st.just("index"), st.integers(1, 4)),
        st.tuples(st.just("spread"), st.sampled_from([1000, 1024, 40_000, 65_536, 200_000])),
    ),
    max_size=14,
)


class Catalogue:
    """A catalogue under random operations; each operation picks one of its products."""

    def __init__(self, database: Database, path: Path) -> None:
        self.database = database
        self.path = path
        self.made = 0

    async def carry_out(self, operation: str, value: Any) -> None:
        """Perform the operation."""
        await getattr(self, f"_{operation}")(value)

    def _next(self, **fields: Any) -> ProductDraft:
        self.made += 1
        return ProductDraft(product_code=f"A-{self.made}", **{"description": f"no. {self.made}", **fields})

    def _picked(self, number: int) -> int | None:
        rows = everything(self.path)
        return rows[number % len(rows)][0] if rows else None

    async def _create(self, category: str) -> None:
        await create_product(self.database, self._next(category=category), NOW)

    async def _import(self, count: int) -> None:
        await import_rows(self.database, [self._next(category="Bolts") for _ in range(count)])

    async def _reimport(self, texts: tuple[str, dict[str, str]]) -> None:
        text, attributes = texts
        drafts = [
            ProductDraft(product_code=f"A-{number}", description=text, attributes=attributes)
            for number in range(self.made, 0, -2)
        ]
        self.made = max(self.made, 1)
        await import_rows(self.database, drafts)

    async def _delete(self, number: int) -> None:
        if picked := self._picked(number):
            await delete_product(self.database, picked)

    async def _change(self, chosen: tuple[int, dict[str, Any]]) -> None:
        number, fields = chosen
        if picked := self._picked(number):
            await change_product(self.database, picked, ProductChange(**fields), NOW)

    async def _index(self, limit: int) -> None:
        await self.database.change(lambda: index_more(limit))

    async def _spread(self, stride: int) -> None:
        run(self.path, "UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'products'", stride)


@examples(60)
@given(operations=OPERATIONS, searches=st.lists(TEXTS, min_size=1, max_size=3))
async def test_indexes_are_in_step_and_searches_exact_whatever_happens(
    operations: list[tuple[str, Any]], searches: list[str]
) -> None:
    """After any changes each page is the slice of the whole, and a search finds what contains its words, and no other.

    However many products are indexed, hits, total and order are those of comparing every text with every word.
    """
    async with new_database() as (database, path):
        catalogue = Catalogue(database, path)
        for operation in operations:
            await catalogue.carry_out(*operation)
        require_in_step(path)
        stored = run(path, "SELECT description_folded, description, attributes, product_code FROM products")
        for folded, text, attributes, code in stored:
            values = [value for _, value in sorted(json.loads(attributes).items())]
            assert folded == "\n".join(map(fold, [text, *values]))
            searches += [text, " ".join(reversed(text.split())), code, *values[:1]]
        for category in (None, "Bolts", "Nuts"):
            whole = [row[0] for row in everything(path) if category in {None, row[1]}]
            for offset in {*range(0, len(whole) + 2, 3), len(whole), len(whole) - 1} - {-1}:
                page = await found(database, None, category, limit=3, offset=offset)
                assert (ids(page), page.total) == (whole[offset : offset + 3], len(whole))
            for text in searches[:8]:
                expected = matching(path, text, category)
                for small in (0, 1000):
                    with pytest.MonkeyPatch.context() as patch:
                        patch.setattr(lists, "SMALL_CATEGORY", small)
                        page = await found(database, text, category)
                    assert (ids(page), page.total) == (expected, len(expected))


async def test_new_products_are_indexed_in_the_background(
    database: Database, database_file: Path, add: Add, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a creation nor an import waits for it; it takes several transactions, and ends when all are indexed."""
    monkeypatch.setattr(text_index, "INDEXED_AT_ONCE", 2)
    monkeypatch.setattr(text_index, "PAUSE", 0.05)
    await add("B-1")
    await until(lambda: run(database_file, UPTO) == [(1,)])
    await import_rows(database, [ProductDraft(product_code=f"A-{number}", description="x") for number in range(5)])
    assert run(database_file, UPTO) == [(1,)]
    await until(lambda: run(database_file, UPTO) == [(6,)])
    await asyncio.to_thread(require_in_step, database_file)  # it writes, and a last transaction may be open


async def test_closing_does_not_wait_for_the_whole_index(
    database_file: Path, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transaction in progress completes, and the next start indexes the rest, which is found meanwhile."""
    drafts = [ProductDraft(product_code=f"A-{number}", description="x") for number in range(500)]
    monkeypatch.setattr(text_index, "INDEXED_AT_ONCE", 1)
    monkeypatch.setattr(text_index, "PAUSE", 0.01)
    async with open_database(database_file) as database:
        await import_rows(database, drafts)
        await until(lambda: run(database_file, UPTO) > [(0,)])
    assert run(database_file, UPTO) < [(500,)]
    require_in_step(database_file)
    monkeypatch.setattr(text_index, "INDEXED_AT_ONCE", 500)
    async with open_database(database_file) as database:
        assert ids(await found(database, "A-499", None)) == [500]
        await until(lambda: run(database_file, UPTO) == [(500,)])


async def test_an_index_that_cannot_be_written_fails_no_one(
    database_file: Path, until: Until, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Searches stay exact, and indexing is tried again until its cause is gone."""
    monkeypatch.setattr(text_index, "PAUSE", 0.01)
    async with open_database(database_file) as database:
        run(database_file, f"CREATE TRIGGER {FULL}")
        await import_rows(database, [ProductDraft(product_code="A-1", description="bolt")])
        await until(lambda: "database failure in index_more_products" in caplog.text)
        assert ids(await found(database, "bolt", None)) == [1]
        run(database_file, "DROP TRIGGER disk")
        await until(lambda: run(database_file, UPTO) == [(1,)])
    require_in_step(database_file)


async def test_a_long_text_is_searched_for_as_well(database: Database, add: Add) -> None:
    """For the longest search text, a selection of trigrams is looked up and the whole text is compared."""
    text = "".join(f"{number:03}" for number in range(160)) + '"%_'
    product = await add("A-1", description=text)
    await add("A-2", description=text[:-1] + "-")
    assert ids(await found(database, text, None)) == [product.id]


async def test_each_of_many_words_is_needed(database: Database, add: Add, engine: str) -> None:
    """Of the longest search, too, for which not all trigrams are looked up, and in whatever order."""
    words = [f"{number:03}{'x' * 11}" for number in range(MOST_WORDS - 2)]
    product = await add("M5-4711", description=" ".join(words))
    if engine == "sqlite":
        await database.change(lambda: index_more(9))
    searched = ["4711", *words[::-1], "m5"]
    assert ids(await found(database, " ".join(searched), None)) == [product.id]
    for number in range(len(searched)):
        missing = [*searched[:number], f"{searched[number]}q", *searched[number + 1 :]]
        assert ids(await found(database, " ".join(missing), None)) == []


async def test_rare_trigrams_are_asked_for_first(database: Database, database_file: Path) -> None:
    """A text of common trigrams with rare ones in it is found as fast as the rare ones alone."""
    drafts = [ProductDraft(product_code=f"common-{number}", description="x") for number in range(600)]
    await database.change(lambda: insert_all(drafts, NOW))
    asked = QUERIES["search_products"].sql
    rarest = asked[: asked.index("),\nmatching")] + ") SELECT trigram FROM rarest"  # noqa: S608 - the first part of that query
    await database.change(lambda: index_more(600))
    with closing(sqlite3.connect(database_file)) as connection:
        asked_for = {"folded": "common-599", "word": "common-599", "other_words": "[]"}
        rows = connection.execute(rarest, asked_for).fetchall()
    assert {trigram for (trigram,) in rows} == {'"-59"', '"599"', '"n-5"'}


@pytest.mark.parametrize("around", ["", "abc"])
async def test_characters_that_stand_for_nothing_are_told_apart(add: Add, database: Database, around: str) -> None:
    """U+FFFD, U+FFFE and U+FFFF, which SQLite's LIKE treats as one, are distinguished in a category and by the page."""
    for code in "\ufffd\ufffe\uffff":
        await add(f"x{ord(code):X}", description=f"{around}{code}{around}", category="Odd")
    for code in "\ufffd\ufffe\uffff":
        for category in (None, "Odd"):
            found = await list_products(database, ProductFilter(f"{around}{code}", category), limit=5, offset=0)
            assert [product.product_code for product in found.products] == [f"x{ord(code):X}"]
            assert found.total == 1
        assert not (await list_products(database, ProductFilter(code, "Even"), limit=5, offset=0)).total


@pytest.mark.parametrize("small", [0, 1000])
async def test_a_number_is_found_once_and_in_its_category(
    add: Add, database: Database, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    """Products that a search names as a number are under the same filter as its words, in categories of any size."""
    monkeypatch.setattr(lists, "SMALL_CATEGORY", small)
    pen, nut = await add("12345", category="Pens"), await add("x12345", category="Nuts")
    for category, expected in ((None, [pen.id, nut.id]), ("Pens", [pen.id]), ("Nuts", [nut.id]), ("Bolts", [])):
        for search in ("12345", "0012345"):
            wanted = ProductFilter(search, category, named=(pen.id, nut.id))
            page = await list_products(database, wanted, limit=5, offset=0)
            assert (ids(page), page.total) == (expected, len(expected))
