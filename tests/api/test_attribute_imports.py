"""Attributes in imports and exports over HTTP."""

from typing import Any

import pytest
from aiohttp import FormData

from tests.api.imported import IMPORT, imported
from tests.api.test_attributes import names, problems, product
from tests.fixture_types import Client
from tests.forms import form_data

pytestmark = pytest.mark.usefixtures("folder")

TRICKY = ["2.50", "0042", "=1+1", "'x", 'say "hi", ok', "ü € 笔", "1e5", "TRUE", "-5", "a;b", "x" * 200]


async def attributes_by_code(client: Client) -> dict[str, dict[str, str]]:
    """Return the attributes of all products."""
    listed = (await (await client.get("/api/products", params={"limit": "500"})).json())["data"]
    return {one["product_code"]: one["attributes"] for one in listed}


async def refusal(client: Client, form: FormData, **query: str) -> dict[str, str]:
    """Import a file that is refused as a whole, and return the messages by field."""
    response = await client.post(IMPORT, data=form, params=query)
    assert response.status == 400, await response.text()
    return problems(await response.json())


@pytest.mark.parametrize("file_format", ["csv", "xlsx"])
async def test_an_export_can_be_imported_with_all_attributes(client: Client, file_format: str) -> None:
    """Exporting and importing elsewhere keeps each attribute, with 200 names in the catalogue."""
    for n in range(8):
        await product(client, f"A-{n}", **names(n * 25, 25))
    await product(client, "B-1", **{f"name_{n}": text for n, text in enumerate(TRICKY)})
    await product(client, "B-2")
    before = await attributes_by_code(client)
    file = await (await client.get("/api/products/export", params={"format": file_format})).read()
    for number in range(1, 11):
        await client.delete(f"/api/products/{number}")
    form = form_data(file, filename=f"products.{file_format}")
    query = {"format": "csv"} if file_format == "csv" else {}
    assert (await imported(client, form, **query))["imported"] == 10
    assert await attributes_by_code(client) == before


async def test_an_export_has_a_column_for_each_name_in_use(client: Client) -> None:
    """The columns are in the order of their names; without attributes there are none."""
    number = await product(client, "A-1", price="2.99", brand="x")
    await product(client, "A-2", shelf="B 4")
    lines = await exported(client)
    assert lines[0].endswith('"maximum_level","attr:brand","attr:price","attr:shelf"')
    assert [line.split(",")[-3:] for line in lines[1:]] == [['"x"', '"2.99"', '""'], ['""', '""', '"B 4"']]
    await client.put(f"/api/products/{number}", json={"attributes": {"price": None, "brand": None}})
    await client.delete(f"/api/products/{number + 1}")
    assert [line.rpartition(",")[2] for line in await exported(client)] == ['"maximum_level"', "0"]


async def exported(client: Client) -> list[str]:
    """Return the lines of the catalogue as CSV."""
    text = await (await client.get("/api/products/export", params={"format": "csv"})).text("utf-8-sig")
    return text.splitlines()


async def test_columns_of_attributes_are_recognised_or_mapped(client: Client, upload: Any, workbook: Any) -> None:
    """A header such as `Attr: Price` names the attribute; with `map`, any header can."""
    rows = [("SKU", "Name", " ATTR: Price", "attr:brand", "Regal"), ("A-1", "x", 2.99, "", "B 4")]
    preview = (await imported(client, upload(workbook(rows)), dry_run="true"))["preview"]
    assert preview["columns"]["ATTR: Price"] == "attributes.price"
    assert (preview["ignored"], preview["rows"][0]["attributes"]) == (["Regal"], {"price": "2.99"})
    form = upload(workbook(rows))
    form.add_field("map", '{"SKU": "product_code", "Name": "description", "Regal": "attributes.shelf"}')
    await imported(client, form)
    assert await attributes_by_code(client) == {"A-1": {"shelf": "B 4"}}


@pytest.mark.each_engine
async def test_an_update_merges_attributes(client: Client, upload: Any, workbook: Any) -> None:
    """Filled cells set attributes and blank ones leave them, as the preview of a dry run shows before."""
    await product(client, "A-1", price="1", shelf="B 4")
    await product(client, "A-2", price="1")
    rows = [
        ("SKU", "Name", "attr:brand", "attr:price"),
        ("A-1", "x", 'x "y" ü', "2"),
        ("A-2", "x", None, None),
        ("A-3", "x", None, "3"),
    ]
    after = {"A-1": {"brand": 'x "y" ü', "price": "2", "shelf": "B 4"}, "A-2": {"price": "1"}, "A-3": {"price": "3"}}
    tried = await imported(client, upload(workbook(rows)), mode="update", dry_run="true")
    assert {row["product_code"]: row["attributes"] for row in tried["preview"]["rows"]} == after
    stays = await imported(client, upload(workbook(rows)), dry_run="true")
    assert stays["preview"]["rows"][0]["attributes"] == {"price": "1", "shelf": "B 4"}
    await imported(client, upload(workbook(rows)), mode="update")
    assert await attributes_by_code(client) == after


