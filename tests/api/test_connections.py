"""Connections on real sockets: their limits, and what happens beyond them."""

import asyncio
import json
import shutil
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from barcodesvc.api import connections
from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import ARRIVING
from barcodesvc.api.server import ServiceRunner
from barcodesvc.app import make_app
from barcodesvc.config import Settings
from tests.api.sockets import (
    HEALTH,
    POSTED,
    WAIT,
    connected,
    held_up_barcodes,
    response_on,
)
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker, Raw, Until


async def test_a_connection_too_many_is_reported_so_at_once(make_client: ClientMaker) -> None:
    """It gets a 503 unasked and is closed; existing connections still work; one that ends makes room."""
    client = await make_client(max_connections=1)
    async with connected(client) as (reader, writer):
        writer.write(HEALTH)
        assert (await response_on(reader))[0] == 200
        async with connected(client) as (refused, _):
            status, headers, body = await response_on(refused)
            assert (status, headers["retry-after"], headers["connection"]) == (503, "1", "close")
            assert json.loads(body) == {
                "error": True,
                "message": "too many connections are open; try again in a moment",
                "code": "GENERATION_ERROR",
                "details": {"reason": "overloaded"},
            }
            assert await refused.read() == b""
        writer.write(HEALTH)
        assert (await response_on(reader))[0] == 200
    assert client.app[ADMISSION].refused_connections == 1


async def test_a_connection_that_ends_makes_room(make_client: ClientMaker, until: Until) -> None:
    """The next one is accepted then."""
    client = await make_client(max_connections=1)
    for _ in range(3):
        async with connected(client) as (reader, writer):
            writer.write(HEALTH)
            assert (await response_on(reader))[0] == 200
        await until(lambda: client.app[ADMISSION].connections == 0)


async def test_a_peer_has_half_of_the_connections(make_client: ClientMaker) -> None:
    """It cannot take all of them; a trusted proxy can, because it has the connections of everyone."""
    for trusted, statuses in (("", {200, 503}), ("127.0.0.1", {200})):
        client = await make_client(max_connections=4, trusted_proxies=trusted)
        async with AsyncExitStack() as opened:
            found = set()
            for _ in range(3):
                reader, writer = await opened.enter_async_context(connected(client))
                writer.write(HEALTH)
                found.add((await response_on(reader))[0])
        assert found == statuses


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        (HEALTH, b"HTTP/1.1 200 "),
        (POSTED % (46, b'{"product_code": "A-1", "description": "a pen"}'), b"HTTP/1.0 400 "),
        (POSTED % (47, b'{"product_code": "A-1", "description": "a pen"}'), b"HTTP/1.1 201 "),
        (POSTED % (100, b'{"product_code": "A-1"'), b"HTTP/1.1 400 "),
        (HEALTH[:-2], b""),
        (b"", b""),
    ],
    ids=["get", "too much", "post", "too little", "no whole head", "nothing"],
)
def test_who_ends_sending_after_a_request_gets_its_response(
    migrated_file: Path, tmp_path: Path, loop: str, sent: bytes, answered: bytes
) -> None:
    """As `nc -N` does; what is cut short is refused, or the connection closed, at once."""
    make_loop = asyncio.new_event_loop if loop == "asyncio" else pytest.importorskip("uvloop").new_event_loop
    shutil.copy(migrated_file, tmp_path / "shop.db")
    with asyncio.Runner(loop_factory=make_loop) as runner:
        response = runner.run(response_to_the_half_closed(Settings(database=tmp_path / "shop.db", port=0), sent))
    assert response.startswith(answered)
    assert bool(response) == bool(answered)


async def response_to_the_half_closed(settings: Settings, sent: bytes) -> bytes:
    """Send bytes to a new service, end the direction, and return what comes until the service closes the connection."""
    service = ServiceRunner(make_app(settings))
    await service.setup()
    try:
        address = urlsplit(await service.listen(None))
        async with asyncio.timeout(WAIT):
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
            writer.write(sent)
            writer.write_eof()
            response = await reader.read()
            writer.close()
            return response
    finally:
        await service.cleanup()


async def test_an_idle_connection_ends(make_client: ClientMaker, raw: Raw) -> None:
    """It is closed after the idle time, whether or not it has sent a request."""
    client = await make_client(idle_timeout=0.1)
    assert await raw(client, b"") == b""
    assert (await raw(client, HEALTH)).startswith(b"HTTP/1.1 200")


async def test_an_answer_that_is_not_taken_is_cut(
    client: Client, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    """A connection ends if nothing of its responses is taken for a while, which is short here."""
    monkeypatch.setattr(connections, "STALL_WAIT", 0.1)
    async with connected(client) as (_, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport
        writer.write(b"GET /api/codes/formats HTTP/1.1\r\nHost: x\r\n\r\n" * 20_000)
        await until(lambda: client.app[ADMISSION].connections == 1)
        await until(lambda: client.app[ADMISSION].connections == 0)


async def test_at_the_end_an_answer_says_that_it_is_the_last(
    make_client: ClientMaker, until: Until, gate: asyncio.Event
) -> None:
    """A request in flight gets a response with `Connection: close`, and the stop waits for it."""
    client = await make_client()
    [asked] = await held_up_barcodes(client, 1, until)
    stop = asyncio.create_task(client.server.close())
    await until(lambda: client.app[ADMISSION].is_ending)
    gate.set()
    response = await asked
    assert (response.status, response.headers["Connection"]) == (200, "close")
    async with asyncio.timeout(WAIT):
        await stop


@pytest.mark.parametrize(
    "broken",
    [b"zz\r\n", b"5\r\nhelloX", b"0\r\nContent-Length: 5\r\n\r\n"],
    ids=["no number", "no line end", "a length behind it"],
)
async def test_a_body_whose_framing_breaks_later_is_refused_at_once(
    client: Client, until: Until, broken: bytes
) -> None:
    """The service does not wait for what cannot arrive, and the connection ends."""
    head = b"POST /api/codes/barcode HTTP/1.1\r\n" + JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    async with connected(client) as (reader, writer):
        writer.write(head + b'5\r\n{"pro\r\n')
        await until(lambda: bool(client.app[ARRIVING]))
        writer.write(broken)
        async with asyncio.timeout(WAIT):
            response = await reader.read()
    assert response.startswith(b"HTTP/1.1 400 ")
    assert b"cut short or wrongly encoded" in response


async def test_a_refused_body_is_waited_for_only_so_long(make_client: ClientMaker) -> None:
    """A client that does not send it is disconnected after half a second here, where aiohttp would wait for ten."""
    client = await make_client(idle_timeout=3600)
    async with connected(client) as (reader, writer):
        writer.write(b"GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")
        assert (await response_on(reader))[0] == 404
        async with asyncio.timeout(5.0):
            assert await reader.read() == b""
