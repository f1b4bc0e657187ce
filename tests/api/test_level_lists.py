"""Lists of levels, and of their changes: filters, dates and pages over HTTP. The store's tests have the rules."""

from contextlib import AsyncExitStack
from typing import Any

import pytest

from barcodesvc.api.keys import SERVICE
from barcodesvc.store import inventory, limits
from tests.api.replies import problems, refused
from tests.conftest import StandingClock
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

DAY = 86400
MIDNIGHT = 1_699_920_000.0
"""2023-11-14T00:00:00Z."""
LEVELS, CHANGES, HISTORY = "/api/inventory", "/api/inventory/changes", "/api/inventory/1/history"
NO_DATE = "not a date (2026-01-31) or timestamp (2026-01-31T12:00:00Z; a + in a query is written %2B)"


async def told(client: Client, path: str, /, **query: object) -> dict[str, Any]:
    """Return the body of a list."""
    response = await client.get(path, params={name: str(value) for name, value in query.items()})
    body: dict[str, Any] = await response.json()
    assert response.status == 200, body
    return body


async def codes(client: Client, **query: object) -> list[str]:
    """Return the codes of a list of levels."""
    return [level["product_code"] for level in (await told(client, LEVELS, **query))["data"]]


async def ids(client: Client, path: str = CHANGES, /, **query: object) -> list[int]:
    """Return the ids of a list of changes."""
    return [entry["id"] for entry in (await told(client, path, **query))["data"]]


async def stock(client: Client, **levels: tuple[int, int]) -> None:
    """Create products with these levels and minimums."""
    for code, (level, minimum) in levels.items():
        body = {"product_code": code, "description": code, "initial_level": level, "minimum_level": minimum}
        assert (await client.post("/api/products", json=body)).status == 201


@pytest.fixture
async def shelf(client: Client) -> Client:
    """Return a client of a service with levels out of stock, and below, at and above their minimums."""
    await stock(client, bare=(0, 0), gone=(0, 5), less=(3, 5), even=(5, 5), more=(9, 5), free=(4, 0))
    return client


@sweep(
    ("query", "listed"),
    [
        ({}, ["bare", "gone", "less", "even", "more", "free"]),
        *(({"low_stock": yes}, ["bare", "gone", "less", "even"]) for yes in ("true", "1")),
        *(({"low_stock": no, "product_id": 6}, ["free"]) for no in ("false", "0")),
        ({"stock": "low"}, ["gone", "less", "even"]),
        ({"stock": "out", "low_stock": "true"}, ["bare", "gone"]),
        ({"product_id": 4, "low_stock": "true"}, ["even"]),
        ({"product_id": 1, "stock": "low"}, []),
        ({"product_id": 1, "stock": "out"}, ["bare"]),
        ({"product_id": 2**53 - 1}, []),
    ],
)
async def test_levels_are_filtered(shelf: Client, query: dict[str, object], listed: list[str]) -> None:
    """All records, or one, at or below the minimum, low or out; a list and its pages have the same records."""
    assert await codes(shelf, **query) == listed
    assert (await told(shelf, LEVELS, page=1, **query))["data"] == (await told(shelf, LEVELS, **query))["data"]


@sweep(
    ("query", "listed", "page"),
    [
        ({"page": 1}, ["bare", "gone", "less", "even", "more", "free"], (1, 50, 6, 1)),
        ({"limit": 4, "page": 2}, ["more", "free"], (2, 4, 6, 2)),
        ({"limit": 500, "page": 2**53 - 1}, [], (2**53 - 1, 500, 6, 1)),
        ({"limit": 3, "low_stock": "true"}, ["bare", "gone", "less"], (1, 3, 4, 2)),
        ({"page": 2, "product_id": 2}, [], (2, 50, 1, 1)),
        ({"page": 1, "product_id": 99}, [], (1, 50, 0, 0)),
    ],
)
async def test_levels_come_in_pages(
    shelf: Client, query: dict[str, object], listed: list[str], page: tuple[int, ...]
) -> None:
    """Either of `page` and `limit` is enough; totals refer to the filtered records."""
    place = dict(zip(("page", "limit", "total", "pages"), page, strict=True))
    assert (await codes(shelf, **query), (await told(shelf, LEVELS, **query))["pagination"]) == (listed, place)


