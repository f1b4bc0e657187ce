"""Packet slices: the cost of one packet is limited, and every promise of a transport is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import cast

import pytest

from barcodesvc.api.parse_budget import SLICE, SLICES_A_TURN, ParseTurns, SlicedTransport
from tests.api.sockets import HEALTH, POSTED, WAIT, Until, connected, response_on
from tests.conftest import JSON_HEAD, Client

PACKET = bytes(range(256)) * 1024
PRODUCT = b'{"product_code":"%s","description":"x"}'
CHUNKED = b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


class Socket(asyncio.Transport):
    """A transport that records its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.is_reading_now = True
        self.half_closed = self.aborted = self.closed = False

    def pause_reading(self) -> None:
        """Record that reading is paused."""
        self.is_reading_now = False

    def resume_reading(self) -> None:
        """Record that reading is resumed."""
        self.is_reading_now = True

    def can_write_eof(self) -> bool:
        """Return that one side can be closed."""
        return True

    def write_eof(self) -> None:
        """Record that the writing side was closed."""
        self.half_closed = True

    def abort(self) -> None:
        """Record the abort."""
        self.aborted = True

    def close(self) -> None:
        """Record the close."""
        self.closed = True

    def is_closing(self) -> bool:
        """Return whether it is closed."""
        return self.closed


class Parser:
    """A connection that records its slices, and parses a fixed number of bytes at a time."""

    def __init__(self, at_once: int = 0) -> None:
        self.at_once = at_once
        self.slices: list[bytes] = []
        self.then: Callable[[], None] = lambda: None

    def size_of_slice(self) -> int:
        """Return the fixed size."""
        return self.at_once

    def parse_slice(self, data: bytes) -> None:
        """Record the slice, and run the test's action."""
        self.slices.append(data)
        self.then()


def sliced(parser: Parser, turns: ParseTurns | None = None, lingering: float = 60) -> tuple[SlicedTransport, Socket]:
    """Return the transport of a parser, and its socket."""
    socket = Socket()
    return SlicedTransport(
        cast("asyncio.Transport", socket), parser, turns or ParseTurns(), lingering=lingering
    ), socket


async def finished(transport: SlicedTransport) -> None:
    """Let the loop turn until no slice is waiting."""
    for _ in range(len(PACKET) // SLICE):
        if not transport.has_unparsed:
            return
        await asyncio.sleep(0)
    pytest.fail("there are not as many slices")


async def test_a_packet_is_parsed_in_slices_in_its_order() -> None:
    """Every byte is delivered once, and no slice exceeds its size."""
    parser = Parser()
    transport, _ = sliced(parser)
    transport.receive(PACKET)
    await finished(transport)
    assert b"".join(parser.slices) == PACKET
    assert max(map(len, parser.slices)) == SLICE


async def test_all_connections_share_a_turn_of_the_loop() -> None:
    """However many packets arrive at once, a turn parses a limited number of slices, and each packet gets its share."""
    turns, parsers = ParseTurns(), [Parser() for _ in range(40)]
    for parser in parsers:
        sliced(parser, turns)[0].receive(PACKET)
    for turn in range(1, 41):
        await asyncio.sleep(0)
        counts = [len(parser.slices) for parser in parsers]
        assert sum(counts) == turn * SLICES_A_TURN
        assert max(counts) - min(counts) <= 1


async def test_what_may_be_parsed_at_once_waits_for_no_turn() -> None:
    """The body of an announced length that has yet to arrive is one slice."""
    parser = Parser(at_once=len(PACKET))
    transport, socket = sliced(parser)
    transport.receive(PACKET)
    assert parser.slices == [PACKET]
    assert socket.is_reading_now


async def test_nothing_is_read_while_slices_wait() -> None:
    """What waits is limited by the socket's buffer; data that arrives anyway keeps its place."""
    parser = Parser()
    transport, socket = sliced(parser)
    transport.receive(PACKET)
    assert not socket.is_reading_now
    transport.receive(b"later")
    await finished(transport)
    assert b"".join(parser.slices) == PACKET + b"later"
    assert socket.is_reading_now


async def test_nothing_is_delivered_while_reading_is_paused() -> None:
    """So aiohttp's own limits of bodies and pipelines apply to slices too."""
    parser = Parser()
    transport, socket = sliced(parser)
    parser.then = transport.pause_reading
    transport.receive(PACKET)
    for _ in range(5):
        await asyncio.sleep(0)
    assert len(parser.slices) == 1
    transport.resume_reading()
    assert len(parser.slices) == 1, "not from within the parser, which calls this too"
    await asyncio.sleep(0)
    assert len(parser.slices) == 2
    assert not socket.is_reading_now


async def test_a_parser_that_fails_harms_no_one() -> None:
    """Its connection is aborted, and the loop reports it; the others get their turns."""
    reported: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context["exception"]))
    turns, failing, other = ParseTurns(), Parser(), Parser()
    failing.then = partial(next, iter(()))
    broken, socket = sliced(failing, turns)
    whole, _ = sliced(other, turns)
    broken.receive(PACKET)
    whole.receive(PACKET)
    await finished(whole)
    assert b"".join(other.slices) == PACKET
    assert socket.aborted
    assert isinstance(reported[0], StopIteration)


