"""Streamed responses that fail midway: clients must not mistake them for complete ones."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from aiohttp import web

from barcodesvc.api import connections
from barcodesvc.api.responses import stream
from barcodesvc.app import make_app
from barcodesvc.config import Settings
from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.limits import SNAPSHOTS
from barcodesvc.store.script import Row, Statement
from barcodesvc.store.sqlite.connection import Connection, Statements
from barcodesvc.store.sqlite.failures import StatementError
from tests.api.described import OTHER_PATH
from tests.api.imported import imported
from tests.api.replies import refused
from tests.fixture_types import Client, ClientMaker
from tests.forms import form_data
from tests.workbooks import xlsx


@pytest.fixture
async def many(make_client: ClientMaker) -> Client:
    """Return a client of a shop with several batches of levels, some of them long, and room for many lists."""
    client = await make_client(max_concurrent_exports=100)
    rows = [("SKU", "Name"), *((f"C-{number}", "x" * 400) for number in range(1500))]
    assert (await imported(client, form_data(xlsx(rows))))["imported"] == 1500
    return client


@pytest.fixture
def serve(aiohttp_client: Callable[[web.Application], Any], settings: Settings) -> Callable[..., Any]:
    """Return a function that serves a source of chunks, as a stream at OTHER_PATH, and returns a client."""

    async def make(source: Callable[[], AsyncGenerator[bytes]]) -> Client:
        async def handler(request: web.Request) -> web.StreamResponse:
            return await stream(request, {"Content-Type": "text/plain"}, source())

        app = make_app(settings)
        app.router.add_get(OTHER_PATH, handler)
        return cast("Client", await aiohttp_client(app))

    return make


@contextmanager
def disk_lost_after(batches: int) -> Iterator[None]:
    """Make reading fail after a number of batches within the block, as it does when a disk disappears."""
    whole = Connection.stream

    def next_rows(_: Statements, statement: Statement, *__: Any) -> list[Row]:
        raise StatementError(statement.name, sqlite3.OperationalError("/secret/disk is gone"))

    async def stream(connection: Connection, name: str, /, **parameters: Any) -> AsyncGenerator[list[Row]]:
        reading = whole(connection, name, **parameters)
        for _ in range(batches):
            yield await anext(reading)
        patch.setattr(Statements, "next_rows", next_rows)
        async for batch in reading:
            yield batch

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "stream", stream)
        yield


@pytest.mark.parametrize("batches", [0, 1])
@pytest.mark.parametrize("path", ["/api/inventory", "/api/inventory/export", "/api/inventory/export?format=csv"])
async def test_a_file_or_list_that_fails_half_way_is_an_envelope(many: Client, path: str, batches: int) -> None:
    """It is complete before its first byte is sent: a failure is reported without its cause, and frees the snapshot."""
    for _ in range(SNAPSHOTS + 1):
        with disk_lost_after(batches):
            assert "secret" not in str(await refused(await many.get(path), 500, "DATABASE_ERROR"))
    assert (await many.get(path)).status == 200


async def test_a_client_that_takes_nothing_is_given_up(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, until: Any
) -> None:
    """A response that the client does not read is aborted after a while (short here), and its source is closed."""
    monkeypatch.setattr(connections, "STALL_WAIT", 0.01)
    closed = []

    async def endless() -> AsyncGenerator[bytes]:
        try:
            while True:
                yield b"x" * 1_000_000
        finally:
            closed.append(True)

    client = await serve(endless)
    _, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(f"GET {OTHER_PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    await until(lambda: bool(closed))
    writer.transport.abort()


async def _left_after_the_first_chunk(client: Client, gone: asyncio.Event) -> None:
    reader, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(f"GET {OTHER_PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    await reader.readuntil(b"first")
    writer.transport.abort()
    assert (await client.get("/nowhere")).status == 404
    gone.set()


@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_is_no_failure(
    serve: Callable[..., Any], until: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The source is closed as soon as a chunk cannot be written, and no error is logged."""
    gone, closed = asyncio.Event(), []

    async def endless() -> AsyncGenerator[bytes]:
        try:
            yield b"first"
            await gone.wait()
            while True:
                yield b"x" * 1000
        finally:
            closed.append(True)

    await _left_after_the_first_chunk(await serve(endless), gone)
    await until(lambda: bool(closed))
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("error", [RuntimeError("disk gone"), DatabaseFailure("the database has gone")])
async def test_a_failure_after_the_client_has_left_is_logged(
    serve: Callable[..., Any], until: Any, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    """There is no client to respond to; where a known failure was raised, its cause is in the log already."""
    gone = asyncio.Event()

    async def failing() -> AsyncGenerator[bytes]:
        yield b"first"
        await gone.wait()
        raise error

    await _left_after_the_first_chunk(await serve(failing), gone)
    cut = f"cut the response to GET {OTHER_PATH} short"
    await until(lambda: cut in caplog.text)
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [cut]
    assert ("Traceback" in caplog.text) == isinstance(error, RuntimeError)


async def test_a_source_without_chunks_is_an_empty_response(serve: Callable[..., Any]) -> None:
    """An empty stream is complete."""
    closed: list[bool] = []

    async def nothing() -> AsyncGenerator[bytes]:
        if closed:
            yield b""

    response = await (await serve(nothing)).get(OTHER_PATH)
    assert (response.status, await response.read()) == (200, b"")
