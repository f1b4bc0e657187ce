"""Imports whose files are read in a subprocess: what ends the reading, and what continues without the client."""

import asyncio
import signal
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import FormData

from barcodesvc.api.keys import SERVICE
from barcodesvc.catalogue import importing
from barcodesvc.runtime.processes import ProcessLimits, WorkerProcesses
from tests.api.imported import IMPORT, MANY, imported, products_listed
from tests.fixture_types import Client
from tests.workbooks import xls
from tests.worker_processes import worker_processes

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def many(upload: Callable[[bytes], FormData], workbook: Callable[..., bytes]) -> Callable[[], FormData]:
    """Return a function that builds the form of an import of 1,200 products, which are three batches."""
    return lambda: upload(workbook(MANY))


async def test_a_file_read_in_a_process_is_imported_alike(shop: Client, upload: Any, workbook: Any) -> None:
    """Counts, errors and preview are the same, and no process remains."""
    content = workbook([("SKU", "Name"), ("A-1", "other"), ("B-1", "new"), (None, "x")])
    tried = await imported(shop, upload(content), dry_run="true")
    assert tried.pop("preview")["columns"] == {"SKU": "product_code", "Name": "description"}
    made = await imported(shop, upload(content))
    assert (made.pop("import_id"), made.pop("new_products")) == (1, [2])
    assert made == tried
    assert (tried["imported"], tried["skipped"], tried["errors_count"]) == (1, 1, 1)
    assert worker_processes() == []


async def test_a_refusal_in_a_process_is_the_same(client: Client, upload: Any, refused: Any) -> None:
    """A file that is not a workbook is a 400, and an invalid selection names its field."""
    await refused(await client.post(IMPORT, data=upload(b"no workbook")), 400, "INVALID_FILE_FORMAT")
    form = upload()
    form.add_field("sheet", "Prices")
    reply = await refused(await client.post(IMPORT, data=form), 400, "VALIDATION_ERROR")
    assert reply["details"]["errors"][0]["field"] == "sheet"


async def test_an_import_holds_no_thread_of_exports(client: Client, many: Any, until: Any) -> None:
    """However long its file takes to read, exports have threads."""
    posting = asyncio.create_task(client.post(IMPORT, data=many()))
    await until(worker_processes)
    busy = client.app[SERVICE].file_threads.busy
    assert ((await posting).status, busy) == (200, 0)


