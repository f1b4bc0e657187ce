"""A place for one connection, which is opened at its first use, and anew at the next use after a fault.

A connection that has met a broken disk, a broken file or a hanging thread stays broken when the cause is gone, so it is
left, and its lane takes another one. Rule: an attempt that fails is the only one in RETRY_PAUSE, however many ask.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.connection import Connection
from barcodesvc.store.failures import NOTHING_CHANGED

RETRY_PAUSE = 0.2
"""Seconds between two attempts to open a connection."""


class Attempts:
    """Lets one attempt that fails pass in RETRY_PAUSE."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def begin(self) -> None:
        """Note an attempt; raises DatabaseFailure if one has failed just now."""
        if not self.may_begin():
            raise DatabaseFailure(NOTHING_CHANGED)

    def may_begin(self) -> bool:
        """Note an attempt, and tell whether none has failed just now."""
        now = asyncio.get_running_loop().time()
        if now - self._last < RETRY_PAUSE:
            return False
        self._last = now
        return True

    @contextmanager
    def one(self) -> Iterator[None]:
        """Make one attempt; raises DatabaseFailure if one has failed just now: who waited for that fails with it."""
        self.begin()
        try:
            yield
        except DatabaseFailure:
            self._last = asyncio.get_running_loop().time()
            raise
        self._last = float("-inf")


class Lane:
    """Holds the connection that `opened` makes, beginning with the first one."""

    def __init__(self, opened: Callable[[], Awaitable[Connection]], first: Connection | None = None) -> None:
        self._opened = opened
        self._connection = first
        self._opening = asyncio.Lock()
        self._attempts = Attempts()
        self._ended = False

    async def connection(self) -> Connection:
        """Return a connection that can be used; raises DatabaseFailure."""
        held = self._connection
        if held is not None and held.is_sound:
            return held
        async with self._opening:
            return await self._renewed()

    def leave(self) -> None:
        """Let the connection go, which closes itself in the background; the next use opens another one."""
        if self._connection is not None:
            self._connection.leave()
            self._connection = None

    def leave_unsound(self) -> None:
        """Let the connection go if it cannot be used on: it may keep a lock."""
        if self._connection is not None and not self._connection.is_sound:
            self.leave()

    def end(self) -> None:
        """Let the connection go and open no other one."""
        self._ended = True
        self.leave()

    async def _renewed(self) -> Connection:
        if self._connection is not None and self._connection.is_sound:
            return self._connection
        with self._attempts.one():
            self.leave()
            if not self._ended:
                self._connection = await self._opened()
            if self._ended or self._connection is None:
                self.leave()
                raise DatabaseFailure(NOTHING_CHANGED)
            return self._connection
