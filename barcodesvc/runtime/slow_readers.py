"""Slow-reader limit: a connection is aborted if its client reads nothing of a response for a while.

Without it, such clients would keep their connections and responses for ever, until none are left for others.
"""

import asyncio

from barcodesvc.runtime.unconfirmed import unconfirmed_bytes


def untaken_bytes(transport: asyncio.Transport) -> int:
    """Return how many bytes the client has not read: those in the process, and on Linux those in the system's queue.

    The system lets the process write again when a third of its queue is free, which is a megabyte or more. Without that
    queue, a client that reads 300 kB a second would seem to read nothing for seconds.
    """
    return transport.get_write_buffer_size() + unconfirmed_bytes(transport.get_extra_info("socket").fileno())


class StallTimer:
    """Checks every `seconds` that the client has read something; aborts the connection if not."""

    def __init__(self, transport: asyncio.Transport, seconds: float) -> None:
        self._transport = transport
        self._seconds = seconds
        self._look_later()

    def cancel(self) -> None:
        """Stop checking."""
        self._timer.cancel()

    def _look_later(self) -> None:
        self._left = untaken_bytes(self._transport)
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._look)

    def _look(self) -> None:
        if untaken_bytes(self._transport) >= self._left:
            self._transport.abort()
        else:
            self._look_later()
