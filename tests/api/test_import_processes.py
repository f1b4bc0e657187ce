"""Imports whose files are read in a subprocess: what ends the reading, and what continues without the client."""

import asyncio
import signal
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import FormData

from barcodesvc.api.keys import SERVICE
from barcodesvc.catalogue import importing
from tests.api.imported import IMPORT, MANY, imported, products_listed
from tests.api.replies import refused
from tests.fixture_types import Client
from tests.forms import form_data
from tests.workbooks import xls, xlsx
from tests.worker_processes import worker_processes

pytestmark = pytest.mark.usefixtures("folder")


def many() -> FormData:
    """Return the form of an import of 1,200 products, which are three batches."""
    return form_data(xlsx(MANY))


async def test_an_import_holds_no_thread_of_exports(client: Client, until: Any) -> None:
    """However long its file takes to read, exports have threads."""
    posting = asyncio.create_task(client.post(IMPORT, data=many()))
    await until(worker_processes)
    busy = client.app[SERVICE].file_threads.busy
    assert ((await posting).status, busy) == (200, 0)


async def test_a_killed_process_fails_one_import(client: Client, until: Any, caplog: pytest.LogCaptureFixture) -> None:
    """That import is a 500 with a log line; nothing of it is stored, and the next one succeeds."""
    posting = asyncio.create_task(client.post(IMPORT, data=many()))
    await until(worker_processes)
    worker_processes()[0].send_signal(signal.SIGKILL)
    await refused(await posting, 500, "GENERATION_ERROR")
    assert "in the middle of stage_table" in caplog.text
    assert await products_listed(client) == {}
    assert (await imported(client, many()))["imported"] == 1200


async def test_a_shutdown_ends_the_reading(client: Client, until: Any) -> None:
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
async def test_a_dry_run_ends_without_its_client(client: Client, until: Any, accept: str) -> None:
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
async def test_an_import_goes_on_without_its_client(client: Client, until: Any, accept: str) -> None:
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
async def test_a_shutdown_waits_for_imports_without_clients(client: Client, until: Any) -> None:
    """An import whose client has disconnected releases file and database before they are closed."""
    posting = asyncio.create_task(client.post(IMPORT, data=many()))
    await until(worker_processes)
    posting.cancel()
    await asyncio.wait([posting])
    [running] = client.app[SERVICE].imports
    await client.close()
    assert running.done()
    assert worker_processes() == []


ROWS = [("SKU", "Name"), ("0012", "Bolt")]
SPARSE = [("SKU", "Name"), *[(*[None] * 255, "x")] * 20_000]
"""A sheet with widely spaced cells, which takes a hundred times its size in memory."""


@pytest.mark.parametrize(
    ("file", "limited", "limits", "message"),
    [
        (xlsx(ROWS), "LIMITS", {"seconds": 0.001}, "takes more than 0.001 seconds to read; send it in parts"),
        (b"SKU,Name\n0012,Bolt\n", "LIMITS", {"seconds": 0.001}, "takes more than 0.001 seconds"),
        (xls(ROWS), "LIMITS_OF_XLS", {"seconds": 0.001}, "takes more than 0.001 seconds"),
        (xls(SPARSE), "LIMITS_OF_XLS", {"bytes": 70_000_000}, "takes too much memory"),
    ],
    ids=["time", "time of a CSV", "time of an xls", "memory of an xls"],
)
async def test_a_file_over_the_limits_of_its_process_is_too_large(  # noqa: PLR0913 - a limit and its refusal
    shop: Client, monkeypatch: pytest.MonkeyPatch, *, file: bytes, limited: str, limits: dict[str, Any], message: str
) -> None:
    """Its process is killed, and nothing of it is stored; an .xls, whose parser has no limits, has lower ones."""
    monkeypatch.setattr(importing, limited, replace(getattr(importing, limited), **limits))
    query = {"format": "csv"} if file.startswith(b"SKU") else {}
    refusal = await refused(await shop.post(IMPORT, data=form_data(file), params=query), 400, "FILE_TOO_LARGE")
    assert message in refusal["message"]
    assert (await (await shop.get("/api/products")).json())["pagination"]["total"] == 1
