"""Changes of all products; pages of histories and of levels; products with their levels."""

from typing import Any

import pytest

from tests.conftest import StandingClock
from tests.fixture_types import Client, Problems
from tests.sweeps import sweep

DAY = 86400
CHANGES = "/api/inventory/changes"


async def listed(client: Client, path: str = CHANGES, /, **query: object) -> list[dict[str, Any]]:
    """Return the entries of a list."""
    response = await client.get(path, params={name: str(value) for name, value in query.items()})
    assert response.status == 200, await response.text()
    return list((await response.json())["data"])


async def ids(client: Client, path: str = CHANGES, /, **query: object) -> list[int]:
    """Return the ids of a list."""
    return [entry["id"] for entry in await listed(client, path, **query)]


@pytest.fixture
async def stock(shop: Client, standing_clock: StandingClock) -> Client:
    """Return a shop with a second product, B-1, and the changes 1 to 8 of four days, two a day."""
    await shop.post("/api/products", json={"product_code": "B-1", "description": "Red pen", "initial_level": 9})
    for day in range(1, 4):
        standing_clock.advance(DAY)
        for product_id, author in ((1, "Ann"), (2, "Ben" if day < 3 else "Ann")):
            body = {"delta": day, "updated_by": author}
            await shop.post(f"/api/inventory/{product_id}/adjust", json=body)
    return shop


async def test_changes_of_all_products_are_newest_first(stock: Client) -> None:
    """Each entry matches its product's history, and names its product."""
    changes = await listed(stock)
    assert [change["id"] for change in changes] == [8, 7, 6, 5, 4, 3, 2, 1]
    [newest] = await listed(stock, "/api/inventory/2/history", limit=1)
    assert changes[0] == {**newest, "product_code": "B-1", "description": "Red pen"}


@sweep(
    ("query", "found"),
    [
        ({"limit": 3}, [8, 7, 6]),
        ({"before": 6}, [5, 4, 3, 2, 1]),
        ({"before": 6, "limit": 2}, [5, 4]),
        ({"before": 1}, []),
        ({"before": 2**53 - 1, "limit": 1}, [8]),
        ({"product_id": 2}, [8, 6, 4, 2]),
        ({"product_id": 2, "before": 6}, [4, 2]),
        ({"product_id": 99}, []),
        ({"updated_by": "Ann"}, [8, 7, 5, 3]),
        ({"updated_by": " Ann "}, []),
        ({"updated_by": "Ann", "before": 7, "limit": 1}, [5]),
        ({"updated_by": "Ann", "product_id": 2}, [8]),
        ({"updated_by": "system"}, [2, 1]),
        ({"updated_by": "ann"}, []),
        ({"updated_by": ""}, []),
        ({"from_date": "2023-11-16"}, [8, 7, 6, 5]),
        ({"to_date": "2023-11-16"}, [6, 5, 4, 3, 2, 1]),
        ({"from_date": "2023-11-16", "to_date": "2023-11-16"}, [6, 5]),
        ({"from_date": "2023-11-16T22:13:20Z", "to_date": "2023-11-16T22:13:20Z", "before": 6}, [5]),
        ({"from_date": "2023-11-15", "updated_by": "Ben"}, [6, 4]),
        ({"from_date": "2023-11-15", "product_id": 1, "limit": 2}, [7, 5]),
        ({"from_date": "2023-11-18"}, []),
        ({"after": 0, "limit": 3}, [1, 2, 3]),
        ({"after": 6}, [7, 8]),
        ({"after": 8}, []),
        ({"after": 2**53 - 1}, []),
        ({"after": 2, "product_id": 2}, [4, 6, 8]),
        ({"after": 0, "product_id": 99}, []),
        ({"after": 3, "updated_by": "Ann"}, [5, 7, 8]),
        ({"after": 1, "from_date": "2023-11-15", "to_date": "2023-11-16", "updated_by": "Ann"}, [3, 5]),
    ],
)
async def test_changes_are_filtered(stock: Client, query: dict[str, object], found: list[int]) -> None:
    """All filters must match; both ends of a time range are inclusive, `before` and `after` exclusive."""
    assert await ids(stock, CHANGES, **query) == found


async def test_a_client_follows_the_changes(stock: Client, standing_clock: StandingClock) -> None:
    """Each page goes on after the last change seen, oldest first, whatever is written or deleted in between."""
    seen = await ids(stock, after=0, limit=5)
    await stock.delete("/api/products/1")
    standing_clock.advance(-DAY)
    await stock.post("/api/inventory/2/adjust", json={"delta": 1})
    while page := await ids(stock, after=seen[-1], limit=1):
        seen += page
    assert seen == [1, 2, 3, 4, 5, 6, 8, 9]


@sweep("author", ["%ED%A0%80", "%FF", "%00", "%"])
async def test_bytes_that_are_no_text_find_nothing(stock: Client, author: str) -> None:
    """Broken percent-encoding neither fails nor matches."""
    response = await stock.get(f"{CHANGES}?updated_by={author}")
    assert await response.json() == {"success": True, "data": []}


async def test_the_list_says_what_is_undone(stock: Client) -> None:
    """It is listed with the change that undid it."""
    await stock.post(f"{CHANGES}/8/undo", json={})
    newest, undone = await listed(stock, limit=2)
    assert (newest["undoes"], undone["undone_by"]) == (8, 9)


async def test_no_changes_are_an_empty_list(client: Client) -> None:
    """Without products, and without changes."""
    assert await listed(client) == []
    await client.post("/api/products", json={"product_code": "A-1", "description": "x"})
    assert await listed(client) == []


