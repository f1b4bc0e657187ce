"""The filter `stock` of lists and exports: `low` requires a minimum, and `out` is a level of 0."""

import csv
from io import BytesIO, StringIO
from typing import Any

import openpyxl
import pytest

from barcodesvc.store import lists
from tests.fixture_types import Client, Problems
from tests.sweeps import sweep

STOCKED = {
    "bare": (0, 0, "Pens"),
    "gone": (0, 5, "Pens"),
    "less": (3, 5, ""),
    "even": (5, 5, "Pens"),
    "more": (9, 5, "Pens"),
    "free": (4, 0, "Pens"),
}
"""Level, minimum and category of each product; only the code identifies it."""
LOW, OUT = ["gone", "less", "even"], ["bare", "gone"]

each = sweep(("stock", "codes"), [("low", LOW), ("out", OUT)])


@pytest.fixture
async def store(client: Client) -> Client:
    """Return a client of a service with these products."""
    for code, (level, minimum, category) in STOCKED.items():
        body = {"product_code": code, "description": "item", "category": category}
        await client.post("/api/products", json={**body, "initial_level": level, "minimum_level": minimum})
    return client


async def listed(client: Client, path: str, **query: object) -> list[str]:
    """Return the codes of a list, and check that its total matches if it has pages."""
    response = await client.get(path, params={name: str(value) for name, value in query.items()})
    told = await response.json()
    assert response.status == 200, told
    codes = [record["product_code"] for record in told["data"]]
    assert told.get("pagination", {}).get("total", len(codes)) == len(codes)
    return codes


async def exported(client: Client, path: str, **query: str) -> list[dict[str, Any]]:
    """Return the rows of a CSV file."""
    response = await client.get(path, params={"format": "csv", **query})
    return list(csv.DictReader(StringIO((await response.read()).decode("utf-8-sig"))))


@each
@sweep("page", [{}, {"page": 1}, {"low_stock": "true"}, {"limit": 9, "low_stock": "true"}])
async def test_levels_are_low_or_out(store: Client, stock: str, codes: list[str], page: dict[str, Any]) -> None:
    """In pages or as a whole; all of them are low stock, too."""
    assert await listed(store, "/api/inventory", stock=stock, **page) == codes


async def test_low_stock_stays_as_it_was(store: Client) -> None:
    """A minimum of 0 counts there like any other."""
    assert await listed(store, "/api/inventory", low_stock="true") == ["bare", "gone", "less", "even"]


@sweep("code", STOCKED)
async def test_one_level_is_low_or_out(store: Client, code: str) -> None:
    """The filter applies to the level of one product, with pages and without."""
    product_id = list(STOCKED).index(code) + 1
    for stock, codes in (("low", LOW), ("out", OUT)):
        expected = [code] if code in codes else []
        for page in ({}, {"page": 1}):
            assert await listed(store, "/api/inventory", stock=stock, product_id=product_id, **page) == expected


@each
@sweep("category", [None, "Pens", "", "none"])
@sweep("small", [0, 1000])
async def test_products_are_low_or_out(  # noqa: PLR0913, PLR0917 - parametrized
    store: Client, stock: str, codes: list[str], category: str | None, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Together with any search and category, in order, whichever index is used."""
    monkeypatch.setattr(lists, "SMALL_CATEGORY", small)
    for search in (None, "item", "e", "\ufffd", "%"):
        query = {name: value for name, value in (("category", category), ("search", search)) if value is not None}
        found = [code for code in await listed(store, "/api/products", **query) if code in codes]
        assert await listed(store, "/api/products", stock=stock, **query) == found


async def test_products_that_are_low_have_pages_and_levels(store: Client) -> None:
    """The total is that of the filter, even past the end."""
    for page, codes in ((1, LOW[:2]), (2, LOW[2:]), (3, [])):
        query = {"stock": "low", "limit": "2", "page": str(page), "include_levels": "true"}
        told = await (await store.get("/api/products", params=query)).json()
        assert [product["product_code"] for product in told["data"]] == codes
        assert told["pagination"] == {"page": page, "limit": 2, "total": 3, "pages": 2}
        assert all(product["current_level"] <= product["minimum_level"] for product in told["data"])


@each
@sweep("path", ["/api/products/export", "/api/inventory/export"])
async def test_exports_are_of_what_is_low_or_out(store: Client, path: str, stock: str, codes: list[str]) -> None:
    """The same rows as in the whole file, and no others."""
    whole = await exported(store, path)
    assert await exported(store, path, stock=stock) == [row for row in whole if row["product_code"] in codes]
    assert [row["product_code"] for row in whole] == list(STOCKED)


async def test_an_exported_history_is_of_the_exported_levels(store: Client) -> None:
    """In the second sheet of a workbook, and after the levels of a CSV file."""
    rows = await exported(store, "/api/inventory/export", stock="low", include_history="true")
    assert [(row["product_code"], row["new_level"]) for row in rows] == [("gone", ""), ("less", "3"), ("even", "5")]
    query = {"stock": "low", "include_history": "true"}
    book = openpyxl.load_workbook(BytesIO(await (await store.get("/api/inventory/export", params=query)).read()))
    levels, history = [[row[2] for row in sheet.iter_rows(min_row=2, values_only=True)] for sheet in book.worksheets]
    assert (levels, history) == (LOW, ["less", "even"])


@sweep("path", ["/api/products", "/api/inventory", "/api/products/export", "/api/inventory/export"])
@sweep("stock", ["", "LOW", "high", "true"])
async def test_another_filter_is_refused(store: Client, problems: Problems, path: str, stock: str) -> None:
    """It is named, with the valid values."""
    told = await problems(await store.get(path, params={"stock": stock}))
    assert list(told) == ["stock"]
    assert "'low' or 'out'" in told["stock"]
