"""Lists of products: each order and each combination of filters, against the same done in Python."""

from dataclasses import dataclass
from typing import Any, get_args

import asyncpg
import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.models import LevelUpdate, ProductDraft
from barcodesvc.store import lists
from barcodesvc.store.database import Database
from barcodesvc.store.lists import LOW, OUT, ProductFilter, Sort, list_products, product_with_code
from barcodesvc.store.postgres.queries import QUERIES as NUMBERED
from barcodesvc.texts import fold
from tests.engines import ServerPlaces
from tests.fixture_types import Add, Plan
from tests.properties import examples
from tests.stock import create_product, delete_product, set_level

pytestmark = pytest.mark.each_engine


NOW = "2026-01-31T12:00:00.000Z"
SORTS = get_args(Sort)
INDEXES = {
    "list_products_by_code": "products_by_code_folded",
    "list_products_by_description": "products_by_description",
    "list_products_by_change": "products_by_change",
    "list_products_by_level": "levels_by_level",
}
each_index = pytest.mark.parametrize(
    ("name", "index"),
    [(name + direction, index) for name, index in INDEXES.items() for direction in ("", "_descending")],
)


def moment(second: int) -> str:
    """Return a time."""
    return f"2026-01-31T12:00:{second:02}.000Z"


@dataclass(frozen=True)
class Stored:
    """A product to store: its level is set at the second `moved`, unless that is None."""

    code: str
    description: str
    category: str
    minimum: int
    created: int
    level: int
    moved: int | None
    attributes: dict[str, str]

    def draft(self) -> ProductDraft:
        """Return the product without its level."""
        return ProductDraft(
            product_code=self.code,
            description=self.description,
            category=self.category,
            minimum_level=self.minimum,
            attributes=self.attributes,
        )

    @property
    def stock(self) -> int:
        """The level that is stored."""
        return 0 if self.moved is None else self.level

    def fits(self, wanted: ProductFilter) -> bool:
        """Return whether a filter selects the product."""
        texts = [fold(text) for text in (self.code, self.description, *self.attributes.values())]
        bounds = wanted.stock
        return (
            all(any(word in text for text in texts) for word in fold(wanted.search).split())
            and wanted.category in (None, self.category)
            and (bounds is None or bounds.least_minimum <= self.minimum >= self.stock <= bounds.most_level)
            and (wanted.moved_since is None or (self.moved is not None and moment(self.moved) >= wanted.moved_since))
        )


SECONDS = st.integers(0, 5)
LETTERS = st.sampled_from("abAB-% \N{GRINNING FACE}uÜßİ\N{LATIN SMALL LETTER DOTLESS I}Σς牛\ufffe")
DESCRIPTIONS = st.builds(
    "{}{}".format, st.sampled_from(["", "y" * 98, "ß" * 50]), st.text(LETTERS, min_size=1, max_size=4)
)
STORED = st.builds(
    Stored,
    code=st.text(st.sampled_from("abAB-%_"), min_size=1, max_size=4),
    description=DESCRIPTIONS.filter(str.strip).map(str.strip),
    category=st.sampled_from(["", "Bolts"]),
    minimum=st.integers(0, 2),
    created=SECONDS,
    level=st.integers(0, 3),
    moved=st.none() | SECONDS,
    attributes=st.dictionaries(
        st.sampled_from("xyz"),
        st.text(LETTERS, min_size=1, max_size=4).map(str.strip).filter(bool),
        max_size=2,
    ),
)
FILTERS = st.builds(
    ProductFilter,
    st.sampled_from(["", "", "", "a", "ab-", "yyy", "\ufffe", "b yyy", "u a", "SS ab -"]),
    st.none() | st.sampled_from(["", "Bolts", "no"]),
    st.none() | st.sampled_from([LOW, OUT]),
    st.none() | SECONDS.map(moment),
)


def expected(stored: dict[int, Stored], wanted: ProductFilter, sort: Sort) -> list[int]:
    """Return the ids of a list, in order."""

    def key(product_id: int) -> tuple[Any, int]:
        product = stored[product_id]
        values = {
            "id": 0,
            "product_code": fold(product.code),
            "description": fold(product.description)[:100],
            "updated_at": moment(product.created),
            "current_level": product.stock,
        }
        return values[sort.removeprefix("-")], product_id

    fitting = [product_id for product_id, product in stored.items() if product.fits(wanted)]
    return sorted(fitting, key=key, reverse=sort.startswith("-"))


