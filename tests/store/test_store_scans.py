import asyncio

import pytest

from barcodesvc.models import ProductDraft
from barcodesvc.product_codes import MOST_CODES, CodeDraft
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.scans import (
    MOST_TOGETHER,
    Comparison,
    Found,
    ScanLookup,
    ScannedCode,
    ScannedLevel,
    ScannedProduct,
)
from barcodesvc.store.sqlite.database import READERS
from tests.engines import Place
from tests.fixture_types import Add
from tests.stock import add_code, create_product
from tests.store.conftest import NOW

pytestmark = pytest.mark.each_engine


async def fitting(database: Database, *candidates: Comparison | tuple[Comparison, ...]) -> list[tuple[int, str]]:
    """Return the codes that match, each with the index of the candidate that it matches."""
    several = [one if isinstance(one[0], tuple) else (one,) for one in candidates]
    return sorted((one.rank, one.code.code) for one in await ScanLookup(database).resolve(several))


async def test_a_code_that_fits_is_given_with_its_product(database: Database, add: Add) -> None:
    """Whether it is the product's own or a further one, and with the levels that a scan shows."""
    added = await add("5000000000005", category="x", initial_level=3, minimum_level=1)
    await add_code(database, added.id, CodeDraft(code="box", pack_quantity=6), NOW)
    await add("abc")
    product = ScannedProduct(added.id, "5000000000005", "The 5000000000005", "x", retired=False, attributes={})
    level = ScannedLevel(current_level=3, minimum_level=1, last_updated=NOW)
    found = await ScanLookup(database).resolve([(("code", "no"),), (("number", "05000000000005"),), (("code", "box"),)])
    assert sorted(found, key=lambda one: one.rank) == [
        Found(1, is_own=True, code=ScannedCode("5000000000005", 1), product=product, level=level),
        Found(2, is_own=False, code=ScannedCode("box", 6), product=product, level=level),
    ]


@pytest.mark.parametrize(
    ("code", "comparison"),
    [
        ("A-1", ("code", "A-1")),
        ("4 006381 333931", ("number", "04006381333931")),
        ("978-3-16-148410", ("number", "978316148410")),
        ("(10) A-b (21) 7", ("number", "(10)A-b(21)7")),
        ("9771234567003+05", ("main", "09771234567003")),
        ("977123456700+05", ("main", "977123456700")),
        ("978 0 7352 0044 9+51299", ("main", "09780735200449")),
        ("B123-4d", ("codabar", "123-4")),
        ("b123-4D", ("codabar", "123-4")),
        ("MiXed", ("folded", "mixed")),
    ],
)
async def test_every_key_is_compared(database: Database, add: Add, code: str, comparison: Comparison) -> None:
    """By code, number, number before an add-on, Codabar number without letters, and case-folded letters."""
    await add(code)
    await add("another")
    assert await fitting(database, comparison) == [(0, code)]
    assert await fitting(database, (comparison[0], "nothing")) == []


async def test_codes_that_fit_any_candidate_are_given(database: Database, add: Add) -> None:
    """All of them, with the numbers of their candidates, so that a later rule can be compared with an earlier one."""
    for code in ("Twin", "single", "tWIN"):
        await add(code)
    assert await fitting(database, ("folded", "twin"), ("code", "single")) == [(0, "Twin"), (0, "tWIN"), (1, "single")]


async def test_comparisons_of_one_candidate_are_equally_good(database: Database, add: Add) -> None:
    """The codes that match any of them are returned."""
    for code in ("978-1-56581-231-4", "156581231"):
        await add(code)
    candidate = (("code", "156581231"), ("number", "09781565812314"), ("folded", "no"))
    assert await fitting(database, ("code", "no"), candidate) == [(1, "156581231"), (1, "978-1-56581-231-4")]


async def test_of_many_alike_some_of_several_products_are_given(database: Database, add: Add) -> None:
    """A product may have many codes with the same key: the result is limited, and still shows the second product."""
    first = await add("1-2")
    for number in range(MOST_CODES):
        spelling = f"1{'-' * (number % 50)} {'-' * (number // 50)}2"
        await add_code(database, first.id, CodeDraft(code=spelling), NOW)
    for number in range(2, 22):
        await add(f"1-{'-' * number}2")
    found = await ScanLookup(database).resolve([(("number", "12"),)])
    assert len({one.product.id for one in found}) > 1
    assert len(found) <= MOST_CODES + 12


@pytest.mark.parametrize("code", ["AB-12345", "4006381333931", "12+345x", "4006381333931+123", "X-1Y"])
async def test_other_codes_have_no_other_form(database: Database, add: Add, code: str) -> None:
    """Part numbers, such as one with a start letter only, a bare number, and text after a plus that is no add-on."""
    await add(code)
    for value in (code.replace("-", ""), code.partition("+")[0]):
        keys = [("number", value), ("main", value), ("main", value.zfill(14))]
        assert [await fitting(database, comparison) for comparison in keys] == [[]] * len(keys)
    assert await fitting(database, ("codabar", code[1:-1])) == []


async def test_scans_beyond_one_statement_are_looked_up_in_the_next(database: Database, add: Add) -> None:
    """However many wait, each gets its own product."""
    await add("A-1")
    await add("A-2")
    resolver = ScanLookup(database)
    wanted = [("code", f"A-{1 + number}") for number in range(3 * MOST_TOGETHER + 1)]
    found = await asyncio.gather(*(resolver.resolve([(comparison,)]) for comparison in wanted))
    assert [[one.product.product_code for one in several] for several in found] == [
        ["A-1"],
        ["A-2"],
        *[[]] * (len(wanted) - 2),
    ]


async def test_scans_that_are_the_same_are_one(place: Place) -> None:
    """Of a thousand at once the first runs alone, as nothing precedes it, and all others in one statement."""
    seen: list[str] = []
    async with open_database(place, observe=lambda name, _: seen.append(name)) as database:
        await create_product(database, ProductDraft(product_code="A-1", description="x"), NOW)
        resolver = ScanLookup(database)
        found = await asyncio.gather(*(resolver.resolve([(("code", f"A-{number % 2}"),)]) for number in range(1000)))
    assert [[one.product.product_code for one in several] for several in found] == [[], ["A-1"]] * 500
    assert 1 <= seen.count("resolve_scans") <= 2


async def test_scans_wait_for_no_other_reader(database: Database, add: Add) -> None:
    """While every other connection runs a long statement, a scan succeeds."""
    await add("A-1")
    busy = [asyncio.create_task(database.rows("long")) for _ in range(READERS - 1)]
    await asyncio.sleep(0)
    assert await fitting(database, ("code", "A-1")) == [(0, "A-1")]
    assert not any(task.done() for task in busy)
    await asyncio.wait(busy)
