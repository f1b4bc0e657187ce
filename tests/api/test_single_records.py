"""Products and records are found directly: by code, by id, by several ids, or by the `Location` of a creation."""

from typing import Any

import pytest

from tests.fixture_types import Client
from tests.sweeps import sweep

PEN = {"product_code": "PEN/1", "description": "Blue pen", "category": "Office", "minimum_level": 9, "initial_level": 3}


@pytest.fixture
async def shop(client: Client) -> Client:
    """Return a client of a service with two products, one of whose codes begins like the other's."""
    for draft in (PEN, {"product_code": "PEN/10", "description": "Red pen"}):
        assert (await client.post("/api/products", json=draft)).status == 201
    return client


async def test_a_new_product_is_where_its_creation_says(client: Client) -> None:
    """A replay of the request says the same."""
    headers = {"Idempotency-Key": "till-1/1"}
    for replayed in (None, "true"):
        created = await client.post("/api/products", json=PEN, headers=headers)
        assert (created.status, created.headers.get("Idempotency-Replayed")) == (201, replayed)
        found = await client.get(created.headers["Location"])
        assert (await found.json())["data"]["product_code"] == PEN["product_code"]


async def test_the_record_of_a_product_is_that_of_the_list(shop: Client) -> None:
    """With the same fields and values."""
    listed = (await (await shop.get("/api/inventory")).json())["data"]
    for record in listed:
        response = await shop.get(f"/api/inventory/{record['product_id']}")
        assert (await response.json()) == {"success": True, "data": record}


async def test_no_product_has_no_record(shop: Client, refused: Any, problems: Any) -> None:
    """An id that no product has is a 404, and what is no id is a 400."""
    await refused(await shop.get("/api/inventory/99"), 404, "PRODUCT_NOT_FOUND")
    assert "productId" in await problems(await shop.get("/api/inventory/pen"))


@sweep(
    ("query", "found"),
    [
        ({}, ["PEN/1"]),
        ({"search": "BLUE"}, ["PEN/1"]),
        ({"search": "red"}, []),
        ({"category": "Office", "stock": "low"}, ["PEN/1"]),
        ({"category": "office"}, []),
        ({"stock": "out"}, []),
        ({"product_code": "pen/1"}, []),
        ({"product_code": "PEN/10", "include_levels": "true"}, ["PEN/10"]),
        ({"limit": "1", "page": "2"}, []),
    ],
)
async def test_a_code_finds_exactly_its_product(shop: Client, query: dict[str, str], found: list[str]) -> None:
    """If the other filters select it; no other spelling, and no code that only begins with it."""
    response = await shop.get("/api/products", params={"product_code": "PEN/1", **query})
    listed = await response.json()
    assert [product["product_code"] for product in listed["data"]] == found
    assert listed["pagination"]["total"] == (1 if found or "page" in query else 0)


@sweep(
    ("query", "found", "total"),
    [
        ({"ids": "2,99,1,2"}, ["PEN/10", "PEN/1"], 2),
        ({"ids": "2,1", "limit": "1", "page": "2"}, ["PEN/1"], 2),
        ({"ids": "2", "include_levels": "true"}, ["PEN/10"], 1),
        ({"ids": "99"}, [], 0),
    ],
)
async def test_ids_find_their_products_in_their_order(
    shop: Client, query: dict[str, str], found: list[str], total: int
) -> None:
    """Each once, in pages like every list, and without those that do not exist."""
    listed = await (await shop.get("/api/products", params=query)).json()
    assert [product["product_code"] for product in listed["data"]] == found
    assert listed["pagination"]["total"] == total


@sweep(
    "query",
    [
        {"ids": ""},
        {"ids": "1,"},
        {"ids": "01"},
        {"ids": "1, 2"},
        {"ids": ",".join(map(str, range(1, 502)))},
        {"ids": "1", "category": ""},
        {"ids": "1", "sort": "-id"},
    ],
)
async def test_what_is_no_list_of_ids_is_refused(shop: Client, problems: Any, query: dict[str, str]) -> None:
    """So are more than 500 of them, and ids together with another filter or an order."""
    assert "ids" in await problems(await shop.get("/api/products", params=query))