@sweep("query", [{}, {"low_stock": "true"}])
async def test_a_long_list_is_the_same_as_a_short_one(
    client: Client, monkeypatch: pytest.MonkeyPatch, query: dict[str, str]
) -> None:
    """They are equal byte for byte, whatever the batches, and for an empty list."""
    short = await (await client.get(LEVELS, params=query)).read()
    assert short == b'{"success":true,"data":[]}'
    await stock(client, a=(1, 2), b=(2, 2), c=(3, 2), d=(0, 1))
    short = await (await client.get(LEVELS, params=query)).read()
    for batch in (1, 2, 3):
        with monkeypatch.context() as patch:
            patch.setattr(inventory, "UNSTREAMED", -1)
            patch.setattr(limits, "BATCH", batch)
            assert await (await client.get(LEVELS, params=query)).read() == short
    for number in range(1, 5):
        await client.delete(f"/api/products/{number}")


async def test_a_long_list_waits_for_exports_and_a_short_one_does_not(
    shop: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the maximum number of snapshots is read, it is refused temporarily, like an export."""
    monkeypatch.setattr(limits, "SNAPSHOT_WAIT", 0.01)
    async with AsyncExitStack() as exporting:
        for _ in range(limits.SNAPSHOTS):
            await exporting.enter_async_context(shop.app[SERVICE].database.snapshot())
        assert (await shop.get(LEVELS)).status == 200
        monkeypatch.setattr(inventory, "UNSTREAMED", 0)
        response = await shop.get(LEVELS)
        reply = await refused(response, 503, "EXPORT_ERROR")
    assert "exports and full lists" in reply["message"]
    assert response.headers["Retry-After"] == "10"
    assert (await shop.get(LEVELS)).status == 200


@sweep(
    ("address", "fields"),
    [
        *((f"{LEVELS}?low_stock={wrong}", {"low_stock"}) for wrong in ("", "yes", "TRUE", "2", "01")),
        *((f"{LEVELS}?product_id={wrong}", {"product_id"}) for wrong in ("", "0", "-1", "x", "1.0", 2**53, "01")),
        (f"{LEVELS}?page=0&limit=501", {"page", "limit"}),
        *((f"{HISTORY}?limit={wrong}", {"limit"}) for wrong in ("0", "1001", "x", "", "1.0", "050")),
        ("/api/inventory/0/history?limit=0&to_date=x", {"productId", "limit", "to_date"}),
        *((f"{CHANGES}?before={wrong}", {"before"}) for wrong in ("0", "x")),
        *((f"{CHANGES}?after={wrong}", {"after"}) for wrong in ("-1", "", 2**53)),
        (f"{CHANGES}?product_id=0&updated_by={'x' * 101}&author=x", {"product_id", "updated_by", "author"}),
    ],
)
async def test_a_wrong_filter_is_named(shop: Client, address: str, fields: set[str]) -> None:
    """Every filter has its limits and its spellings, and unknown ones are refused."""
    assert set(await problems(await shop.get(address))) == fields


async def test_a_history_shows_the_newest_50_by_default(shop: Client) -> None:
    """Newest first; the maximum is 1000."""
    for level in range(60):
        await shop.put("/api/inventory/1", json={"new_level": level})
    assert await ids(shop, HISTORY) == list(range(61, 11, -1))
    assert await ids(shop, HISTORY, limit=2) == [61, 60]
    assert len(await ids(shop, HISTORY, limit=1000)) == 61


@pytest.fixture
async def dated(client: Client, standing_clock: StandingClock) -> Client:
    """Return a client of a service with a product whose levels were set on three days."""
    await stock(client, A=(0, 0))
    for seconds in (0, DAY, 2 * DAY - 0.001, 2 * DAY):
        standing_clock.now = MIDNIGHT + seconds
        await client.put("/api/inventory/1", json={"new_level": 1})
    return client


@sweep(
    ("query", "found"),
    [
        ({"from_date": "2023-11-15"}, [4, 3, 2]),
        ({"to_date": "2023-11-15"}, [3, 2, 1]),
        ({"from_date": "20231115", "to_date": "2023-W46-3"}, [3, 2]),
        ({"from_date": "2023-11-15t00:00:00z", "to_date": "2023-11-15t01:00:00+01:00"}, [2]),
        ({"from_date": "2023-11-15T23:59:59.9991Z"}, [4]),
        ({"to_date": "2023-11-15T23:59:59.998Z"}, [2, 1]),
        ({"from_date": "2023-11-15T00:00:00.001"}, [4, 3]),
        ({"from_date": "0001-01-01", "to_date": "9999-12-31"}, [4, 3, 2, 1]),
        ({"from_date": "9999-12-31T23:59:59.9999Z"}, []),
    ],
)
async def test_a_history_is_bounded_by_dates(dated: Client, query: dict[str, str], found: list[int]) -> None:
    """Both bounds are inclusive, a bare to_date covers its whole UTC day, and a time without zone is UTC."""
    assert await ids(dated, HISTORY, **query) == found
    assert await ids(dated, **query) == found


async def test_a_day_is_one_of_the_shop(make_client: ClientMaker, standing_clock: StandingClock) -> None:
    """In Berlin, 2023-11-15 begins at 23:00 UTC of the day before; a day of the calendar's end is one, too."""
    client = await make_client(time_zone="Europe/Berlin")
    await stock(client, A=(0, 0))
    for hours in (22.99, 23, 46.99, 47):
        standing_clock.now = MIDNIGHT + 3600 * hours
        await client.put("/api/inventory/1", json={"new_level": 1})
    assert await ids(client, HISTORY, from_date="2023-11-15", to_date="2023-11-15") == [3, 2]
    assert await ids(client, HISTORY, from_date="0001-01-01", to_date="9999-12-31") == [4, 3, 2, 1]
    exported = await client.get("/api/inventory/export?format=csv")
    assert "inventory-2023-11-16.csv" in exported.headers["Content-Disposition"]


@sweep(
    "wrong",
    [
        *(
            "",
            "x",
            "2023-02-30",
            "2023-1-1",
            "14.11.2023",
            "1700000000",
            "2023-11-15T25:00",
            "10000-01-01",
            "٢٠٢٣-11-15",
        ),
        *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"),  # no times of the calendar in UTC
    ],
)
async def test_a_wrong_date_is_named(shop: Client, wrong: str) -> None:
    """A value that is neither a date nor a timestamp is refused with an example of both."""
    query = {"from_date": wrong, "to_date": wrong}
    assert await problems(await shop.get(HISTORY, params=query)) == dict.fromkeys(query, NO_DATE)


async def test_bounds_that_exclude_each_other_are_refused(shop: Client) -> None:
    """The message says which, and a single day is valid."""
    for path in (HISTORY, CHANGES):
        named = await problems(await shop.get(f"{path}?from_date=2023-11-15&to_date=2023-11-14"))
        assert named == {"to_date": "is before from_date"}
        named = await problems(await shop.get(f"{path}?before=3&after=1"))
        assert named == {"after": "before lists older changes, after newer ones; send one of them"}
    assert await ids(shop, HISTORY, from_date="2023-11-14", to_date="2023-11-14") == [1]


@pytest.fixture
async def moved(shop: Client, standing_clock: StandingClock) -> Client:
    """Return a shop with a second product, B-1, and the changes 1 to 8 of four days, two a day."""
    await stock(shop, **{"B-1": (9, 0)})
    for day in range(1, 4):
        standing_clock.advance(DAY)
        for product_id, author in ((1, "Ann"), (2, "Ben" if day < 3 else "Ann")):
            await shop.post(f"/api/inventory/{product_id}/adjust", json={"delta": day, "updated_by": author})
    return shop


async def test_changes_name_their_products(moved: Client) -> None:
    """Otherwise an entry is that of the product's history."""
    newest = (await told(moved, CHANGES, limit=1))["data"][0]
    of_history = (await told(moved, "/api/inventory/2/history", limit=1))["data"][0]
    assert newest == {**of_history, "product_code": "B-1", "description": "B-1"}


@sweep(
    ("query", "found"),
    [
        ({}, [8, 7, 6, 5, 4, 3, 2, 1]),
        ({"before": 6, "limit": 2}, [5, 4]),
        ({"product_id": 2, "before": 6}, [4, 2]),
        ({"updated_by": "Ann", "product_id": 2}, [8]),
        ({"updated_by": " Ann "}, []),
        ({"from_date": "2023-11-15", "updated_by": "Ben"}, [6, 4]),
        ({"after": 0, "limit": 3}, [1, 2, 3]),
        ({"after": 1, "from_date": "2023-11-15", "to_date": "2023-11-16", "updated_by": "Ann"}, [3, 5]),
    ],
)
async def test_changes_are_filtered(moved: Client, query: dict[str, object], found: list[int]) -> None:
    """All filters must match; `before` and `after` are exclusive."""
    assert await ids(moved, **query) == found


async def test_a_client_follows_the_changes(moved: Client, standing_clock: StandingClock) -> None:
    """Each page goes on after the last change seen, oldest first, whatever is written or deleted in between."""
    seen = await ids(moved, after=0, limit=5)
    await moved.delete("/api/products/1")
    standing_clock.advance(-DAY)
    await moved.post("/api/inventory/2/adjust", json={"delta": 1})
    while page := await ids(moved, after=seen[-1], limit=1):
        seen += page
    assert seen == [1, 2, 3, 4, 5, 6, 8, 9]


@sweep("author", ["%ED%A0%80", "%FF", "%00", "%"])
async def test_bytes_that_are_no_text_find_nothing(shop: Client, author: str) -> None:
    """Broken percent-encoding neither fails nor matches."""
    response = await shop.get(f"{CHANGES}?updated_by={author}")
    assert await response.json() == {"success": True, "data": []}
