"""Imports of CSV files: `format=csv` gives the same preview, mapping, modes, events and errors as a workbook."""

import asyncio
import json
import time
from io import BytesIO
from typing import Any

import pytest

from tests.api.imported import IMPORT, imported, products_listed
from tests.fixture_types import Client
from tests.worker_processes import worker_processes

pytestmark = pytest.mark.usefixtures("folder")

CSV = "Nr;Bezeichnung;Menge\r\n007;Ölkanne, grün;5\r\nA-1;Rote Kanne;9\r\n;x;1\r\n008;Kanne;0,5\r\n".encode("cp1252")
MAP = json.dumps({"Nr": "product_code", "Bezeichnung": "description", "Menge": "current_level"})


@pytest.fixture
def mapped(upload: Any) -> Any:
    """Return a function that builds the form of a German CSV file with its mapping."""

    def make() -> Any:
        form = upload(CSV)
        form.add_field("map", MAP)
        return form

    return make


async def test_csv_is_previewed_and_then_imported(shop: Client, mapped: Any) -> None:
    """Umlauts, commas and leading zeros are kept, and rows have their numbers."""
    tried = await imported(shop, mapped(), format="csv", dry_run="true")
    preview = tried.pop("preview")
    assert (preview["sheet"], preview["header_row"]) == ("CSV", 1)
    assert [(row["row"], row["product_code"], row["outcome"]) for row in preview["rows"]] == [
        (2, "007", "imported"),
        (3, "A-1", "skipped"),
    ]
    assert await products_listed(shop) == {"A-1": "Blue pen"}
    named = {"import_id": 1, "new_products": [2]}
    assert await imported(shop, mapped(), format="csv") == {**tried, **named}
    assert [(error["row"], error["problems"][0]["rule"]) for error in tried["errors"]] == [
        (4, "required"),
        (5, "whole number"),
    ]
    assert await products_listed(shop) == {"007": "Ölkanne, grün", "A-1": "Blue pen"}


async def test_csv_updates_products_on_demand(shop: Client, mapped: Any) -> None:
    """As any import with mode=update."""
    reply = await imported(shop, mapped(), format="csv", mode="update")
    assert (reply["imported"], reply["updated"], reply["skipped"]) == (1, 1, 0)
    assert (await products_listed(shop))["A-1"] == "Rote Kanne"


async def test_csv_is_imported_with_events(client: Client, upload: Any) -> None:
    """The last event has the result."""
    form = upload(b"SKU,Name\nA-1,Pen\n")
    response = await client.post(IMPORT, data=form, params={"format": "csv"}, headers={"Accept": "text/event-stream"})
    *_, last = (await response.text()).strip().split("\n\n")
    assert last.startswith("event: result\n")
    assert '"imported":1' in last


@pytest.mark.parametrize(
    ("content", "why"), [(b'SKU,Name\n1,"x\n', "quote that opens in row 2"), (b"SKU,Name\n1,\0\n", "row 2 has a NUL")]
)
async def test_unreadable_csv_writes_nothing(
    client: Client, upload: Any, refused: Any, content: bytes, why: str
) -> None:
    """The refusal names the row."""
    response = await client.post(IMPORT, data=upload(content), params={"format": "csv"})
    assert why in (await refused(response, 400, "INVALID_FILE_FORMAT"))["message"]


async def test_a_text_file_needs_the_parameter(client: Client, upload: Any, refused: Any) -> None:
    """The refusal names it; with it, only CSV is read."""
    reply = await refused(await client.post(IMPORT, data=upload(CSV)), 400, "INVALID_FILE_FORMAT")
    assert "format=csv" in reply["message"]
    reply = await refused(
        await client.post(IMPORT, data=upload(), params={"format": "csv"}), 400, "INVALID_FILE_FORMAT"
    )
    assert "without format=csv" in reply["message"]


async def test_no_other_format_is_named(client: Client, upload: Any, problems: Any) -> None:
    """A workbook's format is in its content."""
    assert list(await problems(await client.post(IMPORT, data=upload(), params={"format": "xlsx"}))) == ["format"]


async def test_a_csv_is_read_in_a_process(client: Client, upload: Any, until: Any) -> None:
    """In a thread, a small file of thousands of short rows kept `/health` from being answered."""
    content = b"SKU,Name\n" + b"1\n" * 8192
    posting = asyncio.create_task(client.post(IMPORT, data=upload(content), params={"format": "csv"}))
    await until(worker_processes)
    reply = await (await posting).json()
    assert reply["data"]["errors_count"] == 8192


@pytest.mark.parametrize(
    "content",
    [b"x" * 9_000_000, b"SKU,Name" + b"," * 9_000_000, b'SKU,Name\n1,"' + b"x,\n" * 3_000_000],
    ids=["one-line", "delimiters", "open-quote"],
)
async def test_a_hostile_file_stalls_no_other_client(client: Client, upload: Any, refused: Any, content: bytes) -> None:
    """It is refused soon, and `/health` is answered meanwhile."""
    posting = asyncio.create_task(client.post(IMPORT, data=upload(BytesIO(content)), params={"format": "csv"}))
    longest = 0.0
    while not posting.done():
        began = time.perf_counter()
        assert (await client.get("/health")).status == 200
        longest = max(longest, time.perf_counter() - began)
        await asyncio.sleep(0.01)
    await refused(await posting, 400, "INVALID_FILE_FORMAT")
    assert longest < 1.0


RUSSIAN = "Артикул;Наименование\n1001;Болт оцинкованный\n1002;Гайка шестигранная\n"
RUSSIAN_MAP = json.dumps({"Артикул": "product_code", "Наименование": "description"})


@pytest.mark.parametrize(("codec", "given"), [("cp1251", None), ("cp1251", "Windows-1251"), ("gbk", "gbk")])
async def test_a_dry_run_says_the_encoding(shop: Client, upload: Any, codec: str, given: str | None) -> None:
    """The one that was given is obeyed; a guess is a warning, also when the file is imported."""
    results = []
    for query in ({"dry_run": "true"}, {}):
        form = upload(RUSSIAN.encode(codec))
        form.add_field("map", RUSSIAN_MAP)
        if given:
            form.add_field("encoding", given)
        results.append(await imported(shop, form, format="csv", **query))
    preview = results[0]["preview"]
    assert preview["encoding"] == (given or "windows-1251").lower()
    assert preview["rows"][0]["description"] == "Болт оцинкованный"
    for result in results:
        rules = [(warning["row"], warning["problems"][0]["rule"]) for warning in result.get("warnings", [])]
        assert rules == ([] if given else [(1, "encoding")])
        assert result.get("warnings_count", 0) == len(rules)


@pytest.mark.parametrize(
    ("encoding", "query", "message"),
    [
        ("klingon", {"format": "csv"}, "encoding: 'klingon' is no known encoding"),
        ("utf-8", {}, "encoding: only a text file has one"),
        ("ascii", {"format": "csv"}, "its encoding is not ascii"),
    ],
)
async def test_an_encoding_that_does_not_fit_is_refused(
    shop: Client, upload: Any, encoding: str, query: dict[str, str], message: str
) -> None:
    """An unknown one, one for a workbook, and one that the file is not in."""
    form = upload(CSV) if query else upload()
    form.add_field("encoding", encoding)
    response = await shop.post(IMPORT, data=form, params=query)
    assert response.status == 400
    assert message in (await response.json())["message"]
