"""Request heads on real sockets: each has limited time and size."""

import asyncio
import json

import pytest

from barcodesvc.api.connections import MOST_HEAD_BYTES, ConnectionServer
from barcodesvc.api.guard.admission import ADMISSION
from tests.api.sockets import (
    HEALTH,
    POSTED,
    PRODUCTS,
    WAIT,
    connected,
    response_on,
)
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker, Raw, Until

BARCODE = b"POST /api/codes/barcode HTTP/1.1\r\n" + JSON_HEAD + b'Content-Length: 22\r\n\r\n{"product_code":"A-1"}'
CHUNKED = BARCODE.replace(b"Content-Length: 22\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n16\r\n") + b"\r\n0\r\n\r\n"
TOO_LONG = f"the headers of the request are longer than {MOST_HEAD_BYTES} bytes"


@pytest.mark.parametrize(
    "sent", [b"G", PRODUCTS[:-2], b"\r\n"], ids=["a byte", "a head without its end", "a blank line"]
)
async def test_a_head_that_does_not_end_is_given_up(make_client: ClientMaker, raw: Raw, sent: bytes) -> None:
    """The connection is closed after the head timeout, without a response."""
    client = await make_client(head_timeout=0.05)
    assert await raw(client, sent) == b""


async def test_a_slow_head_is_given_up_however_much_comes(make_client: ClientMaker) -> None:
    """The timeout starts with the first byte, not the last."""
    client = await make_client(head_timeout=0.2)
    async with connected(client) as (reader, writer):
        ended = asyncio.create_task(reader.read())
        async with asyncio.timeout(WAIT):
            while not ended.done():
                writer.write(b"G")
                await asyncio.sleep(0.01)
        assert b" 200 OK" not in ended.result()


async def test_a_head_in_pieces_is_read(make_client: ClientMaker) -> None:
    """It may arrive in any number of packets within its time; afterwards the connection may be idle for longer."""
    client = await make_client(head_timeout=0.3)
    async with connected(client) as (reader, writer):
        for part in (HEALTH[:7], HEALTH[7:20], HEALTH[20:]):
            writer.write(part)
            await asyncio.sleep(0.01)
        assert (await response_on(reader))[0] == 200
        await asyncio.sleep(0.5)
        writer.write(HEALTH)
        assert (await response_on(reader))[0] == 200


@pytest.mark.parametrize(
    ("before", "status"),
    [(HEALTH, 200), (POSTED % (2, b"{}"), 400), (b"GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx", 404)],
    ids=["without a body", "with one", "with one that is refused"],
)
async def test_every_head_of_a_connection_is_bounded(make_client: ClientMaker, before: bytes, status: int) -> None:
    """After a response, an unfinished head times out like a first one, and a finished one gets its response."""
    client = await make_client(head_timeout=0.2, idle_timeout=3600)
    async with connected(client) as (reader, writer):
        writer.write(before)
        assert (await response_on(reader))[0] == status
        writer.write(HEALTH[:9])
        await asyncio.sleep(0.02)
        writer.write(HEALTH[9:])
        assert (await response_on(reader))[0] == 200
        writer.write(b"G")
        async with asyncio.timeout(WAIT):
            assert await reader.read() == b""


async def test_a_pipelined_body_is_no_head(make_client: ClientMaker) -> None:
    """A request whose head arrived after another one has the time and size limits of a body."""
    client = await make_client(head_timeout=0.05)
    body = b'{"product_code":"A-1","description":"x"}' + b" " * (MOST_HEAD_BYTES + 10_000)
    async with connected(client) as (reader, writer):
        writer.write(HEALTH + POSTED % (len(body), body[:5]))
        assert (await response_on(reader))[0] == 200
        await asyncio.sleep(0.2)
        writer.write(body[5:])
        assert (await response_on(reader))[0] == 201


async def test_a_body_in_pieces_is_no_slow_head(make_client: ClientMaker) -> None:
    """A request whose head has arrived has the time limit of a body."""
    client = await make_client(head_timeout=0.05)
    body = b'{"product_code":"A-1","description":"x"}'
    async with connected(client) as (reader, writer):
        writer.write(
            b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body[:5]
        )
        await asyncio.sleep(0.2)
        writer.write(body[5:])
        assert (await response_on(reader))[0] == 201


