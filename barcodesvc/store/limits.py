"""Limits of work on a database: how long, and how many, requests wait for it, and how many snapshots are open.

Without limits a slow database would fill the memory with requests. An open snapshot holds a connection, and the
database keeps every row that it sees.

Rule: a request that exceeds a limit is refused as an overload, so its client can send it again later.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from barcodesvc.errors import DatabaseOverload, ExportOverload, Overload

HEALTH_WAIT = 0.5
"""Seconds that each of the two questions of `Database.is_well` waits for its result."""
BATCH = 1000
"""Rows of a stream that are in memory at once."""
SNAPSHOTS = 4
SNAPSHOT_WAIT = 10.0
"""Seconds to wait for a slot."""


@dataclass(frozen=True, slots=True)
class DatabaseLimits:
    """Times in seconds, and lengths of queues; `connections` is the number of connections to a database server."""

    busy_timeout: float = 15.0
    statement_timeout: float = 60.0
    write_wait: float = 60.0
    write_queue: int = 1000
    read_queue: int = 1000
    connections: int = 10

    @property
    def result_wait(self) -> float:
        """Seconds after which a statement that has not ended is abandoned."""
        return self.busy_timeout + self.statement_timeout


def too_many_waiting() -> DatabaseOverload:
    """Return the error for a request beyond the length of a queue."""
    return DatabaseOverload("too many requests are waiting for the database")


def waited_too_long() -> DatabaseOverload:
    """Return the error for a request that has waited too long for a connection."""
    return DatabaseOverload("the database is busy; try again later", retry_after=10)


def waited_for_long_change() -> DatabaseOverload:
    """Return the error for a change that has waited too long for another one."""
    return DatabaseOverload("the database is busy with a long change; try again later", retry_after=10)


@asynccontextmanager
async def held(
    lock: asyncio.Lock | asyncio.Semaphore, wait: float, overload: Callable[[], Overload]
) -> AsyncIterator[None]:
    """Hold a lock or a slot inside the block; raises the overload if none becomes free within `wait` seconds."""
    try:
        async with asyncio.timeout(wait):
            await lock.acquire()
    except TimeoutError:
        raise overload() from None
    try:
        yield
    finally:
        lock.release()


class SnapshotSlots:
    """The slots of one database."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(SNAPSHOTS)

    def held(self) -> AbstractAsyncContextManager[None]:
        """Hold a slot inside the block; raises ExportOverload if none becomes free in time."""
        return held(self._free, SNAPSHOT_WAIT, too_many_snapshots)


def too_many_snapshots() -> ExportOverload:
    """Return the error for an export that has waited too long for a snapshot."""
    return ExportOverload("too many exports and full lists are in progress; try again in a moment", retry_after=10)
