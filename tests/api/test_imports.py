"""Imports over HTTP: their form, options and responses. What rows become is tested in tests/catalogue."""

import json
from io import BytesIO
from typing import Any

import openpyxl
import pytest
from aiohttp import FormData

from tests.api.imported import IMPORT, imported, products_listed
from tests.api.replies import problems, refused
from tests.fixture_types import Client
from tests.forms import form_data
from tests.sweeps import sweep
from tests.workbooks import xlsx

pytestmark = pytest.mark.usefixtures("folder")

MAPPED = json.dumps({"Nr": "product_code", "Text": "description"})


def form(*rows: tuple[Any, ...], **texts: str) -> FormData:
    """Return the form of an import of these rows."""
    return form_data(xlsx(rows), **texts)


async def test_existing_products_are_skipped_by_default(shop: Client) -> None:
    """Rows are imported, skipped or errors, which add up; existing products stay unchanged."""
    reply = await imported(shop, form(("SKU", "Name"), ("A-1", "other"), ("B-1", "new"), ("B-1", "again")))
    assert (reply["imported"], reply["skipped"], [error["row"] for error in reply["errors"]]) == (1, 1, [4])
    assert [warning["problems"][0]["rule"] for warning in reply["warnings"]] == ["other name"]
    assert await products_listed(shop) == {"A-1": "Blue pen", "B-1": "new"}
    again = await imported(shop, form(("SKU", "Name"), ("B-1", "new")))
    counts = {"imported", "skipped", "levels_ignored", "errors", "errors_count", "errors_truncated"}
    assert set(again) == counts | {"import_id", "new_products"}


async def test_existing_products_are_updated_on_demand(shop: Client) -> None:
    """With mode=update they are changed and counted separately."""
    reply = await imported(shop, form(("SKU", "Name"), ("A-1", "other"), ("B-1", "new")), mode="update")
    counts = {"imported": 1, "updated": 1, "skipped": 0, "levels_ignored": 0}
    named = {"import_id": 1, "new_products": [2]}
    assert reply == {**counts, "errors": [], "errors_count": 0, "errors_truncated": False, **named}
    assert await products_listed(shop) == {"A-1": "other", "B-1": "new"}


@pytest.mark.parametrize("mode", ["skip", "update", "count", "receive"])
async def test_a_dry_run_tells_all_and_writes_nothing(shop: Client, mode: str) -> None:
    """Its counts are those of the real run that follows, which alone has an id and new products."""
    rows = [("SKU", "Name", "Qty"), ("A-1", "other", 4), ("B-1", "new", 3), ("B-1", "again", 2)]
    tried = await imported(shop, form(*rows), dry_run="true", mode=mode)
    assert await products_listed(shop) == {"A-1": "Blue pen"}
    assert tried.pop("preview")
    named = {"import_id": 1, "new_products": [2]}
    assert await imported(shop, form(*rows), dry_run="false", mode=mode) == {**tried, **named}


@sweep(
    "wrong",
    [{"dry_run": "yes"}, {"mode": "SKIP"}, {"mode": ""}, {"dryrun": "true"}, {"format": "xlsx"}, {"refused": "xlsx"}],
)
async def test_a_wrong_option_of_an_import_is_named(shop: Client, wrong: dict[str, str]) -> None:
    """A misspelt option writes nothing; only a dry run returns a workbook of refused rows."""
    response = await shop.post(IMPORT, data=form(("SKU", "Name"), ("B-1", "new")), params=wrong)
    assert list(await problems(response)) == list(wrong)
    assert await products_listed(shop) == {"A-1": "Blue pen"}


async def test_refused_rows_come_as_a_workbook(shop: Client) -> None:
    """A dry run returns them on demand."""
    rows = [("SKU", "Name"), ("A-1", "other"), ("B-1", ""), ("C-1", "new")]
    response = await shop.post(IMPORT, data=form(*rows), params={"dry_run": "true", "refused": "xlsx"})
    read = openpyxl.load_workbook(BytesIO(await response.read())).worksheets[0].iter_rows(values_only=True)
    assert list(read)[1:] == [("B-1", None, "description: required")]
    assert await products_listed(shop) == {"A-1": "Blue pen"}


async def test_a_row_error_names_row_column_value_and_rule(client: Client) -> None:
    """In addition to the readable line, every wrong cell is listed for programs."""
    reply = await imported(client, form(("SKU", "Name", "Qty"), ("A", "x", 3), ("A", "y", 2), (None, "z", "many")))
    errors = reply["errors"]
    shown = [(error["row"], error["product_code"], error["description"]) for error in errors]
    assert shown == [(3, "A", "y"), (4, "", "z")]
    names = ("column", "value", "rule", "first_row")
    found = [[tuple(cell[name] for name in names) for cell in error["problems"]] for error in errors]
    assert found == [
        [("product_code", "A", "repeat", 2)],
        [("product_code", "", "required", None), ("current_level", "many", "whole number", None)],
    ]
    for error in errors:
        assert error["error"] == "; ".join(f"{cell['column']}: {cell['message']}" for cell in error["problems"])


async def test_the_first_thousand_row_errors_are_reported(client: Client) -> None:
    """Beyond a thousand they are only counted."""
    reply = await imported(client, form(("SKU", "Name"), *((None, "x") for _ in range(1001)), ("A-1", "x")))
    assert [error["row"] for error in reply["errors"]] == list(range(2, 1002))
    assert (reply["imported"], reply["errors_count"], reply["errors_truncated"]) == (1, 1001, True)


