from __future__ import annotations

import csv
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
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


async def test_existing_products_are_skipped_by_default(shop: Client, upload: Any, workbook: Any) -> None:
    """Rows fall into imported, skipped and errors, which add up; what exists stays as it is."""
    rows = [("SKU", "Name"), ("A-1", "other"), ("B-1", "new"), ("B-1", "again"), (" ", "no code")]
    told = await _imported(shop, upload(workbook(rows)))
    assert (told["imported"], told["skipped"], [error["row"] for error in told["errors"]]) == (1, 1, [4, 5])
    assert set(told) == {"imported", "skipped", "errors"}
    assert await _products(shop) == {"A-1": "Blue pen", "B-1": "new"}


async def test_existing_products_are_updated_on_demand(shop: Client, upload: Any, workbook: Any) -> None:
    """With mode=update they are changed and counted beside."""
    rows = [("SKU", "Name"), ("A-1", "other"), ("B-1", "new")]
    told = await _imported(shop, upload(workbook(rows)), mode="update")
    assert told == {"imported": 1, "updated": 1, "skipped": 0, "errors": []}
    assert await _products(shop) == {"A-1": "other", "B-1": "new"}


@pytest.mark.parametrize("mode", ["skip", "update"])
@pytest.mark.parametrize("dry_run", ["true", "1"])
async def test_a_dry_run_tells_all_and_writes_nothing(
    shop: Client, upload: Any, workbook: Any, mode: str, dry_run: str
) -> None:
    """The counts are those of the real run after it."""
    form = workbook([("SKU", "Name"), ("A-1", "other"), ("B-1", "new"), ("B-1", "again")])
    tried = await _imported(shop, upload(form), dry_run=dry_run, mode=mode)
    assert await _products(shop) == {"A-1": "Blue pen"}
    assert await _imported(shop, upload(form), dry_run="false", mode=mode) == tried


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("dry_run", "yes"), ("dry_run", ""), ("mode", "replace"), ("mode", "SKIP"), ("mode", ""), ("dryrun", "true")],
)
async def test_a_wrong_option_of_an_import_is_named(
    shop: Client, problems: Any, upload: Callable[..., FormData], name: str, wrong: str
) -> None:
    """A mistyped option writes nothing."""
    assert list(await problems(await shop.post(IMPORT, data=upload(), params={name: wrong}))) == [name]
    assert await _products(shop) == {"A-1": "Blue pen"}


async def test_a_workbook_without_header_is_refused(client: Client, refused: Any, upload: Any, workbook: Any) -> None:
    """A workbook whose columns nobody knows is a 400 that says how to name them."""
    answer = await client.post(IMPORT, data=upload(workbook([("x", "y"), (1, 2)])))
    told = await refused(answer, 400, "VALIDATION_ERROR")
    assert "header row" in told["message"]


@pytest.mark.parametrize("form", ["xlsx", "xls"])
async def test_the_real_catalogue_is_imported_and_then_skipped(
    client: Client, catalogue_data: Path, upload: Any, form: str
) -> None:
    """Both formats of the real catalogue come in as a whole, and a second time change nothing."""
    content = (catalogue_data / f"catalogue.{form}").read_bytes()
    first = await _imported(client, upload(content))
    second = await _imported(client, upload(content))
    assert first["imported"] > 100
    assert second["imported"] == 0
    assert second["skipped"] == first["imported"]


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