@pytest.mark.each_engine
async def test_a_row_that_brings_too_many_attributes_is_an_error(client: Client, upload: Any, workbook: Any) -> None:
    """33 in one row, or together with those of the product, are an error of the row; the others are imported."""
    await product(client, "A-1", **names(0, 30))
    header = ("SKU", "Name", *(f"attr:name_{n}" for n in range(33)))
    rows = [header, ("A-1", "x", *["y"] * 33), ("A-2", "x", *["y"] * 32), ("A-1", "x", *[None] * 30, "y", "y", "y")]
    reply = await imported(client, upload(workbook(rows[:3])), mode="update")
    wrong = {"column": "attributes", "value": "", "rule": "too many", "first_row": None}
    [error] = reply["errors"]
    assert error["problems"] == [{**wrong, "message": "33 attributes; a product has at most 32"}]
    for dry_run in ("true", "false"):
        reply = await imported(client, upload(workbook([header, *rows[3:]])), mode="update", dry_run=dry_run)
        message = "with those of the product 33 attributes; a product has at most 32"
        assert reply["errors"][0]["problems"] == [{**wrong, "message": message}]
    assert {code: len(found) for code, found in (await attributes_by_code(client)).items()} == {"A-1": 30, "A-2": 32}


async def test_a_wrong_value_names_its_column(client: Client, upload: Any, workbook: Any) -> None:
    """A value that is too long, has a control character or is an error of the spreadsheet is a problem of its cell."""
    rows = [("SKU", "Name", "attr:price"), ("A-1", "x", "y" * 201), ("A-2", "x", "a\tb"), ("A-3", "x", "=NA()")]
    reply = await imported(client, upload(workbook(rows)))
    found = [error["problems"][0] for error in reply["errors"]]
    assert [(one["column"], one["rule"]) for one in found] == [
        ("attributes.price", "length"),
        ("attributes.price", "characters"),
        ("attributes.price", "cell"),
    ]
    assert "200 characters" in found[0]["message"]


@pytest.mark.each_engine
async def test_a_file_that_brings_too_many_names_is_refused(client: Client, upload: Any, workbook: Any) -> None:
    """With 200 names in use, a file with another one in a valid row is a 400, in a dry run too; nothing is written."""
    for n in range(8):
        await product(client, f"A-{n}", **names(n * 25, 25))
    rows = [("SKU", "Name", "attr:name_0", "attr:one_more"), ("B-1", "x", "y", "y")]
    for query in ({}, {"dry_run": "true"}, {"mode": "update"}):
        wrong = await refusal(client, upload(workbook(rows)), **query)
        assert "200" in wrong["file"]
        assert "one_more" in wrong["file"]
    assert len(await attributes_by_code(client)) == 8
    assert (await imported(client, upload(workbook([rows[0], ("B-1", "x", "y", None)]))))["imported"] == 1


@pytest.mark.parametrize("header", ["attr:", "attr:Preis €", f"attr:{'x' * 33}", "attr:a b"])
async def test_a_header_with_a_wrong_name_is_refused(client: Client, upload: Any, workbook: Any, header: str) -> None:
    """A column whose header begins like that of an attribute is not lost silently."""
    wrong = await refusal(client, upload(workbook([("SKU", "Name", header), ("A-1", "x", "y")])))
    assert repr(header) in wrong["file"]


async def test_a_map_to_a_wrong_or_repeated_attribute_is_refused(client: Client, upload: Any, workbook: Any) -> None:
    """A field is `attributes.` and a name, and has one column."""
    form = upload(workbook([("SKU", "Name", "a", "b"), ("A-1", "x", "y", "z")]))
    mapped = '"SKU": "product_code", "Name": "description"'
    form.add_field("map", f'{{{mapped}, "a": "attributes.Price"}}')
    assert "attributes.NAME" in (await refusal(client, form))["map"]
    form = upload(workbook([("SKU", "Name", "a", "b"), ("A-1", "x", "y", "z")]))
    form.add_field("map", f'{{{mapped}, "a": "attributes.price", "b": "attributes.price"}}')
    assert "map one of them" in (await refusal(client, form))["map"]
