"""Connections on real sockets: what they may take, and what becomes of those that take more."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp.web_protocol import RequestHandler

from barcodesvc.api.connections import MOST_HEAD_BYTES, ConnectionServer
from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import ARRIVING, LARGE_BODIES
from tests.conftest import JSON_HEAD, Client, ClientMaker

Raw = Callable[..., Awaitable[bytes]]
Until = Callable[[Callable[[], bool]], Awaitable[None]]

WAIT = 10.0
HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
POSTED = b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n%s"
PRODUCTS = b"GET /api/products HTTP/1.1\r\nHost: x\r\n\r\n"


@asynccontextmanager
async def connected(client: Client) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open a connection to the client's service, and cut it at the end."""
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)  # what is not read is soon left with the service
        plain.settimeout(0)
        await asyncio.get_running_loop().sock_connect(plain, (client.host, client.port))
        reader, writer = await asyncio.open_connection(sock=plain.dup())
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def answer_on(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of the next answer."""
    async with asyncio.timeout(WAIT):
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
        headers = dict(line.lower().split(": ", 1) for line in lines)
        return int(first.split()[1]), headers, await reader.readexactly(int(headers["content-length"]))


def served_by(client: Client) -> ConnectionServer:
    """Return the server behind a client."""
    assert client.server.runner
    server = client.server.runner.server
    assert isinstance(server, ConnectionServer)
    return server


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Hold up the rendering of every code until the event is set."""
    gate = asyncio.Event()

    async def held_up(*_: Any) -> bytes:
        await gate.wait()
        return b"{}"

    monkeypatch.setattr("barcodesvc.api.resources.codes.barcode_answer", held_up)
    return gate


async def held_up_barcodes(client: Client, number: int, until: Until) -> list[asyncio.Task[Any]]:
    """Ask for so many barcodes, and return once they are in flight."""
    tasks = [
        asyncio.create_task(client.post("/api/codes/barcode", json={"product_code": f"A-{one}"}))
        for one in range(number)
    ]
    await until(lambda: client.app[ADMISSION].in_flight == number)
    return tasks


async def test_a_connection_too_many_is_told_so_at_once(make_client: ClientMaker) -> None:
    """It gets a 503 unasked and is closed; those that are there are answered; one that ends makes room."""
    client = await make_client(max_connections=1)
    async with connected(client) as (reader, writer):
        writer.write(HEALTH)
        assert (await answer_on(reader))[0] == 200
        async with connected(client) as (refused, _):
            status, headers, body = await answer_on(refused)
            assert (status, headers["retry-after"], headers["connection"]) == (503, "1", "close")
            assert json.loads(body) == {
                "error": True,
                "message": "too many connections are open; try again in a moment",
                "code": "GENERATION_ERROR",
                "details": {},
            }
            assert await refused.read() == b""
        writer.write(HEALTH)
        assert (await answer_on(reader))[0] == 200
    assert client.app[ADMISSION].refused_connections == 1


async def test_a_connection_that_ends_makes_room(make_client: ClientMaker, until: Until) -> None:
    """The next one is taken then."""
    client = await make_client(max_connections=1)
    for _ in range(3):
        async with connected(client) as (reader, writer):
            writer.write(HEALTH)
            assert (await answer_on(reader))[0] == 200
        await until(lambda: client.app[ADMISSION].connections == 0)


@pytest.mark.parametrize(
    "sent", [b"G", PRODUCTS[:-2], b"\r\n"], ids=["a byte", "a head without its end", "a blank line"]
)
async def test_a_head_that_does_not_end_is_given_up(make_client: ClientMaker, raw: Raw, sent: bytes) -> None:
    """The connection is closed after the time for heads, without a word."""
    client = await make_client(head_timeout=0.05)
    assert await raw(client, sent) == b""


async def test_a_slow_head_is_given_up_however_much_comes(make_client: ClientMaker) -> None:
    """The time counts from its first byte, not from its last."""
    client = await make_client(head_timeout=0.2)
    async with connected(client) as (reader, writer):
        ended = asyncio.create_task(reader.read())
        async with asyncio.timeout(WAIT):
            while not ended.done():
                writer.write(b"G")
                await asyncio.sleep(0.01)
        assert b" 200 OK" not in ended.result()


async def test_a_head_in_pieces_is_read(make_client: ClientMaker) -> None:
    """It may come in as many packets as it likes within its time; afterwards the connection may be idle for longer."""
    client = await make_client(head_timeout=0.3)
    async with connected(client) as (reader, writer):
        for part in (HEALTH[:7], HEALTH[7:20], HEALTH[20:]):
            writer.write(part)
            await asyncio.sleep(0.01)
        assert (await answer_on(reader))[0] == 200
        await asyncio.sleep(0.5)
        writer.write(HEALTH)
        assert (await answer_on(reader))[0] == 200


@pytest.mark.parametrize(
    ("before", "status"),
    [(HEALTH, 200), (POSTED % (2, b"{}"), 400), (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n", 404)],
    ids=["without a body", "with one", "refused before its body has come"],
)
async def test_every_head_of_a_connection_is_bounded(make_client: ClientMaker, before: bytes, status: int) -> None:
    """Behind an answer, a head that does not end is given up like a first one, and one that ends is answered."""
    client = await make_client(head_timeout=0.2, idle_timeout=3600)
    async with connected(client) as (reader, writer):
        writer.write(before)
        assert (await answer_on(reader))[0] == status
        if status == 404:
            writer.write(b"x")  # the body that was refused
        writer.write(HEALTH[:9])
        await asyncio.sleep(0.02)
        writer.write(HEALTH[9:])
        assert (await answer_on(reader))[0] == 200
        writer.write(b"G")
        async with asyncio.timeout(WAIT):
            assert await reader.read() == b""


async def test_a_pipelined_body_is_no_head(make_client: ClientMaker) -> None:
    """A request whose head came behind another one has the time and the size of a body."""
    client = await make_client(head_timeout=0.05)
    body = b'{"product_code":"A-1","description":"x"}' + b" " * 2 * MOST_HEAD_BYTES
    async with connected(client) as (reader, writer):
        writer.write(HEALTH + POSTED % (len(body), body[:5]))
        assert (await answer_on(reader))[0] == 200
        await asyncio.sleep(0.2)
        writer.write(body[5:])
        assert (await answer_on(reader))[0] == 201


async def test_a_body_in_pieces_is_no_slow_head(make_client: ClientMaker) -> None:
    """A request whose head has arrived has the time of a body."""
    client = await make_client(head_timeout=0.05)
    body = b'{"product_code":"A-1","description":"x"}'
    async with connected(client) as (reader, writer):
        writer.write(
            b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body[:5]
        )
        await asyncio.sleep(0.2)
        writer.write(body[5:])
        assert (await answer_on(reader))[0] == 201


async def test_a_head_without_an_end_is_refused(client: Client, raw: Raw) -> None:
    """Headers each within its limit are refused together."""
    flood = PRODUCTS[:-2] + b"".join(
        b"X-%d: %s\r\n" % (line, b"a" * 4000) for line in range(MOST_HEAD_BYTES // 4000 + 1)
    )
    head, _, body = (await raw(client, flood)).partition(b"\r\n\r\n")
    assert b" 400 " in head.partition(b"\r\n")[0]
    assert json.loads(body)["message"] == f"the head of the request is longer than {MOST_HEAD_BYTES} bytes"


async def test_an_idle_connection_ends(make_client: ClientMaker, raw: Raw) -> None:
    """Whether it has asked for something or not, it is closed after the idle time."""
    client = await make_client(idle_timeout=0.1)
    assert await raw(client, b"") == b""
    assert (await raw(client, HEALTH)).startswith(b"HTTP/1.1 200")


async def test_one_kind_of_request_leaves_places_for_others(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """Half of the places taken by barcodes, another barcode is a 503, and a list of products is answered."""
    client = await make_client(max_requests=4)
    asked = await held_up_barcodes(client, 2, until)
    refused = await client.post("/api/codes/barcode", json={"product_code": "A-3"})
    assert (refused.status, refused.headers["Retry-After"]) == (503, "1")
    told = await refused.json()
    assert (told["code"], told["details"]) == ("GENERATION_ERROR", {})
    assert (await client.get("/api/products")).status == 200
    assert client.app[ADMISSION].refused_requests == 1
    gate.set()
    assert [(await one).status for one in asked] == [200, 200]
    assert (await client.post("/api/codes/barcode", json={"product_code": "A-3"})).status == 200


async def test_all_places_taken_only_the_operator_is_answered(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """Whatever comes is a 503, but /health."""
    client = await make_client(max_requests=1)
    asked = await held_up_barcodes(client, 1, until)
    assert [(await client.get(path)).status for path in ("/api/products", "/nowhere", "/health")] == [503, 503, 200]
    gate.set()
    assert (await asked[0]).status == 200


@pytest.mark.parametrize("close", [b"", b"Connection: close\r\n"], ids=["stays", "ends"])
async def test_a_refusal_leaves_the_connection_as_its_client_wants_it(
    make_client: ClientMaker, until: Until, gate: asyncio.Event, close: bytes
) -> None:
    """Behind a 503 the next request is answered, unless the client has asked for the end."""
    client = await make_client(max_requests=1)
    [asked] = await held_up_barcodes(client, 1, until)
    async with connected(client) as (reader, writer):
        writer.write(PRODUCTS[:-2] + close + b"\r\n")
        status, headers, body = await answer_on(reader)
        assert (status, headers["retry-after"]) == (503, "1")
        assert headers["content-type"] == "application/json; charset=utf-8"
        assert json.loads(body)["message"] == "too many requests are under way; try again in a moment"
        assert ("connection" in headers) == bool(close)
        gate.set()
        await asked
        if not close:
            writer.write(PRODUCTS)
            assert (await answer_on(reader))[0] == 200


async def test_a_pipeline_is_refused_one_by_one(make_client: ClientMaker, until: Until, gate: asyncio.Event) -> None:
    """Each of its requests gets its answer, in order."""
    client = await make_client(max_requests=1)
    [asked] = await held_up_barcodes(client, 1, until)
    async with connected(client) as (reader, writer):
        writer.write(PRODUCTS + HEALTH + PRODUCTS)
        assert [(await answer_on(reader))[0] for _ in range(3)] == [503, 200, 503]
    gate.set()
    await asked


async def test_refusals_that_are_not_read_do_not_pile_up(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """Who floods and reads nothing is no longer read himself, and forgotten when he goes."""
    client = await make_client(max_requests=1)
    [asked] = await held_up_barcodes(client, 1, until)
    server = served_by(client)
    others = set(server.connections)
    async with connected(client) as (_, writer):
        await until(lambda: len(server.connections) > len(others))
        [flooded] = set(server.connections) - others
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport
        await _flood(writer, lambda: server.slow_readers.size > 0, 200_000)
        transport = flooded.transport
        assert transport
        before = transport.get_write_buffer_size()
        await _flood(writer, lambda: False, 300)
        assert transport.get_write_buffer_size() < before + 20 * 500
    await until(lambda: server.slow_readers.size == 0)
    gate.set()
    await asked


async def test_who_does_not_read_is_refused_once(make_client: ClientMaker, until: Until, gate: asyncio.Event) -> None:
    """While a refusal waits to be taken, the requests behind it wait as well; then each gets its own."""
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
        assert [(await answer_on(reader))[0] for _ in range(5)] == [503] * 5
    gate.set()
    await asked


async def _flood(writer: asyncio.StreamWriter, is_over: Callable[[], bool], most: int) -> None:
    """Send requests, each in a packet of its own, until it is over."""
    for _ in range(most):
        if is_over():
            return
        writer.write(PRODUCTS)
        await asyncio.sleep(0)
        await asyncio.sleep(0)


async def test_a_request_behind_another_waits_for_its_turn(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """However full it is, answers come in the order of their requests."""
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
        first, second = await answer_on(reader), await answer_on(reader)
        assert ((first[0], first[2]), second[0]) == ((200, b"{}"), 200)
        assert second[2].startswith(b'{"success":true,"data":[]')


async def test_slow_bodies_take_no_place(make_client: ClientMaker, until: Until) -> None:
    """However many requests wait for their bodies, others are answered; and so are they when these have come."""
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
        assert (await answer_on(one))[0] == 201
        slow_too.write(body)
        assert (await answer_on(other))[0] == 409


async def test_a_body_that_comes_when_all_places_are_taken_is_refused(make_client: ClientMaker, until: Until) -> None:
    """So slow bodies cannot come all at once to be more than there are places."""
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
        status, _, told = await answer_on(reader)
        assert (status, json.loads(told)["message"]) == (503, "too many requests are under way; try again in a moment")


async def test_large_bodies_have_so_much_room(make_client: ClientMaker, until: Until) -> None:
    """One that finds none is a 503; small ones and those that come later are read."""
    client = await make_client(max_arriving_bytes=100_000)
    head = b"POST /api/codes/printable HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n"
    body = json.dumps({"products": ["x" * 60] * 1400}).encode()
    async with connected(client) as (_, held):
        held.write(head % len(body) + body[:-1])
        await until(lambda: client.app[LARGE_BODIES].free < 100_000 - len(body) + 2)
        refused = await client.post("/api/codes/printable", data=body, headers={"Content-Type": "application/json"})
        assert (refused.status, refused.headers["Retry-After"]) == (503, "2")
        assert (await refused.json())["message"] == "too many large bodies are arriving; try again in a moment"
        assert (await client.post("/api/codes/barcode", json={"product_code": "A-1"})).status == 200
    await until(lambda: client.app[LARGE_BODIES].free == 100_000)
    answered = await client.post("/api/codes/printable", data=body, headers={"Content-Type": "application/json"})
    assert (answered.status, (await answered.json())["code"]) == (400, "VALIDATION_ERROR"), "it was read"


async def test_an_answer_that_is_not_taken_is_cut(make_client: ClientMaker, until: Until) -> None:
    """Where unsent answers are too much together, their connections end."""
    client = await make_client(max_unsent_bytes=50_000)
    server = served_by(client)
    async with connected(client) as (_, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport
        formats = b"GET /api/codes/formats HTTP/1.1\r\nHost: x\r\n\r\n"
        for _ in range(20_000):
            writer.write(formats * 20)
            await asyncio.sleep(0)
            if server.slow_readers.cut:
                break
        else:
            pytest.fail("the answers found room for ever")
    await until(lambda: server.slow_readers.size == 0)


async def test_at_the_end_an_answer_says_that_it_is_the_last(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """A request in flight is answered with a notice, and the stop waits for it."""
    client = await make_client()
    [asked] = await held_up_barcodes(client, 1, until)
    stop = asyncio.create_task(client.server.close())
    await until(lambda: client.app[ADMISSION].is_ending)
    gate.set()
    answer = await asked
    assert (answer.status, answer.headers["Connection"]) == (200, "close")
    async with asyncio.timeout(WAIT):
        await stop


async def test_a_head_in_the_first_packet_is_bounded(make_client: ClientMaker, until: Until) -> None:
    """It may be there before the connection's task waits for it; its time counts from then, too."""
    client = await make_client(head_timeout=0.2, idle_timeout=60)
    server = client.server.runner and client.server.runner.server
    assert isinstance(server, ConnectionServer)
    connection = server()
    transport = FakeTransport()
    connection.connection_made(transport)
    connection.data_received(b"GET /health HTTP/1.1\r\nX: ")
    await until(lambda: transport.closed)


class FakeTransport(asyncio.Transport):
    """A transport that keeps whether it was closed."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.closed = False

    def close(self) -> None:
        """Note the end."""
        self.closed = True

    def is_closing(self) -> bool:
        """Tell it."""
        return self.closed


async def test_a_broken_chunk_is_told_when_it_comes(client: Client) -> None:
    """Framing that breaks in a later packet ends the body at once, and the connection with it."""
    head = b"POST /api/codes/barcode HTTP/1.1\r\n" + JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    async with connected(client) as (reader, writer):
        writer.write(head + b'5\r\n{"pro\r\n')
        await asyncio.sleep(0.05)
        writer.write(b"zz\r\n")
        async with asyncio.timeout(WAIT):
            answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 400 ")


def test_what_is_read_of_aiohttp_is_there() -> None:
    """The one private attribute that connections read; where a new aiohttp has renamed it, read its web_protocol."""
    assert "_messages" in RequestHandler.__slots__


async def test_a_page_of_an_allowed_origin_can_read_a_refusal(make_client: ClientMaker) -> None:
    """A browser is told that it may, of the origins that are set and of no other."""
    client = await make_client(max_requests=1, cors_origins="https://kiosk.example")
    client.app[ADMISSION].enter("GET /other")
    told = {}
    for origin in ("https://kiosk.example", "https://else.example", None):
        headers = {"Origin": origin} if origin else {}
        answer = await client.get("/api/products", headers=headers)
        assert answer.status == 503
        told[origin] = answer.headers.get("Access-Control-Allow-Origin")
    client.app[ADMISSION].leave("GET /other")
    assert told == {"https://kiosk.example": "https://kiosk.example", "https://else.example": None, None: None}
