"""A document on its way to an IPP printer.

Bytes count as taken when the printer's TCP has confirmed them, not when the system has buffered them. So a printer that
is slow is waited for, and one that hangs is noticed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from barcodesvc.printers.connection import PROGRESS_WAIT, Document
from barcodesvc.printers.ipp_http import HttpConnection

PATIENCE = 1.0
"""Seconds in which a printer answers the question for its state while it takes a document."""
_PIECE = 32 * 1024
_PAUSE = 0.25


class Sending:
    """A document on its way; noted is when the printer took the last bytes of it."""

    def __init__(self, head: bytes, document: Document, connection: HttpConnection) -> None:
        self._content = head + document.content
        self._connection = connection
        self.has_begun = False
        self._moved = 0.0

    @property
    def size(self) -> int:
        """The bytes of the request."""
        return len(self._content)

    @property
    def is_moving(self) -> bool:
        """Whether there was progress within PATIENCE."""
        return asyncio.get_running_loop().time() - self._moved < PATIENCE

    def note_progress(self) -> None:
        """Begin the time again after which the document is broken off."""
        self._moved = asyncio.get_running_loop().time()

    def pieces(self) -> Iterator[bytes]:
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
                    if (unconfirmed := self._connection.unconfirmed()) != before:
                        self.note_progress()
                        before = unconfirmed
                    limit.reschedule(self._moved + PROGRESS_WAIT)

            extending = asyncio.create_task(extend())
            try:
                yield
            finally:
                extending.cancel()
