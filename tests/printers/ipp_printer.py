"""A simulated IPP printer over real HTTP, for faults that a real printer program does not show on request.

Its codec is separate from the service's, so that both do not err alike.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ssl import SSLContext
from typing import Any, Self

from aiohttp import web
from aiohttp.test_utils import get_port_socket

from tests.servers.closing import ClosingServer

_PRINT_JOB, _GET_JOB, _GET_PRINTER = 2, 9, 11
_INTEGER, _BOOLEAN, _ENUM, _KEYWORD, _TEXT, _MIME = 0x21, 0x22, 0x23, 0x44, 0x41, 0x49
_BEGIN, _END, _MEMBER = 0x34, 0x37, 0x4A
_RESOLUTION, _DOTS_PER_INCH = 0x32, 3
_NOT_FOUND, _PROCESSING = 0x0406, 5
_BUFFER = 4096


@dataclass
class Printed:
    """A document that arrived, what was said of it, and the size of its media in hundredths of a mm."""

    content: bytes
    said: dict[str, Any]
    media: tuple[int, ...]


@dataclass
class IppPrinter:
    """The printer; what it does can be changed at any time.

    job_states: the states that it tells of a job, one after the other, the last one again and again, None for
    a response without one;
    raw: what it sends instead of a response;
    refuses: the status of its response to a document after those that it `takes`;
    is_frozen: whether it answers no questions now; forgets: whether it does not know its jobs;
    resolutions: those of PWG raster, in dots per inch;
    holds: whether it has no response to a document yet; rate: bytes of a document that it reads a second, None for no
    limit; looks: how often it was asked for its attributes;
    ready: sizes of media in it, in hundredths of a mm; margin: their margins;
    path: the only path at which there is a printer, None for any;
    reset_at: the byte of a request with a document, or its end if it is shorter, at which the connection is reset once.
    """

    formats: tuple[str, ...] = ("application/octet-stream", "application/pdf")
    reasons: tuple[str, ...] = ("none",)
    is_stopped: bool = False
    job_states: tuple[int | None, ...] = (5, 9)
    raw: bytes | None = None
    http_status: int = 200
    refuses: int = 0
    takes: int = 0
    is_frozen: bool = False
    forgets: bool = False
    resolutions: tuple[int, ...] = ()
    holds: bool = False
    rate: int | None = None
    looks: int = 0
    ready: tuple[tuple[int, int], ...] = ()
    margin: int | None = None
    path: str | None = None
    reset_at: int | None = None
    documents: list[Printed] = field(default_factory=list)
    port: int = 0
    asked: int = 0

    @asynccontextmanager
    async def running(self, ssl: SSLContext | None = None) -> AsyncIterator[Self]:
        """Answer requests within the block, over TLS with a context."""
        app = web.Application(client_max_size=100_000_000)
        app.router.add_post("/{path:.*}", self._answer)
        server = ClosingServer(app, socket_factory=_small_socket if self.rate else get_port_socket)
        await server.start_server(ssl=ssl, read_bufsize=_BUFFER)
        self.port = server.port or 0
        try:
            yield self
        finally:
            await server.close()

    async def _answer(self, request: web.Request) -> web.Response:
        body = await self._read(request)
        operation, number = struct.unpack(">HI", body[2:8])
        if self.raw is not None or self.http_status >= 300:
            headers = {"Location": "http://127.0.0.1:1/"}
            return web.Response(body=self.raw or b"", status=self.http_status, headers=headers)
        groups = {_PRINT_JOB: self._print, _GET_JOB: self._job, _GET_PRINTER: self._printer}[operation]
        while self.holds if operation == _PRINT_JOB else self.is_frozen:  # noqa: ASYNC110 - a test changes it
            await asyncio.sleep(0.02)
        status, attributes = groups(body) if self.path in (None, request.path) else (_NOT_FOUND, b"")
        head = struct.pack(">BBHI", 2, 0, status, number)
        charset = _value(0x47, "attributes-charset", b"utf-8") + _value(0x48, "attributes-natural-language", b"en")
        return web.Response(body=head + b"\x01" + charset + attributes + b"\x03", content_type="application/ipp")

    async def _read(self, request: web.Request) -> bytes:
        body = b""
        while piece := await request.content.read(min(_BUFFER, (self.reset_at or _BUFFER + len(body)) - len(body))):
            body += piece
            if self.rate:
                await asyncio.sleep(len(piece) / self.rate)
        if self.reset_at and body[3] == _PRINT_JOB and request.transport:
            self.reset_at = None
            request.transport.abort()
        return body

    def _print(self, body: bytes) -> tuple[int, bytes]:
        said, media, content = _request(body)
        if self.refuses and len(self.documents) >= self.takes:
            return self.refuses, b""
        self.documents.append(Printed(content, said, media))
        self.asked = 0
        return 0, b"\x02" + _number(_INTEGER, "job-id", len(self.documents)) + _number(_ENUM, "job-state", 3)

    def _job(self, _: bytes) -> tuple[int, bytes]:
        if self.forgets:
            return _NOT_FOUND, b""
        state = self.job_states[min(self.asked, len(self.job_states) - 1)]
        if self.reasons != ("none",):
            state = _PROCESSING
        self.asked += 1
        return 0, b"\x02" + (_number(_ENUM, "job-state", state) if state is not None else b"")

    def _printer(self, _: bytes) -> tuple[int, bytes]:
        self.looks += 1
        state = _number(_ENUM, "printer-state", 5 if self.is_stopped else 3)
        accepts = _value(_BOOLEAN, "printer-is-accepting-jobs", b"\x01")
        model = _value(_TEXT, "printer-make-and-model", b"Simulated 1")
        names = [("printer-state-reasons", _KEYWORD, self.reasons), ("document-format-supported", _MIME, self.formats)]
        lists = b"".join(
            _value(tag, name if not place else "", value.encode())
            for name, tag, values in names
            for place, value in enumerate(values)
        )
        return 0, b"\x04" + state + accepts + model + lists + self._listed_resolutions() + self._listed_media()

    def _listed_media(self) -> bytes:
        listed = b""
        for place, size in enumerate(self.ready):
            sides = _member("x-dimension", size[0]) + _member("y-dimension", size[1])
            edges = ("bottom", "left", "right", "top") if self.margin is not None else ()
            margins = b"".join(_member(f"media-{edge}-margin", self.margin or 0) for edge in edges)
            inner = _value(_MEMBER, "", b"media-size") + _value(_BEGIN, "", b"") + sides + _value(_END, "", b"")
            name = "media-col-ready" if not place else ""
            listed += _value(_BEGIN, name, b"") + inner + margins + _value(_END, "", b"")
        return listed

    def _listed_resolutions(self) -> bytes:
        name = "pwg-raster-document-resolution-supported"
        return b"".join(
            _value(_RESOLUTION, name if not place else "", struct.pack(">iib", dpi, dpi, _DOTS_PER_INCH))
            for place, dpi in enumerate(self.resolutions)
        )


def _small_socket(host: str, port: int, family: socket.AddressFamily) -> socket.socket:
    """Return the socket of a printer, which receives little before it is read."""
    listening = get_port_socket(host, port, family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
    return listening


def _value(tag: int, name: str, value: bytes) -> bytes:
    return struct.pack(">BH", tag, len(name)) + name.encode() + struct.pack(">H", len(value)) + value


def _member(name: str, value: int) -> bytes:
    return _value(_MEMBER, "", name.encode()) + _number(_INTEGER, "", value)


def _number(tag: int, name: str, value: int) -> bytes:
    return _value(tag, name, struct.pack(">i", value))


def _request(body: bytes) -> tuple[dict[str, Any], tuple[int, ...], bytes]:
    """Return the attributes of a request, the numbers within its collections, and its document."""
    said: dict[str, Any] = {}
    numbers: list[int] = []
    place, depth = 8, 0
    while body[place] != 3:
        tag = body[place]
        place += 1
        if tag < 0x10:
            continue
        (length,) = struct.unpack_from(">H", body, place)
        name = body[place + 2 : place + 2 + length].decode()
        place += 2 + length
        (length,) = struct.unpack_from(">H", body, place)
        value = body[place + 2 : place + 2 + length]
        place += 2 + length
        depth += (tag == _BEGIN) - (tag == _END)
        if tag == _INTEGER and depth:
            numbers += struct.unpack(">i", value)
        elif name and tag != _BEGIN:
            said[name] = struct.unpack(">i", value)[0] if tag in (_INTEGER, _ENUM) else value.decode()
    return said, tuple(numbers), body[place + 1 :]
