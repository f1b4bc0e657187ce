"""Searches find products by the values of their attributes, whichever way these were set."""

from typing import Any

import pytest

from tests.api.imported import imported
from tests.api.test_attributes import changed, product
from tests.fixture_types import Client

HEADER = ("SKU", "Name", "attr:brand", "attr:price")


async def found(client: Client, search: str, **query: str) -> list[str]:
    """Return the codes of the products that a search finds, in order."""
    response = await client.get("/api/products", params={"search": search, **query})
    reply = await response.json()
    assert response.status == 200, reply
    return [one["product_code"] for one in reply["data"]]


async def test_words_are_spread_over_code_description_and_attributes(client: Client) -> None:
    """Each word is somewhere, without regard to case and accents; no word reaches from one text into the next."""
    await product(client, "A-1", maker="Crème & Söhne", shelf="B 4")
    await product(client, "A-2", maker="other", shelf="B 5")
    for search in ("creme", "SOHNE", "cre b 4", "4 x söhne a-1", "rèm", "4"):
        assert await found(client, search) == ["A-1"], search
    for search in ("sohneb", "xcreme", "creme 5", "maker", "shelf"):
        assert await found(client, search) == [], search


async def test_a_search_keeps_its_order(client: Client) -> None:
    """The code comes first, then codes that begin with it, then all others by id, however they contain the words."""
    for code, brand in (("Z", "a-1"), ("A-12", "x"), ("Y", "x A-1"), ("a-1", "x"), ("A-1", "x"), ("B", "x")):
        await product(client, code, brand=brand)
    assert await found(client, "A-1") == ["A-1", "a-1", "A-12", "Z", "Y"]


@pytest.mark.each_engine
async def test_a_search_follows_each_change(client: Client) -> None:
    """An attribute is found once it is set, no more once it is replaced or removed; others and the description stay."""
    number = await product(client, "A-1", shelf="Nord 4")
    await changed(client, number, {"brand": "Müller"})
    assert await found(client, "muller nord x") == ["A-1"]
    await changed(client, number, {"brand": "Schulz"})
    assert [await found(client, word) for word in ("muller", "schulz nord x")] == [[], ["A-1"]]
    await changed(client, number, {"brand": None})
    assert [await found(client, word) for word in ("schulz", "nord x")] == [[], ["A-1"]]
    for body in ({"description": "Lampe"}, {"description": "Lampe", "attributes": {}}, {"category": "Lights"}):
        await client.put(f"/api/products/{number}", json=body)
        assert await found(client, "lampe nord") == ["A-1"]
    await client.put(f"/api/products/{number}", json={"description": "Bulb", "attributes": {"shelf": "Süd"}})
    assert [await found(client, word) for word in ("lampe", "nord", "bulb sud")] == [[], [], ["A-1"]]
    await changed(client, number, {"shelf": None})
    assert [await found(client, word) for word in ("sud", "bulb")] == [[], ["A-1"]]


async def test_a_search_with_a_code_looks_at_the_same(client: Client) -> None:
    """With `product_code` and with `category`, words are found in attributes, too."""
    await product(client, "A-1", brand="Müller")
    for query in ({"product_code": "A-1"}, {"category": ""}, {"stock": "out"}, {"sort": "-description"}):
        assert await found(client, "muller", **query) == ["A-1"]
        assert await found(client, "muller brand", **query) == []


@pytest.mark.each_engine
@pytest.mark.usefixtures("folder")
async def test_imported_attributes_are_found(client: Client, upload: Any, workbook: Any) -> None:
    """Those of new products, and those that a row adds to a product, replaces or leaves, with a new description."""
    for code in ("A-1", "A-2", "A-3"):
        await product(client, code, brand="Müller", shelf="Nord")
    await product(client, "A-4")
    rows = [
        ("A-1", "Lampe", "Schulz", None),  # keeps its shelf
        ("A-2", "Lampe", None, None),  # keeps both
        ("A-4", "Lampe", "Schulz", "2.99"),
        ("A-5", "Lampe", "Müller", None),
        ("A-6", "Lampe", None, None),
    ]
    await imported(client, upload(workbook([HEADER, *rows])), mode="update")
    expected = {
        "lampe": ["A-1", "A-2", "A-4", "A-5", "A-6"],
        "x": ["A-3"],
        "muller": ["A-2", "A-3", "A-5"],
        "lampe muller": ["A-2", "A-5"],
        "schulz": ["A-1", "A-4"],
        "schulz nord": ["A-1"],
        "nord": ["A-1", "A-2", "A-3"],
        "2.99": ["A-4"],
    }
    assert {search: await found(client, search) for search in expected} == expected


@pytest.mark.usefixtures("folder")
async def test_an_import_that_skips_products_leaves_their_attributes(
    client: Client, upload: Any, workbook: Any
) -> None:
    """What is found before is found afterwards."""
    await product(client, "A-1", brand="Müller")
    await imported(client, upload(workbook([HEADER, ("A-1", "Lampe", "Schulz", None)])))
    assert [await found(client, word) for word in ("muller x", "schulz", "lampe")] == [["A-1"], [], []]
