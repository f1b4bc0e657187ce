"""What arrives of requests, on real sockets: heads have limited time and size, and packets are parsed in slices."""

import asyncio
import json
from collections.abc import Callable, Sequence

import pytest

from barcodesvc.api.connections import MOST_HEAD_BYTES, SLICE, PacedTransport
from barcodesvc.api.guard.admission import ADMISSION
from tests.api.sockets import HEALTH, POSTED, PRODUCTS, WAIT, Connected, connected, raw, response_on
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker, Until
from tests.forms import KIND, form, part

BARCODE = POSTED.replace(b"/api/products", b"/api/codes/barcode") % (22, b'{"product_code":"A-1"}')
CHUNKED = b"%b HTTP/1.1\r\n" + JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
PRODUCT = b'{"product_code":"A-1","description":"x"}'
TOO_LONG = f"the headers of the request are longer than {MOST_HEAD_BYTES} bytes"


def chunked(line: bytes, parts: Sequence[bytes]) -> bytes:
    """Return a request whose body comes in these chunks."""
    return CHUNKED % line + b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


BARCODE_IN_CHUNKS = chunked(b"POST /api/codes/barcode", [b'{"product_code":"A-1"}'])


async def statuses(reader: asyncio.StreamReader, number: int) -> list[int]:
    """Return the statuses of the next responses."""
    return [(await response_on(reader))[0] for _ in range(number)]


async def require_end(reader: asyncio.StreamReader) -> None:
    """Wait until the service closes the connection; fail if it sends more."""
    async with asyncio.timeout(WAIT):
        assert await reader.read() == b""


async def test_a_head_that_does_not_end_is_given_up(make_client: ClientMaker) -> None:
    """The connection is closed after the head timeout, without a response, whatever there is of its head."""
    client = await make_client(head_timeout=0.05)
    for sent in (b"G", PRODUCTS[:-2], b"\r\n"):
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


@pytest.mark.parametrize(
    ("before", "status"),
    [
        (b"", 0),
        (HEALTH, 200),
        (POSTED % (2, b"{}"), 400),
        (b"GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx", 404),
    ],
    ids=["the first", "behind one without a body", "behind one with a body", "behind one that is refused"],
)
async def test_every_head_of_a_connection_is_bounded(make_client: ClientMaker, before: bytes, status: int) -> None:
    """A head that comes in pieces is answered, and one that is unfinished times out, behind any response."""
    client = await make_client(head_timeout=0.2, idle_timeout=3600)
    async with connected(client) as (reader, writer):
        writer.write(before)
        assert await statuses(reader, bool(before)) == [status] * bool(before)
        for piece in (HEALTH[:9], HEALTH[9:20], HEALTH[20:]):
            writer.write(piece)
            await asyncio.sleep(0.01)
        assert await statuses(reader, 1) == [200]
        writer.write(b"G")
        await require_end(reader)


@pytest.mark.parametrize("before", [b"", HEALTH], ids=["first", "pipelined"])
async def test_a_body_in_pieces_is_no_head(make_client: ClientMaker, before: bytes) -> None:
    """A request whose head has arrived has the time and size limits of a body."""
    client = await make_client(head_timeout=0.05)
    body = PRODUCT + b" " * (MOST_HEAD_BYTES + 10_000)
    async with connected(client) as (reader, writer):
        writer.write(before + POSTED % (len(body), body[:5]))
        assert await statuses(reader, bool(before)) == [200] * bool(before)
        await asyncio.sleep(0.2)
        writer.write(body[5:])
        assert await statuses(reader, 1) == [201]


