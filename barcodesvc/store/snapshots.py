"""Admission control for snapshots: how many are open at once, and how many rows of one are in memory at a time.

Each holds a connection, and keeps what it sees from being cleared away.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from barcodesvc.errors import ExportOverload

BATCH = 1000
"""Rows that a stream yields at once."""
SNAPSHOTS = 4
SNAPSHOT_WAIT = 10.0
"""Seconds that one waits for another one to end."""


class SnapshotSlots:
    """The places of one database."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(SNAPSHOTS)

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Take a place inside of the block; raises ExportOverload where none falls free in time."""
        try:
            async with asyncio.timeout(SNAPSHOT_WAIT):
                await self._free.acquire()
        except TimeoutError:
            message = "too many exports and full lists are under way; try again in a moment"
            raise ExportOverload(message, retry_after=10) from None
        try:
            yield
        finally:
            self._free.release()
