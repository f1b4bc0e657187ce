"""The slow-reader limit: answers that clients do not take are bounded in bytes together, and each of them in time.

Without it, clients that ask and do not read would fill the memory with their answers.

A connection counts from the moment its transport has more to send than it should hold (64 KiB) until that is sent.
Where all of them hold too much, the one that has counted longest is cut. Beside that, a check at intervals cuts those
that took nothing since the last; no timer is needed for a connection of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(slots=True)
class _Unsent:
    transport: asyncio.Transport
    size: int


class SlowReaders:
    """The connections with unsent answers; `most_bytes` all together, `seconds` between two checks."""

    def __init__(self, most_bytes: int, seconds: float) -> None:
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._unsent: dict[Hashable, _Unsent] = {}
        self._next_check: asyncio.TimerHandle | None = None
        self.size = 0
        """Bytes that are counted."""

    def add(self, connection: Hashable, transport: asyncio.Transport) -> None:
        """Count a connection whose transport holds too much."""
        unsent = self._unsent[connection] = _Unsent(transport, transport.get_write_buffer_size())
        self.size += unsent.size
        while self.size > self._most_bytes:
            self._cut(next(iter(self._unsent)))
        if self._next_check is None:
            self._check_later()

    def discard(self, connection: Hashable) -> None:
        """Forget a connection that has sent what it held, or is lost; one that is not counted is ignored."""
        unsent = self._unsent.pop(connection, None)
        if unsent:
            self.size -= unsent.size

    def _check_later(self) -> None:
        self._next_check = asyncio.get_running_loop().call_later(self._seconds, self._check)

    def _check(self) -> None:
        self._next_check = None
        for connection, unsent in tuple(self._unsent.items()):
            left = unsent.transport.get_write_buffer_size()
            if left >= unsent.size:
                self._cut(connection)
            else:
                self.size -= unsent.size - left
                unsent.size = left
        if self._unsent:
            self._check_later()

    def _cut(self, connection: Hashable) -> None:
        transport = self._unsent[connection].transport
        self.discard(connection)
        transport.abort()
