"""Bodies in very many small chunks are read; a response before its body has arrived ends the connection."""

import asyncio
from collections.abc import Sequence

import pytest

from tests.api.sockets import POSTED, WAIT, connected, response_on
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker, Raw
from tests.forms import KIND, form, part

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


async def test_a_body_of_small_chunks_is_read(client: Client) -> None:
    """However many there are, within the limit of the body, and the connection continues."""
    async with connected(client) as (reader, writer):
        for status in (201, 409):
            writer.write(HEAD % b"POST /api/products" + in_chunks(PRODUCT, 20_000))
            assert (await response_on(reader))[0] == status


@pytest.mark.parametrize(
    "route",
    [
        b"GET /health",
        b"GET /api/products",
        b"POST /api/products",
        b"PUT /api/products/1",
        b"DELETE /api/products/1",
        b"POST /api/products/import",
        b"POST /api/codes/barcode",
        b"POST /api/codes/labels",
        b"POST /api/nothing",
        b"PATCH /",
    ],
)
async def test_no_route_takes_small_chunks_without_end(client: Client, raw: Raw, route: bytes) -> None:
    """Each responds, and closes the connection: a body is refused at its limit, or before it is read."""
    response = await raw(client, HEAD % route + b"1\r\n \r\n" * 80_000, b"\r\n\r\n")
    assert b"\r\nConnection: close\r\n" in response
    assert response.split()[1] in (b"400", b"404", b"405", *[b"200"] * route.startswith(b"GET "))


async def test_an_upload_in_small_chunks_is_read(client: Client, raw: Raw) -> None:
    """A form is parsed as it arrives, in whatever pieces."""
    head = HEAD.replace(b"application/json", KIND.encode()) % b"POST /api/products/import"
    response = await raw(client, head + chunked([bytes((byte,)) for byte in form(part("file", b"no workbook"))]), b"\r")
    assert response.startswith(b"HTTP/1.1 400 ")


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
        for _ in range(10):  # what the service discards in half a second, on a busy machine too
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
