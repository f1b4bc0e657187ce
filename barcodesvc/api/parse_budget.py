"""Parse budget of connections: packets are parsed in slices that take turns, and small chunks are limited.

A packet can hold tens of thousands of chunks of one byte, or thousands of requests. Without slices, no other client
gets a response until all of them are parsed. So all connections share the turns of the loop.

A chunk costs the same whether it is small or large, so without a limit a short body costs as much as gigabytes in large
chunks (RFC 9112, clause 7.1, lets a recipient set a limit). aiohttp parses chunks, and `ArrivingBody` only counts: what
has arrived, less what aiohttp has delivered, is framing. A chunk has at least five bytes of framing and two line ends,
so there are no more chunks than either allows.

Rule: aiohttp gets a transport that delivers slices and keeps the promises of a transport. It delivers nothing while
reading is paused, and reads no more from the socket while slices wait.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import Any, Protocol

from aiohttp import StreamReader, hdrs
from aiohttp.http import RawRequestMessage

SLICE = 1024
"""Bytes that are parsed at once: at most 170 chunks."""
DISCARD_PAUSE = 0.02
"""Seconds between two packets that a connection discards, so that a client that sends at full speed costs little."""
SLICES_A_TURN = 8
"""Slices of all connections together that are parsed in one turn of the loop."""


class SliceParser(Protocol):
    """A connection that parses slices."""

    def size_of_slice(self) -> int:
        """Return how many bytes can be parsed at once; 0 if the next slice has to wait for its turn."""

    def parse_slice(self, data: bytes) -> None:
        """Parse a slice."""


class ParseTurns:
    """The transports that wait to deliver a slice, in their order."""

    def __init__(self) -> None:
        self._waiting: deque[SlicedTransport] = deque()
        self._is_scheduled = False

    def add(self, transport: SlicedTransport) -> None:
        """Let a transport deliver a slice after the others."""
        self._waiting.append(transport)
        self._schedule()

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._take)

    def _take(self) -> None:
        """Let transports deliver the slices of this turn."""
        self._is_scheduled = False
        try:
            for _ in range(SLICES_A_TURN):
                if self._waiting:
                    self._waiting.popleft().take_turn()
        finally:
            if self._waiting:
                self._schedule()


class SlicedTransport:
    """The transport of a connection, as aiohttp sees it; only reading and closing differ from the socket's.

    `lingering`: seconds for which a connection that is closed before its client has sent everything discards the rest.
    Closing at once would reset the connection, and the client would lose the response (RFC 9112, clause 9.6).
    """

    def __init__(
        self, transport: asyncio.Transport, parser: SliceParser, turns: ParseTurns, *, lingering: float
    ) -> None:
        self._transport = transport
        self._parser = parser
        self._turns = turns
        self._lingering = lingering
        self._packet = b""  # empty when all of it is parsed
        self._parsed = 0  # bytes of it
        self._is_paused = False
        self._is_socket_read = True
        self._waits_for_turn = False
        self._end: asyncio.TimerHandle | None = None
        self.is_discarding = False
        """Whether nothing more is parsed."""
        self.is_half_closed = False
        """Whether the client sends nothing more."""
        self.write = transport.write  # these three are used for each response: no look-up by `__getattr__`
        self.is_closing = transport.is_closing
        self.get_extra_info = transport.get_extra_info

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    @property
    def has_unparsed(self) -> bool:
        """Whether a part of a packet waits for its turn."""
        return bool(self._packet)

    def receive(self, packet: bytes) -> None:
        """Deliver what can be parsed at once, and keep the rest for the next turns."""
        if self.is_discarding:
            self._transport.pause_reading()
            asyncio.get_running_loop().call_later(DISCARD_PAUSE, self._transport.resume_reading)
            return
        self._packet, self._parsed = self._packet[self._parsed :] + packet, 0
        self.deliver()
        if self._packet:
            self._leave_socket()

    def deliver(self) -> None:
        """Deliver what can be parsed at once; the rest waits for its turns."""
        while self._packet and not self._is_paused:
            size = self._parser.size_of_slice()
            if not size:
                self._wait_for_turn()
                return
            self._deliver_slice(size)

    def take_turn(self) -> None:
        """Deliver a slice, and what can be parsed at once after it."""
        self._waits_for_turn = False
        try:
            if self._packet and not self._is_paused:
                self._deliver_slice(SLICE)
                self.deliver()
        except Exception:  # as an event loop does when a protocol fails: log, and close
            self.abort()
            raise
        if not self._packet and not self._is_paused:
            self._read_socket()

    def pause_reading(self) -> None:
        """Deliver nothing until reading goes on."""
        self._is_paused = True
        if not self.is_discarding:
            self._leave_socket()

    def resume_reading(self) -> None:
        """Deliver again, in the next turns: aiohttp calls this from within its parser, too."""
        self._is_paused = False
        if self._packet:
            self._wait_for_turn()
        elif not self._is_socket_read:
            self._read_socket()

    def discard(self) -> None:
        """Parse nothing more, and discard what arrives until the connection is closed."""
        self.is_discarding = True
        self._packet, self._parsed = b"", 0
        self._read_socket()

    def close(self) -> None:
        """Close the connection; one whose client is still sending first discards that for a limited time."""
        if not self.is_discarding or self._transport.is_closing():
            self._transport.close()
        elif self._end is None:
            self._end = asyncio.get_running_loop().call_later(self._lingering, self._transport.close)
            if self._transport.can_write_eof():
                with suppress(OSError):  # the client has reset it meanwhile
                    self._transport.write_eof()

    def lost(self) -> None:
        """Forget what waits: the connection is gone."""
        self.is_discarding = True
        self._packet, self._parsed = b"", 0
        if self._end is not None:
            self._end.cancel()

    def _deliver_slice(self, size: int) -> None:
        packet, begin, end = self._packet, self._parsed, self._parsed + size
        if end < len(packet):
            self._parsed = end
        else:
            self._packet, self._parsed = b"", 0
        self._parser.parse_slice(packet[begin:end])

    def _read_socket(self) -> None:
        self._is_socket_read = True
        self._transport.resume_reading()

    def _leave_socket(self) -> None:
        self._is_socket_read = False
        self._transport.pause_reading()

    def _wait_for_turn(self) -> None:
        if not self._waits_for_turn:
            self._waits_for_turn = True
            self._turns.add(self)


MOST_SMALL_CHUNKS = 1000
"""Chunks of a body that may be small."""
SMALL_CHUNK = 64
"""Bytes that the chunks of a body with more of them have at least, on average."""
MOST_FRAMING = 64 * 1024
"""Bytes of chunk sizes, extensions and line ends; a body with more of them has as many bytes of content."""
_LEAST_FRAMING = len(b"1\r\n\r\n")
_LEAST_LINE_ENDS = 2
_HEAD_END = b"\r\n\r\n"


class ArrivingBody:
    """The body of a request whose head ended in this slice; `body` is where aiohttp delivers it."""

    def __init__(self, message: RawRequestMessage, body: StreamReader, head_slice: bytes) -> None:
        self.is_chunked = message.chunked
        self.body = body
        self._length = 0 if message.chunked else int(message.headers.get(hdrs.CONTENT_LENGTH, 0))
        self._arrived = self._line_ends = 0
        self.count(head_slice[head_slice.find(_HEAD_END) + len(_HEAD_END) :])

    @property
    def left(self) -> int:
        """Bytes of the body that are still to come, according to its head."""
        return max(0, self._length - self.body.total_bytes)

    def count(self, data: bytes) -> None:
        """Count bytes that have arrived."""
        self._arrived += len(data)
        self._line_ends += data.count(b"\n")

    @property
    def has_too_many_chunks(self) -> bool:
        """Whether the body has come in too many chunks that are too small, or in framing more than content."""
        if not self.is_chunked:
            return False
        framing = self._arrived - self.body.total_bytes
        if framing > MOST_FRAMING and framing > self.body.total_bytes:
            return True
        last = int(self.body.is_eof())  # the one of no bytes that ends a body
        chunks = min(framing // _LEAST_FRAMING - last, self._line_ends // _LEAST_LINE_ENDS - last)
        return chunks > MOST_SMALL_CHUNKS and self.body.total_bytes < SMALL_CHUNK * chunks
