import asyncio
from typing import Any

import pytest

from barcodesvc.errors import DuplicateProductCode, InvalidInput, ProductNotFound
from barcodesvc.models import MAX_ID, MAX_LEVEL, LevelUpdate, Product, ProductChange, ProductDraft
from barcodesvc.store import products
from barcodesvc.store.database import Database
from barcodesvc.store.inventory import get_level
from barcodesvc.store.lists import Page, ProductFilter, list_products
from barcodesvc.store.sqlite.database import READERS
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.fixture_types import Add, Plan
from tests.stock import change_product, delete_product, history, insert_all, set_level

pytestmark = pytest.mark.each_engine

NOW = "2026-01-31T12:00:00.000Z"
LATER = "2026-02-01T12:00:00.000Z"


async def found(database: Database, search: str | None = None, category: str | None = None, **page: Any) -> Page:
    """Return the page of matching products."""
    return await list_products(database, ProductFilter(search or "", category), **{"limit": 50, "offset": 0, **page})


async def codes(database: Database, search: str | None = None, category: str | None = None, **page: Any) -> list[str]:
    """Return the codes of the matching products."""
    return [product.product_code for product in (await found(database, search, category, **page)).products]


async def test_a_created_product_is_the_stored_one(database: Database, add: Add) -> None:
    """Creating returns what reading by id and by code returns."""
    created = await add("A-1", description="A bolt", category="Bolts/M4", unit_of_measure="box")
    assert created == Product(created.id, "A-1", "A bolt", "Bolts/M4", "box", NOW, NOW, {})
    assert await products.get_product(database, created.id) == created
    assert await products.get_product_by_code(database, "A-1") == created


async def test_the_level_is_born_with_its_product(database: Database, add: Add) -> None:
    """The inventory record has the draft's values, written by the system."""
    product = await add("A-1", minimum_level=2, maximum_level=MAX_LEVEL, initial_level=5)
    level = await get_level(database, product.id)
    assert level is not None
    assert (level.current_level, level.minimum_level, level.maximum_level) == (5, 2, MAX_LEVEL)
    assert (level.product_id, level.product_code, level.description) == (product.id, "A-1", "The A-1")
    assert (level.last_updated, level.updated_by) == (NOW, "system")


async def test_an_initial_level_is_the_first_history_entry(database: Database, add: Add) -> None:
    """A level over 0 is recorded as a change from 0, with its author; a level of 0 is not recorded."""
    stocked, empty = await add("A-1", initial_level=5, updated_by="Ann"), await add("A-2")
    [change] = await history(database, stocked.id)
    assert (change.old_level, change.new_level, change.change_reason) == (0, 5, "initial level")
    assert (change.updated_by, change.updated_at) == ("Ann", NOW)
    assert await history(database, empty.id) == []


async def test_a_code_is_given_once(database: Database, add: Add) -> None:
    """A second product with a code is refused by name and leaves nothing; different case is a different code."""
    await add("A-1", initial_level=3)
    with pytest.raises(DuplicateProductCode) as refusal:
        await add("A-1", initial_level=4)
    assert refusal.value.details == {"product_code": "A-1"}
    await add("a-1")
    assert await codes(database) == ["A-1", "a-1"]


@pytest.mark.parametrize("product_id", [1, MAX_ID])
async def test_a_product_that_is_not_there_is_not_found(database: Database, product_id: int) -> None:
    """Reading, changing and deleting an unknown id all fail, and name the id."""
    change = ProductChange(description="x")
    for attempt in (
        products.get_product(database, product_id),
        change_product(database, product_id, change, NOW),
        delete_product(database, product_id),
    ):
        with pytest.raises(ProductNotFound) as refusal:
            await attempt
        assert refusal.value.details == {"id": product_id}


async def test_an_unknown_code_is_listed_as_missing(database: Database, add: Add) -> None:
    """A code is compared exactly, and the error lists it."""
    await add("A-1")
    with pytest.raises(ProductNotFound) as refusal:
        await products.get_product_by_code(database, "a-1")
    assert refusal.value.details == {"missing": ["a-1"]}


async def test_a_change_touches_only_what_it_sets(database: Database, add: Add) -> None:
    """Other fields, the code and the creation time stay; the time of the change is new."""
    product = await add("A-1", description="A bolt", category="Bolts", initial_level=5, minimum_level=1)
    changed = await change_product(database, product.id, ProductChange(description="A nut"), LATER)
    assert changed == Product(product.id, "A-1", "A nut", "Bolts", "pcs", NOW, LATER, {})
    assert await products.get_product(database, product.id) == changed
    level = await get_level(database, product.id)
    assert level is not None
    assert (level.current_level, level.minimum_level, level.description) == (5, 1, "A nut")


