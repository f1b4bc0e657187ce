"""Whose turn it is to change the database: one transaction at a time, those that wait bounded in number and in time."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store.connection import Bounds
from barcodesvc.store.failures import NOTHING_CHANGED, code_of


class WriteTurns:
    """The turns, and how many changes wait for theirs."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._lock = asyncio.Lock()
        self._locked_out = float("-inf")
        self.under_way = 0
        """How many changes run or wait for those before them."""

    def require_place(self) -> None:
        """Raise DatabaseOverload if too many changes wait already."""
        if self.under_way >= self.bounds.write_queue:
            raise DatabaseOverload("too many changes wait already; try again later", headers={"Retry-After": "1"})

    def count(self, outcome: asyncio.Future[Any]) -> None:
        """Count a change until it has an outcome."""
        self.under_way += 1
        outcome.add_done_callback(self._leave)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Wait for a turn and keep it; raises DatabaseOverload after the bound, and DatabaseFailure if locked out."""
        begun = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self.bounds.write_wait):
                await self._lock.acquire()
        except TimeoutError:
            raise waited_too_long() from None
        try:
            if self.is_locked_out(begun):
                raise DatabaseFailure(NOTHING_CHANGED)
            yield
        finally:
            self._lock.release()

    @asynccontextmanager
    async def next(self) -> AsyncIterator[None]:
        """Wait for a turn as long as it takes, and keep it."""
        async with self._lock:
            yield

    def _leave(self, _: asyncio.Future[Any]) -> None:
        self.under_way -= 1

    def note(self, failure: DatabaseFailure) -> None:
        """Note if the change whose turn it is was kept out by another process to the end of its wait."""
        if failure.__cause__ and code_of(failure.__cause__) == sqlite3.SQLITE_BUSY:
            self._locked_out = asyncio.get_running_loop().time()

    def is_locked_out(self, since: float) -> bool:
        """Tell whether one that waits since then has waited in vain already: it was behind one that was kept out.

        So what another process has locked is not tried once for each that waits.
        """
        waited = asyncio.get_running_loop().time() - since
        return self._locked_out > since and waited >= self.bounds.busy_timeout


def waited_too_long() -> DatabaseOverload:
    """Return what a change is told that has not had its turn in time."""
    return DatabaseOverload("the database is busy with a long change; try again later", headers={"Retry-After": "10"})