async def test_a_head_without_an_end_is_refused(client: Client) -> None:
    """Headers that are each within their limit are refused if they are too long in total."""
    flood = b"".join(b"X-%d: %b\r\n" % (line, b"a" * 4000) for line in range(MOST_HEAD_BYTES // 4000 + 1))
    head, _, body = (await raw(client, PRODUCTS[:-2] + flood)).partition(b"\r\n\r\n")
    assert b" 400 " in head.partition(b"\r\n")[0]
    assert json.loads(body)["message"] == TOO_LONG


async def in_progress(client: Client, connection: Connected, until: Until, sent: bytes = BARCODE) -> None:
    """Begin a request for a barcode, and return once it is in flight."""
    connection[1].write(sent)
    await until(lambda: client.app[ADMISSION].in_flight == 1)


async def test_a_head_behind_a_request_in_progress_has_the_same_size(
    make_client: ClientMaker, gate: asyncio.Event, until: Until
) -> None:
    """The service reads no more than its limit of it; the request in progress is answered, then the head is refused."""
    client = await make_client(idle_timeout=3600)
    async with connected(client) as (reader, writer):
        await in_progress(client, (reader, writer), until)
        writer.write(PRODUCTS[:-2])
        for line in range(MOST_HEAD_BYTES // 1000 + 10):
            writer.write(b"X-%d: %b\r\n" % (line, b"a" * 1000))
            await asyncio.sleep(0)
        writer.write(b"\r\n")
        await asyncio.sleep(0.1)
        gate.set()
        assert await statuses(reader, 1) == [200]
        status, _, body = await response_on(reader)
        assert (status, json.loads(body)["message"]) == (400, TOO_LONG)
        assert await reader.read() == b""


async def test_many_heads_behind_a_request_in_progress_are_no_long_one(
    client: Client, gate: asyncio.Event, until: Until
) -> None:
    """Together they may be longer than one head, and are answered in their order."""
    number = 2 * MOST_HEAD_BYTES // len(HEALTH)
    async with connected(client) as (reader, writer):
        await in_progress(client, (reader, writer), until)
        writer.write(HEALTH * number)
        await asyncio.sleep(0.1)
        gate.set()
        assert (await response_on(reader))[2] == b"{}"
        assert await statuses(reader, number) == [200] * number


@pytest.mark.parametrize("before", [BARCODE, BARCODE_IN_CHUNKS], ids=["with a length", "in chunks"])
@pytest.mark.parametrize("apart", [False, True], ids=["in its packet", "in a later packet"])
async def test_a_head_behind_a_request_in_progress_has_the_same_time(
    make_client: ClientMaker, gate: asyncio.Event, until: Until, before: bytes, *, apart: bool
) -> None:
    """Its time begins when the request before it is answered, which is not cut."""
    client = await make_client(head_timeout=0.05, idle_timeout=3600)
    async with connected(client) as (reader, writer):
        await in_progress(client, (reader, writer), until, before if apart else before + HEALTH[:7])
        if apart:
            writer.write(HEALTH[:7])
        await asyncio.sleep(0.2)
        gate.set()
        assert await statuses(reader, 1) == [200]
        await require_end(reader)


async def test_a_head_behind_a_request_in_progress_may_arrive_in_pieces(
    make_client: ClientMaker, gate: asyncio.Event, until: Until
) -> None:
    """It is read to its end, and afterwards the connection may be idle for longer."""
    client = await make_client(head_timeout=0.3)
    async with connected(client) as (reader, writer):
        await in_progress(client, (reader, writer), until, BARCODE + HEALTH[:7])
        writer.write(HEALTH[7:20])
        await asyncio.sleep(0.4)
        gate.set()
        assert await statuses(reader, 1) == [200]
        writer.write(HEALTH[20:])
        assert await statuses(reader, 1) == [200]
        await asyncio.sleep(0.5)
        writer.write(HEALTH)
        assert await statuses(reader, 1) == [200]


@pytest.mark.parametrize("cut", [1, 20, len(HEALTH) - 1, len(HEALTH) + 120])
async def test_the_packets_of_a_request_leave_no_head(make_client: ClientMaker, cut: int) -> None:
    """However its head and body are cut, the connection may be idle for longer than a head afterwards."""
    client = await make_client(head_timeout=0.2)
    async with connected(client) as (reader, writer):
        for sent in (HEALTH, POSTED % (2, b"{}"), BARCODE_IN_CHUNKS):
            for piece in filter(None, (sent[:cut], sent[cut:])):
                writer.write(piece)
                await asyncio.sleep(0.01)
            await response_on(reader)
            await asyncio.sleep(0.4)
        writer.write(HEALTH)
        assert await statuses(reader, 1) == [200]


PACKET = bytes(range(256)) * 64


class Socket(asyncio.Transport):
    """A transport that knows whether it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.is_read = True

    def pause_reading(self) -> None:
        """Record that reading is paused."""
        self.is_read = False

    def resume_reading(self) -> None:
        """Record that reading is resumed."""
        self.is_read = True

    def is_closing(self) -> bool:
        """Return that it is open."""
        return False


class Parser:
    """A parser that records its slices; `then` is done after each."""

    def __init__(self, then: Callable[[], None] = lambda: None) -> None:
        self.slices: list[bytes] = []
        self.then = then

    def parse(self, data: bytes) -> int:
        """Record a slice."""
        self.slices.append(data)
        self.then()
        return 0


async def test_a_packet_is_parsed_in_slices_in_its_order(until: Until) -> None:
    """One in each turn, and nothing is read until the last; what arrives anyway keeps its place."""
    socket, parser = Socket(), Parser()
    transport = PacedTransport(socket, parser.parse)
    transport.receive(PACKET)
    assert (len(parser.slices), socket.is_read) == (1, False)
    transport.receive(b"later")
    assert len(parser.slices) == 1
    await asyncio.sleep(0)
    assert len(parser.slices) == 2
    await until(lambda: socket.is_read)
    assert b"".join(parser.slices) == PACKET + b"later"
    assert max(map(len, parser.slices)) == SLICE


def test_what_costs_nothing_by_the_byte_is_parsed_at_once() -> None:
    """The rest of a body with a length."""
    slices: list[bytes] = []

    def parse(data: bytes) -> int:
        slices.append(data)
        return len(PACKET)

    PacedTransport(Socket(), parse).receive(PACKET)
    assert slices == [PACKET[:SLICE], PACKET[SLICE:]]


async def test_nothing_is_parsed_or_read_while_reading_is_paused(until: Until) -> None:
    """So aiohttp's own limits of bodies and pipelines hold; it resumes from within its parser, too."""
    socket, parser = Socket(), Parser()
    transport = PacedTransport(socket, parser.parse)
    parser.then = transport.pause_reading
    transport.receive(PACKET)
    for _ in range(5):
        await asyncio.sleep(0)
    assert (len(parser.slices), socket.is_read) == (1, False)
    parser.then = lambda: None
    transport.resume_reading()
    assert (len(parser.slices), socket.is_read) == (1, False)
    await until(lambda: socket.is_read)
    assert b"".join(parser.slices) == PACKET


@pytest.mark.parametrize("size", [7, SLICE - 1, SLICE + 1, 1_000_000])
async def test_requests_are_answered_alike_however_they_are_cut(client: Client, size: int) -> None:
    """Pipelined requests of every framing get the same responses in the same order."""
    long = PRODUCT + b" " * 20_000
    chunks = chunked(b"POST /api/products", [PRODUCT.replace(b"A", b"B"), b" " * 3000])
    sent = [POSTED % (len(long), long), HEALTH, chunks, chunks, *[HEALTH] * 20, POSTED % (2, b"{}")]
    stream = b"".join(sent)
    async with connected(client) as (reader, writer):
        answered = asyncio.create_task(statuses(reader, len(sent)))
        for begin in range(0, len(stream), size):
            writer.write(stream[begin : begin + size])
            await asyncio.sleep(0)
        assert await answered == [201, 200, 201, 409, *[200] * 20, 400]


async def test_a_stream_of_pipelined_requests_is_answered_to_its_end(client: Client) -> None:
    """However many arrive in one packet, aiohttp's limit on waiting requests does not block the connection for good."""
    async with connected(client) as (reader, writer):
        writer.write(HEALTH * 2000)
        assert await statuses(reader, 2000) == [200] * 2000


async def test_a_body_of_small_chunks_is_read(client: Client) -> None:
    """However many there are, within the limit of the body, and the connection continues."""
    async with connected(client) as (reader, writer):
        for status in (201, 409):
            writer.write(chunked(b"POST /api/products", [PRODUCT, *[b" "] * 20_000]))
            assert await statuses(reader, 1) == [status]


async def test_an_upload_in_small_chunks_is_read(client: Client) -> None:
    """A form is parsed as it arrives, in whatever pieces."""
    bytes_of_it = [bytes((byte,)) for byte in form(part("file", b"no workbook"))]
    sent = chunked(b"POST /api/products/import", bytes_of_it).replace(b"application/json", KIND.encode())
    assert b'"code":"INVALID_FILE_FORMAT"' in await raw(client, sent, b"}}")


@pytest.mark.parametrize(
    "route", [b"GET /health", b"POST /api/products", b"POST /api/products/import", b"POST /api/nothing", b"PATCH /"]
)
async def test_no_route_takes_small_chunks_without_end(client: Client, route: bytes) -> None:
    """Each responds, and closes the connection: a body is refused at its limit, or before it is read."""
    response = await raw(client, CHUNKED % route + b"1\r\n \r\n" * 80_000, b"\r\n\r\n")
    assert b"\r\nConnection: close\r\n" in response
    assert response.split()[1] in (b"400", b"404", b"405", *[b"200"] * route.startswith(b"GET "))
