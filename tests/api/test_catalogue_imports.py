import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from aiohttp import FormData

from tests.api.imported import IMPORT, imported, products_listed
from tests.fixture_types import Client
from tests.sweeps import sweep

pytestmark = pytest.mark.usefixtures("folder")


async def test_existing_products_are_skipped_by_default(shop: Client, upload: Any, workbook: Any) -> None:
    """Rows are imported, skipped or errors, which add up; existing products stay unchanged."""
    rows = [("SKU", "Name"), ("A-1", "other"), ("B-1", "new"), ("B-1", "again"), (" ", "no code")]
    reply = await imported(shop, upload(workbook(rows)))
    assert (reply["imported"], reply["skipped"], [error["row"] for error in reply["errors"]]) == (1, 1, [4, 5])
    assert [warning["problems"][0]["rule"] for warning in reply["warnings"]] == ["other name"]
    assert await products_listed(shop) == {"A-1": "Blue pen", "B-1": "new"}
    again = await imported(shop, upload(workbook([("SKU", "Name"), ("B-1", "new")])))
    counts = {"imported", "skipped", "levels_ignored", "errors", "errors_count", "errors_truncated"}
    assert set(again) == counts | {"import_id", "new_products"}


async def test_existing_products_are_updated_on_demand(shop: Client, upload: Any, workbook: Any) -> None:
    """With mode=update they are changed and counted separately."""
    rows = [("SKU", "Name"), ("A-1", "other"), ("B-1", "new")]
    reply = await imported(shop, upload(workbook(rows)), mode="update")
    counts = {"imported": 1, "updated": 1, "skipped": 0, "levels_ignored": 0}
    named = {"import_id": 1, "new_products": [2]}
    assert reply == {**counts, "errors": [], "errors_count": 0, "errors_truncated": False, **named}
    assert await products_listed(shop) == {"A-1": "other", "B-1": "new"}


@pytest.mark.parametrize("mode", ["skip", "update", "count", "receive"])
@pytest.mark.parametrize("dry_run", ["true", "1"])
async def test_a_dry_run_tells_all_and_writes_nothing(
    shop: Client, upload: Any, workbook: Any, mode: str, dry_run: str
) -> None:
    """Its counts are those of the real run that follows, which alone has an id and new products."""
    form = workbook([("SKU", "Name", "Qty"), ("A-1", "other", 4), ("B-1", "new", 3), ("B-1", "again", 2)])
    tried = await imported(shop, upload(form), dry_run=dry_run, mode=mode)
    assert await products_listed(shop) == {"A-1": "Blue pen"}
    assert tried.pop("preview")
    named = {"import_id": 1, "new_products": [2]}
    assert await imported(shop, upload(form), dry_run="false", mode=mode) == {**tried, **named}


@sweep(
    ("name", "wrong"),
    [("dry_run", "yes"), ("dry_run", ""), ("mode", "replace"), ("mode", "SKIP"), ("mode", ""), ("dryrun", "true")],
)
async def test_a_wrong_option_of_an_import_is_named(
    shop: Client, problems: Any, upload: Callable[..., FormData], name: str, wrong: str
) -> None:
    """A misspelt option writes nothing."""
    assert list(await problems(await shop.post(IMPORT, data=upload(), params={name: wrong}))) == [name]
    assert await products_listed(shop) == {"A-1": "Blue pen"}


async def test_refused_rows_come_as_a_workbook(shop: Client, upload: Any, workbook: Any, problems: Any) -> None:
    """A dry run returns them on demand; an import does not, because it may have imported the others."""
    form = workbook([("SKU", "Name"), ("A-1", "other"), ("B-1", ""), ("C-1", "new")])
    response = await shop.post(IMPORT, data=upload(form), params={"dry_run": "true", "refused": "xlsx"})
    rows = openpyxl.load_workbook(BytesIO(await response.read())).worksheets[0].iter_rows(values_only=True)
    assert list(rows)[1:] == [("B-1", None, "description: required")]
    assert list(await problems(await shop.post(IMPORT, data=upload(form), params={"refused": "xlsx"}))) == ["refused"]
    assert await products_listed(shop) == {"A-1": "Blue pen"}


async def test_a_workbook_without_header_is_refused(client: Client, refused: Any, upload: Any, workbook: Any) -> None:
    """A workbook without known columns is a 400 that says how to name them."""
    response = await client.post(IMPORT, data=upload(workbook([("x", "y"), (1, 2)])))
    reply = await refused(response, 400, "VALIDATION_ERROR")
    assert "header row" in reply["message"]


