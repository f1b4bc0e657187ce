import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable
from dataclasses import dataclass, field
from functools import partial

import pytest

from barcodesvc.clock import Clock
from barcodesvc.errors import (
    InvalidInput,
    LevelOutOfRange,
    ProductNotFound,
    ServiceError,
)
from barcodesvc.gs1.gtin import with_check_digit
from barcodesvc.made_codes import made_codes
from barcodesvc.models import MAX_LEVEL, ProductChange, ProductDraft
from barcodesvc.product_codes import LARGEST_PACK, MOST_CODES, CodeDraft, CodeNotFound, DuplicateProductCode
from barcodesvc.scanning.resolver import Resolved, Resolver
from barcodesvc.scanning.unresolved import AmbiguousScan, UnresolvedScan
from barcodesvc.store import further_codes, movements
from barcodesvc.store.database import Database
from barcodesvc.store.made_codes import make_codes
from barcodesvc.store.movements import Entry
from tests.fixture_types import Add
from tests.stock import add_code, change_product, create_product, delete_product, history
from tests.store.conftest import NOW

pytestmark = pytest.mark.each_engine

LATER = "2026-02-01T12:00:00.000Z"


async def found(database: Database, text: str) -> tuple[str, int] | None:
    """Return the product code and the pack quantity that a scan means, None for none or several products."""
    try:
        scan = await Resolver(database, Clock()).resolve(text)
    except UnresolvedScan:
        return None
    return scan.product.product_code, scan.code.pack_quantity


async def codes_of(database: Database, product_id: int) -> list[tuple[str, int, str]]:
    """Return the further codes of a product."""
    return [(one.code, one.pack_quantity, one.note) for one in await further_codes.list_codes(database, product_id)]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("4006381333948", "]E04006381333948"),
        ("4 006381 333948", "(01) 04006381333948"),
        ("0-8044-2957-X", "9780804429573"),
        ("Box-7", "BOX-7"),
        ("A123456B", "123456"),
        ("9771234567003+05", "9771234567003"),
        ("PZN - 1234567", "-12345678"),
    ],
)
async def test_a_further_code_is_found_by_every_rule(database: Database, add: Add, code: str, text: str) -> None:
    """As a product's own code is: numbers in any spelling, folded letters, Codabar, add-ons, numbers of medicines."""
    product = await add("OWN")
    await add_code(database, product.id, CodeDraft(code=code, pack_quantity=6), NOW)
    assert await found(database, text) == ("OWN", 6)


async def test_an_own_code_comes_before_a_further_one_of_the_same_rule(database: Database, add: Add) -> None:
    """However likely the spelling; the exact further code still comes before any other rule."""
    first, second = await add("FIRST"), await add("4-006381-333931")
    await add_code(database, first.id, CodeDraft(code="4006381333931", pack_quantity=6), NOW)
    assert await found(database, "]E04006381333931") == ("FIRST", 6)  # the rule `aim`, exactly
    assert await found(database, "4 006381 333931") == (second.product_code, 1)


async def test_two_packs_of_one_number_are_not_guessed(database: Database, add: Add) -> None:
    """The scan is ambiguous, because it would count 1 or 6; the exact code is not."""
    product = await add("OWN")
    await add_code(database, product.id, CodeDraft(code="4006381333931"), NOW)
    await add_code(database, product.id, CodeDraft(code="4-006381-333931", pack_quantity=6), NOW)
    with pytest.raises(AmbiguousScan, match="different packs"):
        await Resolver(database, Clock()).resolve("4 006381 333931")
    assert await found(database, "4-006381-333931") == ("OWN", 6)


