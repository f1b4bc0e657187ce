"""A simulated ZPL label printer over real TCP, for tests.

It prints the formats that arrive (`^XA` to `^XZ`, `^PQ` times each), one after the other, and answers `~HS` and `~HI`
as the manual has it. Its behaviour can be changed at any time: see the attributes of `Behaviour`.

Rule: it counts what is really printed, so that a test compares the service's word with the paper.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import struct
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Self

_FORMAT = re.compile(rb"\^XA(.*?)\^XZ", re.DOTALL)
_QUANTITY = re.compile(rb"\^PQ(\d+)")
_QUESTION = re.compile(rb"~H(?:S|I)\s*")
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER of a socket that is reset when it is closed."""


@dataclass
class Behaviour:
    """What the printer does besides printing.

    status: `zebra` answers, `silent` does not, `nonsense` sends something else, `letters` prints the question;
    reset_at, hang_at: the byte of all that it receives at which it resets the connection once, or reads no more;
    rate: bytes that it reads a second, None for no limit; label_seconds: how long a label takes;
    wake_seconds: how long it sleeps before it reads the first byte of a connection.
    """

    status: str = "zebra"
    reset_at: int | None = None
    hang_at: int | None = None
    rate: int | None = None
    label_seconds: float = 0.0
    wake_seconds: float = 0.0
    paper_out: bool = False
    head_open: bool = False
    ribbon_out: bool = False
    paused: bool = False

    @property
    def has_fault(self) -> bool:
        """Whether it prints nothing now."""
        return self.paper_out or self.head_open or self.ribbon_out or self.paused


@dataclass
class LabelPrinter:
    """The printer; `printed` are the contents of all labels on paper, in order; `letters` counts questions on paper."""

    behaviour: Behaviour = field(default_factory=Behaviour)
    printed: list[bytes] = field(default_factory=list)
    received: int = 0
    connections: int = 0
    most_connections: int = 0
    letters: int = 0
    port: int = 0
    _waiting: deque[bytes] = field(default_factory=deque)
    _open: set[asyncio.StreamWriter] = field(default_factory=set)
    _serving: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator[Self]:
        """Accept connections within the block; what it has in memory is lost when it is switched off."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", port, limit=4096)
        self.port = server.sockets[0].getsockname()[1]
        for each in server.sockets:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        printing = asyncio.create_task(self._print())
        try:
            yield self
        finally:
            server.close()
            for writer in list(self._open):
                _reset(writer)
            self._waiting.clear()
            ending = [printing, *self._serving]
            for task in ending:
                task.cancel()
            await asyncio.wait(ending)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection; it counts as open at once, so that one that has just come is closed at the end, too."""
        self.connections += 1
        self._open.add(writer)
        self.most_connections = max(self.most_connections, len(self._open))
        serving = asyncio.create_task(self._serve(reader, writer))
        self._serving.add(serving)
        serving.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await asyncio.sleep(self.behaviour.wake_seconds)
            await self._read(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(writer)
            with contextlib.suppress(ConnectionError):
                writer.close()

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pending = b""
        while data := await reader.read(self._next_piece()):
            self.received += len(data)
            behaviour = self.behaviour
            pending = self._taken(pending + data, writer)
            if behaviour.reset_at is not None and self.received >= behaviour.reset_at:
                behaviour.reset_at = None
                _reset(writer)
                return
            if behaviour.rate:
                await asyncio.sleep(len(data) / behaviour.rate)
            while behaviour.hang_at is not None and self.received >= behaviour.hang_at:  # noqa: ASYNC110 - a test changes it
                await asyncio.sleep(0.05)

    def _next_piece(self) -> int:
        """Return how many bytes to read, so that a fault comes at its byte."""
        most = 64 if self.behaviour.rate else 4096
        for place in (self.behaviour.reset_at, self.behaviour.hang_at):
            if place is not None and place > self.received:
                most = min(most, place - self.received)
        return most

    def _taken(self, pending: bytes, writer: asyncio.StreamWriter) -> bytes:
        """Take questions and formats out of what has arrived, and return the rest."""
        while (found := _QUESTION.search(pending)) and b"^XA" not in pending[: found.start()].rpartition(b"^XZ")[2]:
            pending = self._formats(pending[: found.start()]) + pending[found.end() :]
            self._answer(writer, found[0].strip())
        return self._formats(pending)

    def _formats(self, pending: bytes) -> bytes:
        end = 0
        for found in _FORMAT.finditer(pending):
            quantity = _QUANTITY.search(found[1])
            self._waiting.extend([found[1]] * (int(quantity[1]) if quantity else 1))
            end = found.end()
        if not self.behaviour.label_seconds:
            self._print_now()
        return pending[end:]

    def _answer(self, writer: asyncio.StreamWriter, question: bytes) -> None:
        kind = self.behaviour.status
        if kind == "zebra" and question == b"~HI":
            writer.write(b"\x02Simulated-203dpi,V1.0,8,8192KB\x03\r\n")
        elif kind == "zebra":
            writer.write(self._host_status())
        elif kind == "nonsense":
            writer.write(b"\x02\xff\x00,,\x03\x02 HTTP/1.1 418\r\n\x03" * 20)
        elif kind == "letters":
            self.letters += 1

    def _host_status(self) -> bytes:
        now = self.behaviour
        first = f"030,{int(now.paper_out)},{int(now.paused)},1245,{len(self._waiting):03},0,0,0,000,0,0,0"
        second = f"001,0,{int(now.head_open)},{int(now.ribbon_out)},1,2,6,0,{0:08},1,000"
        return f"\x02{first}\x03\r\n\x02{second}\x03\r\n\x021234,0\x03\r\n".encode()

    async def _print(self) -> None:
        while True:
            await asyncio.sleep(self.behaviour.label_seconds or 0.01)
            if self.behaviour.label_seconds and self._waiting and not self.behaviour.has_fault:
                self.printed.append(self._waiting.popleft())
            elif not self.behaviour.label_seconds:
                self._print_now()

    def _print_now(self) -> None:
        while self._waiting and not self.behaviour.has_fault:
            self.printed.append(self._waiting.popleft())


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close a connection with a reset, as a printer does that is switched off."""
    with contextlib.suppress(OSError):
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()
