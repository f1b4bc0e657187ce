"""Slow clients give way to others: bodies that barely arrive, and files that are barely read."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from aiohttp import ClientSession, FormData, TCPConnector

from barcodesvc import service
from barcodesvc.api.keys import ARRIVING, SERVICE
from barcodesvc.runtime.client_capacity import LEAST_BYTES, SLOW_AFTER, ClientCapacity
from tests.api.image_requests import IMAGE_PART
from tests.api.sockets import Until, connected, response_on
from tests.conftest import JSON_HEAD, Client, ClientMaker, StandingClock
from tests.forms import KIND, form, form_head, part

IMPORT = "/api/products/import"
FILE_PART = part("file", filename="a.xlsx")
TEXTS = (
    "/api/inventory",
    "/api/inventory?low_stock=true",
    "/api/inventory/export?format=csv",
    "/api/inventory/export?format=csv&include_history=true",
    "/api/products/export?format=csv",
)
WORKBOOKS = ("/api/inventory/export", "/api/inventory/export?include_history=true", "/api/products/export")
TOO_SLOW = f"less than {LEAST_BYTES} bytes of the upload came in 3 seconds, and another client needed the slot"
OTHER_ADDRESS = "127.0.0.2"

Connected = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Stalled = Callable[[str, int], Any]
pytestmark = pytest.mark.usefixtures("folder")


@asynccontextmanager
async def senders(client: Client, number: int, sent: bytes) -> AsyncIterator[list[Connected]]:
    """Open connections that send the start of a body, and abort them at the end."""
    before = len(client.app[ARRIVING])
    async with AsyncExitStack() as stack:
        connections = [await stack.enter_async_context(connected(client)) for _ in range(number)]
        for count, (_, writer) in enumerate(connections, before + 1):
            writer.write(sent)
            async with asyncio.timeout(10):
                while len(client.app[ARRIVING]) < count:  # noqa: ASYNC110 - the service sends no event
                    await asyncio.sleep(0.001)
        assert (await client.get("/health")).status == 200
        yield connections


async def test_slow_uploads_do_not_close_the_import(
    client: Client, upload: Callable[..., FormData], standing_clock: StandingClock
) -> None:
    """A fourth upload takes the place of the slow one that has held it longest, which gets a refusal."""
    async with senders(client, 3, form_head(IMPORT, 100_000) + FILE_PART) as slow:
        standing_clock.advance(SLOW_AFTER)
        assert (await client.post(IMPORT, data=upload())).status == 200
        status, headers, reply = await response_on(slow[0][0])
        assert (status, headers["retry-after"], json.loads(reply)["code"]) == (429, "5", "RATE_LIMIT_EXCEEDED")
        assert json.loads(reply)["message"].startswith(TOO_SLOW)
        assert client.app[SERVICE].uploads.free == 1


async def test_a_fourth_upload_is_refused_while_three_arrive(
    client: Client, upload: Callable[..., FormData], refused: Any, standing_clock: StandingClock
) -> None:
    """Enough bytes in each three seconds keep a place, however slowly the whole file arrives."""
    room = client.app[SERVICE].upload_bytes
    async with senders(client, 3, form_head(IMPORT, 500_000) + FILE_PART) as arriving:
        for _ in range(3):
            standing_clock.advance(SLOW_AFTER - 0.1)
            after = room.free - 6 * LEAST_BYTES
            for _, writer in arriving:
                writer.write(b"x" * 2 * LEAST_BYTES)
            while room.free > after:  # a part of what has arrived is held back, in search of the boundary
                for _, writer in arriving:
                    writer.write(b"x")
                await asyncio.sleep(0.001)
            await refused(await client.post(IMPORT, data=upload()), 429, "RATE_LIMIT_EXCEEDED")


async def test_the_third_upload_of_an_address_gives_way_to_another_address(
    client: Client, upload: Callable[..., FormData], refused: Any
) -> None:
    """The one that has held its place longest gets the reason, and the other two continue."""
    async with senders(client, 3, form_head(IMPORT, 100_000) + FILE_PART) as many:
        await refused(await client.post(IMPORT, data=upload()), 429, "RATE_LIMIT_EXCEEDED")
        async with ClientSession(connector=TCPConnector(local_addr=(OTHER_ADDRESS, 0))) as other:
            assert (await other.post(client.make_url(IMPORT), data=upload())).status == 200
        status, headers, reply = await response_on(many[0][0])
        assert (status, headers["retry-after"], json.loads(reply)["code"]) == (429, "5", "RATE_LIMIT_EXCEEDED")
        assert json.loads(reply)["message"].startswith("your address used more than half of the space")
        assert client.app[SERVICE].uploads.free == 1


async def test_an_upload_that_has_arrived_keeps_its_place(
    make_client: ClientMaker,
    upload: Callable[..., FormData],
    refused: Any,
    monkeypatch: pytest.MonkeyPatch,
    standing_clock: StandingClock,
) -> None:
    """However long its import takes, its client has done its part."""
    begun, gate = asyncio.Event(), asyncio.Event()

    async def held_up(*_: object) -> None:
        begun.set()
        await gate.wait()

    client = await make_client(max_concurrent_uploads=1)
    monkeypatch.setattr("barcodesvc.api.resources.imports.import_catalogue", held_up)
    importing = asyncio.create_task(client.post(IMPORT, data=upload()))
    await begun.wait()
    standing_clock.advance(1000)
    await refused(await client.post(IMPORT, data=upload()), 429, "RATE_LIMIT_EXCEEDED")
    gate.set()
    await importing


async def test_the_bytes_of_uploads_have_a_bound_of_their_own(
    make_client: ClientMaker, upload: Callable[..., FormData], refused: Any, until: Until, standing_clock: StandingClock
) -> None:
    """An upload that exceeds it is a 429, unless a slow one gives way."""
    client = await make_client(max_arriving_bytes=200_000, max_upload_bytes=200_000)
    async with senders(client, 1, form_head(IMPORT, 199_000) + FILE_PART + b"x" * 190_000) as slow:
        await until(lambda: client.app[SERVICE].upload_bytes.free < 100_000)
        reply = await refused(await client.post(IMPORT, data=upload(b"x" * 150_000)), 429, "RATE_LIMIT_EXCEEDED")
        assert reply["message"] == "too many bytes of uploads are in progress; try again in a moment"
        standing_clock.advance(SLOW_AFTER)
        await refused(await client.post(IMPORT, data=upload(b"x" * 150_000)), 400, "INVALID_FILE_FORMAT")
        assert (await response_on(slow[0][0]))[0] == 429


@pytest.fixture
async def small_room(make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Return a client of a service with capacity for one large body and one large image at a time."""
    monkeypatch.setattr(service, "IMAGE_QUEUE", 1)
    return await make_client(max_arriving_bytes=200_000, max_json_bytes=160_000, max_upload_bytes=200_000)


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
async def test_bodies_that_stop_short_give_their_room_to_others(
    small_room: Client, standing_clock: StandingClock, *, head: bytes, body: bytes, sent: str
) -> None:
    """Their clients get the reason, and bodies that arrive are read."""
    whole = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    room = (
        small_room.app[SERVICE].large_bodies if sent == "body" else small_room.app[SERVICE].image_reader.arriving_bytes
    )
    async with senders(small_room, 1, whole[:-10]) as slow, connected(small_room) as (reader, writer):
        await _until_taken(room)
        standing_clock.advance(SLOW_AFTER)
        writer.write(whole)
        assert (await response_on(reader))[0] == 400
        status, headers, reply = await response_on(slow[0][0])
        assert (status, headers["retry-after"]) == (503, "5")
        assert f"of the {sent} came in 3 seconds" in json.loads(reply)["message"]


