"""Codes with white space at their ends, in every way that they come in."""

import json

import pytest

from tests.fixture_types import Client

ENDS = [" ", "\xa0", "\t", "\r\n", "\u3000"]


@pytest.mark.parametrize("end", ENDS)
async def test_white_space_at_the_ends_of_a_code_is_no_part_of_it(client: Client, end: str) -> None:
    """Created, changed, listed, drawn, printed or scanned with it, the product is the same."""
    code = f"{end}A-1{end}"
    created = await client.post("/api/products", json={"product_code": code, "description": "Bolt"})
    product = (await created.json())["data"]
    assert (created.status, product["product_code"]) == (201, "A-1")
    again = await client.post("/api/products", json={"product_code": "A-1", "description": "Bolt"})
    assert again.status == 409
    changed = await client.put(f"/api/products/{product['id']}", json={"product_code": code, "category": "Metal"})
    assert changed.status == 200
    listed = await client.get("/api/products", params={"product_code": code})
    assert [one["id"] for one in (await listed.json())["data"]] == [product["id"]]
    drawn = await client.post("/api/codes/qrcode", json={"product_code": code, "include_product_info": True})
    assert (await drawn.json())["data"]["product_code"] == "A-1"
    for products in ([code], [{"code": code, "copies": 1}]):
        printed = await client.post("/api/codes/printable", json={"products": products, "layout": {"sheet": "L7160"}})
        assert printed.status == 200, await printed.text()
    for sent in (code, json.dumps({"product_code": code})):
        found = await client.post("/api/codes/decode", json={"code_data": sent})
        assert (await found.json())["data"]["product"]["id"] == product["id"]
