"""Changes in few statements: on PostgreSQL each is a round trip to the server, while others wait for its locks."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from barcodesvc.models import LevelAdjustment, LevelUpdate, ProductDraft
from barcodesvc.store import movements, products
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import Asked, KeyedRequest, Reply, once, unless_kept
from barcodesvc.store.movements import Entry
from barcodesvc.store.script import Begin, Script
from tests.fixture_types import Add
from tests.stock import set_level
from tests.store.conftest import NOW

pytestmark = pytest.mark.each_engine

ENTRY = Entry("found", "till", NOW)
SCANNED = Entry("counted", "till", NOW, scanned_at=NOW)
ASKED = LevelAdjustment(delta=1)
Once = Callable[[KeyedRequest[Any], Begin[Any], Callable[[Any], bytes]], Script[Reply]]
MOST = 4
"""Statements of a change with six round trips, of which two are `BEGIN` and `COMMIT`."""


def keyed(asked: Asked) -> KeyedRequest[Asked]:
    """Return a request with a key."""
    return KeyedRequest(asked, "POST /x", "K", NOW, timedelta(days=30))


def recorded(script: Script[Reply], asked: list[str]) -> Script[Reply]:
    """Play a script, and record the names of its statements."""
    asked.clear()
    try:
        statement = next(script)
        while True:
            asked.append(statement.name)
            statement = script.send((yield statement))
    except StopIteration as end:
        reply: Reply = end.value
        return reply


async def statements_of(database: Database, change: Begin[Any], once: Once = once) -> int:
    """Make a change under a key, and return the number of its statements."""
    asked: list[str] = []
    await database.change(lambda: recorded(once(keyed(ASKED), change, lambda _: b"{}"), asked))
    assert "keep_reply" in asked
    return len(asked)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(partial(movements.set_level, 1, 8, ENTRY, 5), id="a level that is set"),
        pytest.param(partial(movements.adjust, 1, 2, ENTRY), id="a difference"),
        pytest.param(partial(movements.adjust, 1, 2, SCANNED), id="a scan"),
        pytest.param(partial(movements.count, 1, 8, SCANNED), id="a count"),
        pytest.param(partial(movements.undo, 1, ENTRY, NOW), id="an undo"),
        pytest.param(partial(products.delete, 1), id="a deletion"),
    ],
)
async def test_a_change_under_a_key_takes_six_round_trips(database: Database, add: Add, change: Begin[Any]) -> None:
    """Two of its four statements look the reply up and keep it."""
    await add("A-1")
    await set_level(database, 1, LevelUpdate(new_level=5), NOW)
    assert await statements_of(database, change) <= MOST


@pytest.mark.parametrize(
    ("attributes", "most"), [({}, MOST), ({"price": "2.99"}, MOST + 1)], ids=["without attributes", "with attributes"]
)
async def test_a_new_product_takes_six_round_trips(
    database: Database, add: Add, attributes: dict[str, str], most: int
) -> None:
    """It takes one more with attributes, whose names are compared with those in use."""
    await add("A-1", attributes={"price": "1.99"})
    draft = ProductDraft(product_code="A-2", description="Pen", initial_level=5, attributes=attributes)
    create = partial(products.create, keyed(draft))
    assert await statements_of(database, create, unless_kept) <= most
