"""Downloads over HTTP: files of the stock and the catalogue, the template, and the copy of the catalogue for devices.

What the files contain is tested in tests/catalogue.
"""

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from barcodesvc.api.keys import SERVICE
from barcodesvc.api.resources import catalogue_copy, exports
from barcodesvc.catalogue.export_tables import level_table
from barcodesvc.catalogue.exporting import ExportTable
from barcodesvc.store.database import Snapshot
from barcodesvc.store.limits import SNAPSHOTS
from barcodesvc.store.lists import EVERY_PRODUCT, ProductFilter, bounds_of
from barcodesvc.store.script import Row
from tests.api.imported import imported, products_listed
from tests.api.replies import problems, refused
from tests.conftest import NOON, StandingClock
from tests.fixture_types import Client
from tests.forms import form_data
from tests.sweeps import sweep
from tests.workbooks import xlsx

TEMPLATE = "/api/products/import/template"
EXPORT = "/api/inventory/export"
PRODUCTS = "/api/products/export"
COPY = "/api/products/catalogue"


@sweep(
    ("path", "query", "name"),
    [
        (EXPORT, {}, "inventory-2023-11-15.xlsx"),
        (EXPORT, {"include_history": "true", "format": "csv"}, "inventory-2023-11-15.csv"),
        (PRODUCTS, {"format": "xlsx"}, "products-2023-11-15.xlsx"),
        (PRODUCTS, {"format": "csv"}, "products-2023-11-15.csv"),
        (TEMPLATE, {}, "products-template.xlsx"),
    ],
)
async def test_a_download_is_a_named_file(
    client: Client, standing_clock: StandingClock, path: str, query: dict[str, str], name: str
) -> None:
    """The default is a workbook; it is named after the day of the export (UTC)."""
    standing_clock.now = NOON + 86_400
    response = await client.get(path, params=query)
    assert response.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    kind = "text/csv; charset=utf-8" if name.endswith("csv") else exports.XLSX
    assert response.headers["Content-Type"] == kind


async def test_a_catalogue_goes_out_and_comes_back(shop: Client) -> None:
    """An export can be imported into an empty catalogue, including levels."""
    before = await (await shop.get(PRODUCTS, params={"format": "csv"})).text("utf-8-sig")
    assert before.splitlines()[1:] == ['"A-1","Blue pen","Pens","box",5,2,9,""']
    file = await (await shop.get(PRODUCTS)).read()
    await shop.delete("/api/products/1")
    assert (await imported(shop, form_data(file)))["imported"] == 1
    assert await (await shop.get(PRODUCTS, params={"format": "csv"})).text("utf-8-sig") == before


async def test_a_workbook_with_history_has_a_second_sheet(shop: Client) -> None:
    """Every change is a row of the sheet History, and in a CSV a line of its level."""
    await shop.put("/api/inventory/1", json={"new_level": 3, "change_reason": "sold"})
    response = await shop.get(EXPORT, params={"include_history": "1"})
    book = openpyxl.load_workbook(BytesIO(await response.read()))
    assert book.sheetnames == ["Inventory", "History"]
    changes = list(book["History"].iter_rows(min_row=2, values_only=True))
    assert [row[2:6] for row in changes] == [("A-1", 0, 5, "initial level"), ("A-1", 5, 3, "sold")]
    text = await (await shop.get(EXPORT, params={"include_history": "1", "format": "csv"})).text()
    assert (text.count('"A-1"'), '"sold"' in text) == (2, True)


@sweep(
    ("path", "name", "wrong"),
    [
        (EXPORT, "format", "pdf"),
        (EXPORT, "format", ""),
        (EXPORT, "include_history", "yes"),
        (PRODUCTS, "format", "xls"),
        (PRODUCTS, "include_history", "1"),
        (PRODUCTS, "delimiter", ";"),
    ],
)
async def test_a_wrong_option_of_an_export_is_named(client: Client, path: str, name: str, wrong: str) -> None:
    """Formats and booleans have one spelling; a catalogue has no history, and a workbook no delimiter."""
    assert list(await problems(await client.get(path, params={name: wrong}))) == [name]


@sweep(("delimiter", "character"), [(",", ","), (";", ";"), ("tab", "\t"), ("\t", "\t")])
async def test_a_csv_has_the_delimiter_that_is_asked_for(client: Client, delimiter: str, character: str) -> None:
    """One of three; a tab has a name."""
    text = await (await client.get(PRODUCTS, params={"format": "csv", "delimiter": delimiter})).text("utf-8-sig")
    assert text.startswith(f'"product_code"{character}"description"{character}')


