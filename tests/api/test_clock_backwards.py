from typing import Any

import pytest

from tests.fixture_types import Client


@pytest.mark.each_engine
async def test_a_clock_that_goes_backwards_leaves_the_history_in_order(shop: Client, standing_clock: Any) -> None:
    """Changes are listed in the order of their writing, newest first, each with its clock time; none is lost."""
    for level, seconds in ((7, 60), (8, -7200), (9, 1)):
        standing_clock.advance(seconds)
        assert (await shop.put("/api/inventory/1", json={"new_level": level})).status == 200
    history = (await (await shop.get("/api/inventory/1/history")).json())["data"]
    assert [change["new_level"] for change in history] == [9, 8, 7, 5]
    assert [change["old_level"] for change in history] == [8, 7, 5, 0]
    assert [change["updated_at"][11:19] for change in history] == ["20:14:21", "20:14:20", "22:14:20", "22:13:20"]
    [level] = (await (await shop.get("/api/inventory")).json())["data"]
    assert (level["current_level"], level["last_updated"]) == (9, history[0]["updated_at"])


async def test_a_key_holds_while_the_clock_goes_backwards(shop: Client, standing_clock: Any) -> None:
    """A retried adjustment counts once, even after the wall clock has jumped."""
    count = {"delta": 1, "idempotency_key": "K"}
    first = await (await shop.post("/api/inventory/1/adjust", json=count)).read()
    standing_clock.advance(-86_400 * 365)
    response = await shop.post("/api/inventory/1/adjust", json=count)
    assert (await response.read(), response.headers["Idempotency-Replayed"]) == (first, "true")
    assert (await shop.get("/health")).status == 200
