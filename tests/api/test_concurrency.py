"""Many concurrent clients, and clients that disconnect midway."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import ClientResponse, FormData

from barcodesvc.api.keys import SERVICE
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.labels.sheet_job import SheetJob
from barcodesvc.labels.sheet_queue import JOBS, SHORT_JOB
from tests.api.replies import refused
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker, Until
from tests.forms import form, form_head, part


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Block every sheet, and the rendering of every code, in its thread until the event is set.

    A real one is too fast to overlap reliably.
    """
    gate, sheet, code = threading.Event(), SheetJob.run, BarcodeKey.render
    monkeypatch.setattr(SheetJob, "run", lambda job, font: gate.wait() and sheet(job, font))
    monkeypatch.setattr(BarcodeKey, "render", lambda key: gate.wait() and code(key))
    return gate


async def _status(client: Client, method: str, path: str, body: object) -> int:
    async with client.request(method, path, json=body) as response:
        await response.read()
        return response.status


async def _sent(client: Client, request: bytes, body: bytes) -> asyncio.StreamWriter:
    """Send a JSON request over a new connection, and return that."""
    _, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(request + b" HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    await writer.drain()
    return writer


async def _let_the_service_see(client: Client) -> None:
    """Let the service process what was sent or aborted before."""
    for _ in range(3):
        assert await _status(client, "GET", "/health", None) == 200


async def _history(client: Client) -> list[tuple[int, int]]:
    reply = await (await client.get("/api/inventory/1/history", params={"limit": "1000"})).json()
    return [(change["old_level"], change["new_level"]) for change in reversed(reply["data"])]


async def test_200_requests_for_one_code_render_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """All get the same response from one render (the real one, counted)."""
    rendered, real = [], BarcodeKey.render

    def counted(key: BarcodeKey) -> Any:
        rendered.append(threading.current_thread().name)
        return real(key)

    async def ask() -> bytes:
        async with client.post("/api/codes/barcode", json={"product_code": "A-1"}) as response:
            return await response.read()

    monkeypatch.setattr(BarcodeKey, "render", counted)
    responses = set(await asyncio.gather(*(ask() for _ in range(200))))
    assert len(responses) == 1
    assert len(rendered) == 1
    assert rendered[0].startswith("render")


@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_does_not_spoil_a_render_for_the_others(
    client: Client, until: Until, gate: threading.Event
) -> None:
    """The first of two clients disconnects while both wait; the other gets its code."""
    body = b'{"product_code":"A-1"}'
    leaving = await _sent(client, b"POST /api/codes/barcode", body)
    await until(lambda: client.app[SERVICE].renderer.under_way > 0)
    staying = asyncio.create_task(_status(client, "POST", "/api/codes/barcode", {"product_code": "A-1"}))
    await _let_the_service_see(client)
    leaving.transport.abort()
    await _let_the_service_see(client)
    gate.set()
    assert await staying == 200


@pytest.mark.each_engine
async def test_of_many_products_with_one_code_one_is_created(client: Client) -> None:
    """The others are conflicts, and leave nothing behind."""
    body = {"product_code": "A-1", "description": "x", "initial_level": 1}
    statuses = await asyncio.gather(*(_status(client, "POST", "/api/products", body) for _ in range(20)))
    assert Counter(statuses) == {201: 1, 409: 19}
    assert len((await (await client.get("/api/inventory")).json())["data"]) == 1


@pytest.mark.each_engine
@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_in_a_change_leaves_no_broken_transaction(shop: Client, until: Until) -> None:
    """Level and history agree after clients disconnected at any moment, and the next change succeeds."""
    for number in range(30):
        body = b'{"new_level":%d}' % (100 + number)
        writer = await _sent(shop, b"PUT /api/inventory/1", body)
        for _ in range(number % 6):
            await asyncio.sleep(0)
        writer.transport.abort()
    assert await _status(shop, "PUT", "/api/inventory/1", {"new_level": 1}) == 200
    await until(lambda: not shop.app[SERVICE].database.writes_under_way)
    history = await _history(shop)
    level = (await (await shop.get("/api/inventory")).json())["data"][0]["current_level"]
    assert level == history[-1][1]
    assert [old for old, _ in history[1:]] == [new for _, new in history[:-1]]


@pytest.mark.each_engine
@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_in_an_import_leaves_all_or_nothing(
    client: Client, until: Until, workbook: Callable[..., bytes], upload: Callable[..., FormData]
) -> None:
    """An import whose client disconnected is complete or absent, and the next one works."""
    book = workbook([("SKU", "Name"), *((f"C-{number}", "x") for number in range(2000))])
    body = form(part("file", book))
    _, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(form_head("/api/products/import", len(body)) + body)
    database = client.app[SERVICE].database
    await until(lambda: database.writes_under_way > 0)
    writer.transport.abort()
    await until(lambda: not database.writes_under_way)
    rows = await database.rows("list_products", limit=1, offset=0)
    assert rows[0][0] in (0, 2000)
    assert (await client.post("/api/products/import", data=upload())).status == 200


async def test_a_client_that_fills_its_half_of_the_print_queue_leaves_the_other_half(
    make_client: ClientMaker, until: Until, gate: threading.Event
) -> None:
    """Its next sheet is refused before anything is looked up for it; those of another client, or queue, are printed."""
    client = await make_client(trusted_proxies="127.0.0.1")

    async def printed(address: str, **asked: Any) -> ClientResponse:
        headers = {"X-Forwarded-For": address}
        return await client.post("/api/codes/printable", json={"products": ["A-1"], **asked}, headers=headers)

    jobs = [asyncio.create_task(printed("192.0.2.1")) for _ in range(JOBS // 2)]
    queue = client.app[SERVICE].sheet_queue
    await until(lambda: queue.jobs_by_queue["short"] == JOBS // 2)
    layout = {"include_description": True}
    response = await printed("192.0.2.1", products=["missing"], layout=layout)
    await refused(response, 503, "GENERATION_ERROR")
    assert response.headers["Retry-After"] == "1"
    long = await printed("192.0.2.1", products=["missing"], layout={**layout, "copies": SHORT_JOB + 1})
    await refused(long, 404, "PRODUCT_NOT_FOUND")
    jobs.append(asyncio.create_task(printed("192.0.2.2")))
    await until(lambda: queue.jobs_by_queue["short"] == JOBS // 2 + 1)
    gate.set()
    assert {response.status for response in await asyncio.gather(*jobs)} == {200}
    assert (await printed("192.0.2.1")).status == 200


async def test_scans_go_on_while_labels_are_printed(shop: Client, until: Until, gate: threading.Event) -> None:
    """A long print job (blocked here) delays no other request."""
    job = asyncio.create_task(_status(shop, "POST", "/api/codes/printable", {"products": ["A-1"]}))
    await until(lambda: shop.app[SERVICE].sheet_queue.jobs_by_queue["short"] > 0)
    assert await _status(shop, "POST", "/api/codes/decode", {"code_data": "A-1"}) == 200
    assert await _status(shop, "PUT", "/api/inventory/1", {"new_level": 1}) == 200
    gate.set()
    assert await job == 200
