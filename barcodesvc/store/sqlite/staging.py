"""The rows of an import in a separate database file, which the catalogue then reads as `staged`.

Rule: the file lives as long as its import, so it is not protected against crashes.
"""

import logging
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.sqlite.connection import QUERIES

_LOG = logging.getLogger(__name__)


class StagingFile:
    """The open file; made by `staging_file`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, rows: Iterable[dict[str, Any]]) -> None:
        """Append rows."""
        self._connection.executemany(QUERIES["put_staged_row"].sql, rows)


@contextmanager
def staging_file(path: Path) -> Iterator[StagingFile]:
    """Make the empty file a staged one; its rows are complete if the block ends without an error.

    Raises DatabaseFailure if rows cannot be stored.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(QUERIES["keep_no_journal"].sql)
            connection.execute(QUERIES["synchronise_nothing"].sql)
            connection.execute(QUERIES["begin_reading"].sql)
            connection.execute(QUERIES["create_staged_rows"].sql)
            yield StagingFile(connection)
            connection.execute(QUERIES["commit"].sql)
    except sqlite3.Error as error:
        _LOG.exception("the rows of an import cannot be stored")
        raise DatabaseFailure("the rows of the file could not be stored; nothing was changed") from error