async def test_what_is_discarded_is_not_parsed(until: Until) -> None:
    """Neither waiting nor arriving data; it is still read from the socket, with pauses."""
    parser = Parser()
    transport, socket = sliced(parser)
    transport.receive(PACKET)
    transport.discard()
    transport.pause_reading()
    before = socket.is_reading_now
    transport.receive(PACKET)
    assert (before, socket.is_reading_now) == (True, False)
    await until(lambda: socket.is_reading_now)
    assert parser.slices == []


async def test_a_connection_that_discards_is_closed_after_a_while(until: Until) -> None:
    """First the writing side, and the other one only after the lingering time; a second call changes nothing."""
    transport, socket = sliced(Parser(), lingering=0.01)
    transport.discard()
    transport.close()
    transport.close()
    assert (socket.half_closed, socket.closed) == (True, False)
    await until(lambda: socket.closed)


async def test_any_other_connection_is_closed_at_once() -> None:
    """It has nothing left to discard."""
    transport, socket = sliced(Parser())
    transport.close()
    assert (socket.half_closed, socket.closed) == (False, True)


@pytest.mark.parametrize("size", [7, 100, SLICE - 1, SLICE, SLICE + 1, 5000, 1_000_000])
async def test_requests_are_answered_alike_however_they_are_cut(client: Client, size: int) -> None:
    """Pipelined requests of every framing get the same responses in the same order."""
    long = PRODUCT % b"B-2" + b" " * 20_000
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (PRODUCT % b"C-3", b" " * 3000)) + b"0\r\n\r\n"
    sent = [POSTED % (len(long), long), HEALTH, CHUNKED + chunks, CHUNKED + chunks, *[HEALTH] * 20, POSTED % (2, b"{}")]
    stream = b"".join(sent)
    async with connected(client) as (reader, writer):
        answered = asyncio.create_task(_statuses(reader, len(sent)))
        for begin in range(0, len(stream), size):
            writer.write(stream[begin : begin + size])
            await asyncio.sleep(0)
        assert await answered == [201, 200, 201, 409, *[200] * 20, 400]


async def _statuses(reader: asyncio.StreamReader, number: int) -> list[int]:
    return [(await response_on(reader))[0] for _ in range(number)]


async def test_a_stream_of_pipelined_requests_is_answered_to_its_end(client: Client) -> None:
    """However many arrive in one packet, aiohttp's limit on waiting requests does not block the connection for good."""
    async with connected(client) as (reader, writer):
        writer.write(HEALTH * 2000)
        assert await _statuses(reader, 2000) == [200] * 2000


@pytest.mark.parametrize(
    "ask", [b"GET /health HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: WebSocket", b"CONNECT x:1 HTTP/1.1"]
)
async def test_what_follows_a_request_for_another_protocol_is_not_parsed(client: Client, ask: bytes) -> None:
    """The response is the last one of its connection: aiohttp would keep the rest, and parse it in one piece."""
    async with connected(client) as (reader, writer):
        writer.write(ask + b"\r\nHost: x\r\n\r\n" + HEALTH * 1000)
        _, headers, _ = await response_on(reader)
        assert headers["connection"] == "close"
        async with asyncio.timeout(WAIT):
            assert await reader.read() == b""
