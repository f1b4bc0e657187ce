"""Whether anything was committed since: what makes an answer that is remembered as fresh as one that is read.

`PRAGMA data_version` gives another number after every commit of another connection, of this process or any other
(https://www.sqlite.org/pragma.html#pragma_data_version). So the watch has a connection that never writes. It is asked
from the event loop's own thread: a trip to another thread would cost twenty times as much, and the pragma waits for
nobody, because in the write-ahead log a reader takes no lock that a writer holds.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager


class CommitWatch:
    """A number that changes with every commit; made by `watching_commits`, and used in that thread only."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def version(self) -> int | None:
        """Return the number, None where it cannot be told, which equals no number."""
        try:
            [version] = self._connection.execute("PRAGMA data_version").fetchone()
        except sqlite3.Error:
            return None
        return int(version)


@contextmanager
def watching_commits(uri: str) -> Iterator[CommitWatch]:
    """Watch the database file of this URI, which is there already; raises sqlite3.Error if it cannot be opened."""
    with closing(sqlite3.connect(uri, uri=True, timeout=0.0, isolation_level=None)) as connection:
        yield CommitWatch(connection)
