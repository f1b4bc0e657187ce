"""What answers for an IPP printer may be anything: little of it is read, and the rest is cut off."""

import asyncio
import gzip
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, repeat

import pytest

from barcodesvc.print_jobs import PrinterState
from barcodesvc.printer_addresses import printer_of
from barcodesvc.printers import ipp
from barcodesvc.printers.connection import NotReachableError, Printer
from barcodesvc.printers.ipp import IppConnection

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED, LENGTH = OK + b"Transfer-Encoding: chunked\r\n\r\n", OK + b"Content-Length: %d\r\n\r\n"
ATTRIBUTES = bytes.fromhex("02000000 00000001 04 2300 0d") + b"printer-state" + bytes.fromhex("0004 00000003 03")
ZEROS = gzip.compress(bytes(10_000_000))
MOST_BUFFERED = 16_000_000
"""Bytes that the buffers of two sockets take without a reader."""

ENDLESS = {
    "interim responses": (repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 99), "longer than"),
    "early hints": (repeat(b"HTTP/1.1 103 Early Hints\r\n" + b"Link: </a>\r\n" * 50 + b"\r\n"), "longer than"),
    "a line": (repeat(b"x" * 10_000), "no HTTP"),
    "headers": (chain([OK], repeat(b"Link: </a>\r\n" * 500)), "no HTTP"),
    "chunks of one byte": (chain([CHUNKED], repeat(b"1\r\n\x04\r\n" * 99)), "longer than"),
    "digits of a chunk": (chain([CHUNKED], repeat(b"0" * 10_000)), "no HTTP"),
    "trailers": (chain([CHUNKED, b"0\r\n"], repeat(b"a: b\r\n" * 999)), "no HTTP"),
    "a large body": (chain([LENGTH % 1_000_000], repeat(b"\x04" * 10_000)), "longer than"),
    "a body without a length": (chain([OK, b"\r\n"], repeat(b"\x04" * 10_000)), "longer than"),
    "groups": ([LENGTH % 60_000, ATTRIBUTES[:8] + b"\x04" * 60_000], "too large"),
    "compressed zeros": ([OK + b"Content-Encoding: gzip\r\n\r\n", ZEROS], "cut short"),
    "no HTTP": ([b"220 ready\r\n\r\n"], "no HTTP"),
    "a negative length": ([OK + b"Content-Length: -1\r\n\r\n"], "no HTTP"),
    "half a body": ([LENGTH % len(ATTRIBUTES), ATTRIBUTES[:9]], "closed the connection"),
}


async def answered(said: Iterable[bytes]) -> tuple[PrinterState, int]:
    """Ask a printer that says this for its state; return it, and the bytes that the printer could send."""
    sent, left = 0, asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        with suppress(ConnectionError):
            for piece in said:
                writer.write(piece)
                await writer.drain()
                sent += len(piece)
        writer.close()
        left.set()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        address = printer_of(f"a=ipp://127.0.0.1:{port}/?label=50x30mm")
        connection = IppConnection(Printer(address, (50.0, 30.0), 203))
        try:
            await connection.poll()
        finally:
            await connection.close()
            await left.wait()
            assert sent < MOST_BUFFERED
        return connection.state, sent


@pytest.mark.parametrize("case", ENDLESS)
async def test_little_is_read_of_what_never_ends(monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    """The connection is closed after a limit of bytes, chunks or interim responses, and nothing is decompressed."""
    monkeypatch.setattr(ipp, "ATTRIBUTES_WAIT", 5.0)
    said, refusal = ENDLESS[case]
    with pytest.raises(NotReachableError, match=refusal):
        await answered(said)


def chunks(body: bytes) -> Iterator[bytes]:
    """Yield a body in chunks of one byte, with extensions and a trailer."""
    yield from (b"1;a=b\r\n%b\r\n" % body[place : place + 1] for place in range(len(body)))
    yield b"0\r\na: b\r\n\r\n"


PLAIN = {
    "with a length": [LENGTH % len(ATTRIBUTES), ATTRIBUTES],
    "in chunks": [CHUNKED, *chunks(ATTRIBUTES)],
    "until the end": [b"HTTP/1.0 200 OK\r\n\r\n", ATTRIBUTES],
    "after interim responses": [b"HTTP/1.1 100 Continue\r\n\r\n" * 3, LENGTH % len(ATTRIBUTES), ATTRIBUTES],
    "without a reason": [b"HTTP/1.1 200\r\ncontent-length:%d\r\n\r\n" % len(ATTRIBUTES), ATTRIBUTES],
}


@pytest.mark.parametrize("case", PLAIN)
async def test_what_printers_say_is_read(case: str) -> None:
    """HTTP has several ways to send a body."""
    state, _ = await answered(PLAIN[case])
    assert state is PrinterState.READY
