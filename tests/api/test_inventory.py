from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest

from barcodesvc.api.keys import SERVICE
from barcodesvc.store import inventory, limits
from barcodesvc.store.database import Snapshot
from barcodesvc.store.script import Row
from tests.conftest import StandingClock
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

MAX_LEVEL = 2**53 - 1
DAY = 86400


async def _stock(client: Client, **levels: tuple[int, int]) -> None:
    for code, (level, minimum) in levels.items():
        body = {"product_code": code, "description": code, "initial_level": level, "minimum_level": minimum}
        assert (await client.post("/api/products", json=body)).status == 201


async def _listed(client: Client, **query: str) -> list[str]:
    response = await client.get("/api/inventory", params=query)
    assert response.status == 200, await response.text()
    return [level["product_code"] for level in (await response.json())["data"]]


async def _history(client: Client, **query: str) -> list[int]:
    response = await client.get("/api/inventory/1/history", params=query)
    assert response.status == 200, await response.text()
    return [change["new_level"] for change in (await response.json())["data"]]


async def _set(client: Client, level: int, **fields: object) -> int:
    return (await client.put("/api/inventory/1", json={"new_level": level, **fields})).status


@pytest.fixture
async def assorted(client: Client) -> Client:
    """Return a client of a service with products below, at and above their minimum levels."""
    await _stock(client, low=(1, 2), even=(2, 2), high=(3, 2), none=(0, 0))
    return client


@sweep(
    ("query", "codes"),
    [
        ({}, ["low", "even", "high", "none"]),
        ({"low_stock": "true"}, ["low", "even", "none"]),
        ({"low_stock": "1"}, ["low", "even", "none"]),
        ({"low_stock": "false"}, ["low", "even", "high", "none"]),
        ({"low_stock": "0"}, ["low", "even", "high", "none"]),
        ({"product_id": "3"}, ["high"]),
        ({"product_id": "3", "low_stock": "true"}, []),
        ({"product_id": "2", "low_stock": "true"}, ["even"]),
        ({"product_id": "99"}, []),
        ({"product_id": str(2**53 - 1)}, []),
    ],
)
async def test_levels_are_filtered(assorted: Client, query: dict[str, str], codes: list[str]) -> None:
    """Low stock is at or below the minimum, a product filters to its record, and an unknown one to an empty list."""
    assert await _listed(assorted, **query) == codes


