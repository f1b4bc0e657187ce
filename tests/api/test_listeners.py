"""Accepting connections: a busy event loop accepts many in each of its turns."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.server import LISTENERS, ServiceRunner
from barcodesvc.app import make_app
from barcodesvc.clock import Clock
from barcodesvc.config import Settings

TURNS = 6
"""Turns of the loop, of which the last ones have nothing left to accept."""


@asynccontextmanager
async def listening(settings: Settings) -> AsyncIterator[tuple[ServiceRunner, tuple[str | None, int | None]]]:
    """Run a service that listens; yield its runner and its address."""
    runner = ServiceRunner(make_app(settings, Clock()))
    await runner.setup()
    try:
        address = urlsplit(await runner.listen(None))
        yield runner, (address.hostname, address.port)
    finally:
        await runner.cleanup()


async def accepted_in_few_turns(settings: Settings) -> int:
    """Return how many connections a service accepts in TURNS, of more than one listener could accept."""
    async with listening(settings) as (runner, address):
        with ExitStack() as opened:
            for _ in range(2 * LISTENERS):
                opened.enter_context(socket.create_connection(address))
            for _ in range(TURNS):
                await asyncio.sleep(0)
            return runner.app[ADMISSION].connections


async def handled_of_reset_connections(settings: Settings) -> int:
    """Return how many requests a service handles whose clients reset their connections before they are accepted."""
    async with listening(settings) as (runner, address):
        for _ in range(LISTENERS):
            with socket.create_connection(address) as client:
                client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        _, writer = await asyncio.open_connection(*address)  # accepted after all of these
        writer.close()
        assert runner.server
        return runner.server.requests_count


@pytest.mark.parametrize(("limit", "accepted"), [(100, 2 * LISTENERS), (8, 4)])
def test_many_connections_are_accepted_in_a_turn(
    migrated_file: Path, tmp_path: Path, limit: int, accepted: int
) -> None:
    """With one for each turn, new clients would wait for minutes behind others; one peer gets half of the limit."""
    uvloop = pytest.importorskip("uvloop")
    assert uvloop.run(accepted_in_few_turns(_settings(migrated_file, tmp_path, limit))) == accepted


def test_a_client_without_an_address_is_not_handled(migrated_file: Path, tmp_path: Path) -> None:
    """Its requests would count for no address, and no response would reach it."""
    uvloop = pytest.importorskip("uvloop")
    assert uvloop.run(handled_of_reset_connections(_settings(migrated_file, tmp_path, 100))) == 0


def _settings(migrated_file: Path, folder: Path, most_connections: int) -> Settings:
    database = folder / "test.db"
    database.write_bytes(migrated_file.read_bytes())
    return Settings(database=database, port=0, max_connections=most_connections)