@pytest.mark.each_engine
@pytest.mark.parametrize("form", ["xlsx", "xls"])
async def test_the_real_catalogue_is_imported_and_then_skipped(
    client: Client, catalogue_data: Path, upload: Any, form: str
) -> None:
    """Both formats of the real catalogue are imported completely; a second import changes nothing."""
    content = (catalogue_data / f"catalogue.{form}").read_bytes()
    first = await imported(client, upload(content))
    second = await imported(client, upload(content))
    assert first["imported"] > 100
    assert second["imported"] == 0
    assert second["skipped"] == first["imported"]


async def test_a_row_error_names_row_column_value_and_rule(client: Client, upload: Any, workbook: Any) -> None:
    """In addition to the readable line, every wrong cell is listed for programs."""
    rows = [("SKU", "Name", "Min", "Max"), ("A", "x", 3, 2), ("A", "x", 1, 2), (None, "x", "many", 1)]
    reply = await imported(client, upload(workbook(rows)))
    named = [(error["row"], error["product_code"], error["description"]) for error in reply["errors"]]
    assert named == [(2, "A", "x"), (3, "A", "x"), (4, "", "x")]
    broken = [
        [(cell["column"], cell["value"], cell["rule"]) for cell in error["problems"]] for error in reply["errors"]
    ]
    assert broken[0] == [("maximum_level", "2", "order")]
    assert broken[1] == [("product_code", "A", "repeat")]
    assert sorted(broken[2]) == [("minimum_level", "many", "whole number"), ("product_code", "", "required")]
    for error in reply["errors"]:
        assert error["error"] == "; ".join(f"{cell['column']}: {cell['message']}" for cell in error["problems"])


@pytest.mark.parametrize(("number", "truncated"), [(1000, False), (1001, True), (2600, True)])
async def test_the_first_thousand_row_errors_are_reported(
    client: Client,
    upload: Any,
    workbook: Any,
    number: int,
    truncated: bool,  # noqa: FBT001 - what is expected
) -> None:
    """Beyond a thousand they are only counted."""
    rows = [("SKU", "Name"), *((None, "x") for _ in range(number)), ("A-1", "x")]
    reply = await imported(client, upload(workbook(rows)))
    assert [error["row"] for error in reply["errors"]] == list(range(2, min(number, 1000) + 2))
    assert (reply["imported"], reply["errors_count"], reply["errors_truncated"]) == (1, number, truncated)


async def test_a_dry_run_previews_the_catalogue_after_it(shop: Client, upload: Any, workbook: Any) -> None:
    """It shows recognised and ignored columns, and the first rows as the catalogue would contain them."""
    rows = [
        ("a list",),
        ("Colour", "SKU", "Name", "Qty", "Min"),
        ("red", "B-1", " new ", 7, 1),
        ("", "A-1", "other", 9),
    ]
    reply = (await imported(shop, upload(workbook(rows)), dry_run="true", mode="update"))["preview"]
    assert (reply["sheet"], reply["header_row"], reply["ignored"]) == ("Sheet", 2, ["Colour"])
    columns = {"SKU": "product_code", "Name": "description", "Qty": "current_level", "Min": "minimum_level"}
    assert reply["columns"] == columns
    plain = {"category": "", "unit_of_measure": "pcs", "maximum_level": 0, "attributes": {}}
    new = {"product_code": "B-1", "description": "new", "current_level": 7, "minimum_level": 1, **plain}
    old = {"product_code": "A-1", "description": "other", "category": "Pens", "unit_of_measure": "box"}
    levels = {"current_level": 5, "minimum_level": 2, "maximum_level": 9, "attributes": {}}
    assert reply["rows"] == [
        {"row": 3, "outcome": "imported", **new, "old_level": None, "given_level": 7},
        {"row": 4, "outcome": "updated", **old, **levels, "old_level": 5, "given_level": 9},
    ]


async def test_a_preview_shows_the_first_rows_in_order(shop: Client, upload: Any, workbook: Any) -> None:
    """A skipped product is shown unchanged; rows with errors are listed among the errors."""
    rows = [("SKU", "Name"), (None, "x"), ("A-1", "other"), *((f"P{number}", "x") for number in range(600))]
    shown = (await imported(shop, upload(workbook(rows)), dry_run="1"))["preview"]["rows"]
    assert [row["row"] for row in shown] == list(range(3, 503))
    assert [row["outcome"] for row in shown] == ["skipped", *["imported"] * 499]
    assert shown[0]["description"] == "Blue pen"


async def test_columns_can_be_mapped(client: Client, upload: Any, workbook: Any) -> None:
    """With `map`, only the columns that it names are read."""
    form = upload(workbook([("Nr", "Text", "Name"), ("A-1", "this", "not this")]))
    form.add_field("map", json.dumps({"Nr": "product_code", "Text": "description"}))
    assert (await imported(client, form))["imported"] == 1
    assert await products_listed(client) == {"A-1": "this"}