async def test_a_code_has_one_product(database: Database, add: Add) -> None:
    """As its own or as a further one; the refusal names the product, also to one that would be created."""
    first, second = await add("A-1"), await add("A-2")
    await add_code(database, first.id, CodeDraft(code="BOX"), NOW)
    attempts: list[Awaitable[object]] = [
        add_code(database, second.id, CodeDraft(code="BOX"), NOW),
        add_code(database, first.id, CodeDraft(code="BOX", pack_quantity=2), NOW),
        add_code(database, second.id, CodeDraft(code="A-1"), NOW),
        create_product(database, ProductDraft(product_code="BOX", description="x"), NOW),
        change_product(database, second.id, ProductChange(product_code="BOX"), NOW),
        change_product(database, second.id, ProductChange(product_code="A-1"), NOW),
    ]
    for attempt in attempts:
        with pytest.raises(DuplicateProductCode) as refused:
            await attempt
        assert refused.value.owner == {"id": first.id, "product_code": "A-1", "description": "The A-1"}


async def test_a_removed_code_is_free(database: Database, add: Add) -> None:
    """Removed alone, or with its product; another product's code cannot be removed."""
    first, second = await add("A-1"), await add("A-2")
    code = await add_code(database, first.id, CodeDraft(code="BOX"), NOW)
    with pytest.raises(CodeNotFound):
        await database.change(lambda: further_codes.remove(second.id, code.id, NOW))
    assert await database.change(lambda: further_codes.remove(first.id, code.id, NOW)) == "BOX"
    await add_code(database, first.id, CodeDraft(code="BOX"), NOW)
    await delete_product(database, first.id)
    await add_code(database, second.id, CodeDraft(code="BOX"), NOW)
    await add_code(database, second.id, CodeDraft(code="A-1"), NOW)
    assert await found(database, "A-1") == ("A-2", 1)
    with pytest.raises(ProductNotFound):
        await add_code(database, first.id, CodeDraft(code="new"), NOW)
    with pytest.raises(ProductNotFound):
        await further_codes.list_codes(database, first.id)


async def test_a_product_has_a_limited_number_of_codes(database: Database, add: Add) -> None:
    """One more is refused, and so is another own code, which would leave one; removing one makes room."""
    product = await add("A-1")
    for number in range(MOST_CODES):
        last = await add_code(database, product.id, CodeDraft(code=f"B-{number}"), NOW)
    with pytest.raises(InvalidInput, match="at most 100"):
        await add_code(database, product.id, CodeDraft(code="new"), NOW)
    with pytest.raises(InvalidInput, match="at most 100"):
        await change_product(database, product.id, ProductChange(product_code="new"), NOW)
    await database.change(lambda: further_codes.remove(product.id, last.id, NOW))
    await change_product(database, product.id, ProductChange(product_code="new"), NOW)


async def test_a_product_with_another_code_is_found_by_the_old_one(database: Database, add: Add) -> None:
    """For ever: by the labels of each code that it had, and it can get one of them back. The history says so."""
    product = await add("4006381333931", initial_level=5)
    for code in ("PEN", "pen-1", "4006381333931"):
        changed = await change_product(database, product.id, ProductChange(product_code=code, description="Pen"), LATER)
        assert changed.product_code == code
    assert await codes_of(database, product.id) == [("PEN", 1, "former code"), ("pen-1", 1, "former code")]
    assert [await found(database, text) for text in ("PEN", "pen-1", "4-006381-333931")] == [("4006381333931", 1)] * 3
    newest = (await history(database, product.id))[0]
    assert (newest.old_level, newest.new_level, newest.change_reason) == (
        5,
        5,
        "product code changed from pen-1 to 4006381333931",
    )


async def test_the_code_of_a_pack_does_not_become_the_own_one(database: Database, add: Add) -> None:
    """It counts several pieces, and an own code counts one."""
    product = await add("A-1")
    await add_code(database, product.id, CodeDraft(code="BOX", pack_quantity=6), NOW)
    with pytest.raises(DuplicateProductCode):
        await change_product(database, product.id, ProductChange(product_code="BOX"), NOW)


