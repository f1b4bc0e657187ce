"""A document on its way to an IPP printer, and the sessions of a printer.

Bytes count as taken when the printer's TCP has confirmed them, not when the system has buffered them. So a printer that
is slow is waited for, and one that hangs is noticed.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from barcodesvc.printer_addresses import PrinterAddress
from barcodesvc.printers.connection import CONNECT_WAIT, PROGRESS_WAIT, Document
from barcodesvc.runtime.unconfirmed import unconfirmed_bytes

PATIENCE = 1.0
"""Seconds in which a printer answers the question for its state while it takes a document."""
_PIECE = 32 * 1024
_PAUSE = 0.25


class LastSocket:
    """Makes the sockets of a session, which opens one connection at a time, and knows what was not taken from it."""

    def __init__(self) -> None:
        self._last: socket.socket | None = None

    def __call__(self, address: tuple[int, int, int, str, tuple[object, ...]]) -> socket.socket:
        """Return a socket of the kind that an address needs."""
        family, kind, protocol, _, _ = address
        self._last = socket.socket(family, kind, protocol)
        return self._last

    def unconfirmed(self) -> int:
        """Return the bytes that the printer has not confirmed."""
        return unconfirmed_bytes(self._last.fileno()) if self._last else 0


class Sending:
    """A document on its way; noted is when the printer took the last bytes of it."""

    def __init__(self, head: bytes, document: Document, sockets: LastSocket) -> None:
        self._content = head + document.content
        self._sockets = sockets
        self.has_begun = False
        self._moved = 0.0

    @property
    def is_moving(self) -> bool:
        """Whether there was progress within PATIENCE."""
        return asyncio.get_running_loop().time() - self._moved < PATIENCE

    def note_progress(self) -> None:
        """Begin the time again after which the document is broken off."""
        self._moved = asyncio.get_running_loop().time()

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the request in pieces, each once there is room for it."""
        for start in range(0, len(self._content), _PIECE):
            self.has_begun = True
            self.note_progress()
            yield self._content[start : start + _PIECE]

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """End the block with a TimeoutError after PROGRESS_WAIT without progress or the response."""
        self.note_progress()
        async with asyncio.timeout(PROGRESS_WAIT) as limit:

            async def extend() -> None:
                before = 0
                while True:
                    await asyncio.sleep(_PAUSE)
                    if (unconfirmed := self._sockets.unconfirmed()) != before:
                        self.note_progress()
                        before = unconfirmed
                    limit.reschedule(self._moved + PROGRESS_WAIT)

            extending = asyncio.create_task(extend())
            try:
                yield
            finally:
                extending.cancel()


def session_of(address: PrinterAddress, sockets: LastSocket | None) -> aiohttp.ClientSession:
    """Return a session with one connection, which is kept if its `sockets` are."""
    connector = aiohttp.TCPConnector(
        limit=1, ssl=_tls(address), force_close=not sockets, socket_factory=sockets, happy_eyeballs_delay=None
    )
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_WAIT, connect=None)
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), timeout=timeout)


def _tls(address: PrinterAddress) -> bool | aiohttp.Fingerprint:
    return aiohttp.Fingerprint(address.fingerprint) if address.fingerprint else True
