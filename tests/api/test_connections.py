"""Connections on real sockets: how many there are, how they are accepted, and when each ends."""

import asyncio
import json
import resource
import shutil
import socket
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from barcodesvc.api import connections
from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import ARRIVING
from barcodesvc.api.server import DESCRIPTORS_KEPT_FREE, LISTENERS, ServiceRunner, connections_possible
from barcodesvc.app import make_app
from barcodesvc.config import Settings
from tests.api.sockets import AT_ONCE, HEALTH, POSTED, WAIT, connected, held_up_barcodes, raw, response_on
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker, Until

NONE = resource.RLIM_INFINITY
WANTED = 5000
IN_CHUNKS = b"%b HTTP/1.1\r\n" + JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
KEY = "correct-horse-battery-staple"


@pytest.mark.parametrize(
    ("before", "possible", "raised"),
    [
        ((1024, 100_000), WANTED, WANTED + DESCRIPTORS_KEPT_FREE),
        ((50_000, 100_000), WANTED, 50_000),
        ((NONE, NONE), WANTED, NONE),
        ((1024, 4096), 4096 - DESCRIPTORS_KEPT_FREE, 4096),
        ((100, 100), 50, 100),
        ((1, 1), 1, 1),
    ],
)
def test_the_limit_of_descriptors_is_raised_as_far_as_it_may_be(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    before: tuple[int, int],
    possible: int,
    raised: int,
) -> None:
    """Connections leave enough file descriptors for other work; the log says so if more connections were wanted."""
    limits = list(before)
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", lambda _, changed: limits.__setitem__(slice(None), changed))
    assert connections_possible(WANTED) == possible
    assert limits == [raised, before[1]]
    assert [record.levelname for record in caplog.records] == ["WARNING"] * (possible < WANTED)


async def test_a_connection_too_many_is_reported_so_at_once(make_client: ClientMaker, until: Until) -> None:
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
    await until(lambda: client.app[ADMISSION].connections == 0)
    async with connected(client) as (reader, writer):
        writer.write(HEALTH)
        assert (await response_on(reader))[0] == 200
    assert client.app[ADMISSION].refused_connections == 1


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


Address = tuple[str | None, int | None]


@asynccontextmanager
async def listening(settings: Settings) -> AsyncIterator[tuple[ServiceRunner, Address]]:
    """Run a service that listens; yield its runner and its address."""
    runner = ServiceRunner(make_app(settings))
    await runner.setup()
    try:
        address = urlsplit(await runner.listen(None))
        yield runner, (address.hostname, address.port)
    finally:
        await runner.cleanup()


@pytest.fixture
def served(migrated_file: Path, tmp_path: Path) -> Settings:
    """Return settings of a service that listens on a free port."""
    shutil.copy(migrated_file, tmp_path / "shop.db")
    return Settings(database=tmp_path / "shop.db", port=0)