async def test_another_code_makes_no_count_outdated(database: Database, add: Add) -> None:
    """A count that was scanned before the code changed is booked: no stock has moved since."""
    product = await add("A-1", initial_level=5)
    await change_product(database, product.id, ProductChange(product_code="A-2"), "2026-03-01T12:00:00.000Z")
    entry = Entry("count", "x", "2026-03-02T12:00:00.000Z", LATER)
    counted = await database.change(lambda: movements.count(product.id, 7, entry))
    assert counted.new_level == 7


@pytest.mark.parametrize(
    ("delta", "pack"), [(MAX_LEVEL, LARGEST_PACK), (-MAX_LEVEL, 2), (-1, 6), (MAX_LEVEL // 6 + 1, 6)]
)
async def test_packs_that_leave_the_range_change_nothing(database: Database, add: Add, delta: int, pack: int) -> None:
    """The refusal says how many pieces are possible."""
    product = await add("A-1", initial_level=5)
    with pytest.raises(LevelOutOfRange) as refused:
        await database.change(lambda: movements.adjust(product.id, delta, Entry("", "x", NOW), pack))
    assert (refused.value.least_delta, refused.value.current_level, refused.value.pack_quantity) == (-5, 5, pack)


@pytest.mark.parametrize("wanted", ["A-1", "a-1", "4 006381 333931", "04006381333931", "(01)04006381333931"])
async def test_codes_that_clash_in_another_spelling_are_two_codes(database: Database, add: Add, wanted: str) -> None:
    """Case and GTIN form make different codes, as for products, and each is found exactly."""
    first, second = await add("A-1"), await add("4006381333931")
    third = await add("third")
    if wanted == first.product_code:
        with pytest.raises(DuplicateProductCode):
            await add_code(database, third.id, CodeDraft(code=wanted), NOW)
        return
    await add_code(database, third.id, CodeDraft(code=wanted, pack_quantity=6), NOW)
    assert await found(database, wanted) == ("third", 6)
    assert [await found(database, one.product_code) for one in (first, second)] == [("A-1", 1), ("4006381333931", 1)]


async def test_the_last_codes_of_a_pattern_are_given(database: Database, add: Add) -> None:
    """Those that products have are passed over; then a person has to choose another pattern."""
    pattern = made_codes("ean13:20123456")
    await database.change(partial(make_codes, pattern, 9996))
    taken = with_check_digit(pattern.code(9998))
    await add(taken)
    made = [(await database.change(partial(make_codes, pattern, 1)))[0] for _ in range(2)]
    assert made == [with_check_digit(pattern.code(number)) for number in (9997, 9999)]
    with pytest.raises(InvalidInput, match="all codes of ean13:20123456 are given"):
        await database.change(partial(make_codes, pattern, 1))


@dataclass
class Shelf:
    """What one product should be: its own code, its further ones with their packs, and its level."""

    own: str
    packs: dict[str, int] = field(default_factory=dict)
    level: int = 0


@dataclass
class Model:
    """What the database should hold; each action changes both, and both refuse the same."""

    database: Database
    shelves: dict[int, Shelf] = field(default_factory=dict)

    def owner(self, code: str) -> int | None:
        """Return the product that has a code."""
        return next((one for one, shelf in self.shelves.items() if code in (shelf.own, *shelf.packs)), None)

    async def create(self, _: int, code: str, __: int) -> None:
        """Create a product with this code."""
        created = await create_product(self.database, ProductDraft(product_code=code, description="x"), NOW)
        self.shelves[created.id] = Shelf(code)

    async def add(self, product_id: int, code: str, pack: int) -> None:
        """Give a product this code."""
        await add_code(self.database, product_id, CodeDraft(code=code, pack_quantity=pack), NOW)
        self.shelves[product_id].packs[code] = pack

    async def rename(self, product_id: int, code: str, _: int) -> None:
        """Make this the own code of a product."""
        await change_product(self.database, product_id, ProductChange(product_code=code, category="x"), NOW)
        shelf = self.shelves[product_id]
        assert shelf.packs.pop(code, 1) == 1
        if code != shelf.own:
            shelf.packs[shelf.own], shelf.own = 1, code

    async def remove(self, product_id: int, _: str, __: int) -> None:
        """Remove the oldest further code of a product."""
        for gone in (await further_codes.list_codes(self.database, product_id))[:1]:
            await self.database.change(partial(further_codes.remove, product_id, gone.id, NOW))
            del self.shelves[product_id].packs[gone.code]

    async def delete(self, product_id: int, _: str, __: int) -> None:
        """Delete a product."""
        await delete_product(self.database, product_id)
        del self.shelves[product_id]

    async def retire(self, product_id: int, _: str, pack: int) -> None:
        """Retire a product, or sell it again."""
        change = ProductChange(retired=pack > 1)
        assert (await change_product(self.database, product_id, change, NOW)).retired == change.retired

    async def scan(self, _: int, code: str, __: int) -> None:
        """Count two packs of what this code means."""
        scan, pieces = await counted(self.database, code, 2)
        assert scan.product.id == self.owner(code)
        shelf = self.shelves[scan.product.id]
        assert pieces == 2 * shelf.packs.get(code, 1)
        shelf.level += pieces


async def counted(database: Database, code: str, packs: int) -> tuple[Resolved, int]:
    """Count packs of what a code means, and return the scan and by how many pieces the level changed."""
    scan = await Resolver(database, Clock()).resolve(code)
    adjust = partial(movements.adjust, scan.product.id, packs, Entry("", "x", NOW), scan.code.pack_quantity)
    change = await database.change(adjust)
    return scan, change.new_level - change.old_level


@pytest.mark.parametrize("seed", range(3))
async def test_any_sequence_of_changes_keeps_the_model(database: Database, seed: int) -> None:
    """Products, codes, renames, retirements, deletions and scans in any order: each code means what it should."""
    chance, model = random.Random(seed), Model(database)  # noqa: S311 - a test repeats its numbers
    actions = [model.create, model.add, model.rename, model.remove, model.delete, model.retire, *[model.scan] * 3]
    for _ in range(120):
        product_id, code = chance.choice([*model.shelves, 0]), f"C{chance.randrange(12)}"
        owner = model.owner(code)
        try:
            await chance.choice(actions)(product_id, code, chance.choice([1, 1, 6, 12]))
        except ProductNotFound:
            assert product_id not in model.shelves
        except DuplicateProductCode:
            assert owner
        except UnresolvedScan:
            assert owner is None
    for product_id, shelf in model.shelves.items():
        codes = {code: pack for code, pack, _ in await codes_of(database, product_id)}
        assert codes == shelf.packs
        level = (await history(database, product_id))[:1]
        assert [one.new_level for one in level] == ([shelf.level] if level else [])


async def test_eight_writers_at_once_count_every_scan(database: Database) -> None:
    """Whatever they do to the same few codes, no code has two products, and each level is the sum of its scans."""
    sums: dict[int, int] = defaultdict(int)

    async def write(seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - a test repeats its numbers
        for _ in range(40):
            code, product_id = f"C{chance.randrange(8)}", chance.randrange(1, 9)
            try:
                match chance.randrange(6):
                    case 0:
                        await create_product(database, ProductDraft(product_code=code, description="x"), NOW)
                    case 1:
                        draft = CodeDraft(code=code, pack_quantity=chance.choice([1, 6]))
                        await add_code(database, product_id, draft, NOW)
                    case 2:
                        await change_product(database, product_id, ProductChange(product_code=code, category="x"), NOW)
                    case _:
                        scan, pieces = await counted(database, code, 3)
                        assert pieces == 3 * scan.code.pack_quantity
                        sums[scan.product.id] += pieces
            except ServiceError:
                pass

    await asyncio.gather(*map(write, range(8)))
    assert sums
    for product_id, pieces in sums.items():
        assert (await history(database, product_id))[0].new_level == pieces
