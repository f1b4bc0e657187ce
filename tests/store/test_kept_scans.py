"""Unknown scans in the database: any text of the greatest length is kept."""

import random
from functools import partial

import pytest

from barcodesvc.scanning.unknown_scans import LONGEST_TEXT
from barcodesvc.store.database import Database
from barcodesvc.store.unknown_scans import Sightings, keep, list_kept
from tests.store.conftest import NOW

pytestmark = pytest.mark.each_engine


@pytest.mark.parametrize(("first", "last"), [(0x10000, 0x10FFFF), (0x100, 0xD7FF), (0, 0x1F)])
async def test_a_text_of_the_greatest_length_is_kept(database: Database, first: int, last: int) -> None:
    """An index entry of PostgreSQL has room for 2,704 bytes, after it has compressed a text."""
    chosen = random.Random(first)  # noqa: S311 - the same text each time
    text = "".join(chr(chosen.randint(first, last)) for _ in range(LONGEST_TEXT))
    await database.change(partial(keep, {text: Sightings(1, NOW, NOW), "4711": Sightings(2, NOW, NOW)}))
    kept, total = await list_kept(database, 10, 0)
    assert ({one.text: one.scans for one in kept}, total) == ({text: 1, "4711": 2}, 2)


async def test_half_of_a_surrogate_pair_costs_no_other_scan(database: Database) -> None:
    """It cannot be written in UTF-8."""
    await database.change(partial(keep, {"\ud800": Sightings(1, NOW, NOW), "4711": Sightings(1, NOW, NOW)}))
    kept, _ = await list_kept(database, 10, 0)
    assert sorted(one.text for one in kept) == ["4711", "?"]
