"""The parameters of lists of products and of exports: order, filters, single products, levels."""

import csv
from io import StringIO
from typing import Any, get_args

import pytest

from barcodesvc.store.lists import Sort
from tests.api.replies import problems
from tests.conftest import StandingClock
from tests.fixture_types import Client
from tests.sweeps import sweep

DAY = 86400
STOCKED = {
    "b-1": ("Zange", "Tools", 5, 9),
    "A-2": ("ärmel", "", 0, 0),
    "a-1": ("zange", "Tools", 5, 0),
    "B-10": ("Armel", "", 7, 7),
}
"""Description, category, initial level and minimum of each product; they are created one a day."""


@pytest.fixture
async def store(client: Client, standing_clock: StandingClock) -> Client:
    """Return a client of a service with these products."""
    for code, (description, category, level, minimum) in STOCKED.items():
        body = {"product_code": code, "description": description, "category": category}
        response = await client.post("/api/products", json={**body, "initial_level": level, "minimum_level": minimum})
        assert response.status == 201
        standing_clock.advance(DAY)
    return client


async def told(client: Client, **query: object) -> dict[str, Any]:
    """Return the body of a list."""
    response = await client.get("/api/products", params={name: str(value) for name, value in query.items()})
    body: dict[str, Any] = await response.json()
    assert response.status == 200, body
    return body


async def codes(client: Client, **query: object) -> list[str]:
    """Return the codes of a page."""
    return [product["product_code"] for product in (await told(client, **query))["data"]]


@sweep(
    ("query", "listed"),
    [
        ({"sort": "description"}, ["A-2", "B-10", "b-1", "a-1"]),
        ({"sort": "-updated_at"}, ["B-10", "a-1", "A-2", "b-1"]),
        ({"search": "-1", "sort": "-current_level"}, ["B-10", "a-1", "b-1"]),
        ({"stock": "low"}, ["b-1", "B-10"]),
        ({"stock": "out", "search": "mel"}, ["A-2"]),
        ({"stock": "low", "category": "Tools"}, ["b-1"]),
        ({"moved_since": "2023-11-14", "category": "Tools", "sort": "product_code"}, ["a-1", "b-1"]),
        ({"moved_since": "2023-11-16T22:13:20Z"}, ["a-1", "B-10"]),
        ({"moved_since": "2023-11-16T22:13:20.001Z"}, ["B-10"]),
        ({"moved_since": "2023-11-17T00:13:20+02:00", "stock": "low"}, ["B-10"]),
        ({"moved_since": "9999-12-31T23:59:59.999999Z"}, []),
        ({"product_code": "b-1"}, ["b-1"]),
        ({"product_code": "B-1"}, []),
        ({"product_code": "b-1", "search": "ANGE", "category": "Tools", "stock": "low"}, ["b-1"]),
        ({"product_code": "b-1", "stock": "out"}, []),
        ({"ids": "2,99,1,2"}, ["A-2", "b-1"]),
    ],
)
async def test_products_are_filtered_and_sorted(store: Client, query: dict[str, object], listed: list[str]) -> None:
    """Pages follow each other in any order, with the total of the filter, and have levels on request."""
    whole = await told(store, **query)
    assert [product["product_code"] for product in whole["data"]] == listed
    pages = [await told(store, limit=1, page=1 + number, **query) for number in range(len(listed) + 1)]
    assert [product for page in pages for product in page["data"]] == whole["data"]
    assert {page["pagination"]["total"] for page in pages} == {len(listed)}
    stocked = await told(store, include_levels="true", **query)
    levels = [(5, 9, 0), (0, 0, 0), (5, 0, 0), (7, 7, 0)]
    names = ("current_level", "minimum_level", "maximum_level")
    expected = [{**each, **dict(zip(names, levels[each["id"] - 1], strict=True))} for each in whole["data"]]
    assert (stocked["data"], stocked["pagination"]) == (expected, whole["pagination"])


@sweep(
    ("name", "wrong", "message"),
    [
        *(
            ("sort", wrong, f"'{value}'")
            for wrong in ("", "ID", "--id", "id;--", "category")
            for value in get_args(Sort)
        ),
        *(("stock", wrong, "'low' or 'out'") for wrong in ("", "LOW", "high")),
        *(("moved_since", wrong, "2026-01-31T12:00:00Z") for wrong in ("", "2023-13-01", "99999-01-01", "\0")),
        *(("ids", wrong, "") for wrong in ("", "1,", "01", "1, 2", ",".join(map(str, range(1, 502))))),
    ],
)
async def test_a_wrong_parameter_is_refused(client: Client, name: str, wrong: str, message: str) -> None:
    """It is named, with the valid values."""
    refusal = await problems(await client.get("/api/products", params={name: wrong}))
    assert list(refusal) == [name]
    assert message in refusal[name]


async def test_ids_have_no_other_filter(client: Client) -> None:
    """Nor an order: theirs is that of the list."""
    for name, value in (("category", ""), ("sort", "-id")):
        assert "ids" in await problems(await client.get("/api/products", params={"ids": "1", name: value}))


@pytest.mark.parametrize("path", ["/api/products/export", "/api/inventory/export"])
async def test_exports_are_of_what_is_low_or_out(store: Client, path: str) -> None:
    """The same rows as in the whole file, and no others; so is the history."""

    async def exported(**query: str) -> list[dict[str, Any]]:
        response = await store.get(path, params={"format": "csv", **query})
        return list(csv.DictReader(StringIO((await response.read()).decode("utf-8-sig"))))

    whole = await exported()
    assert [row["product_code"] for row in whole] == list(STOCKED)
    assert (await exported(stock="low"), await exported(stock="out")) == ([whole[0], whole[3]], [whole[1]])
    assert list(await problems(await store.get(path, params={"stock": "LOW"}))) == ["stock"]
    if path == "/api/inventory/export":
        rows = await exported(stock="low", include_history="true")
        assert [(row["product_code"], row["new_level"]) for row in rows] == [("b-1", "5"), ("B-10", "7")]


async def test_a_new_product_is_where_its_creation_says(client: Client) -> None:
    """A replay of the request says the same."""
    draft = {"product_code": "PEN/1", "description": "Blue pen"}
    for replayed in (None, "true"):
        made = await client.post("/api/products", json=draft, headers={"Idempotency-Key": "till-1/1"})
        assert (made.status, made.headers.get("Idempotency-Replayed")) == (201, replayed)
        found = await client.get(made.headers["Location"])
        assert (await found.json())["data"]["product_code"] == draft["product_code"]


async def test_the_record_of_a_product_is_that_of_the_list(store: Client) -> None:
    """With the same fields and values."""
    for record in (await (await store.get("/api/inventory")).json())["data"]:
        response = await store.get(f"/api/inventory/{record['product_id']}")
        assert (await response.json()) == {"success": True, "data": record}
