from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import pytest
import xlwt
from aiohttp import ClientResponse, FormData
from aiohttp.test_utils import TestClient
from aiohttp.web import Application, Request

from barcodesvc.api.keys import DATABASE, IMPORTS, UPLOAD_CAPACITY
from barcodesvc.app import make_app
from barcodesvc.catalogue import importing
from barcodesvc.clock import Clock
from barcodesvc.runtime.processes import Limits, WorkerProcesses
from barcodesvc.store.sqlite import database
from tests.api.imported import IMPORT, imported, products_told

Client = TestClient[Request, Application]

EVENTS = {"Accept": "text/event-stream"}
MANY = [("SKU", "Name", "Qty"), *((f"P{number}", "x", 1) for number in range(1200))]


pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every file for a large one, which is read in a process: real ones would make the tests slow."""
    monkeypatch.setattr(importing, "SMALL_FILE", 0)


@pytest.fixture
def many(upload: Callable[[bytes], FormData], workbook: Callable[..., bytes]) -> Callable[[], FormData]:
    """Return a function that makes the form of an import of 1,200 products, which are three batches."""
    return lambda: upload(workbook(MANY))


@pytest.fixture
async def ticking_client(aiohttp_client: Any, settings: Any) -> Client:
    """Return a client of a service whose clock is a second further whenever it is read."""
    seconds = count(1_700_000_000)
    clock = Clock(wall=lambda: float(next(seconds)), steady=lambda: float(next(seconds)))
    client: Client = await aiohttp_client(make_app(settings, clock))
    return client


async def test_existing_products_are_skipped_by_default(shop: Client, upload: Any, workbook: Any) -> None:
    """Rows fall into imported, skipped and errors, which add up; what exists stays as it is."""
    rows = [("SKU", "Name"), ("A-1", "other"), ("B-1", "new"), ("B-1", "again"), (" ", "no code")]
    told = await imported(shop, upload(workbook(rows)))
    assert (told["imported"], told["skipped"], [error["row"] for error in told["errors"]]) == (1, 1, [4, 5])
    assert set(told) == {"imported", "skipped", "errors", "errors_count", "errors_truncated"}
    assert await products_told(shop) == {"A-1": "Blue pen", "B-1": "new"}


async def test_existing_products_are_updated_on_demand(shop: Client, upload: Any, workbook: Any) -> None:
    """With mode=update they are changed and counted beside."""
    rows = [("SKU", "Name"), ("A-1", "other"), ("B-1", "new")]
    told = await imported(shop, upload(workbook(rows)), mode="update")
    counts = {"imported": 1, "updated": 1, "skipped": 0}
    assert told == {**counts, "errors": [], "errors_count": 0, "errors_truncated": False}
    assert await products_told(shop) == {"A-1": "other", "B-1": "new"}


@pytest.mark.parametrize("mode", ["skip", "update"])
@pytest.mark.parametrize("dry_run", ["true", "1"])
async def test_a_dry_run_tells_all_and_writes_nothing(
    shop: Client, upload: Any, workbook: Any, mode: str, dry_run: str
) -> None:
    """The counts are those of the real run after it."""
    form = workbook([("SKU", "Name"), ("A-1", "other"), ("B-1", "new"), ("B-1", "again")])
    tried = await imported(shop, upload(form), dry_run=dry_run, mode=mode)
    assert await products_told(shop) == {"A-1": "Blue pen"}
    assert tried.pop("preview")
    assert await imported(shop, upload(form), dry_run="false", mode=mode) == tried


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("dry_run", "yes"), ("dry_run", ""), ("mode", "replace"), ("mode", "SKIP"), ("mode", ""), ("dryrun", "true")],
)
async def test_a_wrong_option_of_an_import_is_named(
    shop: Client, problems: Any, upload: Callable[..., FormData], name: str, wrong: str
) -> None:
    """A mistyped option writes nothing."""
    assert list(await problems(await shop.post(IMPORT, data=upload(), params={name: wrong}))) == [name]
    assert await products_told(shop) == {"A-1": "Blue pen"}


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
    first = await imported(client, upload(content))
    second = await imported(client, upload(content))
    assert first["imported"] > 100
    assert second["imported"] == 0
    assert second["skipped"] == first["imported"]


async def _events(answer: ClientResponse) -> AsyncIterator[tuple[str, Any]]:
    """Yield the name and data of each event, as they come."""
    assert (answer.status, answer.content_type) == (200, "text/event-stream")
    while kind := (await answer.content.readline()).decode():
        data = (await answer.content.readline()).decode()
        assert (kind[:7], data[:6], await answer.content.readline()) == ("event: ", "data: ", b"\n")
        yield kind[7:-1], json.loads(data[6:])


def _readers() -> list[psutil.Process]:
    """Return the processes that the service under test has started."""
    return [child for child in psutil.Process().children() if "runtime.processes" in " ".join(child.cmdline())]


async def test_a_row_error_names_row_column_value_and_rule(client: Client, upload: Any, workbook: Any) -> None:
    """Beside the readable line every wrong cell is told for programs."""
    rows = [("SKU", "Name", "Min", "Max"), ("A", "x", 3, 2), ("A", "x", 1, 2), (None, "x", "many", 1)]
    told = await imported(client, upload(workbook(rows)))
    assert [error["row"] for error in told["errors"]] == [2, 3, 4]
    broken = [[(cell["column"], cell["value"], cell["rule"]) for cell in error["problems"]] for error in told["errors"]]
    assert broken[0] == [("maximum_level", "2", "order")]
    assert broken[1] == [("product_code", "A", "repeat")]
    assert sorted(broken[2]) == [("minimum_level", "many", "whole number"), ("product_code", "", "required")]
    for error in told["errors"]:
        assert error["error"] == "; ".join(f"{cell['column']}: {cell['message']}" for cell in error["problems"])


@pytest.mark.parametrize(("number", "truncated"), [(1000, False), (1001, True), (2600, True)])
async def test_the_first_thousand_row_errors_are_told(
    client: Client,
    upload: Any,
    workbook: Any,
    number: int,
    truncated: bool,  # noqa: FBT001 - what is expected
) -> None:
    """Beyond a thousand they are counted."""
    rows = [("SKU", "Name"), *((None, "x") for _ in range(number)), ("A-1", "x")]
    told = await imported(client, upload(workbook(rows)))
    assert [error["row"] for error in told["errors"]] == list(range(2, min(number, 1000) + 2))
    assert (told["imported"], told["errors_count"], told["errors_truncated"]) == (1, number, truncated)


async def test_a_dry_run_previews_the_catalogue_after_it(shop: Client, upload: Any, workbook: Any) -> None:
    """Recognised and ignored columns, and the first rows as the catalogue would hold them."""
    rows = [
        ("a list",),
        ("Colour", "SKU", "Name", "Qty", "Min"),
        ("red", "B-1", " new ", 7, 1),
        ("", "A-1", "other", 9),
    ]
    told = (await imported(shop, upload(workbook(rows)), dry_run="true", mode="update"))["preview"]
    assert (told["sheet"], told["header_row"], told["ignored"]) == ("Sheet", 2, ["Colour"])
    columns = {"SKU": "product_code", "Name": "description", "Qty": "current_level", "Min": "minimum_level"}
    assert told["columns"] == columns
    plain = {"category": "", "unit_of_measure": "pcs", "maximum_level": 0}
    new = {"product_code": "B-1", "description": "new", "current_level": 7, "minimum_level": 1, **plain}
    old = {"product_code": "A-1", "description": "other", "category": "Pens", "unit_of_measure": "box"}
    levels = {"current_level": 5, "minimum_level": 2, "maximum_level": 9}
    assert told["rows"] == [
        {"row": 3, "outcome": "imported", **new},
        {"row": 4, "outcome": "updated", **old, **levels},
    ]


async def test_a_preview_shows_ten_rows_in_order(shop: Client, upload: Any, workbook: Any) -> None:
    """A product that is skipped is shown as it stays; rows with errors stand among the errors."""
    rows = [("SKU", "Name"), (None, "x"), ("A-1", "other"), *((f"P{number}", "x") for number in range(600))]
    shown = (await imported(shop, upload(workbook(rows)), dry_run="1"))["preview"]["rows"]
    assert [row["row"] for row in shown] == list(range(3, 13))
    assert [row["outcome"] for row in shown] == ["skipped", *["imported"] * 9]
    assert shown[0]["description"] == "Blue pen"


async def test_columns_can_be_mapped(client: Client, upload: Any, workbook: Any) -> None:
    """With `map` nothing but what it names is read."""
    form = upload(workbook([("Nr", "Text", "Name"), ("A-1", "this", "not this")]))
    form.add_field("map", json.dumps({"Nr": "product_code", "Text": "description"}))
    assert (await imported(client, form))["imported"] == 1
    assert await products_told(client) == {"A-1": "this"}


@pytest.mark.parametrize(
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
    ids=lambda value: value[:20],
)
async def test_a_wrong_map_is_refused(client: Client, upload: Any, problems: Any, mapping: str, message: str) -> None:
    """What is wrong with it is said, whether as JSON or as a map, and nothing is imported."""
    form = upload()
    form.add_field("map", mapping)
    told = await client.post(IMPORT, data=form)
    assert message in " ".join(problem["message"] for problem in (await told.json())["details"]["errors"])
    assert list(await problems(told)) == ["map"]
    assert await products_told(client) == {}


async def test_a_sheet_that_is_not_there_is_refused(client: Client, upload: Any, problems: Any) -> None:
    """The sheets that there are are listed."""
    form = upload()
    form.add_field("sheet", "Prices")
    told = await problems(await client.post(IMPORT, data=form))
    assert list(told) == ["sheet"]
    assert "Sheet" in told["sheet"]


@pytest.mark.usefixtures("in_a_process")
async def test_a_file_read_in_a_process_is_imported_alike(shop: Client, upload: Any, workbook: Any) -> None:
    """Counts, errors and preview cross the border, and no process is left behind."""
    content = workbook([("SKU", "Name"), ("A-1", "other"), ("B-1", "new"), (None, "x")])
    tried = await imported(shop, upload(content), dry_run="true")
    assert tried.pop("preview")["columns"] == {"SKU": "product_code", "Name": "description"}
    assert await imported(shop, upload(content)) == tried
    assert (tried["imported"], tried["skipped"], tried["errors_count"]) == (1, 1, 1)
    assert _readers() == []


@pytest.mark.usefixtures("in_a_process")
async def test_a_refusal_in_a_process_is_the_same(client: Client, upload: Any, refused: Any) -> None:
    """A file that is no workbook is a 400, and a selection that does not fit names its field."""
    await refused(await client.post(IMPORT, data=upload(b"no workbook")), 400, "INVALID_FILE_FORMAT")
    form = upload()
    form.add_field("sheet", "Prices")
    told = await refused(await client.post(IMPORT, data=form), 400, "VALIDATION_ERROR")
    assert told["details"]["errors"][0]["field"] == "sheet"


@pytest.mark.usefixtures("in_a_process")
async def test_a_killed_process_fails_one_import(
    client: Client, many: Callable[[], FormData], refused: Any, until: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """That import is a 500 with a line in the log; nothing of it is stored, and the next one goes through."""
    posting = asyncio.create_task(client.post(IMPORT, data=many()))
    await until(_readers)
    _readers()[0].send_signal(signal.SIGKILL)
    await refused(await posting, 500, "GENERATION_ERROR")
    assert "in the middle of draw" in caplog.text
    assert await products_told(client) == {}
    assert (await imported(client, many()))["imported"] == 1200


@pytest.mark.usefixtures("in_a_process")
async def test_a_shutdown_ends_the_reading(client: Client, many: Any, refused: Any, until: Any) -> None:
    """Its client is told to come back; the process is gone at once."""
    posting = asyncio.create_task(client.post(IMPORT, data=many()))
    await until(_readers)
    await client.app.shutdown()
    answer = await posting
    await refused(answer, 503, "GENERATION_ERROR")
    assert answer.headers["Retry-After"] == "5"
    assert _readers() == []
    await refused(await client.post(IMPORT, data=many()), 503, "GENERATION_ERROR")


async def test_a_file_that_unpacks_to_much_is_read_in_a_process(
    client: Client, many: Callable[[], FormData], until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unpacked size makes the work, however small the file (its bound is lowered here, to be quick)."""
    monkeypatch.setattr(importing, "SMALL_UNPACKED", 4096)
    posting = asyncio.create_task(client.post(IMPORT, data=many()))
    await until(_readers)
    assert (await posting).status == 200


