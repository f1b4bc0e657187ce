import asyncio
import csv
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from datetime import datetime
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from aiohttp import FormData

from barcodesvc.api.keys import SERVICE
from barcodesvc.api.resources import exports
from barcodesvc.catalogue.export_tables import level_table
from barcodesvc.catalogue.exporting import ExportTable, OpenTable
from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.database import Snapshot
from barcodesvc.store.limits import SNAPSHOTS
from barcodesvc.store.lists import StockBounds, bounds_of
from barcodesvc.store.script import Row
from tests.api.imported import imported, products_listed
from tests.fixture_types import Client

TEMPLATE = "/api/products/import/template"
EXPORT = "/api/inventory/export"
PRODUCTS = "/api/products/export"
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


async def _csv(client: Client, **query: str) -> list[list[str]]:
    response = await client.get(EXPORT, params={"format": "csv", **query})
    content = await response.read()
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(StringIO(content.decode("utf-8-sig"), newline="")))


async def _xlsx(client: Client, **query: str) -> openpyxl.Workbook:
    response = await client.get(EXPORT, params=query)
    assert response.status == 200
    return openpyxl.load_workbook(BytesIO(await response.read()))


async def test_an_export_has_every_level(shop: Client, upload: Callable[..., FormData]) -> None:
    """The default is xlsx; its one sheet has the columns of the level record, category and unit."""
    await imported(shop, upload())
    book = await _xlsx(shop)
    assert book.sheetnames == ["Inventory"]
    header, first, *others = book["Inventory"].iter_rows(values_only=True)
    assert list(header) == LEVEL_COLUMNS
    moment = datetime.fromisoformat("2023-11-14T22:13:20")
    assert first == (1, 1, "A-1", "Blue pen", 5, 2, 9, moment, "system", "Pens", "box")
    assert [row[2] for row in others] == ["B-1", "B-2"]


async def test_a_workbook_with_history_has_a_second_sheet(shop: Client) -> None:
    """Every change is a row of the sheet History."""
    await shop.put("/api/inventory/1", json={"new_level": 3, "change_reason": "sold"})
    book = await _xlsx(shop, include_history="true", format="xlsx")
    assert book.sheetnames == ["Inventory", "History"]
    changes = list(book["History"].iter_rows(min_row=2, values_only=True))
    assert [row[2:6] for row in changes] == [("A-1", 0, 5, "initial level"), ("A-1", 5, 3, "sold")]


async def test_a_csv_has_every_level(shop: Client) -> None:
    """The columns are the same, in UTF-8 with BOM, with the line ends of RFC 4180."""
    content = await (await shop.get(EXPORT, params={"format": "csv"})).read()
    assert content.count(b"\r\n") == content.count(b"\n") == 2
    header, row = await _csv(shop)
    assert header == LEVEL_COLUMNS
    assert row == ["1", "1", "A-1", "Blue pen", "5", "2", "9", "2023-11-14T22:13:20.000Z", "system", "Pens", "box"]


async def test_a_csv_with_history_repeats_the_level(shop: Client, upload: Callable[..., FormData]) -> None:
    """One table: each level once per change, or once if it never changed."""
    await imported(shop, upload())
    await shop.put("/api/inventory/1", json={"new_level": 3})
    header, *rows = await _csv(shop, include_history="1")
    assert header[:11] == LEVEL_COLUMNS
    assert [(row[2], row[12], row[13]) for row in rows] == [
        ("A-1", "0", "5"),
        ("A-1", "5", "3"),
        ("B-1", "0", "3"),
        ("B-2", "", ""),
    ]


@pytest.mark.each_engine
async def test_an_export_of_many_levels_is_complete(client: Client, upload: Any, workbook: Any) -> None:
    """More levels than one batch contains are exported once each, in order."""
    rows = [("SKU", "Name"), *((f"C-{number}", "x") for number in range(2500))]
    await imported(client, upload(workbook(rows)))
    assert [row[2] for row in (await _csv(client))[1:]] == [code for code, _ in rows[1:]]


async def test_formulas_are_shown_and_come_back(client: Client, upload: Callable[..., FormData]) -> None:
    """A text that starts like a formula is exported as text, and the import restores the original."""
    for number, text in enumerate(["=1+1", "+1", "-1", "@x"]):
        await client.post("/api/products", json={"product_code": f"F-{number}", "description": text})
    before = await products_listed(client)
    exported = await (await client.get(EXPORT)).read()
    for number in range(1, 5):
        await client.delete(f"/api/products/{number}")
    assert (await imported(client, upload(exported)))["imported"] == 4
    assert await products_listed(client) == before


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
    response = await shop.get(EXPORT)
    assert response.headers["Content-Disposition"] == 'attachment; filename="inventory-2023-11-15.xlsx"'


def table_of(read: Callable[[Snapshot], AsyncGenerator[list[Row]]]) -> OpenTable:
    """Return a table of levels whose rows are read in this way."""

    async def opened(snapshot: Snapshot, stock: StockBounds | None = None) -> ExportTable:
        return ExportTable((await level_table(snapshot, stock)).design, read(snapshot))

    return opened


