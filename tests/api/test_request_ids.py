import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.observe.request_ids import REQUEST_CONTEXT, RequestIdFilter, begin, new_id
from barcodesvc.catalogue.importing import Importer
from barcodesvc.runtime.log_lines import NO_REQUEST
from barcodesvc.runtime.threads import WorkerThreads, run_to_end
from tests.fixture_types import Client, ClientMaker

MADE = re.compile(r"[0-9a-f]{24}")
HARMLESS = ["1", "a" * 128, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "Root=1-5759e988:x/y~z@shop+1"]
HARMFUL = ["", "a" * 129, "a b", "ä", '"', "<script>", "a\tb", "{}", "a,b", "%0d%0a", "\x1b[31m"]


@pytest.fixture
def log_lines() -> Iterator[list[str]]:
    """Collect the service's log lines, in the format of the process."""
    lines: list[str] = []

    class Collecting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(f"{record.request_id} {record.getMessage()}")  # type: ignore[attr-defined]  # set by the filter

    handler = Collecting()
    handler.addFilter(RequestIdFilter())
    logging.getLogger("barcodesvc").addHandler(handler)
    yield lines
    logging.getLogger("barcodesvc").removeHandler(handler)


@pytest.mark.parametrize("sent", HARMLESS)
async def test_a_harmless_id_is_taken_over(client: Client, sent: str) -> None:
    """A proxy's id is returned as it was sent."""
    assert (await client.get("/health", headers={"X-Request-ID": sent})).headers["X-Request-ID"] == sent


@pytest.mark.parametrize("sent", HARMFUL, ids=repr)
async def test_another_id_is_replaced(client: Client, raw: Callable[..., Awaitable[bytes]], sent: str) -> None:
    """An id that is empty, too long, or dangerous in a header or a log is replaced, and the request succeeds."""
    request = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-ID: " + sent.encode() + b"\r\n\r\n"
    response = await raw(client, request)
    assert response.startswith(b"HTTP/1.")
    [reply] = re.findall(rb"X-Request-ID: (.*)\r\n", response)
    assert MADE.fullmatch(reply.decode())


async def test_every_response_has_a_different_id(shop: Client) -> None:
    """Successes, refusals, streams, 304s and unknown paths: each has an id, and all differ."""
    picture = await shop.get("/api/codes/barcode/A-1.svg")
    responses = [
        picture,
        await shop.get("/api/codes/barcode/A-1.svg", headers={"If-None-Match": picture.headers["ETag"]}),
        await shop.get("/api/products/1"),
        await shop.get("/api/products/x"),
        await shop.get("/api/inventory"),
        await shop.get("/api/inventory/export?format=csv"),
        await shop.get("/nowhere"),
        await shop.delete("/health"),
        await shop.get("/metrics"),
    ]
    assert [response.status for response in responses] == [200, 304, 200, 400, 200, 200, 404, 405, 200]
    ids = {response.headers["X-Request-ID"] for response in responses}
    assert len(ids) == len(responses)
    assert all(MADE.fullmatch(one) for one in ids)


async def test_what_is_not_http_has_an_id(client: Client, raw: Callable[..., Awaitable[bytes]]) -> None:
    """A malformed request has one as well."""
    assert re.search(rb"\r\nX-Request-ID: [0-9a-f]{24}\r\n", await raw(client, b"FOO\r\n\r\n"))


async def test_a_request_too_many_has_its_id(make_client: ClientMaker, raw: Callable[..., Awaitable[bytes]]) -> None:
    """A request that is refused before routing keeps the id that it brought."""
    client = await make_client(max_requests=1)
    client.app[ADMISSION].enter("GET /health")
    one = b"GET /api/products HTTP/1.1\r\nHost: x\r\nX-Request-ID: till-2/7\r\n"
    responses = await raw(client, one + b"\r\n" + one + b"Connection: close\r\n\r\n")
    client.app[ADMISSION].leave("GET /health")
    assert (responses.count(b"HTTP/1.1 503 "), responses.count(b"\r\nX-Request-ID: till-2/7\r\n")) == (2, 2)


async def test_a_failure_is_logged_under_its_id(
    shop: Client, break_database: Callable[[Client], Awaitable[None]], log_lines: list[str]
) -> None:
    """The line with the cause contains the id of the failed request."""
    await break_database(shop)
    response = await shop.get("/api/products/1", headers={"X-Request-ID": "till-2/7"})
    assert response.status == 500
    assert any(line.startswith("till-2/7 database failure in ") for line in log_lines)


async def test_a_slow_query_is_logged_under_its_id(make_client: ClientMaker, log_lines: list[str]) -> None:
    """The warning about a slow query contains the id of the request that waited for it."""
    client = await make_client(slow_query=1e-9)
    await client.get("/api/products/1", headers={"X-Request-ID": "till-2/7"})
    assert any(line.startswith("till-2/7 slow query ") for line in log_lines)


async def test_a_line_outside_of_requests_names_none(log_lines: list[str]) -> None:
    """A line outside of requests has the placeholder."""
    logging.getLogger("barcodesvc").warning("alone")
    assert log_lines == [f"{NO_REQUEST} alone"]


async def test_work_in_a_thread_belongs_to_its_request(log_lines: list[str]) -> None:
    """A line logged by a pool's thread has the id of the work's request, and the next work has another."""

    async def logged(request_id: str) -> None:
        begin(make_mocked_request("GET", "/", headers={"X-Request-ID": request_id}))
        await run_to_end(threads, logging.getLogger("barcodesvc").warning, "at work")

    threads = WorkerThreads("test", 1)
    await asyncio.gather(logged("one"), logged("two"))
    await threads.close()
    assert sorted(log_lines) == ["one at work", "two at work"]


async def test_requests_at_the_same_time_keep_their_ids(client: Client) -> None:
    """Each of many concurrent responses has the id of its request; nothing is left of them in this task."""

    async def reply(number: int) -> str:
        response = await client.get("/api/products", headers={"X-Request-ID": f"n{number}"})
        return response.headers["X-Request-ID"]

    assert await asyncio.gather(*map(reply, range(20))) == [f"n{number}" for number in range(20)]
    assert REQUEST_CONTEXT.get(None) is None


def test_made_ids_differ() -> None:
    """No two of many are equal."""
    assert len({new_id() for _ in range(10_000)}) == 10_000


async def test_an_import_that_goes_on_keeps_its_id(
    client: Client, upload: Callable[..., Any], log_lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work in a separate task, such as an import, logs under the request that started it."""

    async def fail(*_: object) -> None:
        logging.getLogger("barcodesvc").warning("on its way")
        raise RuntimeError

    monkeypatch.setattr(Importer, "run", fail)
    response = await client.post("/api/products/import", data=upload(), headers={"X-Request-ID": "till-2/7"})
    assert response.status == 500
    assert "till-2/7 on its way" in log_lines
    assert any(line.startswith("till-2/7 unexpected failure in ") for line in log_lines)