async def test_a_text_can_be_changed_to_nothing(database: Database, add: Add) -> None:
    """An empty category is a value, not a missing field; without a unit a product gets the default one."""
    product = await add("A-1", category="Bolts", unit_of_measure="box")
    changed = await change_product(database, product.id, ProductChange(category="", unit_of_measure=""), LATER)
    assert (changed.category, changed.unit_of_measure) == ("", "pcs")


async def test_a_changed_description_is_what_searching_finds(database: Database, add: Add) -> None:
    """The old words find nothing any more, the new ones do."""
    product = await add("A-1", description="Schraube")
    await change_product(database, product.id, ProductChange(description="Große MUTTER"), LATER)
    assert await codes(database, "schraube") == []
    assert await codes(database, "GROSSE mutter") == ["A-1"]


async def test_level_bounds_can_be_changed_alone(database: Database, add: Add) -> None:
    """A limit that is set replaces the stored one, the other is kept."""
    product = await add("A-1", minimum_level=2, maximum_level=10)
    await change_product(database, product.id, ProductChange(minimum_level=10), LATER)
    await change_product(database, product.id, ProductChange(maximum_level=0), LATER)
    level = await get_level(database, product.id)
    assert level is not None
    assert (level.minimum_level, level.maximum_level, level.last_updated) == (10, 0, NOW)


@pytest.mark.parametrize("change", [{"minimum_level": 11}, {"maximum_level": 1}])
async def test_bounds_that_contradict_the_stored_ones_are_refused(
    database: Database, add: Add, change: dict[str, int]
) -> None:
    """A new minimum above the stored maximum, and the reverse, change nothing."""
    product = await add("A-1", minimum_level=2, maximum_level=10)
    with pytest.raises(InvalidInput, match=r"maximum_level \d+ is below minimum_level"):
        await change_product(database, product.id, ProductChange.model_validate(change), LATER)
    assert await products.get_product(database, product.id) == product


async def test_everything_that_a_change_may_not_do_is_reported_at_once(database: Database, add: Add) -> None:
    """Another code and contradictory limits are two problems in one response; nothing is changed."""
    product = await add("A-1", minimum_level=2)
    change = ProductChange(product_code="B-1", maximum_level=1)
    with pytest.raises(InvalidInput) as refusal:
        await change_product(database, product.id, change, LATER)
    assert [problem["field"] for problem in refusal.value.details["errors"]] == ["product_code", "maximum_level"]
    assert await products.get_product(database, product.id) == product


async def test_the_code_may_be_sent_back_as_it_is(database: Database, add: Add) -> None:
    """A client may send back what it received, as long as the code is the stored one."""
    product = await add("A-1")
    change = ProductChange(product_code="A-1", description="x")
    assert (await change_product(database, product.id, change, LATER)).description == "x"


async def test_deleting_takes_level_and_history_along(database: Database, place: Place, add: Add) -> None:
    """Nothing of the product remains in any table, and nothing else is deleted."""
    product, other = await add("A-1", initial_level=5), await add("A-2", initial_level=6)
    await set_level(database, product.id, LevelUpdate(new_level=7), NOW)
    assert await delete_product(database, product.id) == "A-1"
    rows = [run_sql(place, f"SELECT product_id FROM {name}") for name in ("levels", "movements")]  # noqa: S608 - two literals
    assert rows == [[(other.id,)], [(other.id,)]]


async def test_an_id_is_never_given_again(database: Database, add: Add) -> None:
    """A product created after the newest one was deleted has a new id, so that no old link leads to it."""
    deleted = await add("A-1", initial_level=1)
    await delete_product(database, deleted.id)
    assert (await add("A-1")).id > deleted.id


SCRIPTS = [
    ("Schraubenschlüssel", "SCHLÜSSEL"),
    ("STRASSE", "straße"),
    ("Straße", "STRASSE"),
    ("ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς"),
    ("οδός", "ΟΔΌΣ"),
    ("МОЛОКО топлёное", "молоко ТОПЛЁНОЕ"),
    ("ԲԱՐԵՒ", "բարև"),
    ("İSTANBUL", "istanbul"),
    ("istanbul", "İSTANBUL"),
    ("ISPARTA gülü", "\N{LATIN SMALL LETTER DOTLESS I}sparta GÜLÜ"),
    ("ﬁlter", "FILTER"),
    ("ǅungla", "ǆUNGLA"),
    ("ᏣᎳᎩ", "ꮳꮃꭹ"),
    ("牛乳 1L", "牛乳 1l"),
    ("Cafe\u0301", "CAFÉ"),
    ("ᾳ", "\u03b1\u0345"),
    ("50% off_\\", "50% OFF_\\"),
]


