"""The answers to scans that come again and again: least recently used, bounded, and never older than the database.

An answer is kept with the state that it was read from: the database's version, asked for before the read, and the year,
by which the century of a date is told. Any commit ends the use of all of them. So none can be stale: what was
committed before the question was asked is in the answer.

Most serial numbers are scanned once. So an answer is kept from the second time on; a scan that never comes again costs
neither the asking for a version nor the place.
"""

from __future__ import annotations

from cachetools import LRUCache

State = tuple[int | None, int]
"""The version of the database, None where it could not be told, and the year."""
Sent = tuple[str, str]
"""The text and its hint."""

_MOST = 8192
LONGEST = 512
"""Characters of text and hint. An answer is at most some 3 KB then, so that all of them stay under 30 MB."""


class ScanAnswers:
    """Answers by what was sent, None for what was sent once."""

    def __init__(self) -> None:
        self._answers: LRUCache[Sent, tuple[State, bytes] | None] = LRUCache(_MOST)

    def is_first(self, sent: Sent) -> bool:
        """Tell whether this was not sent before, or long ago, or is too long to be kept; the next time it was."""
        if sent in self._answers:
            return False
        if len(sent[0]) + len(sent[1]) <= LONGEST:
            self._answers[sent] = None
        return True

    def get(self, sent: Sent, state: State) -> bytes | None:
        """Return the answer that was read from this very state, or None."""
        known = self._answers.get(sent)
        return known[1] if known and known[0] == state and state[0] is not None else None

    def put(self, sent: Sent, state: State, answer: bytes) -> None:
        """Keep an answer that was read after the state was asked for."""
        self._answers[sent] = (state, answer)
