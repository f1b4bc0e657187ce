"""What answers for an IPP printer may be anything: how it is read, and what is cut off; and what media it names."""

import asyncio
import gzip
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, repeat

import pytest

from barcodesvc.print_jobs import PrinterState
from barcodesvc.printers import ipp
from barcodesvc.printers.connection import NotReachableError
from barcodesvc.printers.ipp_attributes import has_size, margins, ready_media, told
from barcodesvc.printers.ipp_messages import Response, Tag
from tests.printers.queued import connected
from tests.sweeps import sweep

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED, LENGTH = OK + b"Transfer-Encoding: chunked\r\n\r\n", OK + b"Content-Length: %d\r\n\r\n"
ATTRIBUTES = bytes.fromhex("02000000 00000001 04 2300 0d") + b"printer-state" + bytes.fromhex("0004 00000003 03")
ZEROS = gzip.compress(bytes(10_000_000))
MOST_BUFFERED = 16_000_000
"""Bytes that the buffers of two sockets take without a reader."""

ENDLESS = {
    "early hints": (repeat(b"HTTP/1.1 103 Early Hints\r\n" + b"Link: </a>\r\n" * 50 + b"\r\n"), "longer than"),
    "a line": (repeat(b"x" * 10_000), "not HTTP"),
    "headers": (chain([OK], repeat(b"Link: </a>\r\n" * 500)), "not HTTP"),
    "chunks of one byte": (chain([CHUNKED], repeat(b"1\r\n\x04\r\n" * 99)), "longer than"),
    "trailers": (chain([CHUNKED, b"0\r\n"], repeat(b"a: b\r\n" * 999)), "not HTTP"),
    "a large body": (chain([LENGTH % 1_000_000], repeat(b"\x04" * 10_000)), "longer than"),
    "a body without a length": (chain([OK, b"\r\n"], repeat(b"\x04" * 10_000)), "longer than"),
    "groups": ([LENGTH % 60_000, ATTRIBUTES[:8] + b"\x04" * 60_000], "too large"),
    "compressed zeros": ([OK + b"Content-Encoding: gzip\r\n\r\n", ZEROS], "cut short"),
    "no HTTP": ([b"220 ready\r\n\r\n"], "not HTTP"),
    "a negative length": ([OK + b"Content-Length: -1\r\n\r\n"], "not HTTP"),
    "half a body": ([LENGTH % len(ATTRIBUTES), ATTRIBUTES[:9]], "closed the connection"),
}


async def answered(said: Iterable[bytes]) -> PrinterState:
    """Return the state of a printer that says this, and check that it could not send much more."""
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
        try:
            async with connected(server.sockets[0].getsockname()[1]) as connection:
                return await connection.poll()
        finally:
            await left.wait()
            assert sent < MOST_BUFFERED


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
    assert await answered(PLAIN[case]) is PrinterState.READY


def saying(**attributes: object) -> Response:
    """Return what a printer says of itself."""
    listed = {
        name.replace("_", "-"): value if isinstance(value, list) else [value] for name, value in attributes.items()
    }
    return Response(0, {Tag.PRINTER_GROUP: listed})


def sized(width: object, length: object, **more: object) -> dict[str, object]:
    """Return a collection with this size."""
    return {"media-size": {"x-dimension": width, "y-dimension": length}, **more}


MEDIA_NAMES = {
    "iso_a4_210x297mm": "210x297mm",
    "oe_address-label_1.125x3.5in": "28.58x88.9mm",
    "custom_54x25mm_54x25mm": "54x25mm",
    "roll_current_62x0mm": "62mm roll",
    "custom_min_10x10mm": "",
    "roll_max_62x1000mm": "",
    "labels": "",
    "oe_0x0in_0x0in": "",
}


@sweep(("name", "said"), MEDIA_NAMES.items())
def test_names_have_sizes(name: str, said: str) -> None:
    """Those of PWG 5101.1 end with the size; limits of sizes are no media, and other names tell nothing."""
    assert told(ready_media(saying(media_ready=name))) == said


def test_collections_count_before_names() -> None:
    """They are exact, and have margins."""
    listed = [sized(5400, 2500), sized(5400, 2500), sized(6200, b"")]
    assert told(ready_media(saying(media_ready="iso_a4_210x297mm", media_col_ready=listed))) == "54x25mm or 62mm roll"


SIZES = {
    (54.0, 25.0): True,
    (53.1, 25.9): True,
    (25.0, 54.0): True,
    (54.0, 30.0): False,
    (62.0, 29.0): True,
    (62.0, 500.0): True,
    (50.0, 500.0): False,
}


@sweep(("media", "is_there"), SIZES.items())
def test_sizes_are_compared(media: tuple[float, float], is_there: bool) -> None:  # noqa: FBT001 - a case
    """Rounded sizes and turned ones are the same, and a roll without labels has any length."""
    assert has_size(ready_media(saying(media_col_ready=[sized(5400, 2500), sized(6200, 0)])), *media) is is_there


def test_margins_are_those_of_the_size() -> None:
    """Those of a turned media would be at other edges."""
    edges = {f"media-{edge}-margin": number for number, edge in enumerate(("bottom", "left", "right", "top"))}
    ready = ready_media(saying(media_col_ready=[sized(21000, 29700), sized(5400, 2500, **edges)]))
    assert margins(ready, 54.0, 25.0) == edges
    assert margins(ready, 25.0, 54.0) == margins(ready, 210.0, 297.0) == {}


NO_MEDIA = [None, 7, b"x", {}, {"media-size": 7}, sized("5400", 2500), sized(0, 0), sized(-1, 5), sized(10**9, 5)]


@pytest.mark.parametrize("value", NO_MEDIA, ids=str)
def test_nonsense_is_no_media(value: object) -> None:
    """A printer may say anything; then nothing is known of what is in it."""
    assert ready_media(saying(media_col_ready=[value])) == ()
