"""A cache of the answers to scans that come again: least recently used out first, and never older than the database.

An answer is kept with the state that it was read from: the database's version, asked for before the read, and the year,
which decides the century of a date. Any commit ends the use of all of them. So none can be stale: what was
committed before the question was asked is in the answer.

The version is read once per turn of the loop: requests of one turn count as simultaneous.

Most serial numbers are scanned once. So an answer is kept from the second time on; a scan that never comes again costs
neither a question for the state nor memory.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from aiohttp import web
from cachetools import LRUCache

from barcodesvc.clock import Clock
from barcodesvc.store.database import Database

_MOST = 8192
LONGEST = 512
"""Bytes of a body. An answer is at most some 3 KB then, so that all of them stay under 30 MB."""


class State(NamedTuple):
    """What an answer is read from: the version of the database, None where it is not known, and the year."""

    version: int | None
    year: int


class ScanAnswers:
    """Answers by the body that asked for them, None for what was sent once.

    `hits` were answered from here; of `misses`, an answer was not here, or not fresh any more.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._present: State | None = None
        self.hits = self.misses = 0
        self._answers: LRUCache[bytes, tuple[State, bytes] | None] = LRUCache(_MOST)

    def is_first(self, sent: bytes) -> bool:
        """Return whether this was not sent before, or long ago, or is too long to be kept; the next time it was."""
        if sent in self._answers:
            return False
        self.misses += 1
        if len(sent) <= LONGEST:
            self._answers[sent] = None
        return True

    def state(self) -> State:
        """Return the present state."""
        if self._present is None:
            self._present = State(self._database.version(), self._clock.year())
            asyncio.get_running_loop().call_soon(self._end_turn)
        return self._present

    def get(self, sent: bytes, state: State) -> bytes | None:
        """Return the answer that was read from this very state, or None."""
        known = self._answers.get(sent)
        if known and known[0] == state and state.version is not None:
            self.hits += 1
            return known[1]
        self.misses += 1
        return None

    def put(self, sent: bytes, state: State, answer: bytes) -> None:
        """Keep an answer that was read after the state was asked for."""
        self._answers[sent] = (state, answer)

    def _end_turn(self) -> None:
        self._present = None


SCAN_ANSWERS = web.AppKey("scan_answers", ScanAnswers)
