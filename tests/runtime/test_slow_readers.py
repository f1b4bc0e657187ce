"""Clients that take nothing of a response are cut off; slow ones are not."""

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest

from barcodesvc.runtime.slow_readers import StallTimer, untaken_bytes
from tests.fixture_types import Until


@pytest.fixture
async def pair() -> AsyncIterator[tuple[asyncio.WriteTransport, socket.socket]]:
    """Return a transport with more to send than its socket takes, and the client's socket."""
    server, client = socket.socketpair()
    client.settimeout(0)
    _, writer = await asyncio.open_connection(sock=server)
    writer.write(b"x" * 4_000_000)
    yield writer.transport, client
    writer.transport.abort()
    client.close()


async def test_a_client_that_takes_nothing_is_cut_off(
    pair: tuple[asyncio.Transport, socket.socket], until: Until
) -> None:
    """The connection is aborted after the time, which is short here."""
    transport, _ = pair
    StallTimer(transport, 0.01)
    await until(transport.is_closing)


async def test_a_client_that_takes_something_stays(pair: tuple[asyncio.Transport, socket.socket], until: Until) -> None:
    """Each time that it does, it has as long again, until it takes nothing."""
    transport, client = pair
    begun, seconds = asyncio.get_running_loop().time(), 0.2
    StallTimer(transport, seconds)
    while untaken_bytes(transport) and asyncio.get_running_loop().time() < begun + 3 * seconds:
        client.recv(20_000)
        await asyncio.sleep(seconds / 10)
    assert not transport.is_closing()
    await until(transport.is_closing)


async def test_a_cancelled_timer_cuts_nothing(pair: tuple[asyncio.Transport, socket.socket]) -> None:
    """The response was taken in time."""
    transport, _ = pair
    StallTimer(transport, 0.01).cancel()
    await asyncio.sleep(0.05)
    assert not transport.is_closing()
