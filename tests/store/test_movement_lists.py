import asyncio
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, strategies as st

from barcodesvc.models import LevelUpdate, ListedChange, Product
from barcodesvc.store.database import Database
from barcodesvc.store.movements import MovementFilter, list_movements
from tests.fixture_types import Add, Plan
from tests.properties import examples
from tests.stock import delete_product, history, set_level

pytestmark = pytest.mark.each_engine


NOW = "2026-01-31T12:00:00.000Z"


def moment(second: int) -> str:
    """Return a time."""
    return f"2026-01-31T12:00:{second:02}.000Z"


async def put(database: Database, product: Product, level: int, second: int, author: str = "Ann") -> int:
    """Set a level at this time, and return the id of the change."""
    update = LevelUpdate(new_level=level, updated_by=author)
    return (await set_level(database, product.id, update, moment(second))).id


async def paged(database: Database, **wanted: Any) -> list[ListedChange]:
    """Return all pages concatenated."""
    listed: list[ListedChange] = []
    while page := await list_movements(database, MovementFilter(before=listed[-1].id if listed else None, **wanted)):
        assert len(page) <= wanted["limit"]
        listed += page
    return listed


async def test_an_entry_carries_its_product(database: Database, add: Add) -> None:
    """In addition to the fields of a history."""
    product = await add("A-1", description="Blue pen")
    await put(database, product, 7, 1)
    [change] = await list_movements(database, MovementFilter(limit=9))
    assert (change.product_code, change.description) == ("A-1", "Blue pen")
    assert await list_movements(database, MovementFilter(limit=9, product_id=product.id)) == [change]
    [same] = await history(database, product.id)
    fields = ("id", "old_level", "new_level", "updated_by", "updated_at", "undoes", "undone_by")
    assert [getattr(change, name) for name in fields] == [getattr(same, name) for name in fields]


async def test_a_page_goes_on_behind_a_change_that_is_gone(database: Database, add: Add) -> None:
    """The last listed change may have been deleted with its product; nothing is listed twice or left out."""
    stays, goes = await add("A-1"), await add("B-1")
    ids = [await put(database, goes if second % 2 else stays, second, second) for second in range(8)]
    await delete_product(database, goes.id)
    for last, older in ((ids[7], [6, 4, 2, 0]), (ids[5], [4, 2, 0]), (ids[1], [0])):
        listed = await list_movements(database, MovementFilter(limit=9, before=last))
        assert [change.new_level for change in listed] == older
    assert await list_movements(database, MovementFilter(limit=9, before=ids[0])) == []


async def test_changes_of_one_millisecond_are_paged_through(database: Database, add: Add) -> None:
    """An import makes many: each is on one page."""
    products = [await add(f"P{number}", initial_level=1) for number in range(25)]
    listed = await paged(database, limit=4)
    assert [change.product_id for change in listed] == [product.id for product in products[::-1]]


CHANGES = st.tuples(st.integers(0, 2), st.integers(0, 9), st.sampled_from(["Ann", "Ben", ""]))


@dataclass(frozen=True)
class Filters:
    """The filters: a product's number, an author, and the seconds of both ends."""

    product: int | None
    author: str | None
    first: int | None
    last: int | None

    def fit(self, product: int, author: str, second: int) -> bool:
        """Return whether a change matches."""
        return (
            self.product in (None, product)
            and self.author in (None, author)
            and (self.first is None or second >= self.first)
            and (self.last is None or second <= self.last)
        )


FILTERS = st.builds(
    Filters,
    st.none() | st.integers(0, 2),
    st.none() | st.sampled_from(["Ann", "Ben", "", "an"]),
    st.none() | st.integers(0, 9),
    st.none() | st.integers(0, 9),
)


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=st.lists(CHANGES, max_size=25), limit=st.integers(1, 7), filters=FILTERS)
async def test_pages_are_those_of_a_plain_list(
    database: Database, add: Add, made: list[tuple[int, int, str]], limit: int, filters: Filters
) -> None:
    """For any filters, pages of any size, and a clock that has gone backwards."""
    for known in await list_movements(database, MovementFilter(limit=1000)):
        await asyncio.gather(delete_product(database, known.product_id), return_exceptions=True)
    products = [await add(str(uuid4())) for _ in range(3)]
    fitting = []
    for level, (number, second, author) in enumerate(made):
        change_id = await put(database, products[number], level, second, author)
        if filters.fit(number, author, second):
            fitting.append((second if filters.product is None else 0, change_id))
    listed = await paged(
        database,
        limit=limit,
        product_id=None if filters.product is None else products[filters.product].id,
        updated_by=filters.author,
        from_time=None if filters.first is None else moment(filters.first),
        to_time=None if filters.last is None else moment(filters.last),
    )
    assert [change.id for change in listed] == [change_id for _, change_id in sorted(fitting, reverse=True)]


