"""Cache validation: whether anything has been committed since a result was read, so that a cached one is as fresh.

`PRAGMA data_version` returns another number after every commit of another connection, in this process or any other
(https://www.sqlite.org/pragma.html#pragma_data_version). So a connection that never writes runs it, in the event loop's
thread: a trip to another thread would cost far more, and the pragma never waits, because with a write-ahead
log a reader takes no lock that a writer holds. Without it a repeated scan would cost as much as a new one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from barcodesvc.store.queries import Query

_GENERATION = 2**33
"""More than the commits that one connection can see."""


class DataVersion:
    """A number that changes with every commit; for one thread at a time."""

    def __init__(self, uri: str, queries: Mapping[str, Query]) -> None:
        self._uri = uri
        self._sql = queries["commits_seen"].sql
        self._connection: sqlite3.Connection | None = None
        self._generation = 0

    def number(self) -> int | None:
        """Return the number, or None if it is unknown."""
        try:
            [version] = (self._connection or self._opened()).execute(self._sql).fetchone()
        except sqlite3.Error:
            self.close()
            return None
        return self._generation * _GENERATION + int(version)

    def close(self) -> None:
        """Close the connection; the next call opens another one, which returns other numbers."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        self._generation += 1
        self._connection = sqlite3.connect(self._uri, uri=True, timeout=0, isolation_level=None)
        return self._connection
