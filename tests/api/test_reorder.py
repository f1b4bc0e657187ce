"""The list to buy: what is missing of the products that are low or out of stock, in groups, as JSON and as files."""

import csv
from io import BytesIO, StringIO

import openpyxl
import pytest

from tests.api.replies import problems
from tests.fixture_types import Client

ADDRESS, EXPORT = "/api/inventory/reorder", "/api/inventory/reorder/export"
COLUMNS = ["product_code", "description", "unit_of_measure"]
COLUMNS += ["current_level", "minimum_level", "maximum_level", "order_quantity"]


@pytest.fixture
async def shop(client: Client) -> Client:
    """Return a client of a shop with products of three suppliers: their levels are stock, minimum and maximum."""
    products: list[tuple[str, str | None, int, int, int]] = [
        ("up to the maximum", "Zed", 2, 3, 10),
        ("up to the minimum", "Äsop", 2, 3, 0),
        ("out, without a minimum", None, 0, 0, 4),
        ("out, and never stocked", "Zed", 0, 0, 0),
        ("at the minimum, without a maximum", "Zed", 3, 3, 0),
        ("enough", "Zed", 4, 3, 10),
        ("=2+5", "Ape", 0, 1, 1),
        ("again", "Zed", 1, 1, 2),
    ]
    for number, (name, supplier, level, minimum, maximum) in enumerate(products, 1):
        draft = {
            "product_code": f"P{number}",
            "description": name,
            "initial_level": level,
            "minimum_level": minimum,
            "maximum_level": maximum,
            "attributes": {"supplier": supplier} if supplier else {"shelf": "B4"},
        }
        assert (await client.post("/api/products", json=draft)).status == 201
    return client


async def listed(client: Client, **query: str) -> list[tuple[str, str, int]]:
    """Return group, code and quantity of each product on the list."""
    data = (await (await client.get(ADDRESS, params=query)).json())["data"]
    return [(line["group"], line["product_code"], line["order_quantity"]) for line in data]


@pytest.mark.each_engine
async def test_what_is_missing_is_listed_in_groups(shop: Client) -> None:
    """Groups are in the order of their values, the products of one by id; without a group they come last."""
    assert await listed(shop) == [("", "P1", 8), ("", "P2", 1), ("", "P3", 4), ("", "P7", 1), ("", "P8", 1)]
    grouped = [("Ape", "P7", 1), ("Zed", "P1", 8), ("Zed", "P8", 1), ("Äsop", "P2", 1), ("", "P3", 4)]
    assert await listed(shop, group_by="supplier") == grouped
    assert await listed(shop, group_by="unknown") == await listed(shop)


async def test_a_line_has_what_an_order_needs(shop: Client) -> None:
    """The levels that the quantity follows from, too."""
    line = (await (await shop.get(ADDRESS, params={"group_by": "supplier"})).json())["data"][0]
    assert line == {
        "product_id": 7,
        "product_code": "P7",
        "description": "=2+5",
        "unit_of_measure": "pcs",
        "current_level": 0,
        "minimum_level": 1,
        "maximum_level": 1,
        "order_quantity": 1,
        "group": "Ape",
    }


async def test_the_list_is_a_csv_file(shop: Client) -> None:
    """With the group in front, and no text that a spreadsheet would run."""
    response = await shop.get(EXPORT, params={"format": "csv", "delimiter": ";", "group_by": "supplier"})
    assert response.headers["Content-Disposition"].startswith('attachment; filename="reorder-')
    text = (await response.read()).decode("utf-8-sig")
    rows = list(csv.reader(StringIO(text, newline=""), delimiter=";"))
    assert rows[:2] == [["attr:supplier", *COLUMNS], ["Ape", "P7", "'=2+5", "pcs", "0", "1", "1", "1"]]
    plain = (await (await shop.get(EXPORT, params={"format": "csv"})).read()).decode("utf-8-sig")
    assert next(csv.reader(StringIO(plain, newline=""))) == COLUMNS


async def test_the_list_is_a_workbook(shop: Client) -> None:
    """Quantities are numbers in it."""
    response = await shop.get(EXPORT, params={"format": "xlsx"})
    sheet = openpyxl.load_workbook(BytesIO(await response.read()))["Reorder"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows(max_row=2)] == [
        COLUMNS,
        ["P1", "up to the maximum", "pcs", 2, 3, 10, 8],
    ]


async def test_a_wrong_list_is_refused(shop: Client) -> None:
    """A name that no attribute can have, and a delimiter of anything but CSV."""
    assert "group_by" in await problems(await shop.get(ADDRESS, params={"group_by": "The supplier"}))
    assert "delimiter" in await problems(await shop.get(EXPORT, params={"delimiter": ";"}))
