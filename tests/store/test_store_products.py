"""Products in the database: created, changed, deleted and looked up, with their levels and keys, on each engine."""

import asyncio
from typing import Any

import pytest

from barcodesvc.errors import InvalidInput, ProductNotFound
from barcodesvc.models import MAX_ID, MAX_LEVEL, Level, LevelUpdate, Product, ProductChange, ProductDraft
from barcodesvc.product_codes import DuplicateProductCode
from barcodesvc.store import products
from barcodesvc.store.database import Database
from barcodesvc.store.inventory import get_level
from barcodesvc.store.sqlite.database import READERS
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.fixture_types import Add
from tests.stock import change_product, delete_product, history, insert_all, set_level

pytestmark = pytest.mark.each_engine

NOW = "2026-01-31T12:00:00.000Z"
LATER = "2026-02-01T12:00:00.000Z"


async def codes(database: Database) -> list[str]:
    """Return the codes of all products."""
    return [code for (code,) in await database.rows("codes")]


async def test_a_created_product_is_the_stored_one(database: Database, add: Add) -> None:
    """Creating returns what reading by id and by code returns."""
    created = await add("A-1", description="A bolt", category="Bolts/M4", unit_of_measure="box")
    assert created == Product(created.id, "A-1", "A bolt", "Bolts/M4", "box", NOW, NOW, retired=False, attributes={})
    assert await products.get_product(database, created.id) == created
    assert await products.get_product_by_code(database, "A-1") == created


async def test_the_level_is_born_with_its_product(database: Database, add: Add) -> None:
    """A level over 0 is also recorded as a change from 0, with its author; a level of 0 is not recorded."""
    product = await add("A-1", minimum_level=2, maximum_level=MAX_LEVEL, initial_level=5, updated_by="Ann")
    assert await get_level(database, product.id) == Level(
        1, product.id, "A-1", "The A-1", 5, 2, MAX_LEVEL, last_updated=NOW, updated_by="Ann"
    )
    [change] = await history(database, product.id)
    assert (change.old_level, change.new_level, change.change_reason) == (0, 5, "initial level")
    assert (change.updated_by, change.updated_at) == ("Ann", NOW)
    assert await history(database, (await add("A-2")).id) == []


async def test_a_code_is_given_once(database: Database, place: Place, add: Add) -> None:
    """The refusal names it, and leaves nothing of what the script did before; different case is a different code."""
    await add("A-1")
    await add("a-1")
    drafts = [ProductDraft(product_code=code, description="x", initial_level=1) for code in ("A-2", "A-1")]
    with pytest.raises(DuplicateProductCode) as refusal:
        await database.change(lambda: insert_all(drafts, NOW))
    owner = {"id": 1, "product_code": "A-1", "description": "The A-1"}
    assert refusal.value.details == {"product_code": "A-1", "owner": owner}
    assert await codes(database) == ["A-1", "a-1"]
    assert run_sql(place, "SELECT COUNT(*) FROM levels") == [(2,)]


async def test_a_product_that_is_not_there_is_not_found(database: Database, add: Add) -> None:
    """Reading, changing and deleting fail, and name the id; a code is compared exactly, and named as missing."""
    await add("A-1")
    change = ProductChange(description="x")
    for attempt in (
        products.get_product(database, MAX_ID),
        change_product(database, MAX_ID, change, NOW),
        delete_product(database, MAX_ID),
    ):
        with pytest.raises(ProductNotFound, match=f"there is no product with id {MAX_ID}") as refusal:
            await attempt
        assert refusal.value.details == {"id": MAX_ID}
    with pytest.raises(ProductNotFound, match="there is no product with code 'a-1'") as refusal:
        await products.get_product_by_code(database, "a-1")
    assert refusal.value.details == {"missing": ["a-1"]}


async def test_a_change_touches_only_what_it_sets(database: Database, add: Add) -> None:
    """Other fields and the creation time stay, and the code may be sent back; the time of the change is new."""
    product = await add("A-1", description="A bolt", category="Bolts", initial_level=5, minimum_level=1)
    changed = await change_product(database, product.id, ProductChange(product_code="A-1", description="A nut"), LATER)
    assert changed == Product(product.id, "A-1", "A nut", "Bolts", "pcs", NOW, LATER, retired=False, attributes={})
    assert await products.get_product(database, product.id) == changed
    level = await get_level(database, product.id)
    assert level is not None
    assert (level.current_level, level.minimum_level, level.description) == (5, 1, "A nut")


async def test_a_text_can_be_changed_to_nothing(database: Database, add: Add) -> None:
    """An empty category is a value, not a missing field; without a unit a product gets the default one."""
    product = await add("A-1", category="Bolts", unit_of_measure="box")
    changed = await change_product(database, product.id, ProductChange(category="", unit_of_measure=""), LATER)
    assert (changed.category, changed.unit_of_measure) == ("", "pcs")


async def test_level_bounds_can_be_changed_alone(database: Database, add: Add) -> None:
    """A limit that is set replaces the stored one, the other is kept."""
    product = await add("A-1", minimum_level=2, maximum_level=10)
    await change_product(database, product.id, ProductChange(minimum_level=10), LATER)
    await change_product(database, product.id, ProductChange(maximum_level=0), LATER)
    level = await get_level(database, product.id)
    assert level is not None
    assert (level.minimum_level, level.maximum_level, level.last_updated) == (10, 0, NOW)


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({"minimum_level": 11}, ["maximum_level"]),
        ({"maximum_level": 1}, ["maximum_level"]),
        ({"product_code": "B-1", "maximum_level": 1}, ["maximum_level"]),
        ({"product_code": "A-1"}, ["body"]),
    ],
)
async def test_a_change_that_cannot_be_is_refused(
    database: Database, add: Add, change: dict[str, Any], fields: list[str]
) -> None:
    """Limits that contradict the stored ones, whatever else changes, and no change at all."""
    product = await add("A-1", minimum_level=2, maximum_level=10)
    with pytest.raises(InvalidInput) as refusal:
        await change_product(database, product.id, ProductChange.model_validate(change), LATER)
    assert [problem["field"] for problem in refusal.value.details["errors"]] == fields
    assert [problem.get("value") for problem in refusal.value.details["errors"]][-1] == change.get(fields[-1])
    assert await products.get_product(database, product.id) == product


async def test_deleting_takes_level_and_history_along(database: Database, place: Place, add: Add) -> None:
    """Nothing else is deleted, and a new product has a new id, so that no old link leads to it."""
    other, product = await add("A-2", initial_level=6), await add("A-1", initial_level=5)
    await set_level(database, product.id, LevelUpdate(new_level=7), NOW)
    assert await delete_product(database, product.id) == "A-1"
    rows = [run_sql(place, f"SELECT product_id FROM {name}") for name in ("levels", "movements")]  # noqa: S608 - two literals
    assert rows == [[(other.id,)], [(other.id,)]]
    assert (await add("A-1")).id > product.id


async def test_codes_of_any_number_are_looked_up_at_once(database: Database, add: Add) -> None:
    """Known codes are returned by code, compared as texts; unknown ones and repeats are ignored."""
    for code in ("A-1", 'quote"d', "0042"):
        await add(code, category="Bolts")
    wanted = ["A-1", "A-1", 'quote"d', "a-1", "A-1\0", "\ud800", "", "0042", *map(str, range(20_000))]
    there = await products.product_texts(database, wanted)
    assert list(there) == ["A-1", 'quote"d', "0042"]
    assert there["A-1"] == {"description": "The A-1", "category": "Bolts", "unit_of_measure": "pcs"}


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