@pytest.mark.parametrize("handler_cancellation", [False, True])
@pytest.mark.parametrize("form", ["csv", "xlsx"])
async def test_an_export_whose_client_leaves_is_given_up(
    shop: Client, until: Any, tmp_path: Path, *, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """An endless export ends with its client's connection, although no byte of it could be sent."""

    async def endless(snapshot: Snapshot) -> AsyncGenerator[list[Row]]:
        while rows := await snapshot.rows("export_levels", **bounds_of(EVERY_PRODUCT)):
            yield rows

    async def opened(snapshot: Snapshot, wanted: ProductFilter = EVERY_PRODUCT) -> ExportTable:
        return ExportTable((await level_table(snapshot, wanted)).design, endless(snapshot))

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(exports, "level_table", opened)
    getting = asyncio.create_task(shop.get(EXPORT, params={"format": form}))
    await until(lambda: len(list((tmp_path / "temporary").iterdir())) == 1)
    getting.cancel()
    await until(lambda: not list((tmp_path / "temporary").iterdir()))
    async with AsyncExitStack() as exporting:
        for _ in range(SNAPSHOTS):
            await exporting.enter_async_context(shop.app[SERVICE].database.snapshot())


async def test_a_known_template_is_not_sent_again(client: Client) -> None:
    """It imports as it is; its ETag is strong, and caches revalidate it each time."""
    response = await client.get(TEMPLATE)
    assert response.headers["ETag"].startswith('"')
    assert response.headers["Cache-Control"] == "no-cache"
    assert (await imported(client, form_data(await response.read())))["imported"] == 1
    assert list(await products_listed(client)) == ["0012345678905"]
    again = await client.get(TEMPLATE, headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status, await again.read(), again.headers["ETag"]) == (304, b"", response.headers["ETag"])


@sweep("method", ["POST", "PUT", "DELETE"])
@sweep("path", [PRODUCTS, TEMPLATE])
async def test_a_file_is_only_there_to_be_got(client: Client, path: str, method: str) -> None:
    """No id matches its name: another method is a 405 that names GET."""
    response = await client.request(method, path)
    await refused(response, 405, "VALIDATION_ERROR")
    assert response.headers["Allow"] == "GET, HEAD"


PEN = {"product_code": "A-1", "description": "Blue pen", "unit_of_measure": "box", "initial_level": 5}
FIELDS_OF_A_COPY = ("id", "product_code", "description", "unit_of_measure", "current_level")


async def made(client: Client, method: str, path: str, body: Any = None) -> None:
    """Make a change."""
    assert (await client.request(method, path, json=body)).status < 400


@pytest.mark.each_engine
async def test_each_change_of_a_product_or_level_has_another_tag(client: Client) -> None:
    """The copy shows what the list shows; with its tag, and after changes of other things, it is not sent again."""
    sheet = xlsx([("SKU", "Name", "Qty"), ("A-1", "Red pen", 4), ("C-1", "Cable", 1)])
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
        response = await client.get(COPY)
        listed = (await (await client.get("/api/products?include_levels=true")).json())["data"]
        copied = await response.json()
        assert copied["data"] == [{name: product[name] for name in FIELDS_OF_A_COPY} for product in listed]
        assert copied["pagination"]["total"] == len(listed)
        assert response.headers["ETag"] not in tags
        tags.append(response.headers["ETag"])
        await made(client, "PUT", "/api/codes/layouts/shelf", {"lines": ["{name}"]})
        same = await client.get(COPY, headers={"If-None-Match": tags[-1]})
        assert (same.status, await same.read(), same.headers["ETag"]) == (304, b"", tags[-1])

    await look()
    for change in changes:
        await made(client, *change)
        await look()
    for mode in ("update", "count"):
        assert (await client.post(f"/api/products/import?mode={mode}", data=form_data(sheet))).status == 200
        await look()


async def test_a_client_that_reads_no_gzip_gets_the_same(client: Client) -> None:
    """With another tag, because it is another form of the copy."""
    await made(client, "POST", "/api/products", PEN)
    plain = await client.get(COPY, headers={"Accept-Encoding": "identity"})
    packed = await client.get(COPY, headers={"Accept-Encoding": "gzip"})
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
    copied = await (await client.get(COPY)).json()
    assert [product["id"] for product in copied["data"]] == [1, 2]
    assert copied["pagination"] == {"page": 1, "limit": 2, "total": 3, "pages": 2}


@pytest.mark.each_engine
async def test_a_copy_has_the_further_codes_of_its_products_and_no_retired_one(client: Client) -> None:
    """Each with its pieces; a code that is added changes the tag."""
    for code in ("A-1", "A-2"):
        await made(client, "POST", "/api/products", {**PEN, "product_code": code})
    before = (await client.get(COPY)).headers["ETag"]
    await made(client, "POST", "/api/products/1/codes", {"code": "BOX", "pack_quantity": 6})
    response = await client.get(COPY)
    assert response.headers["ETag"] != before
    copied = (await response.json())["data"]
    assert copied[0]["other_codes"] == [{"code": "BOX", "pack_quantity": 6}]
    assert "other_codes" not in copied[1]
    await made(client, "PUT", "/api/products/2", {"retired": True})
    assert [product["id"] for product in (await (await client.get(COPY)).json())["data"]] == [1]
