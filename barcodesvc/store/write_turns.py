"""Whose turn it is to change the database: one change at a time, those that wait bounded in number and in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store.connection import Bounds
from barcodesvc.store.failures import NOTHING_CHANGED


class WriteTurns:
    """The queue of the changes."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._lock = asyncio.Lock()
        self._locked_out = float("-inf")
        self.under_way = 0
        """How many changes run or wait for those before them."""

    def enter(self) -> None:
        """Count a change that wants a turn; raises DatabaseOverload if too many wait already."""
        if self.under_way >= self._bounds.write_queue:
            raise DatabaseOverload("too many changes wait already; try again later", headers={"Retry-After": "1"})
        self.under_way += 1

    def leave(self) -> None:
        """Count a change no longer."""
        self.under_way -= 1

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Wait for a turn and keep it; what another process has locked out is not tried once for each that waits.

        Raises DatabaseOverload after the bound, and DatabaseFailure where it has waited in vain already.
        """
        begun = _now()
        try:
            async with asyncio.timeout(self._bounds.write_wait):
                await self._lock.acquire()
        except TimeoutError:
            raise DatabaseOverload(
                "the database is busy with a long change; try again later", headers={"Retry-After": "10"}
            ) from None
        try:
            if self._locked_out > begun and _now() - begun >= self._bounds.busy_timeout:
                raise DatabaseFailure(NOTHING_CHANGED)
            yield
        finally:
            self._lock.release()

    def lock_out(self) -> None:
        """Note that the change whose turn it is was kept out by another process to the end of its wait."""
        self._locked_out = _now()


def _now() -> float:
    return asyncio.get_running_loop().time()