@pytest.mark.each_engine
async def test_a_long_list_is_of_one_moment(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records that are changed and deleted during the download appear as they were when it began."""
    monkeypatch.setattr(inventory, "UNSTREAMED", 1)
    monkeypatch.setattr(limits, "BATCH", 1)
    await _stock(client, a=(1, 2), b=(2, 2), c=(3, 2))

    class Selling(inventory.LevelList):
        async def stream(self, snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
            async for batch in super().stream(snapshot):
                yield batch
                await client.delete("/api/products/2")
                await client.put("/api/inventory/3", json={"new_level": 9})

    monkeypatch.setattr(inventory, "LEVELS", Selling("list_levels"))
    levels = (await (await client.get("/api/inventory")).json())["data"]
    assert [(level["product_code"], level["current_level"]) for level in levels] == [("a", 1), ("b", 2), ("c", 3)]
    assert await _listed(client) == ["a", "c"]


@pytest.mark.parametrize("query", [{}, {"low_stock": "true"}])
async def test_a_long_list_is_the_same_as_a_short_one(
    client: Client, monkeypatch: pytest.MonkeyPatch, query: dict[str, str]
) -> None:
    """They are equal byte for byte, whatever the batches, and for an empty list."""
    for codes in ({}, {"a": (1, 2), "b": (2, 2), "c": (3, 2), "d": (0, 1)}):
        await _stock(client, **codes)
        short = await (await client.get("/api/inventory", params=query)).read()
        for batch in (1, 2, 3):
            with monkeypatch.context() as patch:
                patch.setattr(inventory, "UNSTREAMED", -1)
                patch.setattr(limits, "BATCH", batch)
                assert await (await client.get("/api/inventory", params=query)).read() == short


async def test_a_long_list_waits_for_exports_and_a_short_one_does_not(
    shop: Client, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the maximum number of snapshots is read, it is refused temporarily, like an export."""
    monkeypatch.setattr(limits, "SNAPSHOT_WAIT", 0.01)
    async with AsyncExitStack() as exporting:
        for _ in range(limits.SNAPSHOTS):
            await exporting.enter_async_context(shop.app[SERVICE].database.snapshot())
        assert (await shop.get("/api/inventory")).status == 200
        monkeypatch.setattr(inventory, "UNSTREAMED", 0)
        response = await shop.get("/api/inventory")
        reply = await refused(response, 503, "EXPORT_ERROR")
    assert "exports and full lists" in reply["message"]
    assert response.headers["Retry-After"] == "10"
    assert (await shop.get("/api/inventory")).status == 200


async def test_a_wrong_filter_is_named(shop: Client, problems: Any) -> None:
    """A boolean has four spellings, an id one; other spellings are refused."""
    for wrong in ("", "yes", "TRUE", "True", "2", "on", "01"):
        assert list(await problems(await shop.get("/api/inventory", params={"low_stock": wrong}))) == ["low_stock"]
    for wrong in ("", "0", "-1", "x", "1.0", str(2**53), "٣", "01"):
        assert list(await problems(await shop.get("/api/inventory", params={"product_id": wrong}))) == ["product_id"]


@pytest.mark.each_engine
async def test_every_level_is_listed_however_many(client: Client, upload: Any, workbook: Any) -> None:
    """A list of several batches is one JSON document with every record once, ordered by id."""
    rows = [("SKU", "Name"), *((f"C-{number}", "x") for number in range(2500))]
    await client.post("/api/products/import", data=upload(workbook(rows)))
    listed = (await (await client.get("/api/inventory")).json())["data"]
    assert [level["product_id"] for level in listed] == list(range(1, 2501))


async def test_an_empty_inventory_is_an_empty_list(client: Client) -> None:
    """Without products the list is present and empty."""
    assert await (await client.get("/api/inventory")).json() == {"success": True, "data": []}


async def test_a_level_changes_with_its_history(shop: Client, standing_clock: Any) -> None:
    """The record and the newest entry describe the same change."""
    standing_clock.advance(1)
    body = {"new_level": 3, "change_reason": " sold\n2 ", "updated_by": " Ann "}
    reply = (await (await shop.put("/api/inventory/1", json=body)).json())["data"]
    level = (await (await shop.get("/api/inventory")).json())["data"][0]
    newest = (await (await shop.get("/api/inventory/1/history")).json())["data"][0]
    assert (reply["change_reason"], reply["updated_by"]) == ("sold 2", "Ann")
    assert (reply.pop("product_code"), reply.pop("unit_of_measure")) == ("A-1", "box")
    assert newest == {"id": 2, **reply, "scanned_at": None, "undoes": None, "undone_by": None, "import_id": None}
    assert (level["current_level"], level["last_updated"]) == (3, "2023-11-14T22:13:21.000Z")
    assert level["updated_by"] == "Ann"


async def test_reason_and_author_have_defaults(shop: Client) -> None:
    """By default the reason is empty and the author is the system."""
    reply = (await (await shop.put("/api/inventory/1", json={"new_level": 0})).json())["data"]
    assert (reply["change_reason"], reply["updated_by"]) == ("", "system")


async def test_confirming_a_level_is_recorded(shop: Client) -> None:
    """Setting the current level is an entry too: it is a count."""
    assert await _set(shop, 5) == 200
    assert await _history(shop) == [5, 5]


async def test_the_expected_level_lets_a_change_through(shop: Client) -> None:
    """If the expectation is right, the level changes; 0 and 2^53-1 are valid levels."""
    assert await _set(shop, MAX_LEVEL, expected_level=5) == 200
    assert await _set(shop, 0, expected_level=MAX_LEVEL) == 200
    assert await _set(shop, 1, expected_level=0) == 200
    assert await _history(shop) == [1, 0, MAX_LEVEL, 5]


WRONG: dict[str, Sequence[object]] = {
    "new_level": (-1, 2**53, 1.0, 1.5, "1", True, None, [1], {}, 10**400),
    "expected_level": (-1, 2**53, 5.0, "5", True, None),
    "change_reason": ("r" * 201, "a\x00", 1, None, "\x1b"),
    "updated_by": ("a" * 101, "a\x07b", 1, None),
    "newLevel": (1,),
}


@sweep("field", WRONG)
async def test_a_wrong_change_is_named_and_not_made(shop: Client, problems: Any, field: str) -> None:
    """Every rule of a change is enforced and reported with the field's name, and nothing is changed."""
    for wrong in WRONG[field]:
        response = await shop.put("/api/inventory/1", json={"new_level": 1, field: wrong})
        assert list(await problems(response)) == [field], wrong
    assert await _history(shop) == [5]


async def test_a_change_needs_a_level(shop: Client, problems: Any) -> None:
    """The new level is the one required field."""
    assert await problems(await shop.put("/api/inventory/1", json={})) == {"new_level": "required"}


async def test_a_bad_product_and_a_bad_change_are_reported_together(shop: Client, problems: Any) -> None:
    """Problems of path and body, and of path and query, are reported together."""
    assert set(await problems(await shop.put("/api/inventory/x", json={}))) == {"productId", "new_level"}
    response = await shop.get("/api/inventory/0/history?limit=0&to_date=x")
    assert set(await problems(response)) == {"productId", "limit", "to_date"}


async def test_a_history_shows_the_newest_50_by_default(shop: Client) -> None:
    """Without a limit the 50 newest entries are returned, newest first; the maximum is 1000."""
    for level in range(60):
        await _set(shop, level)
    assert await _history(shop) == list(range(59, 9, -1))
    assert await _history(shop, limit="2") == [59, 58]
    assert len(await _history(shop, limit="1000")) == 61


async def test_a_history_limit_is_1_to_1000(shop: Client, problems: Any) -> None:
    """Any other limit is refused by name."""
    for wrong in ("0", "1001", "-1", "x", "", "1.0", "050"):
        assert list(await problems(await shop.get("/api/inventory/1/history", params={"limit": wrong}))) == ["limit"]


@pytest.fixture
async def dated(client: Client, standing_clock: Any) -> Client:
    """Return a client of a service with a product whose levels were set on three days."""
    await _stock(client, A=(0, 0))
    standing_clock.now = 1_699_920_000.0  # 2023-11-14T00:00:00Z
    await _set(client, 0)
    for level, seconds in ((1, DAY), (2, 2 * DAY - 0.001), (3, 2 * DAY)):
        standing_clock.now = 1_699_920_000.0 + seconds
        await _set(client, level)
    return client


@sweep(
    ("query", "levels"),
    [
        ({}, [3, 2, 1, 0]),
        ({"from_date": "2023-11-15"}, [3, 2, 1]),
        ({"to_date": "2023-11-15"}, [2, 1, 0]),
        ({"to_date": "20231115"}, [2, 1, 0]),
        ({"to_date": "2023-W46-3"}, [2, 1, 0]),
        ({"from_date": "2023-11-15t00:00:00z", "to_date": "2023-11-15t01:00:00+01:00"}, [1]),
        ({"from_date": "2023-11-15", "to_date": "2023-11-15"}, [2, 1]),
        ({"from_date": "2023-11-15T00:00:00Z", "to_date": "2023-11-15T00:00:00Z"}, [1]),
        ({"from_date": "2023-11-15T23:59:59.999Z", "to_date": "2023-11-15T23:59:59.999Z"}, [2]),
        ({"from_date": "2023-11-15T23:59:59.9991Z"}, [3]),
        ({"to_date": "2023-11-15T23:59:59.998Z"}, [1, 0]),
        ({"from_date": "2023-11-15T01:00:00+01:00", "to_date": "2023-11-14T23:00:00-01:00"}, [1]),
        ({"from_date": "2023-11-15T00:00:00.001"}, [3, 2]),
        ({"from_date": "2023-11-16"}, [3]),
        ({"from_date": "2023-11-17"}, []),
        ({"from_date": "0001-01-01", "to_date": "9999-12-31"}, [3, 2, 1, 0]),
        ({"from_date": "9999-12-31T23:59:59.9999Z"}, []),
    ],
)
async def test_a_history_is_bounded_by_dates(dated: Client, query: dict[str, str], levels: list[int]) -> None:
    """Both bounds are inclusive, a bare to_date covers its whole UTC day, and a time without zone is UTC."""
    assert await _history(dated, **query) == levels


async def test_a_day_is_one_of_the_shop(make_client: ClientMaker, standing_clock: StandingClock) -> None:
    """In Berlin, 2023-11-15 begins at 23:00 UTC of the day before; a day of the calendar's end is one, too."""
    client = await make_client(time_zone="Europe/Berlin")
    standing_clock.now = 1_699_920_000.0  # 2023-11-14T00:00:00Z
    await client.post("/api/products", json={"product_code": "A-1", "description": "x"})
    for level, hours in ((1, 22.99), (2, 23), (3, 46.99), (4, 47)):
        standing_clock.now = 1_699_920_000.0 + 3600 * hours
        await _set(client, level)
    assert await _history(client, from_date="2023-11-15", to_date="2023-11-15") == [3, 2]
    assert await _history(client, from_date="0001-01-01", to_date="9999-12-31") == [4, 3, 2, 1]
    exported = await client.get("/api/inventory/export?format=csv")
    assert "inventory-2023-11-16.csv" in exported.headers["Content-Disposition"]


NO_DATES = (
    "",
    "x",
    "2023-02-30",
    "2023-1-1",
    "14.11.2023",
    "1700000000",
    "2023-11-15T25:00",
    "10000-01-01",
    "٢٠٢٣-11-15",
)


@pytest.mark.parametrize("name", ["from_date", "to_date"])
async def test_a_wrong_date_is_named(shop: Client, problems: Any, name: str) -> None:
    """A value that is neither a date nor a timestamp is refused with an example of both."""
    for wrong in NO_DATES:
        reply = await problems(await shop.get("/api/inventory/1/history", params={name: wrong}))
        assert reply == {
            name: "not a date (2026-01-31) or timestamp (2026-01-31T12:00:00Z; a + in a query is written %2B)"
        }, wrong


@pytest.mark.parametrize("bound", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
async def test_a_time_outside_of_the_calendar_is_refused(shop: Client, problems: Any, bound: str) -> None:
    """A zone offset that leads out of the years 1 to 9999 is an invalid date, not a failure."""
    assert list(await problems(await shop.get("/api/inventory/1/history", params={"to_date": bound}))) == ["to_date"]


async def test_bounds_in_the_wrong_order_are_refused(shop: Client, problems: Any) -> None:
    """A from_date after the to_date is a 400, a single day is valid."""
    query = {"from_date": "2023-11-15", "to_date": "2023-11-14"}
    assert await problems(await shop.get("/api/inventory/1/history", params=query)) == {
        "to_date": "is before from_date"
    }
    assert await _history(shop, from_date="2023-11-14", to_date="2023-11-14") == [5]


async def test_a_history_of_no_one_is_a_404_whatever_the_dates(shop: Client) -> None:
    """A range without entries is an empty list; only a missing product is a 404."""
    assert await _history(shop, to_date="2000-01-01") == []
    assert (await shop.get("/api/inventory/2/history", params={"to_date": "2000-01-01"})).status == 404