@pytest.mark.parametrize("handler_cancellation", [False, True])
@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
@pytest.mark.usefixtures("in_a_process")
async def test_a_dry_run_ends_without_its_client(client: Client, many: Any, until: Any, accept: str) -> None:
    """Nobody else has anything of it: its process ends, and its file and place are given back."""
    headers = {"Accept": accept}
    posting = asyncio.create_task(client.post(IMPORT, data=many(), params={"dry_run": "true"}, headers=headers))
    await until(_readers)
    [running] = client.app[IMPORTS]
    posting.cancel()
    await asyncio.wait([running])
    assert str(running.exception()) == "nobody waits for this any more"
    assert client.app[UPLOAD_CAPACITY].free == 3
    assert _readers() == []


async def test_a_dry_run_without_a_place_is_told_to_wait(
    client: Client, upload: Any, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While exports read the database in all places, it is refused like an upload too many."""
    monkeypatch.setattr(database, "SNAPSHOT_WAIT", 0.01)
    async with AsyncExitStack() as exports:
        for _ in range(database.SNAPSHOTS):
            await exports.enter_async_context(client.app[DATABASE].snapshot())
        answer = await client.post(IMPORT, data=upload(), params={"dry_run": "true"})
        told = await refused(answer, 429, "RATE_LIMIT_EXCEEDED")
    assert told["message"] == "too many exports and dry runs read the catalogue; try again in a moment"
    assert answer.headers["Retry-After"] == "10"


@pytest.mark.parametrize("query", [{}, {"mode": "update"}, {"dry_run": "true"}])
async def test_progress_is_told_event_by_event(
    ticking_client: Client, upload: Any, workbook: Any, query: dict[str, str]
) -> None:
    """The counts grow, and the last event is what the plain answer's data would be."""
    form = upload(workbook([*MANY, (None, "x")]))
    async with ticking_client.post(IMPORT, data=form, headers=EVENTS, params=query) as answer:
        assert answer.headers["Cache-Control"] == "no-store"
        told = [event async for event in _events(answer)]
    assert [name for name, _ in told] == ["progress"] * (len(told) - 1) + ["result"]
    for field in ("rows_read", "imported", "skipped", "errors"):
        counts = [data[field] for _, data in told[:-1]]
        assert counts == sorted(counts)
    assert ("updated" in told[0][1]) == ("mode" in query)
    result = told[-1][1]
    assert (result["imported"], result["errors_count"], "preview" in result) == (1200, 1, "dry_run" in query)


async def test_events_keep_their_distance(client: Client, upload: Any, workbook: Any) -> None:
    """While the clock stands still, there is one event of progress at the most."""
    async with client.post(IMPORT, data=upload(workbook(MANY)), headers=EVENTS) as answer:
        names = [name async for name, _ in _events(answer)]
    assert names in (["progress", "result"], ["result"])


async def test_a_refusal_before_the_first_event_is_plain(
    client: Client, upload: Any, workbook: Any, refused: Any
) -> None:
    """A file that cannot be read is an envelope with its status, for those who want events too."""
    await refused(await client.post(IMPORT, data=upload(b"x"), headers=EVENTS), 400, "INVALID_FILE_FORMAT")
    form = upload(workbook([("x", "y")]))
    await refused(await client.post(IMPORT, data=form, headers=EVENTS), 400, "VALIDATION_ERROR")


async def test_a_failure_after_the_first_event_is_an_event(
    ticking_client: Client, upload: Any, workbook: Any, break_database: Any
) -> None:
    """The envelope of the error is the last event's data."""
    await break_database(ticking_client)
    async with ticking_client.post(IMPORT, data=upload(workbook(MANY)), headers=EVENTS) as answer:
        told = [event async for event in _events(answer)]
    assert [name for name, _ in told][-1] == "error"
    assert (told[-1][1]["error"], told[-1][1]["code"]) == (True, "DATABASE_ERROR")


@pytest.mark.parametrize("handler_cancellation", [False, True])
@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
@pytest.mark.usefixtures("in_a_process")
async def test_an_import_goes_on_without_its_client(
    client: Client, many: Callable[[], FormData], until: Any, accept: str
) -> None:
    """A client that leaves once its file is there finds it imported; file, place and process are given back."""
    posting = asyncio.create_task(client.post(IMPORT, data=many(), headers={"Accept": accept}))
    await until(_readers)
    posting.cancel()
    await asyncio.wait([posting])
    assert client.app[IMPORTS]
    await until(lambda: not client.app[IMPORTS])
    assert client.app[UPLOAD_CAPACITY].free == 3
    assert (await (await client.get("/api/products")).json())["pagination"]["total"] == 1200
    assert _readers() == []


@pytest.mark.usefixtures("in_a_process")
async def test_a_shutdown_waits_for_imports_without_clients(client: Client, many: Any, until: Any) -> None:
    """An import whose client has left has let go of file and database before they are closed."""
    posting = asyncio.create_task(client.post(IMPORT, data=many()))
    await until(_readers)
    posting.cancel()
    await asyncio.wait([posting])
    [running] = client.app[IMPORTS]
    await client.close()
    assert running.done()
    assert _readers() == []


@pytest.mark.usefixtures("in_a_process")
async def test_a_file_that_takes_too_long_to_read_is_refused(
    shop: Client, refused: Any, upload: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process is killed, and nothing of it is stored."""
    monkeypatch.setattr(importing, "LIMITS", replace(importing.LIMITS, seconds=0.001))
    told = await refused(await shop.post("/api/products/import", data=upload()), 400, "FILE_TOO_LARGE")
    assert told["message"] == "the file takes more than 0.001 seconds to read; send it in parts"
    assert (await (await shop.get("/api/products")).json())["pagination"]["total"] == 1


@pytest.fixture
def as_xls(tmp_path: Path) -> Callable[[Sequence[Sequence[object]]], bytes]:
    """Return a function that makes an .xls of some rows."""

    def make(rows: Sequence[Sequence[object]]) -> bytes:
        book = xlwt.Workbook()
        sheet = book.add_sheet("Products")
        for number, row in enumerate(rows):
            for column, value in enumerate(row):
                if value is not None:
                    sheet.write(number, column, value)
        book.save(str(tmp_path / "made.xls"))
        return (tmp_path / "made.xls").read_bytes()

    return make


async def test_an_xls_is_read_in_a_process_however_small(
    client: Client, upload: Any, as_xls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What reads it has no bounds of its own, so it never runs beside the event loop."""
    seen: list[Limits] = []
    run = WorkerProcesses.run

    def run_and_note(processes: WorkerProcesses, limits: Limits, *arguments: Any, **options: Any) -> Any:
        seen.append(limits)
        return run(processes, limits, *arguments, **options)

    monkeypatch.setattr(WorkerProcesses, "run", run_and_note)
    rows = [("SKU", "Name", "Stock"), ("0012", "Bolt", 7)]
    answer = await client.post(IMPORT, data=upload(as_xls(rows)))
    assert (await answer.json())["data"]["imported"] == 1
    assert seen == [importing.LIMITS_OF_XLS]


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (replace(importing.LIMITS_OF_XLS, seconds=0.001), "takes more than 0.001 seconds"),
        (replace(importing.LIMITS_OF_XLS, bytes=70_000_000), "takes too much memory"),
    ],
)
async def test_an_xls_over_its_limits_is_too_large(  # noqa: PLR0913, PLR0917 - a limit and what an import needs
    shop: Client,
    refused: Any,
    upload: Any,
    as_xls: Any,
    monkeypatch: pytest.MonkeyPatch,
    limits: Limits,
    told: str,
) -> None:
    """A sheet whose cells stand far apart takes a hundred times its size in memory; nothing of it is stored."""
    monkeypatch.setattr(importing, "LIMITS_OF_XLS", limits)
    sparse = as_xls([("SKU", "Name"), *[(*[None] * 255, "x")] * 20_000])
    refusal = await refused(await shop.post(IMPORT, data=upload(sparse)), 400, "FILE_TOO_LARGE")
    assert told in refusal["message"]
    assert (await (await shop.get("/api/products")).json())["pagination"]["total"] == 1
