"""Whether anything was committed since: what makes an answer that is remembered as fresh as one that is read.

`PRAGMA data_version` gives another number after every commit of another connection, of this process or any other
(https://www.sqlite.org/pragma.html#pragma_data_version). So the watch has a connection that never writes. It is asked
from the event loop's own thread: a trip to another thread would cost twenty times as much, and the pragma waits for
nobody, because in the write-ahead log a reader takes no lock that a writer holds.
"""

from __future__ import annotations

import sqlite3

from barcodesvc.store.queries import QUERIES


class CommitWatch:
    """A number that changes with every commit; used in one thread at a time."""

    def __init__(self, uri: str) -> None:
        """Watch the database file of this URI, which is there already; raises sqlite3.Error if it cannot be opened."""
        self._connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        # from its first read on a connection keeps the log from being deleted with the last of the others
        self._connection.execute(QUERIES["commits_seen"].sql)
        # that read may have to wait for a process that just makes or empties the log, later ones for nobody
        self._connection.execute(QUERIES["wait_for_nobody"].sql)

    def version(self) -> int | None:
        """Return the number, None where it cannot be told, which equals no number."""
        try:
            [version] = self._connection.execute(QUERIES["commits_seen"].sql).fetchone()
        except sqlite3.Error:
            return None
        return int(version)

    def close(self) -> None:
        """Watch no longer."""
        self._connection.close()
