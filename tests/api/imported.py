"""Imports over HTTP, and a view of the catalogue afterwards."""

from typing import Any

from aiohttp import FormData

from tests.fixture_types import Client

IMPORT = "/api/products/import"
MANY = [("SKU", "Name", "Qty"), *((f"P{number}", "x", 1) for number in range(1200))]
"""A table of 1,200 products, which are three batches."""


async def imported(client: Client, form: FormData, **query: str) -> dict[str, Any]:
    """Import a workbook and return the response."""
    response = await client.post(IMPORT, data=form, params=query)
    reply = await response.json()
    assert response.status == 200, reply
    return dict(reply["data"])


async def products_listed(client: Client) -> dict[str, str]:
    """Return the descriptions on the first page of products, by product code."""
    reply = await (await client.get("/api/products")).json()
    return {product["product_code"]: product["description"] for product in reply["data"]}
