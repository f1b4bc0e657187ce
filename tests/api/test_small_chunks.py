"""Bodies in very many small chunks are refused, as is every body before it has arrived: the connection ends."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Sequence

import pytest

from barcodesvc.api.parse_budget import MOST_SMALL_CHUNKS, SMALL_CHUNK
from tests.api.sockets import HEALTH, POSTED, WAIT, Raw, connected, response_on
from tests.conftest import JSON_HEAD, Client, ClientMaker
from tests.forms import KIND, part

HEAD = b"%s HTTP/1.1\r\n" + JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
PRODUCT = b'{"product_code":"A-1","description":"x"}'
END = b"0\r\n\r\n"
KEY = "correct-horse-battery-staple"


def chunked(parts: Sequence[bytes]) -> bytes:
    """Return a body in these chunks."""
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + END


def in_chunks(body: bytes, number: int, size: int = 1) -> bytes:
    """Return a body in this many chunks of this size, except the first, which contains the remaining bytes."""
    padding = [b" " * size] * (number - 1)
    return chunked([body, *padding])


@pytest.mark.parametrize("packet", [700, 1_000_000])
async def test_a_body_of_too_many_small_chunks_is_refused(client: Client, packet: int) -> None:
    """One more is a 400 that says so; the maximum is read, and the connection continues."""
    async with connected(client) as (reader, writer):
        await _write(writer, HEAD % b"POST /api/products" + in_chunks(PRODUCT, MOST_SMALL_CHUNKS), packet)
        assert (await response_on(reader))[0] == 201
        await _write(writer, HEAD % b"POST /api/products" + in_chunks(PRODUCT, MOST_SMALL_CHUNKS + 1), packet)
        status, headers, body = await response_on(reader)
        assert (status, headers["connection"]) == (400, "close")
        assert json.loads(body)["details"]["errors"] == [
            {
                "field": "body",
                "message": "comes in more than 1000 chunks of less than 64 bytes on average; send larger ones, or the "
                "body with its Content-Length",
            }
        ]


async def _write(writer: asyncio.StreamWriter, sent: bytes, packet: int) -> None:
    for begin in range(0, len(sent), packet):
        writer.write(sent[begin : begin + packet])
        await asyncio.sleep(0.001)


@pytest.mark.parametrize(("size", "status"), [(SMALL_CHUNK - 1, 400), (SMALL_CHUNK, 201)])
async def test_chunks_may_be_many_where_they_are_large_enough(client: Client, raw: Raw, size: int, status: int) -> None:
    """Their average size decides."""
    sent = HEAD % b"POST /api/products" + in_chunks(PRODUCT.ljust(size), MOST_SMALL_CHUNKS + 20, size)
    assert (await raw(client, sent, b"\r\n")).startswith(b"HTTP/1.1 %d " % status)


async def test_lines_in_a_body_are_no_chunks(client: Client, raw: Raw) -> None:
    """A body of many line ends in a few chunks is read."""
    sent = HEAD % b"POST /api/products" + chunked([PRODUCT, b"\r\n" * 5000])
    assert (await raw(client, sent, b"\r\n")).startswith(b"HTTP/1.1 201 ")


@pytest.mark.parametrize(
    "route",
    [
        b"GET /health",
        b"GET /api/products",
        b"POST /api/products",
        b"PUT /api/products/1",
        b"DELETE /api/products/1",
        b"POST /api/products/import",
        b"POST /api/codes/decode",
        b"POST /api/codes/labels",
        b"POST /api/nothing",
        b"PATCH /",
    ],
)
async def test_no_route_takes_small_chunks_without_end(client: Client, raw: Raw, route: bytes) -> None:
    """Each responds and closes the connection; one that reads no body may have responded before it is refused."""
    response = await raw(client, HEAD % route + b"1\r\n \r\n" * 20_000, b"\r\n\r\n")
    assert b"\r\nConnection: close\r\n" in response
    assert response.split()[1] in (b"400", b"404", b"405", *[b"200"] * route.startswith(b"GET "))


async def test_an_upload_in_small_chunks_is_refused(client: Client, raw: Raw) -> None:
    """A form is parsed as it arrives, and ends like any other body."""
    head = HEAD.replace(b"application/json", KIND.encode()) % b"POST /api/products/import"
    response = await raw(client, head + chunked([part("file"), *[b"x"] * 5000]))
    assert response.startswith(b"HTTP/1.1 400 ")
    assert b"chunks of less than" in response


async def test_a_chunk_whose_size_never_ends_is_refused(client: Client, raw: Raw) -> None:
    """Leading zeros would be read as long as a body may take."""
    response = await raw(client, HEAD % b"POST /api/products" + b"0" * 200_000)
    assert response.startswith(b"HTTP/1.1 400 ")


async def test_a_refused_body_behind_others_is_answered_in_its_turn(client: Client) -> None:
    """Earlier requests get their responses first."""
    async with connected(client) as (reader, writer):
        writer.write(HEALTH * 3 + HEAD % b"POST /api/products" + b"1\r\n \r\n" * 20_000)
        assert [(await response_on(reader))[0] for _ in range(4)] == [200, 200, 200, 400]
        async with asyncio.timeout(WAIT):
            assert await reader.read() == b""


REFUSED_EARLY = {
    "no key": ({"api_key": KEY}, b"POST /api/products", 401),
    "too many": ({"rate_limit": "1/hour"}, b"POST /api/products", 429),
    "no such route": ({}, b"POST /api/nothing", 404),
    "a wrong method": ({}, b"PATCH /api/products", 405),
    "a wrong query": ({}, b"POST /api/products?x=1", 400),
    "not looked at": ({}, b"GET /health", 200),
}


@pytest.mark.parametrize("framing", [b"Content-Length: 50000000", b"Transfer-Encoding: chunked"])
@pytest.mark.parametrize(("changes", "route", "status"), REFUSED_EARLY.values(), ids=REFUSED_EARLY)
async def test_a_response_before_its_body_is_the_last_one(
    make_client: ClientMaker, changes: dict[str, str], route: bytes, status: int, framing: bytes
) -> None:
    """It says so, and can be read although its client continues to send for a while."""
    client = await make_client(**changes)
    if status == 429:
        await client.get("/api/products")
    async with connected(client) as (reader, writer):
        writer.write(b"%s HTTP/1.1\r\n%s%s\r\n\r\n" % (route, JSON_HEAD, framing))
        await asyncio.sleep(0.05)
        for _ in range(50):
            writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            await writer.drain()
        answered, headers, _ = await response_on(reader)
        assert (answered, headers["connection"]) == (status, "close")
        async with asyncio.timeout(WAIT):
            assert await reader.read() == b""


async def test_a_client_that_goes_on_sending_is_cut_off(client: Client) -> None:
    """What arrives after the response is discarded for a while, which is half a second here, and then no more."""
    async with connected(client) as (reader, writer):
        writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000000\r\n\r\n")
        assert (await response_on(reader))[0] == 200
        with pytest.raises(ConnectionError):
            await _send_on(writer)


async def _send_on(writer: asyncio.StreamWriter) -> None:
    async with asyncio.timeout(WAIT):
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "sent",
    [b"\0\r\n\r\n", b"GET /health HTTP/1.1\r\n" + b"X: %s\r\n" % (b"x" * 4000) * 9],
    ids=["bad HTTP", "a long head"],
)
async def test_what_is_no_request_gets_its_refusal_too(client: Client, sent: bytes) -> None:
    """It is not lost by a reset, although more data arrives after it."""
    plain = await asyncio.to_thread(socket.create_connection, (client.host, client.port), WAIT)
    with plain:
        await asyncio.to_thread(plain.sendall, sent + b"x" * 2_000_000)
        await asyncio.sleep(0.1)
        assert (await asyncio.to_thread(plain.recv, 65536)).startswith(b"HTTP/1.")


@pytest.mark.parametrize("size", [2, 5000, 60_000])
async def test_a_body_that_has_arrived_keeps_its_connection(make_client: ClientMaker, size: int) -> None:
    """A refusal does not close the connection if the whole body has arrived, and the next request succeeds."""
    client = await make_client(api_key=KEY)
    async with connected(client) as (reader, writer):
        for _ in range(3):
            writer.write(POSTED % (size, b" " * size))
            status, headers, _ = await response_on(reader)
            assert (status, headers.get("connection")) == (401, None)


async def test_a_chunked_body_that_has_arrived_keeps_its_connection(client: Client) -> None:
    """This also holds for chunked bodies that arrive completely with the head."""
    async with connected(client) as (reader, writer):
        for _ in range(2):
            writer.write(HEAD % b"GET /health" + in_chunks(b"x", 100))
            status, headers, _ = await response_on(reader)
            assert (status, headers.get("connection")) == (200, None)
