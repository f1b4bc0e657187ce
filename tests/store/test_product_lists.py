"""Lists of products: each order and each combination of filters, against the same done in Python."""

from dataclasses import dataclass
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.models import MAX_ID, LevelUpdate, ProductDraft
from barcodesvc.store import lists
from barcodesvc.store.database import Database
from barcodesvc.store.lists import LOW, OUT, Page, ProductFilter, Sort, list_products, product_with_code
from barcodesvc.texts import fold
from tests.fixture_types import Add
from tests.properties import examples
from tests.stock import create_product, delete_product, set_level

pytestmark = pytest.mark.each_engine


NOW = "2026-01-31T12:00:00.000Z"
SORTS = get_args(Sort)


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
LETTERS = st.sampled_from("abAB-%_\\ \N{GRINNING FACE}uÜßİ\N{LATIN SMALL LETTER DOTLESS I}Σς牛\ufffe")
DESCRIPTIONS = st.builds(
    "{}{}".format, st.sampled_from(["", "y" * 98, "ß" * 50]), st.text(LETTERS, min_size=1, max_size=4)
)
STORED = st.builds(
    Stored,
    code=st.text(st.sampled_from("abAB-%_\\"), min_size=1, max_size=4),
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
    st.sampled_from(["", "", "", "a", "ab-", " A ", "yyy", "\ufffe", "b yyy", "u a", "SS ab -", "%", "a_", "\\", "-"]),
    st.none() | st.sampled_from(["", "Bolts", "bolts", "olt"]),
    st.none() | st.sampled_from([LOW, OUT]),
    st.none() | SECONDS.map(moment),
)


def expected(stored: dict[int, Stored], wanted: ProductFilter, sort: Sort | None) -> list[int]:
    """Return the ids of a list, in order; without another one, the best matches of a search come first."""
    text = wanted.search.strip()

    def key(product_id: int) -> tuple[Any, int]:
        product = stored[product_id]
        if sort is None:
            code = fold(product.code)
            return (product.code != text, code != fold(text), not code.startswith(fold(text))), product_id
        values = {
            "id": 0,
            "product_code": fold(product.code),
            "description": fold(product.description)[:100],
            "updated_at": moment(product.created),
            "current_level": product.stock,
        }
        return values[sort.removeprefix("-")], product_id

    fitting = [product_id for product_id, product in stored.items() if product.fits(wanted)]
    return sorted(fitting, key=key, reverse=sort is not None and sort.startswith("-"))


async def paged(database: Database, wanted: ProductFilter, sort: Sort | None, limit: int) -> list[int]:
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
    asked=st.lists(st.tuples(FILTERS, st.none() | st.sampled_from(SORTS)), min_size=1, max_size=8),
    limit=st.integers(1, 5),
    small=st.sampled_from([0, 1000]),
)
async def test_pages_are_those_of_a_sorted_list(
    database: Database, products: list[Stored], asked: list[tuple[ProductFilter, Sort | None]], limit: int, small: int
) -> None:
    """For any filters and any order: texts by code points without regard to case, equal values by id, `-` reversed."""
    lists.SMALL_CATEGORY, usual = small, lists.SMALL_CATEGORY
    stored = {}
    for product in products:
        product_id = (await create_product(database, product.draft(), moment(product.created))).id
        stored[product_id] = product
        if product.moved is not None:
            for second in (0, product.moved):  # the later movement decides, and lists the product once
                await set_level(database, product_id, LevelUpdate(new_level=product.level), moment(second))
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


async def test_the_widest_texts_are_stored_sorted_and_found(database: Database, add: Add) -> None:
    """They fit into all indexes, with 32 attributes, too; after the first hundred characters, the id decides."""
    values = {f"name_{number:02}": f"{number:03}" + "\U0001d160" * 197 for number in range(32)}
    texts = ["\U0001d160" * 500, "\U0001d160" * 499 + "a", "\U0010fffe" * 500, "b" * 101, "b" * 100 + "a", "b" * 99]
    for number, text in enumerate(texts):
        await add(f"P{number}", description=text, attributes=values if number == 5 else {})
    page = await list_products(database, ProductFilter(), limit=9, offset=0, sort="description")
    assert [product.product_code for product in page.products] == ["P5", "P3", "P4", "P0", "P1", "P2"]
    found = await list_products(database, ProductFilter("bbb 031 007"), limit=9, offset=0)
    assert [product.product_code for product in found.products] == ["P5"]


async def test_a_page_far_behind_the_end_is_empty(database: Database, add: Add) -> None:
    """The total stays right; with a filter it is the filter's."""
    for code in ("A", "B", "C"):
        await add(code, category="x")
    for wanted, total in ((ProductFilter(), 3), (ProductFilter("b", "x"), 1)):
        assert await list_products(database, wanted, limit=50, offset=MAX_ID) == Page((), total)
