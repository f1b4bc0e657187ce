"""Slow-reader limit: responses that clients do not read are limited in bytes, all together, and each in time.

Without it, clients that send requests and do not read would fill the memory with their responses.

A connection counts from the moment its transport has more to send than it should hold (64 KiB) until that is sent.
When all of them hold too much, the one that has counted longest is cut. A check at intervals cuts those that have read
nothing since the previous one, so that no connection needs a timer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass

from barcodesvc.runtime.unconfirmed import unconfirmed_bytes


def untaken_bytes(transport: asyncio.Transport) -> int:
    """Return how many bytes the client has not read: those in the process, and on Linux those in the system's queue.

    The system lets the process write again when a third of its queue is free, which is a megabyte or more. Without that
    queue, a client that reads 300 kB a second would look for seconds as if it read nothing.
    """
    return transport.get_write_buffer_size() + unconfirmed_bytes(transport.get_extra_info("socket").fileno())


@dataclass(slots=True)
class _Unsent:
    transport: asyncio.Transport
    size: int


class SlowReaders:
    """The connections with unsent responses; `most_bytes` of all together, `seconds` between two checks."""

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
        """Forget a connection that has sent what it held, or is lost; one that does not count is ignored."""
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