@examples(20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=st.lists(CHANGES, max_size=25), limit=st.integers(1, 7), filters=FILTERS)
async def test_pages_after_a_movement_are_in_the_order_of_writing(
    database: Database, add: Add, made: list[tuple[int, int, str]], limit: int, filters: Filters
) -> None:
    """For any filters, pages of any size, and a clock that has gone backwards."""
    products = [await add(str(uuid4())) for _ in range(3)]
    fitting, last = (
        [],
        max((change.id for change in await list_movements(database, MovementFilter(limit=999))), default=0),
    )
    for level, (number, second, author) in enumerate(made):
        change_id = await put(database, products[number], level, second, author)
        if filters.fit(number, author, second):
            fitting.append(change_id)
    wanted = MovementFilter(
        limit=limit,
        product_id=None if filters.product is None else products[filters.product].id,
        updated_by=filters.author,
        from_time=None if filters.first is None else moment(filters.first),
        to_time=None if filters.last is None else moment(filters.last),
    )
    listed: list[int] = []
    while page := await list_movements(database, replace(wanted, after=listed[-1] if listed else last)):
        assert len(page) <= limit
        listed += [change.id for change in page]
    assert listed == fitting


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("list_movements_after", "SEARCH made USING INDEX movements_by_product (product_id=? AND id>?)"),
        ("list_movements_of_import_after", "SEARCH made USING INDEX movements_by_import (import_id=? AND id>?)"),
        ("list_all_movements_after", "SEARCH made USING INTEGER PRIMARY KEY (rowid>?)"),
    ],
)
def test_what_follows_a_movement_begins_where_an_index_says(plan: Plan, name: str, begin: str) -> None:
    """Nothing is skipped over, and nothing is sorted."""
    assert plan(name)[0] == begin
    assert not [line for line in plan(name) if line.startswith("SCAN") or "TEMP B-TREE" in line]


@pytest.mark.parametrize(
    ("name", "index", "equal"),
    [
        ("list_recent_movements", "movements_by_time", ""),
        ("list_movements_by_author", "movements_by_author", "updated_by=? AND "),
    ],
)
def test_a_page_begins_where_an_index_says(plan: Plan, name: str, index: str, equal: str) -> None:
    """Nothing is skipped over, and only rows on the page are looked up and sorted."""
    begun = [line for line in plan(name) if index in line]
    assert begun == [
        f"SEARCH movements USING COVERING INDEX {index} ({equal}updated_at=? AND rowid<?)",
        f"SEARCH movements USING COVERING INDEX {index} ({equal}updated_at>? AND updated_at<?)",
    ]
    assert [line for line in plan(name) if line.startswith(("SCAN", "MERGE"))] == ["MERGE (UNION ALL)", "SCAN page"]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("list_movements", "movements_by_product (product_id=? AND id<?)"),
        ("list_movements_of_import", "movements_by_import (import_id=? AND id<?)"),
    ],
)
def test_a_page_of_one_product_or_import_begins_where_an_index_says(plan: Plan, name: str, index: str) -> None:
    """Nothing is skipped over, and nothing is sorted."""
    assert index in plan(name)[0]
    assert not [line for line in plan(name) if "TEMP B-TREE" in line]


def test_a_page_of_low_levels_passes_over_an_index_alone(plan: Plan) -> None:
    """Only the products on the page are looked up."""
    walked = [line for line in plan("list_low_products") if line.startswith("SCAN levels")]
    assert walked == ["SCAN levels USING COVERING INDEX levels_low"] * 2
