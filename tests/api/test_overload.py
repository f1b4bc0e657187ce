"""Overload: how many requests are in flight, what is refused beyond that, and what still succeeds."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp.test_utils import make_mocked_request

from barcodesvc.api.connections import Connection, ConnectionServer
from barcodesvc.api.guard.admission import ADMISSION, Admission, route_group
from barcodesvc.api.keys import ARRIVING
from barcodesvc.errors import RenderOverload
from tests.api.sockets import HEALTH, POSTED, PRODUCTS, Connected, connected, held_up_barcodes, response_on
from tests.fixture_types import Client, ClientMaker, Until
from tests.sweeps import sweep

ONE, OTHER = "POST /api/codes/barcode", "GET /api/products"
OVERLOAD = "too many requests are in progress; try again in a moment"
BODY = b'{"product_code":"A-1","description":"x"}'


def group(method: str, path: str) -> str:
    """Return the group of routes of a request."""
    return route_group(make_mocked_request(method, path))


@sweep(
    ("one", "other"),
    [
        ("/api/inventory/1", "/api/inventory/2000"),
        ("/api/inventory/1/adjust", "/api/inventory/2/adjust"),
        ("/api/inventory/1", "/api/inventory/%32"),
        ("/api/codes/barcode/A-1.png", "/api/codes/barcode/A%2F2.svg?width=3"),
        ("/health", "/health?x=/a/b"),
        ("/", "/?"),
    ],
)
def test_requests_for_different_data_are_one_group(one: str, other: str) -> None:
    """A flood of changes to many products, or of codes in paths, counts as one group."""
    assert group("PUT", one) == group("PUT", other)


@sweep(
    ("one", "other"),
    [
        ("/api/products", "/api/products/1"),
        ("/api/products/1", "/api/products/export"),
        ("/api/codes/barcode", "/api/codes/qrcode"),
        ("/api/codes/scan", "/api/codes/scans"),
        ("/api/inventory/1", "/api/inventory/changes"),
        ("/health", "/metrics"),
    ],
)
def test_different_work_is_of_different_groups(one: str, other: str) -> None:
    """Each group leaves room for others, and another method is another group."""
    assert group("GET", one) != group("GET", other)
    assert group("GET", one) != group("PUT", one)


def test_no_more_requests_are_taken_than_the_capacity() -> None:
    """When different groups have taken all capacity, the next request is refused until one is released."""
    admission = Admission(3)
    for one in ("GET /a", "GET /b", "GET /c"):
        assert not admission.refuses(one)
        admission.enter(one)
    assert (admission.refuses(OTHER), admission.refuses("GET /health")) == (True, False)
    admission.leave("GET /b")
    assert (admission.refuses("GET /a"), admission.refuses("GET /b")) == (True, False)


def test_one_group_takes_half_of_the_capacity() -> None:
    """A flood of one group leaves room for others; once it shrinks, that group is accepted again."""
    admission = Admission(4)
    for _ in range(2):
        admission.enter(ONE)
    assert (admission.refuses(ONE), admission.refuses(OTHER)) == (True, False)
    for _ in range(2):
        admission.leave(ONE)
    assert (admission.refuses(ONE), admission.in_flight) == (False, 0)


def test_a_request_that_waits_for_its_client_takes_no_capacity() -> None:
    """Its capacity is free in the meantime; if all of it is taken when the request resumes, the request is refused."""
    admission, request = Admission(2), make_mocked_request("GET", "/api/products")
    admission.enter(OTHER)
    with admission.waiting_for_client(request):
        assert (admission.in_flight, admission.refuses(OTHER)) == (0, False)
        admission.enter(ONE)
    admission.require_capacity()
    with admission.waiting_for_client(request):
        admission.enter(ONE)
    with pytest.raises(RenderOverload) as refusal:
        admission.require_capacity()
    assert (refusal.value.headers, admission.refused_requests) == ({"Retry-After": "1"}, 1)


async def test_one_kind_of_request_leaves_capacity_for_others(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """With half of the capacity taken by barcodes, another barcode is a 503, and a list of products succeeds."""
    client = await make_client(max_requests=4)
    asked = await held_up_barcodes(client, 2, until)
    refused = await client.post("/api/codes/barcode", json={"product_code": "A-3"})
    assert (refused.status, refused.headers["Retry-After"]) == (503, "1")
    assert (await client.get("/api/products")).status == 200
    assert client.app[ADMISSION].refused_requests == 1
    gate.set()
    assert [(await one).status for one in asked] == [200, 200]
    assert (await client.post("/api/codes/barcode", json={"product_code": "A-3"})).status == 200


@pytest.fixture
async def full(make_client: ClientMaker, until: Until, gate: asyncio.Event) -> AsyncIterator[Client]:
    """Return a client of a service whose only request in flight waits until the end of the test or the gate."""
    client = await make_client(max_requests=1, cors_origins="https://kiosk.example")
    [asked] = await held_up_barcodes(client, 1, until)
    yield client
    gate.set()
    assert (await asked).status == 200


async def test_all_capacity_taken_only_the_operator_is_answered(full: Client) -> None:
    """All requests are a 503, except /health."""
    assert [(await full.get(path)).status for path in ("/api/products", "/nowhere", "/health")] == [503, 503, 200]


@pytest.mark.parametrize("close", [b"", b"Connection: close\r\n"], ids=["stays", "ends"])
async def test_a_refusal_leaves_the_connection_as_its_client_wants_it(
    full: Client, gate: asyncio.Event, until: Until, close: bytes
) -> None:
    """After a 503 the next request succeeds, unless the client asked to close the connection."""
    async with connected(full) as (reader, writer):
        writer.write(PRODUCTS[:-2] + close + b"X-Request-ID: till-2\r\n\r\n")
        status, headers, body = await response_on(reader)
        assert (status, headers["retry-after"], headers["x-request-id"]) == (503, "1", "till-2")
        assert headers["content-type"] == "application/json; charset=utf-8"
        assert json.loads(body)["message"] == OVERLOAD
        assert ("connection" in headers) == bool(close)
        gate.set()
        await until(lambda: full.app[ADMISSION].in_flight == 0)
        if not close:
            writer.write(PRODUCTS)
            assert (await response_on(reader))[0] == 200


@sweep(("origin", "allowed"), [("https://kiosk.example",) * 2, ("https://else.example", None), ("", None)])
async def test_a_page_of_an_allowed_origin_can_read_a_refusal(full: Client, origin: str, allowed: str | None) -> None:
    """Its headers allow the configured origins and no other."""
    response = await full.get("/api/products", headers={"Origin": origin} if origin else {})
    assert (response.status, response.headers.get("Access-Control-Allow-Origin")) == (503, allowed)


async def test_a_refusal_before_the_body_ends_the_connection(full: Client) -> None:
    """The client learns that it must not send the body, which the service would not read."""
    async with connected(full) as (reader, writer):
        writer.write(POSTED % (99, b""))
        status, headers, _ = await response_on(reader)
        assert (status, headers["connection"]) == (503, "close")
        assert await reader.read() == b""


async def test_a_pipeline_is_refused_one_by_one(full: Client) -> None:
    """Each of its requests gets its response, in order."""
    async with connected(full) as (reader, writer):
        writer.write(PRODUCTS + HEALTH + PRODUCTS)
        assert [(await response_on(reader))[0] for _ in range(3)] == [503, 200, 503]


@asynccontextmanager
async def observed(client: Client, until: Until) -> AsyncIterator[tuple[Connected, Connection]]:
    """Open a connection, and return both of its ends."""
    assert client.server.runner
    server = client.server.runner.server
    assert isinstance(server, ConnectionServer)
    others = set(server.connections)
    async with connected(client) as opened:
        await until(lambda: len(server.connections) > len(others))
        [connection] = set(server.connections) - others
        assert isinstance(connection, Connection)
        yield opened, connection
    await until(lambda: connection not in server.connections)


async def test_refusals_that_are_not_read_do_not_pile_up(full: Client, until: Until) -> None:
    """The service stops reading from a client that floods without reading, and forgets it when it disconnects."""
    async with observed(full, until) as ((_, writer), flooded):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport
        await _flood(writer, lambda: flooded.writing_paused, 200_000)
        transport = flooded.transport
        assert transport
        before = transport.get_write_buffer_size()
        await _flood(writer, lambda: False, 300)
        assert transport.get_write_buffer_size() < before + 20 * 500


async def _flood(writer: asyncio.StreamWriter, is_over: Callable[[], bool], most: int) -> None:
    """Send requests, each in a separate packet."""
    for _ in range(most):
        if is_over():
            return
        writer.write(PRODUCTS)
        await asyncio.sleep(0)
        await asyncio.sleep(0)


async def test_who_does_not_read_is_refused_once(full: Client, until: Until) -> None:
    """While a refusal waits to be read, the following requests wait as well; then each gets its own."""
    admission = full.app[ADMISSION]
    async with observed(full, until) as ((reader, writer), connection):
        connection.pause_writing()
        for _ in range(5):
            writer.write(PRODUCTS)
            await asyncio.sleep(0.01)
        await until(lambda: admission.refused_requests > 0)
        assert admission.refused_requests == 1
        connection.resume_writing()
        assert [(await response_on(reader))[0] for _ in range(5)] == [503] * 5


async def test_slow_bodies_take_no_capacity(make_client: ClientMaker, until: Until) -> None:
    """However many requests wait for their bodies, others succeed; so do the slow ones once these have arrived."""
    client = await make_client(max_requests=2)
    async with (
        connected(client) as (one, slow),
        connected(client) as (other, slow_too),
        connected(client) as (_, third),
    ):
        for writer in (slow, slow_too, third):
            writer.write(POSTED % (len(BODY), b""))
            await until(lambda: client.app[ADMISSION].in_flight == 0)
        assert (await client.get("/api/products")).status == 200
        slow.write(BODY)
        assert (await response_on(one))[0] == 201
        slow_too.write(BODY)
        assert (await response_on(other))[0] == 409


async def test_a_body_that_comes_when_all_capacity_is_taken_is_refused(make_client: ClientMaker, until: Until) -> None:
    """So slow bodies cannot all arrive at once and exceed the capacity."""
    client = await make_client(max_requests=2)
    async with connected(client) as (reader, writer):
        writer.write(POSTED % (len(BODY), BODY[:1]))
        await until(lambda: len(client.app[ARRIVING]) == 1)
        for other in ("GET /a", "GET /b"):
            client.app[ADMISSION].enter(other)
        writer.write(BODY[1:])
        status, _, reply = await response_on(reader)
        assert (status, json.loads(reply)["message"]) == (503, OVERLOAD)