@pytest.mark.parametrize(("description", "search"), SCRIPTS)
async def test_searching_has_no_regard_to_case_in_any_script(
    database: Database, add: Add, description: str, search: str
) -> None:
    """A description is found by a part of it in other case, in any script."""
    await add("A-1", description=f"Ein {description}, neu")
    await add("A-2", description="something else")
    assert await codes(database, search) == ["A-1"]


@pytest.mark.parametrize("search", ["%", "_", "\\", "%%", "\\%", "a%b", "a_b", "100%"])
async def test_pattern_characters_are_plain(database: Database, add: Add, search: str) -> None:
    """`%`, `_` and the backslash are literal."""
    await add("plain", description="aXb 1000 ab")
    await add("with", description=f"before {search} behind")
    assert await codes(database, search) == ["with"]


async def test_searching_looks_into_code_and_description(database: Database, add: Add) -> None:
    """A substring of either matches, a category does not."""
    await add("Widget-1", description="red")
    await add("B-2", description="a WIDGET")
    await add("C-3", description="blue", category="widget")
    assert await codes(database, "idget") == ["Widget-1", "B-2"]
    assert await codes(database, "") == ["Widget-1", "B-2", "C-3"]
    assert await codes(database, "widget-12") == []


async def test_a_category_is_exact(database: Database, add: Add) -> None:
    """Neither a part of a category nor another case matches; an empty one is a category too."""
    for code, category in (("A", "Bolts"), ("B", "bolts"), ("C", "Bolts/M4"), ("D", "")):
        await add(code, category=category)
    assert await codes(database, category="Bolts") == ["A"]
    assert await codes(database, category="") == ["D"]
    assert await codes(database, category="olt") == []


@pytest.mark.parametrize("category", [None, "Pens"])
@pytest.mark.parametrize(
    ("search", "ordered"),
    [
        ("a-1", ["a-1", "A-1", "a-10", "A-12", "X-1"]),
        ("A-1", ["A-1", "a-1", "a-10", "A-12", "X-1"]),
        ("a-", ["a-10", "A-12", "A-1", "a-1", "X-1"]),
        ("a", ["A", "a-10", "A-12", "A-1", "a-1", "X-a", "X-1"]),
    ],
)
async def test_the_code_that_is_searched_for_comes_first(
    database: Database, add: Add, search: str, ordered: list[str], category: str | None
) -> None:
    """Then that code in another case, codes with that prefix, and all others, each by id, over all pages."""
    for code in ("X-a", "a-10", "A-12", "A-1", "a-1", "A"):
        await add(code, description="y", category="Pens")
    await add("X-1", description="fits a-1", category="Pens")
    assert await codes(database, search, category) == ordered
    pages = [await codes(database, search, category, limit=2, offset=offset) for offset in range(0, 8, 2)]
    assert [code for page in pages for code in page] == ordered


async def test_search_and_category_both_have_to_fit(database: Database, add: Add) -> None:
    """Only products of the category are searched, and only those found are counted."""
    await add("A-1", category="Bolts")
    await add("A-2", category="Nuts")
    await add("B-1", category="Bolts")
    page = await found(database, "a-", "Bolts")
    assert ([product.product_code for product in page.products], page.total) == (["A-1"], 1)


async def test_pages_follow_each_other_in_the_order_of_ids(database: Database, add: Add) -> None:
    """The pages together are the catalogue, each product once, and each has the right total."""
    for code in ("C", "A", "B", "E", "D"):
        await add(code)
    pages = [await found(database, limit=2, offset=offset) for offset in (0, 2, 4)]
    assert [[product.product_code for product in page.products] for page in pages] == [["C", "A"], ["B", "E"], ["D"]]
    assert {page.total for page in pages} == {5}


@pytest.mark.parametrize("offset", [3, 4, 1000, MAX_ID])
async def test_a_page_past_the_end_is_empty_with_the_true_total(database: Database, add: Add, offset: int) -> None:
    """However far past the end, the total stays right; with a filter it is the filter's."""
    for code in ("A", "B", "C"):
        await add(code, category="x")
    assert await found(database, offset=offset) == Page((), 3)
    assert await found(database, "b", "x", offset=offset) == Page((), 1)


