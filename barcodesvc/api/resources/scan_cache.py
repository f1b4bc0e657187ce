"""LRU cache of responses to repeated scans, which are never older than the database.

A response is cached with the state that it was read from: the database's version, read before the query, and the year,
which decides the century of a date. Any commit invalidates all of them. So none is stale: every response includes what
was committed before its request.

The version is read once per turn of the loop: requests of one turn count as simultaneous.

Most serial numbers are scanned only once. So a response is cached from the second request on; a scan that is not
repeated costs neither a read of the state nor memory.
"""

import asyncio
from typing import NamedTuple

from aiohttp import web
from cachetools import LRUCache

from barcodesvc.clock import Clock
from barcodesvc.store.database import Database

_MOST = 8192
LONGEST = 512
"""The maximum size of a cached body in bytes."""
_LONGEST_RESPONSE = 3072
"""The same of its response, so that all stay under 30 MB; only long attributes need more."""


class State(NamedTuple):
    """The state that a response is read from: the database's version, None if it is unknown, and the year."""

    version: int | None
    year: int


class ScanCache:
    """Responses by request body, None for bodies that were sent once.

    `hits` counts responses from the cache, `misses` those that were not cached or no longer valid.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._present: State | None = None
        self.hits = self.misses = 0
        self._responses: LRUCache[bytes, tuple[State, bytes] | None] = LRUCache(_MOST)

    def is_first(self, sent: bytes) -> bool:
        """Return whether this body is new, was last sent long ago, or is too long to cache, and remember it."""
        if sent in self._responses:
            return False
        self.misses += 1
        if len(sent) <= LONGEST:
            self._responses[sent] = None
        return True

    def state(self) -> State:
        """Return the current state."""
        if self._present is None:
            self._present = State(self._database.version(), self._clock.year())
            asyncio.get_running_loop().call_soon(self._end_turn)
        return self._present

    def get(self, sent: bytes, state: State) -> bytes | None:
        """Return the response that was read from exactly this state, or None."""
        known = self._responses.get(sent)
        if known and known[0] == state and state.version is not None:
            self.hits += 1
            return known[1]
        self.misses += 1
        return None

    def put(self, sent: bytes, state: State, response: bytes) -> None:
        """Cache a response that was read after the state, unless it is too long."""
        if len(response) <= _LONGEST_RESPONSE:
            self._responses[sent] = (state, response)

    def _end_turn(self) -> None:
        self._present = None


SCAN_CACHE = web.AppKey("scan_cache", ScanCache)
