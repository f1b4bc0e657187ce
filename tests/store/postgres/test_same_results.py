"""Both engines compared: search, list and count the same catalogue equally, with an index or without one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, strategies as st

from barcodesvc.models import ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.lists import Page, ProductFilter, list_products
from tests.direct_sql import run_sql
from tests.engines import ServerPlaces
from tests.properties import examples
from tests.stock import insert_all

NOW = "2026-01-31T12:00:00.000Z"
LETTERS = st.sampled_from(
    "abAB%_\\\"'*^():- \N{GRINNING FACE}\N{COMBINING DIAERESIS}uÜßİ"
    "\N{LATIN SMALL LETTER DOTLESS I}Σς\N{GREEK SMALL LETTER SIGMA}Жж\N{LATIN SMALL LETTER SHARP S}牛\ufffd\ufffe\uffff"
)
TEXTS = st.text(LETTERS, min_size=1, max_size=12).filter(str.strip)
CODES = st.text(st.sampled_from("abAB%_\\\"'*^():-"), min_size=1, max_size=12)
CATEGORIES = st.sampled_from(["", "Bolts", "Nuts"])
STORED = st.lists(st.tuples(CODES, TEXTS, CATEGORIES), max_size=10, unique_by=lambda fields: fields[0])


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
