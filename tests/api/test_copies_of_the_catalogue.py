"""The copy of the catalogue for devices: what it has, and a tag that changes with it and with nothing else."""

from typing import Any

import pytest

from barcodesvc.api.resources import catalogue_copy
from tests.fixture_types import Client

ADDRESS = "/api/products/catalogue"
PEN = {"product_code": "A-1", "description": "Blue pen", "unit_of_measure": "box", "initial_level": 5}
FIELDS = ("id", "product_code", "description", "unit_of_measure", "current_level")


async def made(client: Client, method: str, path: str, body: Any = None) -> None:
    """Make a change."""
    assert (await client.request(method, path, json=body)).status < 400


@pytest.mark.each_engine
async def test_each_change_of_a_product_or_level_has_another_tag(client: Client, upload: Any, workbook: Any) -> None:
    """The copy shows what the list shows; with its tag, and after changes of other things, it is not sent again."""
    sheet = workbook([("SKU", "Name", "Qty"), ("A-1", "Red pen", 4), ("C-1", "Cable", 1)])
    changes: list[tuple[str, str, Any]] = [
        ("POST", "/api/products", PEN),
        ("POST", "/api/products", {"product_code": "B-1", "description": "Ink"}),
        ("PUT", "/api/products/1", {"description": "Black pen"}),
        ("PUT", "/api/inventory/2", {"new_level": 3}),
        ("POST", "/api/inventory/1/adjust", {"delta": -1}),
        ("POST", "/api/inventory/changes/3/undo", {}),
        ("DELETE", "/api/products/2", None),
    ]
    tags: list[str] = []

    async def look() -> None:
        response = await client.get(ADDRESS)
        listed = (await (await client.get("/api/products?include_levels=true")).json())["data"]
        copied = await response.json()
        assert copied["data"] == [{name: product[name] for name in FIELDS} for product in listed]
        assert copied["pagination"]["total"] == len(listed)
        assert response.headers["ETag"] not in tags
        tags.append(response.headers["ETag"])
        await made(client, "PUT", "/api/codes/layouts/shelf", {"lines": ["{name}"]})
        same = await client.get(ADDRESS, headers={"If-None-Match": tags[-1]})
        assert (same.status, await same.read(), same.headers["ETag"]) == (304, b"", tags[-1])

    await look()
    for change in changes:
        await made(client, *change)
        await look()
    for mode in ("update", "count"):
        assert (await client.post(f"/api/products/import?mode={mode}", data=upload(sheet))).status == 200
        await look()


async def test_a_client_that_reads_no_gzip_gets_the_same(client: Client) -> None:
    """With another tag, because it is another form of the copy."""
    await made(client, "POST", "/api/products", PEN)
    plain = await client.get(ADDRESS, headers={"Accept-Encoding": "identity"})
    packed = await client.get(ADDRESS, headers={"Accept-Encoding": "gzip"})
    assert (plain.headers.get("Content-Encoding"), packed.headers["Content-Encoding"]) == (None, "gzip")
    assert await packed.json() == await plain.json()
    assert plain.headers["ETag"] != packed.headers["ETag"]
    assert {response.headers["Vary"] for response in (plain, packed)} == {"Accept-Encoding"}


async def test_of_a_large_catalogue_the_first_products_are_copied(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The total is that of all."""
    monkeypatch.setattr(catalogue_copy, "MOST_COPIED", 2)
    for number in range(3):
        await made(client, "POST", "/api/products", {**PEN, "product_code": f"A-{number}"})
    copied = await (await client.get(ADDRESS)).json()
    assert [product["id"] for product in copied["data"]] == [1, 2]
    assert copied["pagination"] == {"page": 1, "limit": 2, "total": 3, "pages": 2}