async def test_no_products_are_an_empty_page(database: Database) -> None:
    """An empty catalogue has a total of 0, with and without filters."""
    assert await found(database) == Page((), 0)
    assert await found(database, "x", "y") == Page((), 0)


async def test_codes_of_any_number_are_looked_up_at_once(database: Database, add: Add) -> None:
    """Known codes are returned by code; unknown ones and repeats are ignored."""
    await add("A-1", category="Bolts")
    await add('quote"d')
    wanted = ["A-1", "A-1", 'quote"d', "a-1", "A-1\0", "\ud800", "", *map(str, range(20_000))]
    there = await products.product_texts(database, wanted)
    assert list(there) == ["A-1", 'quote"d']
    assert there["A-1"] == {"description": "The A-1", "category": "Bolts", "unit_of_measure": "pcs"}


async def test_codes_of_digits_are_looked_up_as_text(database: Database, add: Add) -> None:
    """A code with leading zeros differs from the number."""
    await add("0042")
    assert list(await products.product_texts(database, ["42", "42.0", "0042", "00042"])) == ["0042"]


async def test_texts_of_many_products_are_all_there(database: Database) -> None:
    """However many statements it takes, each code has its own texts, and one without a product has none."""
    drafts = [
        ProductDraft(product_code=f"A-{number}", description=f"no. {number}", category="Bolts", unit_of_measure="box")
        for number in range(2 * products.TEXTS_AT_ONCE + 1)
    ]
    await database.change(lambda: insert_all(drafts, NOW))
    texts = await products.product_texts(database, ["no", *(draft.product_code for draft in drafts)])
    bolt = {"category": "Bolts", "unit_of_measure": "box"}
    assert texts == {draft.product_code: {"description": draft.description, **bolt} for draft in drafts}


@pytest.mark.usefixtures("database_file")  # it reads in turns, a server in any order
async def test_no_one_waits_for_the_texts_of_ten_thousand_products(database: Database, add: Add) -> None:
    """While they are being read, a look-up on any reader succeeds."""
    product = await add("A-1")
    reading = asyncio.create_task(products.product_texts(database, list(map(str, range(10_000)))))
    await asyncio.sleep(0)
    looked_up = [await products.get_product(database, product.id) for _ in range(READERS)]
    assert (looked_up, reading.done()) == ([product] * READERS, False)
    assert await reading == {}


async def test_creating_a_code_that_is_there_fails_as_a_whole(database: Database, place: Place, add: Add) -> None:
    """There is neither a second inventory record nor a product that was created before it in the same script."""
    await add("A-1")
    drafts = [ProductDraft(product_code=code, description="x", initial_level=1) for code in ("A-2", "A-1")]
    with pytest.raises(DuplicateProductCode):
        await database.change(lambda: insert_all(drafts, NOW))
    assert await codes(database) == ["A-1"]
    assert run_sql(place, "SELECT COUNT(*) FROM levels") == [(1,)]


@pytest.mark.parametrize(
    "name",
    [
        "get_product",
        "get_product_by_code",
        "insert_product",
        "lock_texts",
        "update_product",
        "delete_product",
        "product_texts_by_codes",
        "resolve_scans",
        "get_level",
        "levels_of_products",
        "list_movements",
        "list_recent_movements",
        "list_movements_by_author",
        "time_of_movement",
        "insert_setting",
        "set_level",
        "insert_level",
        "list_products_in_category",
    ],
)
def test_no_query_walks_through_a_table(plan: Plan, name: str) -> None:
    """Every look-up uses an index, so that it costs the same in a catalogue of any size."""
    scanned = {line.split()[1] for line in plan(name) if line.startswith("SCAN ")}
    assert scanned.isdisjoint({"products", "levels", "movements", "idempotency_keys"})


@pytest.mark.parametrize(
    "name",
    [
        "list_levels",
        "list_low_levels",
        "list_movements",
        "export_levels",
        "export_movements",
        "export_levels_with_movements",
        "export_products",
    ],
)
def test_what_is_read_some_at_a_time_is_never_sorted(plan: Plan, name: str) -> None:
    """An index returns rows in order, so that the first ones are available at once and none are buffered."""
    assert not [line for line in plan(name) if "TEMP B-TREE" in line]


@pytest.mark.parametrize("name", ["list_levels", "list_low_levels", "export_levels", "export_levels_with_movements"])
def test_a_list_walks_through_one_table_alone(plan: Plan, name: str) -> None:
    """Fields of other tables are looked up in an index."""
    assert [line.split()[1] for line in plan(name) if line.startswith("SCAN ")] == ["levels"]
