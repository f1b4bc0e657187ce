"""Changes in few statements: on PostgreSQL each is a round trip to the server, while other changes wait for its locks."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from barcodesvc.models import LevelAdjustment, LevelUpdate
from barcodesvc.store import movements, products
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import KeyedRequest, Reply, body_of, once
from barcodesvc.store.movements import Entry
from barcodesvc.store.script import Begin, Script
from tests.stock import set_level
from tests.store.conftest import NOW, Add

ENTRY = Entry("found", "till", NOW)
SCANNED = Entry("counted", "till", NOW, scanned_at=NOW)
KEYED = KeyedRequest(LevelAdjustment(delta=1), "POST /x", "K", NOW, timedelta(days=30))
MOST = 4
"""Statements of a change with six round trips, of which two are `BEGIN` and `COMMIT`."""


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


async def statements_of(database: Database, change: Begin[Any]) -> list[str]:
    """Make a change under a key, and return the names of its statements."""
    asked: list[str] = []
    await database.change(lambda: recorded(once(KEYED, lambda: body_of(change(), lambda _: b"{}")), asked))
    return asked


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
    assert len(await statements_of(database, change)) <= MOST
