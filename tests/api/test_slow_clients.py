"""Slow clients leave half to others: bodies that barely arrive, and files that are barely read."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from secrets import token_hex

import pytest
from aiohttp import ClientSession, TCPConnector

from barcodesvc import service
from barcodesvc.api.keys import SERVICE
from barcodesvc.runtime.slow_readers import StallTimer, untaken_bytes
from tests.api.image_requests import IMAGE_PART
from tests.api.replies import refused
from tests.api.sockets import connected, response_on
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker, Until
from tests.forms import KIND, form, form_data, form_head, part
from tests.workbooks import xlsx

IMPORT = "/api/products/import"
FILE_PART = part("file", filename="a.xlsx")
FILES = (
    "/api/inventory",
    "/api/inventory/export?format=csv",
    "/api/inventory/export?include_history=true",
    "/api/products/export",
)
OTHER_ADDRESS = "127.0.0.2"

pytestmark = pytest.mark.usefixtures("folder")


@asynccontextmanager
async def other_client() -> AsyncIterator[ClientSession]:
    """Return a client with another address."""
    async with ClientSession(connector=TCPConnector(local_addr=(OTHER_ADDRESS, 0))) as session:
        yield session


async def test_one_address_has_half_of_the_bytes_of_uploads(make_client: ClientMaker, until: Until) -> None:
    """One upload of the largest size always fits; another one of its address is refused until it has ended."""
    client = await make_client(max_arriving_bytes=200_000, max_upload_bytes=200_000)
    room = client.app[SERVICE].upload_bytes
    async with connected(client) as (_, writer), other_client() as other:
        writer.write(form_head(IMPORT, 200_100) + FILE_PART + b"x" * 200_000)
        await until(lambda: room.free < 250_000)
        reply = await refused(await client.post(IMPORT, data=form_data(b"x" * 150_000)), 429, "RATE_LIMIT_EXCEEDED")
        assert reply["message"] == "too many bytes of uploads are in progress; try again in a moment"
        assert (await other.post(client.make_url(IMPORT), data=form_data(b"x" * 150_000))).status == 400
    await until(lambda: room.used == 0)


@pytest.fixture
async def small_room(make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Return a client of a service with capacity for two large bodies and two large images at a time."""
    monkeypatch.setattr(service, "ARRIVING_IMAGES", 2)
    return await make_client(max_arriving_bytes=400_000, max_json_bytes=160_000, max_upload_bytes=200_000)


PRINTABLE = b"POST /api/codes/printable HTTP/1.1\r\n" + JSON_HEAD
JSON_IMAGE = b"POST /api/codes/decode HTTP/1.1\r\n" + JSON_HEAD
FORM_IMAGE = f"POST /api/codes/decode HTTP/1.1\r\nHost: x\r\nContent-Type: {KIND}\r\n".encode()


@pytest.mark.parametrize(
    ("head", "body", "sent"),
    [
        (PRINTABLE, b'{"products":["%s"]}' % (b"A" * 140_000), "body"),
        (FORM_IMAGE, form(IMAGE_PART + b"A" * 190_000), "image"),
        (JSON_IMAGE, b'{"image_base64":"%s"}' % (b"A" * 190_000), "image"),
    ],
    ids=["JSON", "image", "image in JSON"],
)
async def test_bodies_that_stop_short_leave_half_of_the_room(
    small_room: Client, until: Until, *, head: bytes, body: bytes, sent: str
) -> None:
    """Another body of the same address is refused, and one of another address is read."""
    room = (
        small_room.app[SERVICE].large_bodies if sent == "body" else small_room.app[SERVICE].image_reader.arriving_bytes
    )
    whole = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    statuses = []
    async with connected(small_room) as (_, slow):
        slow.write(whole[:-10])
        await until(lambda: room.used * 2 > room.share)
        for address in ("127.0.0.1", OTHER_ADDRESS):
            async with connected(small_room, address) as (reader, writer):
                writer.write(whole)
                statuses.append((await response_on(reader))[0])
    assert statuses == [503, 400]


@pytest.fixture
async def stocked(make_client: ClientMaker) -> Client:
    """Return a client of a service with two places for exports, whose files exceed socket buffers."""
    client = await make_client(max_concurrent_exports=2)
    rows = [("SKU", "Name"), *((f"C-{number}", token_hex(225)) for number in range(1100))]
    assert (await client.post(IMPORT, data=form_data(xlsx(rows)))).status == 200
    return client


@asynccontextmanager
async def unread_file(client: Client, path: str) -> AsyncIterator[None]:
    """Request a file over a socket that reads only its start, and abort it at the end.

    Its segments are small, so that the system buffers at most 100 kB of unread data.
    """
    loop = asyncio.get_running_loop()
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        one.setblocking(False)  # noqa: FBT003 - as sockets have it
        await loop.sock_connect(one, (client.host, client.port))
        await loop.sock_sendall(one, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert (await loop.sock_recv(one, 1000)).startswith(b"HTTP/1.1 200 ")
        await asyncio.sleep(0.1)  # until the system's buffers are full
        yield


@pytest.mark.parametrize("path", FILES)
async def test_readers_that_take_nothing_leave_half_of_the_places(stocked: Client, folder: Path, path: str) -> None:
    """Another export of their address is refused, and one of another address comes whole."""
    async with unread_file(stocked, path), other_client() as other:
        await refused(await stocked.get(path), 503, "EXPORT_ERROR")
        response = await other.get(stocked.make_url(path))
        assert (response.status, len(await response.read()) > 250_000) == (200, True)
        assert len(list(folder.iterdir())) == 1


@pytest.mark.usefixtures("stocked")
async def test_the_files_of_exports_have_a_limited_size_together(make_client: ClientMaker, until: Until) -> None:
    """An export that exceeds its address's half is refused; those of another address have the other half."""
    client = await make_client(max_export_bytes=1_600_000)
    async with unread_file(client, "/api/inventory/export?format=csv"), other_client() as other:
        for path in ("/api/products/export", "/api/products/export?format=csv"):
            await refused(await client.get(path), 503, "EXPORT_ERROR")
        exported = await other.get(client.make_url("/api/products/export?format=csv"))
        assert (await exported.read()).count(b"\r\n") == 1101
    await until(lambda: client.app[SERVICE].exporter.files.used == 0)


@pytest.fixture
async def unread() -> AsyncIterator[tuple[asyncio.WriteTransport, socket.socket]]:
    """Return a transport with more to send than its socket takes, and the client's socket."""
    server, client = socket.socketpair()
    client.settimeout(0)
    _, writer = await asyncio.open_connection(sock=server)
    writer.write(b"x" * 4_000_000)
    yield writer.transport, client
    writer.transport.abort()
    client.close()


async def test_a_client_that_takes_something_stays(
    unread: tuple[asyncio.Transport, socket.socket], until: Until
) -> None:
    """Each time that it does, it has as long again, until it takes nothing and is cut off."""
    transport, client = unread
    begun, seconds = asyncio.get_running_loop().time(), 0.2
    StallTimer(transport, seconds)
    while untaken_bytes(transport) and asyncio.get_running_loop().time() < begun + 3 * seconds:
        client.recv(20_000)
        await asyncio.sleep(seconds / 10)
    assert not transport.is_closing()
    await until(transport.is_closing)


async def test_a_cancelled_timer_cuts_nothing(unread: tuple[asyncio.Transport, socket.socket]) -> None:
    """The response was taken in time."""
    transport, _ = unread
    StallTimer(transport, 0.01).cancel()
    await asyncio.sleep(0.05)
    assert not transport.is_closing()