@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_an_export_that_breaks_half_way_is_an_error(
    shop: Client, refused: Any, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """It is a 500 with an envelope (a snapshot that fails between batches cannot be provoked)."""

    async def breaking(snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
        yield await snapshot.rows("export_levels", **bounds_of(None))
        raise DatabaseFailure("broken")

    monkeypatch.setattr(exports, "level_table", table_of(breaking))
    await refused(await shop.get(EXPORT, params={"format": form}), 500, "DATABASE_ERROR")


async def test_a_catalogue_goes_out_and_comes_back(shop: Client, upload: Callable[..., FormData]) -> None:
    """An export can be imported into an empty catalogue, including levels."""
    await imported(shop, upload())
    before = await (await shop.get(PRODUCTS, params={"format": "csv"})).text()
    response = await shop.get(PRODUCTS)
    assert response.headers["Content-Disposition"] == 'attachment; filename="products-2023-11-14.xlsx"'
    for number in range(1, 4):
        await shop.delete(f"/api/products/{number}")
    assert (await imported(shop, upload(await response.read())))["imported"] == 3
    assert await (await shop.get(PRODUCTS, params={"format": "csv"})).text() == before


async def test_a_csv_of_the_catalogue_has_the_columns_of_the_import(shop: Client) -> None:
    """Its file is named after its day, and has the product and its level."""
    response = await shop.get(PRODUCTS, params={"format": "csv"})
    assert response.headers["Content-Disposition"] == 'attachment; filename="products-2023-11-14.csv"'
    assert (await response.read()).decode("utf-8-sig").splitlines() == [
        '"product_code","description","category","unit_of_measure","current_level","minimum_level","maximum_level"',
        '"A-1","Blue pen","Pens","box",5,2,9',
    ]


@pytest.mark.parametrize(("name", "wrong"), [("format", "xls"), ("include_history", "1")])
async def test_a_wrong_option_of_a_catalogues_export_is_named(
    client: Client, problems: Any, name: str, wrong: str
) -> None:
    """There are two formats, and no history."""
    assert list(await problems(await client.get(PRODUCTS, params={name: wrong}))) == [name]


async def test_the_template_imports_as_it_is(client: Client, upload: Callable[..., FormData]) -> None:
    """It is a workbook to save, whose example row is imported."""
    response = await client.get(TEMPLATE)
    assert response.headers["Content-Disposition"] == 'attachment; filename="products-template.xlsx"'
    assert (await imported(client, upload(await response.read())))["imported"] == 1
    assert list(await products_listed(client)) == ["0012345678905"]


async def test_a_known_template_is_not_sent_again(client: Client) -> None:
    """Its ETag is strong, and caches revalidate it each time."""
    response = await client.get(TEMPLATE)
    assert response.headers["ETag"].startswith('"')
    assert response.headers["Cache-Control"] == "no-cache"
    again = await client.get(TEMPLATE, headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status, await again.read(), again.headers["ETag"]) == (304, b"", response.headers["ETag"])


@pytest.mark.parametrize("handler_cancellation", [False, True])
@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_an_export_whose_client_leaves_is_given_up(
    shop: Client, until: Any, tmp_path: Path, *, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """An endless export ends with its client's connection, although no byte of it could be sent."""

    async def endless(snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
        while rows := await snapshot.rows("export_levels", **bounds_of(None)):
            yield rows

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(exports, "level_table", table_of(endless))
    getting = asyncio.create_task(shop.get(EXPORT, params={"format": form}))
    await until(lambda: len(list((tmp_path / "temporary").iterdir())) == 1)
    getting.cancel()
    await until(lambda: not list((tmp_path / "temporary").iterdir()))
    async with AsyncExitStack() as exporting:
        for _ in range(SNAPSHOTS):
            await exporting.enter_async_context(shop.app[SERVICE].database.snapshot())


@pytest.mark.parametrize("path", [PRODUCTS, TEMPLATE])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
async def test_a_file_is_only_there_to_be_got(client: Client, refused: Any, path: str, method: str) -> None:
    """No id matches its name: another method is a 405 that names GET."""
    response = await client.request(method, path)
    await refused(response, 405, "VALIDATION_ERROR")
    assert response.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize(("delimiter", "character"), [(",", ","), (";", ";"), ("tab", "\t"), ("\t", "\t")])
async def test_a_csv_has_the_delimiter_that_is_asked_for(
    shop: Client, upload: Callable[..., FormData], delimiter: str, character: str
) -> None:
    """The import reads each of them."""
    response = await shop.get(PRODUCTS, params={"format": "csv", "delimiter": delimiter})
    content = await response.read()
    assert content.decode("utf-8-sig").startswith(f'"product_code"{character}"description"{character}')
    result = await imported(shop, upload(content), format="csv")
    assert (result["skipped"], result["errors"]) == (1, [])


async def test_a_delimiter_that_is_not_used_is_refused(shop: Client) -> None:
    """A workbook has none, and other characters are no delimiters."""
    for query in ({"delimiter": ";"}, {"format": "csv", "delimiter": "|"}):
        response = await shop.get(PRODUCTS, params=query)
        assert response.status == 400
        assert "delimiter" in (await response.json())["message"]
