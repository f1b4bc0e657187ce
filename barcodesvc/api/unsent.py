"""Answers that clients leave lying: bounded in bytes together, and each in the time in which nothing of it is taken.

A connection counts from the moment its transport has more to send than it should hold (64 KiB) until that is sent.
Where all of them hold too much, the one that has been lying longest is cut. Beside that, one look a while finds those
that took nothing since the last; no timer is needed for a connection of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(slots=True)
class _Lying:
    transport: asyncio.Transport
    size: int


class Unsent:
    """The connections with unsent answers; `most_bytes` all together, `seconds` between two looks."""

    def __init__(self, most_bytes: int, seconds: float) -> None:
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._lying: dict[Hashable, _Lying] = {}
        self._next_look: asyncio.TimerHandle | None = None
        self.size = 0
        """Bytes that are counted."""
        self.cut = 0
        """Connections that were cut."""

    def add(self, connection: Hashable, transport: asyncio.Transport) -> None:
        """Count a connection whose transport holds too much."""
        entry = self._lying[connection] = _Lying(transport, transport.get_write_buffer_size())
        self.size += entry.size
        while self.size > self._most_bytes:
            self._cut(next(iter(self._lying)))
        if self._next_look is None:
            self._look_later()

    def discard(self, connection: Hashable) -> None:
        """Forget a connection that has sent what it held, or is lost; one that is not counted is none."""
        entry = self._lying.pop(connection, None)
        if entry:
            self.size -= entry.size

    def _look_later(self) -> None:
        self._next_look = asyncio.get_running_loop().call_later(self._seconds, self._look)

    def _look(self) -> None:
        self._next_look = None
        for connection, entry in tuple(self._lying.items()):
            left = entry.transport.get_write_buffer_size()
            if left >= entry.size:
                self._cut(connection)
            else:
                self.size -= entry.size - left
                entry.size = left
        if self._lying:
            self._look_later()

    def _cut(self, connection: Hashable) -> None:
        transport = self._lying[connection].transport
        self.discard(connection)
        self.cut += 1
        transport.abort()
