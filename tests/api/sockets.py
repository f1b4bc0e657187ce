"""Raw socket connections to the service, and ways to block its requests."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from barcodesvc.api.guard.admission import ADMISSION
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, Until

WAIT = 10.0
Connected = tuple[asyncio.StreamReader, asyncio.StreamWriter]
HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
POSTED = b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n%s"
AT_ONCE = struct.pack("ii", 1, 0)
"""The value of SO_LINGER with which a close is a reset."""
PRODUCTS = b"GET /api/products HTTP/1.1\r\nHost: x\r\n\r\n"


@asynccontextmanager
async def connected(client: Client, address: str = "127.0.0.1") -> AsyncIterator[Connected]:
    """Open a connection from an address to the client's service, and abort it at the end."""
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)  # unread data soon stays with the service
        plain.settimeout(0)
        plain.bind((address, 0))
        await asyncio.get_running_loop().sock_connect(plain, (client.host, client.port))
        reader, writer = await asyncio.open_connection(sock=plain.dup())
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def raw(client: Client, sent: bytes, end: bytes = b"") -> bytes:
    """Send bytes over a new connection, and return everything that is received, up to `end`."""
    reader, writer = await asyncio.open_connection(client.host, client.port)
    try:
        writer.write(sent)
        return await asyncio.wait_for(reader.readuntil(end) if end else reader.read(), WAIT)
    finally:
        writer.transport.abort()


def reset(writer: asyncio.StreamWriter) -> None:
    """Close a connection as a device that vanishes does: with a reset, instead of an end that a response may follow."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
    writer.transport.abort()


async def response_on(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of the next response."""
    async with asyncio.timeout(WAIT):
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
        headers = dict(line.lower().split(": ", 1) for line in lines)
        return int(first.split()[1]), headers, await reader.readexactly(int(headers["content-length"]))


async def held_up_barcodes(client: Client, number: int, until: Until) -> list[asyncio.Task[Any]]:
    """Request this many barcodes, and return once they are in flight."""
    tasks = [
        asyncio.create_task(client.post("/api/codes/barcode", json={"product_code": f"A-{one}"}))
        for one in range(number)
    ]
    await until(lambda: client.app[ADMISSION].in_flight == number)
    return tasks