@sweep(
    ("mapping", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"Nr": 1}', "not a JSON object of headers and fields"),
        ('{"Nr": %s}' % ("1" * 5000), "not a JSON object of headers and fields"),
        ('{"Nr": "product_code", "Nr": "description"}', "the header 'Nr' is given more than once"),
        ("[" * 60_000, "nested too deeply"),
        (json.dumps({"\ud800": "product_code"}), "half of a surrogate pair"),
        ("{}", "no header is mapped to"),
        ('{"Nr": "code"}', "product_code, description"),
    ],
)
async def test_a_wrong_map_is_refused(client: Client, upload: Any, problems: Any, mapping: str, message: str) -> None:
    """The response says what is wrong with it, as JSON or as a map, and nothing is imported."""
    form = upload()
    form.add_field("map", mapping)
    reply = await client.post(IMPORT, data=form)
    assert message in " ".join(problem["message"] for problem in (await reply.json())["details"]["errors"])
    assert list(await problems(reply)) == ["map"]
    assert await products_listed(client) == {}


async def test_a_sheet_that_is_not_there_is_refused(client: Client, upload: Any, problems: Any) -> None:
    """The response lists the sheets that exist."""
    form = upload()
    form.add_field("sheet", "Prices")
    reply = await problems(await client.post(IMPORT, data=form))
    assert list(reply) == ["sheet"]
    assert "Sheet" in reply["sheet"]


@pytest.mark.each_engine
async def test_a_list_that_is_booked_moves_each_level_once(shop: Client, upload: Any, workbook: Any) -> None:
    """Its reason and author are those of the form, else the reason is what the list is."""
    form = upload(workbook([("SKU", "Name", "Qty"), ("A-1", "other", 4)]))
    form.add_field("change_reason", "delivery 7")
    form.add_field("updated_by", "Ann")
    assert (await imported(shop, form, mode="receive"))["updated"] == 1
    await imported(shop, upload(workbook([("SKU", "Name", "Qty"), ("A-1", "other", 8)])), mode="count")
    changes = (await (await shop.get("/api/inventory/changes")).json())["data"]
    found = [(each["old_level"], each["new_level"], each["change_reason"], each["updated_by"]) for each in changes]
    assert found[:2] == [(9, 8, "count", "system"), (5, 9, "delivery 7", "Ann")]
    assert await products_listed(shop) == {"A-1": "Blue pen"}


async def test_first_levels_say_why_and_by_whom(client: Client, upload: Any, workbook: Any) -> None:
    """As the form does; otherwise that they are initial levels, by the system."""
    for code, entry in (("A-1", {"change_reason": " stock.xlsx ", "updated_by": "Ann"}), ("B-1", {})):
        form = upload(workbook([("SKU", "Name", "Qty"), (code, "new", 4)]))
        for name, text in entry.items():
            form.add_field(name, text)
        await imported(client, form)
    changes = (await (await client.get("/api/inventory/changes")).json())["data"]
    found = [(each["product_code"], each["change_reason"], each["updated_by"]) for each in changes]
    assert found == [("B-1", "initial level", "system"), ("A-1", "stock.xlsx", "Ann")]


@pytest.mark.parametrize(("name", "wrong"), [("change_reason", "x" * 201), ("updated_by", "a\x07b")])
async def test_a_wrong_entry_of_an_import_is_named(
    client: Client, upload: Any, problems: Any, name: str, wrong: str
) -> None:
    """Nothing is imported."""
    form = upload()
    form.add_field(name, wrong)
    assert list(await problems(await client.post(IMPORT, data=form))) == [name]
    assert await products_listed(client) == {}


@pytest.mark.each_engine
@pytest.mark.parametrize("mode", ["skip", "receive"])
async def test_a_dry_run_takes_no_ids(client: Client, upload: Any, workbook: Any, mode: str) -> None:
    """The next product and its first change have those that they would have without it."""
    first = {"product_code": "A-1", "description": "Pen", "initial_level": 5}
    assert (await (await client.post("/api/products", json=first)).json())["data"]["id"] == 1
    rows = [("SKU", "Name", "Qty"), ("A-1", "Pen", 2), ("B-1", "Nut", 3), ("B-2", "Bolt", 4)]
    await imported(client, upload(workbook(rows)), dry_run="true", mode=mode)
    await imported(client, upload(workbook([*rows[:2], rows[3]])), mode=mode)
    products = (await (await client.get("/api/products")).json())["data"]
    assert [(product["id"], product["product_code"]) for product in products] == [(1, "A-1"), (2, "B-2")]
    changes = (await (await client.get("/api/inventory/changes")).json())["data"]
    assert sorted(change["id"] for change in changes) == list(range(1, len(changes) + 1))