async def paged(database: Database, wanted: ProductFilter, sort: Sort, limit: int) -> list[int]:
    """Return the ids of all pages, which have the same total, as has the empty page after them."""
    listed: list[int] = []
    totals = set()
    while True:
        page = await list_products(database, wanted, limit=limit, offset=len(listed), sort=sort)
        totals.add(page.total)
        if not page.products:
            assert totals == {len(listed)}
            return listed
        listed += [product.id for product in page.products]


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    products=st.lists(STORED, max_size=9, unique_by=lambda product: product.code),
    asked=st.lists(st.tuples(FILTERS, st.sampled_from(SORTS)), min_size=1, max_size=8),
    limit=st.integers(1, 5),
    small=st.sampled_from([0, 1000]),
)
async def test_pages_are_those_of_a_sorted_list(
    database: Database, products: list[Stored], asked: list[tuple[ProductFilter, Sort]], limit: int, small: int
) -> None:
    """For any filters and any order: texts by code points without regard to case, equal values by id, `-` reversed."""
    lists.SMALL_CATEGORY, usual = small, lists.SMALL_CATEGORY
    stored = {}
    for product in products:
        product_id = (await create_product(database, product.draft(), moment(product.created))).id
        stored[product_id] = product
        if product.moved is not None:
            await set_level(database, product_id, LevelUpdate(new_level=product.level), moment(product.moved))
    try:
        for wanted, sort in asked:
            assert await paged(database, wanted, sort, limit) == expected(stored, wanted, sort)
            selected = [await product_with_code(database, product.code, wanted) for product in stored.values()]
            assert [product.id for found in selected for product in found] == expected(stored, wanted, "id")
        for sort in SORTS:
            assert await paged(database, ProductFilter(), sort, limit) == expected(stored, ProductFilter(), sort)
    finally:
        lists.SMALL_CATEGORY = usual
        for product_id in stored:
            await delete_product(database, product_id)


async def test_an_order_replaces_that_of_a_search(database: Database, add: Add) -> None:
    """Codes that differ in case alone are equal, so the id decides, not which of them was searched for."""
    for code in ("A-1", "a-1"):
        await add(code)
    page = await list_products(database, ProductFilter("a-1"), limit=9, offset=0, sort="product_code")
    assert [product.product_code for product in page.products] == ["A-1", "a-1"]


async def test_the_widest_descriptions_are_sorted(database: Database, add: Add) -> None:
    """Characters that take most bytes when folded fit into the index; after the first hundred, the id decides."""
    texts = ["\U0001d160" * 500, "\U0001d160" * 499 + "a", "\U0010fffe"[:1] * 500, "b" * 101, "b" * 100 + "a", "b" * 99]
    for number, text in enumerate(texts):
        await add(f"P{number}", description=text)
    page = await list_products(database, ProductFilter(), limit=9, offset=0, sort="description")
    assert [product.product_code for product in page.products] == ["P5", "P3", "P4", "P0", "P1", "P2"]


@each_index
def test_a_sorted_page_is_read_from_an_index(plan: Plan, name: str, index: str) -> None:
    """SQLite sorts nothing but the page itself."""
    lines = plan(name)
    chosen = lines.index("CO-ROUTINE chosen")
    assert lines[chosen + 1].endswith(f"INDEX {index}")
    assert [line for line in lines if "TEMP B-TREE" in line] == lines[-1:]


@each_index
async def test_a_sorted_page_is_read_from_an_index_of_the_server(postgres: ServerPlaces, name: str, index: str) -> None:
    """PostgreSQL reads the page in the order of the index; it sorts nothing but the page itself."""
    with postgres.one() as place:
        connection = await asyncpg.connect(place.url)
        try:
            await connection.execute("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off")
            lines = [row[0] for row in await connection.fetch(f"EXPLAIN {NUMBERED[name].sql}", 50, 0)]
        finally:
            await connection.close()
    limited = next(number for number, line in enumerate(lines) if "Limit" in line)
    assert index in lines[limited + 1]


async def test_the_server_plans_each_search_for_its_words(postgres: ServerPlaces) -> None:
    """A plan for any words would read frequent ones from the index, too."""
    with postgres.one() as place:
        connection = await asyncpg.connect(place.url)
        try:
            query = NUMBERED["search_products"]
            statement = await connection.prepare(query.sql)
            asked = {
                "text": "",
                "folded": "",
                "after": "",
                "named": "[]",
                "word": "bolt",
                "other_words": '["hex"]',
                "category": None,
            }
            for _ in range(7):
                await statement.fetch(
                    *query.values({**asked, "sorted_by": "", "descending": 0, "limit": 5, "offset": 0})
                )
            plans = await connection.fetchrow(
                "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = $1", statement.get_name()
            )
        finally:
            await connection.close()
    assert tuple(plans) == (0, 7)


@pytest.mark.parametrize("name", ["list_moved_products", "search_moved_products"])
def test_moved_products_are_found_by_the_time_of_their_movements(plan: Plan, name: str) -> None:
    """The index of times says where to begin, and no table is read as a whole."""
    lines = plan(name)
    assert "SEARCH movements USING INDEX movements_by_time (updated_at>?)" in lines
    assert {line.split()[1] for line in lines if line.startswith("SCAN ")}.isdisjoint({"products", "levels"})


def test_the_mark_of_the_catalogue_is_read_from_the_ends_of_indexes(plan: Plan) -> None:
    """So that a device that has the newest copy costs no more in a large catalogue."""
    lines = plan("catalogue_marks")
    assert [line for line in lines if "products" in line and line != "SCAN product_counts"] == [
        "SEARCH products",
        "SCAN products USING INDEX products_by_change",
    ]
    assert not [line for line in lines if "TEMP B-TREE" in line]