async def test_a_head_without_an_end_is_refused(client: Client, raw: Raw) -> None:
    """Headers that are each within their limit are refused if they are too long in total."""
    flood = PRODUCTS[:-2] + b"".join(
        b"X-%d: %s\r\n" % (line, b"a" * 4000) for line in range(MOST_HEAD_BYTES // 4000 + 1)
    )
    head, _, body = (await raw(client, flood)).partition(b"\r\n\r\n")
    assert b" 400 " in head.partition(b"\r\n")[0]
    assert json.loads(body)["message"] == TOO_LONG


async def test_a_head_behind_a_request_in_progress_has_the_same_size(
    make_client: ClientMaker, gate: asyncio.Event, until: Until
) -> None:
    """The service reads no more than its limit of it; the request in progress is answered, then the head is refused."""
    client = await make_client(idle_timeout=3600)
    async with connected(client) as (reader, writer):
        writer.write(BARCODE)
        await until(lambda: client.app[ADMISSION].in_flight == 1)
        writer.write(PRODUCTS[:-2])
        for line in range(MOST_HEAD_BYTES // 1000 + 10):
            writer.write(b"X-%d: %s\r\n" % (line, b"a" * 1000))
            await asyncio.sleep(0)
        writer.write(b"\r\n")
        await asyncio.sleep(0.1)
        gate.set()
        assert (await response_on(reader))[0] == 200
        status, _, body = await response_on(reader)
        assert (status, json.loads(body)["message"]) == (400, TOO_LONG)
        assert await reader.read() == b""


async def test_many_heads_behind_a_request_in_progress_are_no_long_one(
    client: Client, gate: asyncio.Event, until: Until
) -> None:
    """Together they may be longer than one head."""
    number = 2 * MOST_HEAD_BYTES // len(HEALTH)
    async with connected(client) as (reader, writer):
        writer.write(BARCODE)
        await until(lambda: client.app[ADMISSION].in_flight == 1)
        writer.write(HEALTH * number)
        await asyncio.sleep(0.1)
        gate.set()
        assert [(await response_on(reader))[0] for _ in range(number + 1)] == [200] * (number + 1)


@pytest.mark.parametrize("before", [BARCODE, CHUNKED], ids=["with a length", "in chunks"])
@pytest.mark.parametrize("apart", [False, True], ids=["in its packet", "in a later packet"])
async def test_a_head_behind_a_request_in_progress_has_the_same_time(
    make_client: ClientMaker, gate: asyncio.Event, until: Until, before: bytes, *, apart: bool
) -> None:
    """Its time begins when the request before it is answered, which is not cut."""
    client = await make_client(head_timeout=0.05, idle_timeout=3600)
    async with connected(client) as (reader, writer):
        writer.write(before if apart else before + HEALTH[:7])
        await until(lambda: client.app[ADMISSION].in_flight == 1)
        if apart:
            writer.write(HEALTH[:7])
        await asyncio.sleep(0.2)
        gate.set()
        assert (await response_on(reader))[0] == 200
        async with asyncio.timeout(WAIT):
            assert await reader.read() == b""


async def test_a_head_behind_a_request_in_progress_may_arrive_in_pieces(
    make_client: ClientMaker, gate: asyncio.Event, until: Until
) -> None:
    """It is read to its end, and afterwards the connection may be idle for longer."""
    client = await make_client(head_timeout=0.3)
    async with connected(client) as (reader, writer):
        writer.write(BARCODE + HEALTH[:7])
        await until(lambda: client.app[ADMISSION].in_flight == 1)
        writer.write(HEALTH[7:20])
        await asyncio.sleep(0.4)
        gate.set()
        assert (await response_on(reader))[0] == 200
        writer.write(HEALTH[20:])
        assert (await response_on(reader))[0] == 200
        await asyncio.sleep(0.5)
        writer.write(HEALTH)
        assert (await response_on(reader))[0] == 200


@pytest.mark.parametrize("cut", [1, 20, len(HEALTH) - 1, len(HEALTH) + 120])
async def test_the_packets_of_a_request_leave_no_head(make_client: ClientMaker, cut: int) -> None:
    """However its head and body are cut, the connection may be idle for longer than a head afterwards."""
    client = await make_client(head_timeout=0.2)
    async with connected(client) as (reader, writer):
        for sent in (HEALTH, POSTED % (2, b"{}"), CHUNKED):
            for part in filter(None, (sent[:cut], sent[cut:])):
                writer.write(part)
                await asyncio.sleep(0.01)
            await response_on(reader)
            await asyncio.sleep(0.4)
        writer.write(HEALTH)
        assert (await response_on(reader))[0] == 200


async def test_a_head_in_the_first_packet_is_bounded(make_client: ClientMaker, until: Until) -> None:
    """It may arrive before the connection's task waits for it; its timeout starts then, too."""
    client = await make_client(head_timeout=0.2, idle_timeout=60)
    server = client.server.runner and client.server.runner.server
    assert isinstance(server, ConnectionServer)
    connection = server()
    transport = FakeTransport()
    connection.connection_made(transport)
    connection.data_received(b"GET /health HTTP/1.1\r\nX: ")
    await until(lambda: transport.closed)
    connection.connection_lost(None)  # otherwise the end of the service would wait for it


class FakeTransport(asyncio.Transport):
    """A transport that records whether it was closed."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.closed = False

    def close(self) -> None:
        """Record the end."""
        self.closed = True

    def is_closing(self) -> bool:
        """Return whether it was closed."""
        return self.closed