def run_on(loop: str, work: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of work on a kind of event loop."""
    make_loop = asyncio.new_event_loop if loop == "asyncio" else pytest.importorskip("uvloop").new_event_loop
    with asyncio.Runner(loop_factory=make_loop) as runner:
        return runner.run(work)


async def accepted_in_few_turns(settings: Settings) -> int:
    """Return how many connections a service accepts in six turns of the loop, of more than one listener could accept.

    The last turns have nothing left to accept.
    """
    async with listening(settings) as (runner, address):
        with ExitStack() as opened:
            for _ in range(2 * LISTENERS):
                opened.enter_context(socket.create_connection(address))
            for _ in range(6):
                await asyncio.sleep(0)
            return runner.app[ADMISSION].connections


@pytest.mark.parametrize(("limit", "accepted"), [(100, 2 * LISTENERS), (8, 4)])
def test_many_connections_are_accepted_in_a_turn(served: Settings, limit: int, accepted: int) -> None:
    """With one for each turn, new clients would wait for minutes behind others; one peer gets half of the limit."""
    settings = served.model_copy(update={"max_connections": limit})
    assert run_on("uvloop", accepted_in_few_turns(settings)) == accepted


async def handled_of_reset_connections(settings: Settings) -> int:
    """Return how many requests a service handles whose clients reset their connections before they are accepted."""
    async with listening(settings) as (runner, address):
        for _ in range(LISTENERS):
            with socket.create_connection(address) as client:
                client.sendall(HEALTH)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        _, writer = await asyncio.open_connection(*address)  # accepted after all of these
        writer.close()
        assert runner.server
        return runner.server.requests_count


def test_a_client_without_an_address_is_not_handled(served: Settings) -> None:
    """Its requests would count for no address, and no response would reach it."""
    assert run_on("uvloop", handled_of_reset_connections(served)) == 0


DRAFT = b'{"product_code": "A-1", "description": "a pen"}'
HALF_CLOSED = {
    "get": (HEALTH, b"HTTP/1.1 200 "),
    "too much": (POSTED % (46, DRAFT), b"HTTP/1.0 400 "),
    "post": (POSTED % (47, DRAFT), b"HTTP/1.1 201 "),
    "too little": (POSTED % (100, DRAFT), b"HTTP/1.1 400 "),
    "no whole head": (HEALTH[:-2], b""),
    "nothing": (b"", b""),
}


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
@pytest.mark.parametrize(("sent", "answered"), HALF_CLOSED.values(), ids=HALF_CLOSED)
def test_who_ends_sending_after_a_request_gets_its_response(
    served: Settings, loop: str, sent: bytes, answered: bytes
) -> None:
    """As `nc -N` does; what is cut short is refused, or the connection closed, at once."""
    response = run_on(loop, response_to_the_half_closed(served, sent))
    assert response.startswith(answered)
    assert bool(response) == bool(answered)


async def response_to_the_half_closed(settings: Settings, sent: bytes) -> bytes:
    """Send bytes to a new service, end the direction, and return what comes until the service closes the connection."""
    async with listening(settings) as (_, address), asyncio.timeout(WAIT):
        reader, writer = await asyncio.open_connection(*address)
        writer.write(sent)
        writer.write_eof()
        response = await reader.read()
        writer.close()
        return response


async def test_an_idle_connection_ends(make_client: ClientMaker) -> None:
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


async def test_at_the_end_an_answer_says_that_it_is_the_last(client: Client, until: Until, gate: asyncio.Event) -> None:
    """A request in flight gets a response with `Connection: close`, and the stop waits for it."""
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
    async with connected(client) as (reader, writer):
        writer.write(IN_CHUNKS % b"POST /api/codes/barcode" + b'5\r\n{"pro\r\n')
        await until(lambda: bool(client.app[ARRIVING]))
        writer.write(broken)
        async with asyncio.timeout(WAIT):
            response = await reader.read()
    assert response.startswith(b"HTTP/1.1 400 ")
    assert b"cut short or wrongly encoded" in response


LONG, CHUNKED = b"Content-Length: 50000000", b"Transfer-Encoding: chunked"
REFUSED_EARLY = {
    "no key": ({"api_key": KEY}, b"POST /api/products", LONG, 401),
    "too many": ({"rate_limit": "1/hour"}, b"POST /api/products", CHUNKED, 429),
    "no such route": ({}, b"POST /api/nothing", LONG, 404),
    "a wrong query": ({}, b"POST /api/products?x=1", CHUNKED, 400),
    "not looked at": ({}, b"GET /health", LONG, 200),
    "not looked at, in chunks": ({}, b"GET /health", CHUNKED, 200),
}


@pytest.mark.parametrize(("changes", "route", "framing", "status"), REFUSED_EARLY.values(), ids=REFUSED_EARLY)
async def test_a_response_before_its_body_is_the_last_one(
    make_client: ClientMaker, changes: dict[str, str], route: bytes, framing: bytes, status: int
) -> None:
    """It says so, and can be read although its client continues to send for a while."""
    client = await make_client(**changes)
    if status == 429:
        await client.get("/api/products")
    async with connected(client) as (reader, writer):
        writer.write(b"%b HTTP/1.1\r\n%b%b\r\n\r\n" % (route, JSON_HEAD, framing))
        await asyncio.sleep(0.05)
        for _ in range(10):  # what the service discards in half a second, on a busy machine too
            writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            await writer.drain()
        answered, headers, _ = await response_on(reader)
        assert (answered, headers["connection"]) == (status, "close")
        async with asyncio.timeout(WAIT):
            assert await reader.read() == b""


@pytest.mark.parametrize("goes_on", [False, True], ids=["waits", "goes on"])
async def test_a_refused_body_is_discarded_only_so_long(client: Client, *, goes_on: bool) -> None:
    """A client that sends nothing more, or without end, is cut off after half a second here."""
    async with connected(client) as (reader, writer):
        writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000000\r\n\r\n")
        assert (await response_on(reader))[0] == 200
        async with asyncio.timeout(WAIT):
            if goes_on:
                with pytest.raises(ConnectionError):
                    await _send_on(writer)
            else:
                assert await reader.read() == b""


async def _send_on(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x" * 65536)
        await writer.drain()
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("size", [2, 60_000])
async def test_a_body_that_has_arrived_keeps_its_connection(make_client: ClientMaker, size: int) -> None:
    """A refusal does not close the connection if the whole body has arrived, and the next request succeeds."""
    client = await make_client(api_key=KEY)
    chunks = IN_CHUNKS % b"POST /api/products" + b"1\r\n \r\n" * 100 + b"0\r\n\r\n"
    async with connected(client) as (reader, writer):
        for sent in (POSTED % (size, b" " * size), chunks) * 2:
            writer.write(sent)
            status, headers, _ = await response_on(reader)
            assert (status, headers.get("connection")) == (401, None)
