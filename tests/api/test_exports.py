from __future__ import annotations

import csv
from collections.abc import Callable
from io import BytesIO, StringIO
from typing import Any

import openpyxl
import pytest
from aiohttp import FormData
from aiohttp.test_utils import TestClient
from aiohttp.web import Application, Request

Client = TestClient[Request, Application]

IMPORT = "/api/products/import"
EXPORT = "/api/inventory/export"
LEVEL_COLUMNS = [
    "id",
    "product_id",
    "product_code",
    "description",
    "current_level",
    "minimum_level",
    "maximum_level",
    "last_updated",
    "updated_by",
    "category",
    "unit_of_measure",
]


async def _imported(client: Client, form: FormData, **query: str) -> dict[str, Any]:
    answer = await client.post(IMPORT, data=form, params=query)
    told = await answer.json()
    assert answer.status == 200, told
    return dict(told["data"])


async def _products(client: Client) -> dict[str, str]:
    told = await (await client.get("/api/products")).json()
    return {product["product_code"]: product["description"] for product in told["data"]}


async def _csv(client: Client, **query: str) -> list[list[str]]:
    answer = await client.get(EXPORT, params={"format": "csv", **query})
    content = await answer.read()
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(StringIO(content.decode("utf-8-sig"), newline="")))


async def _xlsx(client: Client, **query: str) -> openpyxl.Workbook:
    answer = await client.get(EXPORT, params=query)
    assert answer.status == 200
    return openpyxl.load_workbook(BytesIO(await answer.read()))


async def test_an_export_has_every_level(shop: Client, upload: Callable[..., FormData]) -> None:
    """The default is xlsx; its one sheet holds the level record's columns, category and unit."""
    await _imported(shop, upload())
    book = await _xlsx(shop)
    assert book.sheetnames == ["Inventory"]
    header, first, *others = book["Inventory"].iter_rows(values_only=True)
    assert list(header) == LEVEL_COLUMNS
    assert first == (1, 1, "A-1", "Blue pen", 5, 2, 9, "2023-11-14T22:13:20.000Z", "system", "Pens", "box")
    assert [row[2] for row in others] == ["B-1", "B-2"]


async def test_a_workbook_with_history_has_a_second_sheet(shop: Client) -> None:
    """Every change is a row of the sheet History."""
    await shop.put("/api/inventory/1", json={"new_level": 3, "change_reason": "sold"})
    book = await _xlsx(shop, include_history="true", format="xlsx")
    assert book.sheetnames == ["Inventory", "History"]
    changes = list(book["History"].iter_rows(min_row=2, values_only=True))
    assert [row[2:6] for row in changes] == [("A-1", 0, 5, "initial level"), ("A-1", 5, 3, "sold")]


async def test_a_csv_has_every_level(shop: Client) -> None:
    """The same columns, UTF-8 with BOM, lines ended as RFC 4180 wants."""
    content = await (await shop.get(EXPORT, params={"format": "csv"})).read()
    assert content.count(b"\r\n") == content.count(b"\n") == 2
    header, row = await _csv(shop)
    assert header == LEVEL_COLUMNS
    assert row == ["1", "1", "A-1", "Blue pen", "5", "2", "9", "2023-11-14T22:13:20.000Z", "system", "Pens", "box"]


async def test_a_csv_with_history_repeats_the_level(shop: Client, upload: Callable[..., FormData]) -> None:
    """One table: each level once per change, once where nothing ever changed."""
    await _imported(shop, upload())
    await shop.put("/api/inventory/1", json={"new_level": 3})
    header, *rows = await _csv(shop, include_history="1")
    assert header[:11] == LEVEL_COLUMNS
    assert [(row[2], row[12], row[13]) for row in rows] == [
        ("A-1", "0", "5"),
        ("A-1", "5", "3"),
        ("B-1", "0", "3"),
        ("B-2", "", ""),
    ]


async def test_an_export_of_many_levels_is_complete(client: Client, upload: Any, workbook: Any) -> None:
    """More levels than one batch holds come out once each, in order."""
    rows = [("SKU", "Name"), *((f"C-{number}", "x") for number in range(2500))]
    await _imported(client, upload(workbook(rows)))
    assert [row[2] for row in (await _csv(client))[1:]] == [code for code, _ in rows[1:]]


async def test_formulas_are_shown_and_come_back(client: Client, upload: Callable[..., FormData]) -> None:
    """A text that begins like a formula is exported as text, and the import reads the original back."""
    for number, text in enumerate(["=1+1", "+1", "-1", "@x"]):
        await client.post("/api/products", json={"product_code": f"F-{number}", "description": text})
    before = await _products(client)
    exported = await (await client.get(EXPORT)).read()
    for number in range(1, 5):
        await client.delete(f"/api/products/{number}")
    assert (await _imported(client, upload(exported)))["imported"] == 4
    assert await _products(client) == before


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("format", "pdf"), ("format", ""), ("format", "XLSX"), ("include_history", "yes"), ("include_history", "")],
)
async def test_a_wrong_option_of_an_export_is_named(client: Client, problems: Any, name: str, wrong: str) -> None:
    """Formats and booleans have one spelling."""
    assert list(await problems(await client.get(EXPORT, params={name: wrong}))) == [name]


async def test_the_day_in_the_name_is_the_clocks(shop: Client, standing_clock: Any) -> None:
    """The attachment is named after the day of the export (UTC)."""
    standing_clock.advance(86400)
    answer = await shop.get(EXPORT)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="inventory-2023-11-15.xlsx"'
