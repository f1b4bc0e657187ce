"""The parameters `sort` and `moved_since` of lists of products."""

from typing import Any, get_args

import pytest

from barcodesvc.store.lists import Sort
from tests.conftest import StandingClock
from tests.fixture_types import Client, Problems
from tests.sweeps import sweep

DAY = 86400
STOCKED = {
    "b-1": ("Zange", "Tools", 5),
    "A-2": ("ärmel", "", 0),
    "a-1": ("zange", "Tools", 5),
    "B-10": ("Armel", "", 7),
}
"""Description, category and initial level of each product; they are created one a day."""


@pytest.fixture
async def store(client: Client, standing_clock: StandingClock) -> Client:
    """Return a client of a service with these products."""
    for code, (description, category, level) in STOCKED.items():
        body = {"product_code": code, "description": description, "category": category, "initial_level": level}
        assert (await client.post("/api/products", json=body)).status == 201
        standing_clock.advance(DAY)
    return client


async def told(client: Client, **query: object) -> dict[str, Any]:
    """Return the body of a list."""
    response = await client.get("/api/products", params={name: str(value) for name, value in query.items()})
    body: dict[str, Any] = await response.json()
    assert response.status == 200, body
    return body


async def codes(client: Client, **query: object) -> list[str]:
    """Return the codes of a page, and check that its total is that of one page."""
    body = await told(client, **query)
    assert body["pagination"]["total"] == len(body["data"])
    return [product["product_code"] for product in body["data"]]


@sweep(
    ("sort", "listed"),
    [
        ("id", ["b-1", "A-2", "a-1", "B-10"]),
        ("product_code", ["a-1", "A-2", "b-1", "B-10"]),
        ("description", ["A-2", "B-10", "b-1", "a-1"]),
        ("updated_at", ["A-2", "a-1", "B-10", "b-1"]),
        ("current_level", ["A-2", "b-1", "a-1", "B-10"]),
    ],
)
async def test_products_are_sorted(store: Client, sort: str, listed: list[str]) -> None:
    """By each field, ties by id; `-` reverses the whole order, in pages too."""
    await store.put("/api/products/1", json={"minimum_level": 1})
    assert await codes(store, sort=sort) == listed
    assert await codes(store, sort=f"-{sort}") == listed[::-1]
    pages = [await told(store, sort=f"-{sort}", limit=3, page=page) for page in (1, 2, 3)]
    assert [[product["product_code"] for product in page["data"]] for page in pages] == [
        listed[:0:-1],
        listed[:1],
        [],
    ]
    assert all(page["pagination"]["total"] == 4 and page["pagination"]["pages"] == 2 for page in pages)


@sweep(
    ("query", "listed"),
    [
        ({"search": "ange", "sort": "-id"}, ["a-1", "b-1"]),
        ({"search": "a-1", "sort": "-product_code"}, ["a-1"]),
        ({"search": "-1", "sort": "-current_level"}, ["B-10", "a-1", "b-1"]),
        ({"category": "Tools", "sort": "product_code"}, ["a-1", "b-1"]),
        ({"category": "Tools", "sort": "-updated_at", "search": "b"}, ["b-1"]),
        ({"stock": "out", "sort": "-description"}, ["A-2"]),
        ({"product_code": "b-1", "sort": "-id"}, ["b-1"]),
        ({"moved_since": "2023-11-14", "sort": "-current_level"}, ["B-10", "a-1", "b-1"]),
        ({"moved_since": "2023-11-15", "sort": "product_code"}, ["a-1", "B-10"]),
    ],
)
async def test_filters_have_any_order(store: Client, query: dict[str, object], listed: list[str]) -> None:
    """The order replaces that of a search."""
    assert await codes(store, **query) == listed


async def test_a_sorted_page_has_levels_on_request(store: Client) -> None:
    """They are in the order of the page."""
    listed = (await told(store, sort="-current_level", include_levels="true"))["data"]
    assert [product["current_level"] for product in listed] == [7, 5, 5, 0]


async def test_a_product_that_changes_between_two_pages_moves(store: Client) -> None:
    """It takes its new place, so the products in between move by one: a client that needs each once sorts by id."""
    first = await told(store, sort="current_level", limit=2)
    await store.put("/api/inventory/4", json={"new_level": 0})
    second = await told(store, sort="current_level", limit=2, page=2)
    seen = [product["product_code"] for page in (first, second) for product in page["data"]]
    assert seen == ["A-2", "b-1", "b-1", "a-1"]


@sweep("sort", ["", "-", "ID", "id,product_code", "--id", " id", "+id", "name", "id\0", "id;--", "category"])
async def test_another_order_is_refused(store: Client, problems: Problems, sort: str) -> None:
    """It is named, with the valid values."""
    refusal = await problems(await store.get("/api/products", params={"sort": sort}))
    assert list(refusal) == ["sort"]
    assert all(f"'{value}'" in refusal["sort"] for value in get_args(Sort))


@sweep(
    ("query", "listed"),
    [
        ({"moved_since": "2023-11-14"}, ["b-1", "a-1", "B-10"]),
        ({"moved_since": "2023-11-16T22:13:20Z"}, ["a-1", "B-10"]),
        ({"moved_since": "2023-11-16T22:13:20.001Z"}, ["B-10"]),
        ({"moved_since": "2023-11-17T00:13:20+02:00"}, ["a-1", "B-10"]),
        ({"moved_since": "2023-11-18"}, []),
        ({"moved_since": "9999-12-31T23:59:59.999999Z"}, []),
        ({"moved_since": "0001-01-01"}, ["b-1", "a-1", "B-10"]),
        ({"moved_since": "2023-11-15", "category": "Tools"}, ["a-1"]),
        ({"moved_since": "2023-11-14", "category": "Tools", "search": "B"}, ["b-1"]),
        ({"moved_since": "2023-11-14", "search": "-1"}, ["a-1", "b-1", "B-10"]),
        ({"moved_since": "2023-11-14", "stock": "out"}, []),
        ({"moved_since": "2023-11-15", "product_code": "b-1"}, []),
        ({"moved_since": "2023-11-14", "product_code": "b-1"}, ["b-1"]),
    ],
)
async def test_products_that_have_moved_are_listed(store: Client, query: dict[str, object], listed: list[str]) -> None:
    """By id, from that time on, with any other filter; a new product with the level 0 has not moved."""
    assert sorted(await codes(store, **query), key=list(STOCKED).index) == sorted(listed, key=list(STOCKED).index)


async def test_a_product_has_moved_once(store: Client, standing_clock: StandingClock) -> None:
    """However many movements it has; a count that confirms a level is one, but a changed description is not."""
    since = standing_clock.clock().timestamp()
    for _ in range(2):
        standing_clock.advance(1)
        await store.put("/api/inventory/2", json={"new_level": 0})
    await store.put("/api/products/1", json={"description": "pliers"})
    assert await codes(store, moved_since=since) == ["A-2"]
    body = await told(store, moved_since=since, page=2)
    assert (body["data"], body["pagination"]["total"]) == ([], 1)


@sweep("since", ["", "x", "2023-13-01", "2023-11-14T25:00", "yesterday", "99999-01-01", "1700000000", "\0"])
async def test_what_is_no_time_is_refused(store: Client, problems: Problems, since: str) -> None:
    """The message shows a date and a timestamp."""
    refusal = await problems(await store.get("/api/products", params={"moved_since": since}))
    assert list(refusal) == ["moved_since"]
    assert "2026-01-31T12:00:00Z" in refusal["moved_since"]