@sweep(
    ("query", "field"),
    [
        *(("limit=0", "limit"), ("limit=1001", "limit"), ("before=0", "before"), ("before=x", "before")),
        *(("after=-1", "after"), ("after=x", "after"), ("after=", "after"), (f"after={2**53}", "after")),
        *(("product_id=0", "product_id"), (f"updated_by={'x' * 101}", "updated_by")),
        *(("from_date=x", "from_date"), ("from_date=2023-11-17&to_date=2023-11-16", "to_date"), ("author=x", "author")),
    ],
)
async def test_a_wrong_filter_is_named(shop: Client, problems: Problems, query: str, field: str) -> None:
    """Every filter has its limits, and unknown ones are refused."""
    assert list(await problems(await shop.get(f"{CHANGES}?{query}"))) == [field]


@pytest.mark.parametrize("path", [CHANGES, "/api/inventory/1/history"])
async def test_a_list_goes_one_way(shop: Client, problems: Problems, path: str) -> None:
    """With both `before` and `after`, the refusal says what each does and that one is to be sent."""
    told = await problems(await shop.get(f"{path}?before=3&after=1"))
    assert told == {"after": "before lists older changes, after newer ones; send one of them"}


async def test_a_history_goes_on_behind_a_change(stock: Client) -> None:
    """Pages by the id of the last entry contain every change once, even while new ones are made."""
    path = "/api/inventory/2/history"
    assert await ids(stock, path, limit=2) == [8, 6]
    await stock.post("/api/inventory/2/adjust", json={"delta": 1})
    assert await ids(stock, path, limit=2, before=6) == [4, 2]
    assert await ids(stock, path, limit=2, before=2) == []
    assert await ids(stock, path, before=8, from_date="2023-11-16") == [6]
    assert await ids(stock, path, limit=2, after=2) == [4, 6]
    assert await ids(stock, path, after=4, from_date="2023-11-17") == [8, 9]


async def levels(client: Client, **query: object) -> tuple[list[str], dict[str, int]]:
    """Return the codes on a page of levels, and its pagination."""
    response = await client.get("/api/inventory", params={name: str(value) for name, value in query.items()})
    assert response.status == 200, await response.text()
    told = await response.json()
    return [level["product_code"] for level in told["data"]], told["pagination"]


@pytest.fixture
async def shelf(client: Client) -> Client:
    """Return a client of a service with seven products, P0 to P6; every second one is low."""
    for number in range(7):
        body = {"product_code": f"P{number}", "description": "x", "minimum_level": 1 - number % 2, "initial_level": 1}
        await client.post("/api/products", json=body)
    return client


@sweep(
    ("query", "codes", "page"),
    [
        ({"page": 1}, ["P0", "P1", "P2", "P3", "P4", "P5", "P6"], (1, 50, 7, 1)),
        ({"limit": 3}, ["P0", "P1", "P2"], (1, 3, 7, 3)),
        ({"limit": 3, "page": 3}, ["P6"], (3, 3, 7, 3)),
        ({"limit": 3, "page": 4}, [], (4, 3, 7, 3)),
        ({"limit": 500, "page": 2**53 - 1}, [], (2**53 - 1, 500, 7, 1)),
        ({"limit": 3, "low_stock": "true"}, ["P0", "P2", "P4"], (1, 3, 4, 2)),
        ({"limit": 3, "page": 2, "low_stock": "true"}, ["P6"], (2, 3, 4, 2)),
        ({"limit": 3, "page": 3, "low_stock": "true"}, [], (3, 3, 4, 2)),
        ({"limit": 3, "product_id": 2}, ["P1"], (1, 3, 1, 1)),
        ({"page": 2, "product_id": 2}, [], (2, 50, 1, 1)),
        ({"page": 1, "product_id": 2, "low_stock": "true"}, [], (1, 50, 0, 0)),
        ({"page": 1, "product_id": 99}, [], (1, 50, 0, 0)),
    ],
)
async def test_levels_come_in_pages(
    shelf: Client, query: dict[str, object], codes: list[str], page: tuple[int, ...]
) -> None:
    """Either of `page` and `limit` is enough; totals refer to the filtered records."""
    told = dict(zip(("page", "limit", "total", "pages"), page, strict=True))
    assert await levels(shelf, **query) == (codes, told)


async def test_an_empty_inventory_is_no_pages(client: Client) -> None:
    """With a filter and without."""
    for query in ({"page": 1}, {"page": 1, "low_stock": "true"}):
        assert await levels(client, **query) == ([], {"page": 1, "limit": 50, "total": 0, "pages": 0})


@pytest.mark.each_engine
async def test_a_page_holds_the_records_of_the_whole_list(shelf: Client) -> None:
    """Every field is equal."""
    for low in ("true", "false"):
        assert await listed(shelf, "/api/inventory", low_stock=low, limit=500) == await listed(
            shelf, "/api/inventory", low_stock=low
        )


async def test_a_wrong_page_is_named(shelf: Client, problems: Problems) -> None:
    """It has the usual limits of pages."""
    response = await shelf.get("/api/inventory?page=0&limit=501")
    assert set(await problems(response)) == {"page", "limit"}


@sweep("query", [{}, {"search": "P"}, {"search": "p3 ", "limit": 1}, {"category": ""}, {"page": 9}])
async def test_products_come_with_their_levels(shelf: Client, query: dict[str, str]) -> None:
    """Only on request; the page is the same."""
    plain = await (await shelf.get("/api/products", params=query)).json()
    stocked = await (await shelf.get("/api/products", params={**query, "include_levels": "true"})).json()
    assert [
        {**product, "current_level": 1, "minimum_level": product["id"] % 2, "maximum_level": 0}
        for product in plain["data"]
    ] == stocked["data"]
    assert stocked["pagination"] == plain["pagination"]
    off = await (await shelf.get("/api/products", params={**query, "include_levels": "0"})).json()
    assert off == plain
