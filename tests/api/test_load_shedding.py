"""Load shedding on real sockets: what is refused under overload, and what still succeeds."""

import asyncio
import json
from collections.abc import Callable

import pytest

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import ARRIVING, SERVICE
from tests.api.sockets import (
    HEALTH,
    PRODUCTS,
    connected,
    held_up_barcodes,
    response_on,
    served_by,
)
from tests.conftest import JSON_HEAD
from tests.fixture_types import ClientMaker, Until


async def test_one_kind_of_request_leaves_capacity_for_others(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """With half of the capacity taken by barcodes, another barcode is a 503, and a list of products succeeds."""
    client = await make_client(max_requests=4)
    asked = await held_up_barcodes(client, 2, until)
    refused = await client.post("/api/codes/barcode", json={"product_code": "A-3"})
    assert (refused.status, refused.headers["Retry-After"]) == (503, "1")
    reply = await refused.json()
    assert (reply["code"], reply["details"]) == ("GENERATION_ERROR", {"reason": "overloaded"})
    assert (await client.get("/api/products")).status == 200
    assert client.app[ADMISSION].refused_requests == 1
    gate.set()
    assert [(await one).status for one in asked] == [200, 200]
    assert (await client.post("/api/codes/barcode", json={"product_code": "A-3"})).status == 200


async def test_all_capacity_taken_only_the_operator_is_answered(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """All requests are a 503, except /health."""
    client = await make_client(max_requests=1)
    asked = await held_up_barcodes(client, 1, until)
    assert [(await client.get(path)).status for path in ("/api/products", "/nowhere", "/health")] == [503, 503, 200]
    gate.set()
    assert (await asked[0]).status == 200


@pytest.mark.parametrize("close", [b"", b"Connection: close\r\n"], ids=["stays", "ends"])
async def test_a_refusal_leaves_the_connection_as_its_client_wants_it(
    make_client: ClientMaker, until: Until, gate: asyncio.Event, close: bytes
) -> None:
    """After a 503 the next request succeeds, unless the client asked to close the connection."""
    client = await make_client(max_requests=1)
    [asked] = await held_up_barcodes(client, 1, until)
    async with connected(client) as (reader, writer):
        writer.write(PRODUCTS[:-2] + close + b"\r\n")
        status, headers, body = await response_on(reader)
        assert (status, headers["retry-after"]) == (503, "1")
        assert headers["content-type"] == "application/json; charset=utf-8"
        assert json.loads(body)["message"] == "too many requests are in progress; try again in a moment"
        assert ("connection" in headers) == bool(close)
        gate.set()
        await asked
        if not close:
            writer.write(PRODUCTS)
            assert (await response_on(reader))[0] == 200


async def test_a_refusal_has_the_id_of_its_request(make_client: ClientMaker, until: Until, gate: asyncio.Event) -> None:
    """A client can find its request in the log."""
    client = await make_client(max_requests=1)
    [asked] = await held_up_barcodes(client, 1, until)
    async with connected(client) as (reader, writer):
        writer.write(PRODUCTS[:-2] + b"X-Request-ID: till-2\r\n\r\n")
        status, headers, _ = await response_on(reader)
        assert (status, headers["retry-after"], headers["x-request-id"]) == (503, "1", "till-2")
    gate.set()
    await asked


async def test_a_refusal_before_the_body_ends_the_connection(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """The client learns that it must not send the body, which the service would not read."""
    client = await make_client(max_requests=1)
    [asked] = await held_up_barcodes(client, 1, until)
    async with connected(client) as (reader, writer):
        writer.write(b"POST /api/codes/barcode HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: 99\r\n\r\n")
        status, headers, _ = await response_on(reader)
        assert (status, headers["connection"]) == (503, "close")
        assert await reader.read() == b""
    gate.set()
    await asked


async def test_a_pipeline_is_refused_one_by_one(make_client: ClientMaker, until: Until, gate: asyncio.Event) -> None:
    """Each of its requests gets its response, in order."""
    client = await make_client(max_requests=1)
    [asked] = await held_up_barcodes(client, 1, until)
    async with connected(client) as (reader, writer):
        writer.write(PRODUCTS + HEALTH + PRODUCTS)
        assert [(await response_on(reader))[0] for _ in range(3)] == [503, 200, 503]
    gate.set()
    await asked


async def test_refusals_that_are_not_read_do_not_pile_up(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """The service stops reading from a client that floods without reading, and forgets it when it disconnects."""
    client = await make_client(max_requests=1)
    [asked] = await held_up_barcodes(client, 1, until)
    server = served_by(client)
    others = set(server.connections)
    async with connected(client) as (_, writer):
        await until(lambda: len(server.connections) > len(others))
        [flooded] = set(server.connections) - others
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport
        await _flood(writer, lambda: flooded.writing_paused, 200_000)
        transport = flooded.transport
        assert transport
        before = transport.get_write_buffer_size()
        await _flood(writer, lambda: False, 300)
        assert transport.get_write_buffer_size() < before + 20 * 500
    await until(lambda: flooded not in server.connections)
    gate.set()
    await asked


async def test_who_does_not_read_is_refused_once(make_client: ClientMaker, until: Until, gate: asyncio.Event) -> None:
    """While a refusal waits to be read, the following requests wait as well; then each gets its own."""
    client = await make_client(max_requests=1)
    [asked] = await held_up_barcodes(client, 1, until)
    server, admission = served_by(client), client.app[ADMISSION]
    others = set(server.connections)
    async with connected(client) as (reader, writer):
        await until(lambda: len(server.connections) > len(others))
        [connection] = set(server.connections) - others
        connection.pause_writing()
        for _ in range(5):
            writer.write(PRODUCTS)
            await asyncio.sleep(0.01)
        await until(lambda: admission.refused_requests > 0)
        assert admission.refused_requests == 1
        connection.resume_writing()
        assert [(await response_on(reader))[0] for _ in range(5)] == [503] * 5
    gate.set()
    await asked


async def _flood(writer: asyncio.StreamWriter, is_over: Callable[[], bool], most: int) -> None:
    """Send requests, each in a separate packet, until cancelled."""
    for _ in range(most):
        if is_over():
            return
        writer.write(PRODUCTS)
        await asyncio.sleep(0)
        await asyncio.sleep(0)


async def test_a_request_behind_another_waits_for_its_turn(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """However full the service is, responses are in the order of their requests."""
    client = await make_client(max_requests=1)
    async with connected(client) as (reader, writer):
        body = b'{"product_code":"A-1"}'
        writer.write(
            b"POST /api/codes/barcode HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
        )
        await until(lambda: client.app[ADMISSION].in_flight == 1)
        writer.write(PRODUCTS)
        await asyncio.sleep(0.05)
        gate.set()
        first, second = await response_on(reader), await response_on(reader)
        assert ((first[0], first[2]), second[0]) == ((200, b"{}"), 200)
        assert second[2].startswith(b'{"success":true,"data":[]')


async def test_slow_bodies_take_no_capacity(make_client: ClientMaker, until: Until) -> None:
    """However many requests wait for their bodies, others succeed; so do the slow ones once these have arrived."""
    client = await make_client(max_requests=2)
    body = b'{"product_code":"A-1","description":"x"}'
    head = b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body)
    async with (
        connected(client) as (one, slow),
        connected(client) as (other, slow_too),
        connected(client) as (_, third),
    ):
        for writer in (slow, slow_too, third):
            writer.write(head)
            await until(lambda: client.app[ADMISSION].in_flight == 0)
        assert (await client.get("/api/products")).status == 200
        slow.write(body)
        assert (await response_on(one))[0] == 201
        slow_too.write(body)
        assert (await response_on(other))[0] == 409


async def test_a_body_that_comes_when_all_capacity_is_taken_is_refused(make_client: ClientMaker, until: Until) -> None:
    """So slow bodies cannot all arrive at once and exceed the capacity."""
    client = await make_client(max_requests=2)
    admission = client.app[ADMISSION]
    body = b'{"product_code":"A-1","description":"x"}'
    async with connected(client) as (reader, writer):
        writer.write(
            b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body[:1]
        )
        await until(lambda: len(client.app[ARRIVING]) == 1)
        for other in ("GET /a", "GET /b"):
            admission.enter(other)
        writer.write(body[1:])
        status, _, reply = await response_on(reader)
        assert (status, json.loads(reply)["message"]) == (
            503,
            "too many requests are in progress; try again in a moment",
        )


async def test_large_bodies_have_so_much_room(make_client: ClientMaker, until: Until) -> None:
    """A body that exceeds it is a 503; small and later ones are read."""
    client = await make_client(max_arriving_bytes=200_000)
    head = b"POST /api/codes/printable HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n"
    body = json.dumps({"products": ["x" * 60] * 1400}).encode()
    async with connected(client) as (_, held):
        held.write(head % len(body) + body[:-1])
        await until(lambda: client.app[SERVICE].large_bodies.free < 200_000 - len(body) + 2)
        refused = await client.post("/api/codes/printable", data=body, headers={"Content-Type": "application/json"})
        assert (refused.status, refused.headers["Retry-After"]) == (503, "2")
        assert (await refused.json())["message"] == "too many large bodies are arriving; try again in a moment"
        assert (await client.post("/api/codes/barcode", json={"product_code": "A-1"})).status == 200
    await until(lambda: client.app[SERVICE].large_bodies.free == 200_000)
    answered = await client.post("/api/codes/printable", data=body, headers={"Content-Type": "application/json"})
    assert (answered.status, (await answered.json())["code"]) == (400, "VALIDATION_ERROR"), "it was read"


async def test_a_page_of_an_allowed_origin_can_read_a_refusal(make_client: ClientMaker) -> None:
    """Its headers allow the configured origins and no other."""
    client = await make_client(max_requests=1, cors_origins="https://kiosk.example")
    client.app[ADMISSION].enter("GET /other")
    reply = {}
    for origin in ("https://kiosk.example", "https://else.example", None):
        headers = {"Origin": origin} if origin else {}
        response = await client.get("/api/products", headers=headers)
        assert response.status == 503
        reply[origin] = response.headers.get("Access-Control-Allow-Origin")
    client.app[ADMISSION].leave("GET /other")
    assert reply == {"https://kiosk.example": "https://kiosk.example", "https://else.example": None, None: None}