async def test_a_dry_run_previews_the_catalogue_after_it(shop: Client) -> None:
    """It shows recognised and ignored columns, and the first rows as the catalogue would contain them."""
    rows = [
        ("a list",),
        ("Colour", "SKU", "Name", "Qty", "Min", "attr:price"),
        ("red", "B-1", " new ", 7, 1, "2.50"),
        ("", "A-1", "other", 9),
    ]
    preview = (await imported(shop, form(*rows), dry_run="true", mode="update"))["preview"]
    assert (preview["sheet"], preview["header_row"], preview["ignored"]) == ("Sheet", 2, ["Colour"])
    columns = {"SKU": "product_code", "Name": "description", "Qty": "current_level", "Min": "minimum_level"}
    assert preview["columns"] == {**columns, "attr:price": "attributes.price"}
    plain = {
        "category": "",
        "unit_of_measure": "pcs",
        "maximum_level": 0,
        "other_codes": [],
        "attributes": {"price": "2.50"},
    }
    new = {"product_code": "B-1", "description": "new", "current_level": 7, "minimum_level": 1, **plain}
    old = {"product_code": "A-1", "description": "other", "category": "Pens", "unit_of_measure": "box"}
    levels = {"current_level": 5, "minimum_level": 2, "maximum_level": 9, "other_codes": [], "attributes": {}}
    assert preview["rows"] == [
        {"row": 3, "outcome": "imported", **new, "old_level": None, "given_level": 7},
        {"row": 4, "outcome": "updated", **old, **levels, "old_level": 5, "given_level": 9},
    ]


@pytest.mark.parametrize("encoding", [None, "Windows-1251"])
async def test_a_csv_with_a_map_is_imported(shop: Client, encoding: str | None) -> None:
    """A dry run says the encoding; a guess is a warning, also when the file is imported."""
    file = "Nr;Text;Name\r\n0042;Болт оцинкованный;Nut\r\n;Гайка шестигранная\r\n".encode("cp1251")
    texts = {"map": MAPPED} if encoding is None else {"map": MAPPED, "encoding": encoding}
    results = [await imported(shop, form_data(file, **texts), format="csv", dry_run=dry) for dry in ("true", "false")]
    assert results[0]["preview"]["encoding"] == "windows-1251"
    assert await products_listed(shop) == {"A-1": "Blue pen", "0042": "Болт оцинкованный"}
    for result in results:
        assert [(error["row"], error["problems"][0]["rule"]) for error in result["errors"]] == [(3, "required")]
        rules = [(warning["row"], warning["problems"][0]["rule"]) for warning in result.get("warnings", [])]
        assert rules == ([] if encoding else [(1, "encoding")])
        assert result.get("warnings_count", 0) == len(rules)


@sweep(
    ("name", "text", "message"),
    [
        ("map", "{", "not JSON"),
        ("map", "[]", "not a JSON object"),
        ("map", '{"Nr": 1}', "not a JSON object of headers and fields"),
        ("map", '{"Nr": %s}' % ("1" * 5000), "not a JSON object of headers and fields"),
        ("map", '{"Nr": "product_code", "Nr": "description"}', "the header 'Nr' is given more than once"),
        ("map", "[" * 60_000, "nested too deeply"),
        ("map", json.dumps({"\ud800": "product_code"}), "half of a surrogate pair"),
        ("map", '{"Nr": "code"}', "product_code, description"),
        ("sheet", "Prices", "there are 'Sheet'"),
        ("encoding", "klingon", "'klingon' is not a known encoding"),
        ("encoding", "utf-8", "only a text file has one"),
        ("change_reason", "x" * 201, "200"),
        ("updated_by", "a\x07b", "U+0007"),
    ],
)
async def test_a_wrong_text_of_an_import_is_named(client: Client, name: str, text: str, message: str) -> None:
    """The response says what is wrong with it, and nothing is imported."""
    response = await client.post(IMPORT, data=form(("SKU", "Name"), ("A-1", "x"), **{name: text}))
    found = [problem["message"] for problem in (await response.json())["details"]["errors"]]
    assert message in " ".join(found)
    assert list(await problems(response)) == [name]
    assert await products_listed(client) == {}


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
@pytest.mark.parametrize(
    ("file", "code"), [(b"no workbook", "INVALID_FILE_FORMAT"), (xlsx([("x", "y"), (1, 2)]), "VALIDATION_ERROR")]
)
async def test_a_file_that_is_refused_is_an_envelope(client: Client, *, file: bytes, code: str, accept: str) -> None:
    """A file that cannot be read, or has no header row, is a 400, even if the client asked for events."""
    await refused(await client.post(IMPORT, data=form_data(file), headers={"Accept": accept}), 400, code)


@pytest.mark.each_engine
async def test_levels_say_why_and_by_whom(client: Client) -> None:
    """As the form does; otherwise what the list is, by the system."""
    header, entry = ("SKU", "Name", "Qty"), {"change_reason": " delivery 7 ", "updated_by": "Ann"}
    await imported(client, form(header, ("A-1", "new", 5)))
    await imported(client, form(header, ("A-1", "new", 4), ("B-1", "new", 1), **entry), mode="receive")
    await imported(client, form(header, ("A-1", "new", 8)), mode="count")
    changes = (await (await client.get("/api/inventory/changes")).json())["data"]
    names = ("product_code", "old_level", "new_level", "change_reason", "updated_by")
    assert [tuple(change[name] for name in names) for change in changes] == [
        ("A-1", 9, 8, "count", "system"),
        ("B-1", 0, 1, "delivery 7", "Ann"),
        ("A-1", 5, 9, "delivery 7", "Ann"),
        ("A-1", 0, 5, "initial level", "system"),
    ]
