"""Packets are parsed in slices: however much a client sends at once, others are answered meanwhile."""

import asyncio
from collections.abc import Callable

import pytest

from barcodesvc.api.connections import SLICE, PacedTransport
from tests.api.sockets import HEALTH, POSTED, connected, response_on
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, Until

PACKET = bytes(range(256)) * 64
PRODUCT = b'{"product_code":"%s","description":"x"}'
CHUNKED = b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


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
    """A parser that records its slices, and then does something; `at_once`: bytes that it takes after each."""

    def __init__(self, at_once: int = 0, then: Callable[[], None] = lambda: None) -> None:
        self.slices: list[bytes] = []
        self.at_once = at_once
        self.then = then

    def parse(self, data: bytes) -> int:
        """Record a slice."""
        self.slices.append(data)
        self.then()
        return self.at_once


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


async def test_what_costs_nothing_by_the_byte_is_parsed_at_once() -> None:
    """The rest of a body with a length."""
    socket, parser = Socket(), Parser(at_once=len(PACKET))
    PacedTransport(socket, parser.parse).receive(PACKET)
    assert (parser.slices, socket.is_read) == ([PACKET[:SLICE], PACKET[SLICE:]], True)


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