async def _until_taken(room: ClientCapacity) -> None:
    """Wait until more than half of the capacity is taken."""
    async with asyncio.timeout(10):
        while room.free * 2 > room.most:  # noqa: ASYNC110 - the service sends no event
            await asyncio.sleep(0.001)


@pytest.fixture
async def stocked(make_client: ClientMaker, upload: Any, workbook: Any) -> Client:
    """Return a client of a service with two places for exports, whose files exceed socket buffers."""
    client = await make_client(max_concurrent_exports=2)
    rows = [("SKU", "Name"), *((f"C-{number}", token_hex(225)) for number in range(1100))]
    assert (await client.post(IMPORT, data=upload(workbook(rows)))).status == 200
    return client


@asynccontextmanager
async def readers(
    client: Client, number: int, path: str, address: str = "127.0.0.1"
) -> AsyncIterator[list[socket.socket]]:
    """Request a file from an address, over sockets that read only its start, and abort them at the end.

    Their segments are small, so that the system buffers at most 100 kB of unread data.
    """
    loop = asyncio.get_running_loop()
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
            one.setblocking(False)  # noqa: FBT003 - as sockets have it
            one.bind((address, 0))
            await loop.sock_connect(one, (client.host, client.port))
            await loop.sock_sendall(one, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert (await loop.sock_recv(one, 1000)).startswith(b"HTTP/1.1 200 ")
        await asyncio.sleep(0.1)  # until the system's buffers are full
        yield sockets


async def rest_of(reader: socket.socket) -> bytes:
    """Return what still arrives on a socket."""
    rest = b""
    with suppress(ConnectionResetError):
        while chunk := await asyncio.get_running_loop().sock_recv(reader, 65536):
            rest += chunk
    return rest


@pytest.mark.parametrize("paths", [TEXTS, WORKBOOKS], ids=["texts", "workbooks"])
async def test_readers_that_take_nothing_close_no_export(
    stocked: Client, standing_clock: StandingClock, folder: Path, paths: tuple[str, ...]
) -> None:
    """They lose their places and files to others, and cannot mistake their part for a whole response."""
    for path in paths:
        async with readers(stocked, 2, path) as stalled:
            assert (await stocked.get(path)).status == 503, path
            standing_clock.advance(SLOW_AFTER)
            response = await stocked.get(path)
            assert (response.status, len(await response.read()) > 250_000) == (200, True), path
            assert not (await rest_of(stalled[0])).endswith(b"\r\n0\r\n\r\n"), path
            assert len(list(folder.iterdir())) == 1, path
    assert b'streams_cut_total{cause="slow"}' in await (await stocked.get("/metrics")).read()


async def test_readers_that_take_enough_keep_their_places(stocked: Client, standing_clock: StandingClock) -> None:
    """However slowly they read the whole file, others are refused meanwhile."""
    path, loop = "/api/inventory/export?format=csv", asyncio.get_running_loop()
    async with readers(stocked, 2, path) as slow:
        for _ in range(5):
            standing_clock.advance(SLOW_AFTER - 0.1)
            for reader in slow:
                taken = 0
                while taken < 2 * LEAST_BYTES:
                    taken += len(await loop.sock_recv(reader, LEAST_BYTES))
            assert (await stocked.get(path)).status == 503


@pytest.mark.usefixtures("stocked")
@pytest.mark.parametrize("path", [TEXTS[0], TEXTS[2], WORKBOOKS[0]], ids=["full list", "CSV", "workbook"])
async def test_one_address_keeps_half_of_the_exports_where_others_ask(make_client: ClientMaker, path: str) -> None:
    """Even its fast readers give way, starting with the first, until the others have half."""
    client = await make_client(max_concurrent_exports=4)
    async with readers(client, 4, path) as many:
        assert (await client.get(path)).status == 503
        async with readers(client, 2, path, OTHER_ADDRESS):
            for cut in many[:2]:
                assert not (await rest_of(cut)).endswith(b"\r\n0\r\n\r\n")
            async with ClientSession(connector=TCPConnector(local_addr=(OTHER_ADDRESS, 0))) as other:
                assert (await other.get(client.make_url(path))).status == 503
    assert b'streams_cut_total{cause="share"} 2.0' in await (await client.get("/metrics")).read()


async def test_asking_for_the_head_of_a_file_takes_no_place(stocked: Client) -> None:
    """A HEAD writes no file, and succeeds while all places are taken."""
    path = "/api/inventory/export"
    async with readers(stocked, 2, path):
        assert (await stocked.head(path)).status == 200


@pytest.mark.usefixtures("stocked")
async def test_the_files_of_exports_have_a_limited_size_together(
    make_client: ClientMaker, standing_clock: StandingClock, refused: Any
) -> None:
    """An export that exceeds it is refused; a slow reader gives up its file for it."""
    client = await make_client(max_export_bytes=800_000)
    async with readers(client, 1, "/api/inventory/export?format=csv"):
        for path in ("/api/products/export", "/api/products/export?format=csv"):
            await refused(await client.get(path), 503, "EXPORT_ERROR")
        standing_clock.advance(SLOW_AFTER)
        assert (await (await client.get("/api/products/export?format=csv")).read()).count(b"\r\n") == 1101
