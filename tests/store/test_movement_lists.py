import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, example, given, strategies as st

from barcodesvc.models import LevelUpdate, Product, ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.movements import MovementFilter, list_movements
from barcodesvc.store.script import Script
from barcodesvc.store.staging import Chunk, Entry, StagedRows, ValidRow, begun, insert_new
from tests.fixture_types import Add
from tests.properties import examples
from tests.stock import delete_product, history, set_level

pytestmark = pytest.mark.each_engine


def moment(second: int) -> str:
    """Return a time."""
    return f"2026-01-31T12:00:{second:02}.000Z"


async def put(database: Database, product: Product, level: int, second: int, author: str = "Ann") -> int:
    """Set a level at this time, and return the id of the change."""
    update = LevelUpdate(new_level=level, updated_by=author)
    return (await set_level(database, product.id, update, moment(second))).id


async def paged(database: Database, wanted: MovementFilter) -> list[int]:
    """Return the ids of all pages concatenated."""
    listed: list[int] = []
    while page := await list_movements(database, wanted):
        assert len(page) <= wanted.limit
        listed += [change.id for change in page]
        assert len({*listed}) == len(listed)  # a page that repeats itself would never end
        last = listed[-1]
        wanted = replace(wanted, before=last) if wanted.after is None else replace(wanted, after=last)
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


async def test_an_import_has_its_own_list(database: Database, add: Add, tmp_path: Path) -> None:
    """In pages of either direction, and each entry says which import it is of."""
    await add("A-1", initial_level=1)
    drafts = [ProductDraft(product_code=f"P{number}", description="x", initial_level=1) for number in range(3)]
    with database.staging(tmp_path / "staged") as file:
        rows = (ValidRow(number, draft, frozenset(draft.model_fields_set)) for number, draft in enumerate(drafts))
        StagedRows(file).put(rows)

    def imported() -> Script[None]:
        yield from insert_new(Chunk(0, 3), (yield from begun(Entry(moment(1)))))

    await database.change_long(imported, staged=tmp_path / "staged")
    made = [change.id for change in await list_movements(database, MovementFilter(limit=3))]
    [newest] = await list_movements(database, MovementFilter(limit=1))
    assert newest.import_id is not None
    wanted = MovementFilter(limit=2, import_id=newest.import_id)
    assert await paged(database, wanted) == made
    assert await paged(database, replace(wanted, after=made[-1] - 1)) == made[::-1]
    assert await paged(database, replace(wanted, from_time=moment(2))) == []


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


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=st.lists(CHANGES, max_size=25), limit=st.integers(1, 7), filters=FILTERS)
@example(made=[(0, 5, "Ann"), (1, 5, "Ben"), (2, 5, "Ann"), (0, 4, "Ann")], limit=1, filters=Filters(None, "Ann", 4, 5))
async def test_pages_are_those_of_a_plain_list(
    database: Database, add: Add, made: list[tuple[int, int, str]], limit: int, filters: Filters
) -> None:
    """For any filters, pages of any size in either direction, and a clock that has gone backwards."""
    for known in await list_movements(database, MovementFilter(limit=1000)):
        await asyncio.gather(delete_product(database, known.product_id), return_exceptions=True)
    products = [await add(str(uuid4())) for _ in range(3)]
    written, fitting = 0, []
    for level, (number, second, author) in enumerate(made):
        written = await put(database, products[number], level, second, author)
        if filters.fit(number, author, second):
            fitting.append((second if filters.product is None else 0, written))
    wanted = MovementFilter(
        limit=limit,
        product_id=None if filters.product is None else products[filters.product].id,
        updated_by=filters.author,
        from_time=None if filters.first is None else moment(filters.first),
        to_time=None if filters.last is None else moment(filters.last),
    )
    assert await paged(database, wanted) == [movement for _, movement in sorted(fitting, reverse=True)]
    assert await paged(database, replace(wanted, after=written - len(made))) == [movement for _, movement in fitting]
