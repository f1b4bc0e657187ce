from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import FormData
from aiohttp.test_utils import TestClient
from aiohttp.web import Application, Request

Client = TestClient[Request, Application]

IMPORT = "/api/products/import"


async def _imported(client: Client, form: FormData, **query: str) -> dict[str, Any]:
    answer = await client.post(IMPORT, data=form, params=query)
    told = await answer.json()
    assert answer.status == 200, told
    return dict(told["data"])


async def _products(client: Client) -> dict[str, str]:
    told = await (await client.get("/api/products")).json()
    return {product["product_code"]: product["description"] for product in told["data"]}


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
