"""Cache validation: whether anything was committed since, so that a kept answer is as fresh as one that is read.

`PRAGMA data_version` gives another number after every commit of another connection, of this process or any other
(https://www.sqlite.org/pragma.html#pragma_data_version). So it is asked on a connection that never writes, from the
event loop's own thread: a trip to another thread would cost twenty times as much, and the pragma waits for nobody,
because in the write-ahead log a reader takes no lock that a writer holds. Without it a scan that comes again would cost
what a new one does.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from barcodesvc.store.queries import Query

_GENERATION = 2**33
"""More than any number of SQLite's for the commits that one connection sees."""


class DataVersion:
    """A number that changes with every commit; for one thread at a time."""

    def __init__(self, uri: str, queries: Mapping[str, Query]) -> None:
        self._uri = uri
        self._sql = queries["commits_seen"].sql
        self._connection: sqlite3.Connection | None = None
        self._generation = 0

    def number(self) -> int | None:
        """Return the number, None where it is unknown, which equals no number."""
        try:
            [version] = (self._connection or self._opened()).execute(self._sql).fetchone()
        except sqlite3.Error:
            self.close()
            return None
        return self._generation * _GENERATION + int(version)

    def close(self) -> None:
        """Close the connection; the next question opens another one, whose numbers are others."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        self._generation += 1
        self._connection = sqlite3.connect(self._uri, uri=True, timeout=0, isolation_level=None)
        return self._connection