async def test_a_killed_process_fails_one_import(
    client: Client, many: Callable[[], FormData], refused: Any, until: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """That import is a 500 with a log line; nothing of it is stored, and the next one succeeds."""
    posting = asyncio.create_task(client.post(IMPORT, data=many()))
    await until(worker_processes)
    worker_processes()[0].send_signal(signal.SIGKILL)
    await refused(await posting, 500, "GENERATION_ERROR")
    assert "in the middle of stage_table" in caplog.text
    assert await products_listed(client) == {}
    assert (await imported(client, many()))["imported"] == 1200


async def test_a_shutdown_ends_the_reading(client: Client, many: Any, refused: Any, until: Any) -> None:
    """Its client is asked to retry; the process ends at once."""
    posting = asyncio.create_task(client.post(IMPORT, data=many()))
    await until(worker_processes)
    await client.app.shutdown()
    response = await posting
    await refused(response, 503, "GENERATION_ERROR")
    assert response.headers["Retry-After"] == "5"
    assert worker_processes() == []
    await refused(await client.post(IMPORT, data=many()), 503, "GENERATION_ERROR")


@pytest.mark.parametrize("handler_cancellation", [False, True])
@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
async def test_a_dry_run_ends_without_its_client(client: Client, many: Any, until: Any, accept: str) -> None:
    """It is useless without its client: its process ends, and its file and capacity are released."""
    headers = {"Accept": accept}
    posting = asyncio.create_task(client.post(IMPORT, data=many(), params={"dry_run": "true"}, headers=headers))
    await until(worker_processes)
    [running] = client.app[SERVICE].imports
    posting.cancel()
    await asyncio.wait([running])
    assert str(running.exception()) == "the client has disconnected"
    assert client.app[SERVICE].uploads.free == 3
    assert worker_processes() == []


@pytest.mark.parametrize("handler_cancellation", [False, True])
@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
async def test_an_import_goes_on_without_its_client(
    client: Client, many: Callable[[], FormData], until: Any, accept: str
) -> None:
    """A client that disconnects after its upload finds it imported; file, capacity and process are released."""
    posting = asyncio.create_task(client.post(IMPORT, data=many(), headers={"Accept": accept}))
    await until(worker_processes)
    posting.cancel()
    await asyncio.wait([posting])
    assert client.app[SERVICE].imports
    await until(lambda: not client.app[SERVICE].imports)
    assert client.app[SERVICE].uploads.free == 3
    assert (await (await client.get("/api/products")).json())["pagination"]["total"] == 1200
    assert worker_processes() == []


@pytest.mark.each_engine
async def test_a_shutdown_waits_for_imports_without_clients(client: Client, many: Any, until: Any) -> None:
    """An import whose client has disconnected releases file and database before they are closed."""
    posting = asyncio.create_task(client.post(IMPORT, data=many()))
    await until(worker_processes)
    posting.cancel()
    await asyncio.wait([posting])
    [running] = client.app[SERVICE].imports
    await client.close()
    assert running.done()
    assert worker_processes() == []


async def test_a_file_that_takes_too_long_to_read_is_refused(
    shop: Client, refused: Any, upload: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process is killed, and nothing of it is stored."""
    monkeypatch.setattr(importing, "LIMITS", replace(importing.LIMITS, seconds=0.001))
    reply = await refused(await shop.post("/api/products/import", data=upload()), 400, "FILE_TOO_LARGE")
    assert reply["message"] == "the file takes more than 0.001 seconds to read; send it in parts"
    assert (await (await shop.get("/api/products")).json())["pagination"]["total"] == 1


def as_page(rows: list[tuple[Any, ...]]) -> bytes:
    """Write a web page with a table of these rows."""
    lines = ("".join(f"<td>{value}</td>" for value in row) for row in rows)
    return f"<html><table><tr>{'</tr><tr>'.join(lines)}</tr></table></html>".encode()


@pytest.mark.parametrize("kind", ["xls", "page"])
async def test_an_xls_is_read_in_a_process_however_small(
    client: Client, upload: Any, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Its parser has no limits, so it never runs in the service's process."""
    seen: list[ProcessLimits] = []
    run = WorkerProcesses.run

    def run_and_note(processes: WorkerProcesses, limits: ProcessLimits, *arguments: Any, **options: Any) -> Any:
        seen.append(limits)
        return run(processes, limits, *arguments, **options)

    monkeypatch.setattr(WorkerProcesses, "run", run_and_note)
    rows = [("SKU", "Name", "Stock"), ("0012", "Bolt", 7)]
    response = await client.post(IMPORT, data=upload(xls(rows) if kind == "xls" else as_page(rows)))
    assert (await response.json())["data"]["imported"] == 1
    assert seen == [importing.LIMITS_OF_XLS]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (replace(importing.LIMITS_OF_XLS, seconds=0.001), "takes more than 0.001 seconds"),
        (replace(importing.LIMITS_OF_XLS, bytes=70_000_000), "takes too much memory"),
    ],
)
async def test_an_xls_over_its_limits_is_too_large(  # noqa: PLR0913, PLR0917 - a limit and what an import needs
    shop: Client,
    refused: Any,
    upload: Any,
    monkeypatch: pytest.MonkeyPatch,
    limits: ProcessLimits,
    expected: str,
) -> None:
    """A sheet with widely spaced cells takes a hundred times its size in memory; nothing of it is stored."""
    monkeypatch.setattr(importing, "LIMITS_OF_XLS", limits)
    sparse = xls([("SKU", "Name"), *[(*[None] * 255, "x")] * 20_000])
    refusal = await refused(await shop.post(IMPORT, data=upload(sparse)), 400, "FILE_TOO_LARGE")
    assert expected in refusal["message"]
    assert (await (await shop.get("/api/products")).json())["pagination"]["total"] == 1
