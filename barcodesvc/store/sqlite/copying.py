"""An SQLite file as the source or the target of a copy: one transaction on a separate connection.

Rule: a copy that fails leaves nothing behind. The transaction is rolled back, and a new file is removed.
"""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from pathlib import Path

from barcodesvc.errors import BackupError
from barcodesvc.store.copying import BATCH_ROWS, Batch, Tables, queries_with, require_newest
from barcodesvc.store.migrations import scripts_of
from barcodesvc.store.script import play
from barcodesvc.store.sqlite import files
from barcodesvc.store.sqlite.connection import QUERIES, connect
from barcodesvc.store.sqlite.migrations import bring_to_newest, result_of
from barcodesvc.store.sqlite.startup import require_sqlite, set_up_writer


class _Tables:
    """The tables of a file inside the transaction of a connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def batches(self, table: str) -> AsyncIterator[Batch]:
        query = queries_with("sqlite", table=table)["copied_rows"]
        cursor = self._connection.execute(query.sql)
        columns = [column[0] for column in cursor.description]
        while rows := cursor.fetchmany(BATCH_ROWS):
            yield Batch(columns, rows)

    async def insert(self, table: str, batch: Batch) -> None:
        columns = ", ".join('"{}"'.format(column.replace('"', '""')) for column in batch.columns)
        marks = ", ".join("?" * len(batch.columns))
        query = queries_with("sqlite", table=table, columns=columns, marks=marks)["insert_copied_row"]
        try:
            self._connection.executemany(query.sql, batch.rows)
        except (sqlite3.Error, ValueError, OverflowError) as error:
            raise BackupError(f"the target cannot store a row of the table {table}: {error}") from error

    async def value(self, name: str, table: str, **parameters: int) -> int:
        query = queries_with("sqlite", table=table)[name]
        [(value,)] = self._connection.execute(query.sql, {"table": table, **parameters})
        return int(value)


@asynccontextmanager
async def open_source(path: Path) -> AsyncIterator[Tables]:
    """Open a file as of now; it may be served meanwhile.

    Raises BackupError if it cannot be read, or as `require_newest` does.
    """
    with _translated(path):
        files.require_file(path)
        with closing(connect(path, "rw")) as connection:
            connection.execute(QUERIES["begin_reading"].sql)
            play(require_newest(scripts_of("sqlite")), partial(result_of, connection))
            yield _Tables(connection)


@asynccontextmanager
async def open_target(path: Path) -> AsyncIterator[Tables]:
    """Open a file, created if missing, in a transaction that is committed at the end.

    Raises BackupError, and StartError for a database of a newer release or of another program.
    """
    with _translated(path), _removed_if_it_fails(path):
        require_sqlite()
        with closing(connect(path, "rw")) as connection:  # without the commit, closing rolls back
            set_up_writer(connection)
            connection.execute(QUERIES["begin_alone"].sql)
            bring_to_newest(connection)
            files.keep_from_others(path)
            yield _Tables(connection)
            connection.execute(QUERIES["doubt_copied_jobs"].sql)
            connection.execute(QUERIES["commit"].sql)


@contextmanager
def _removed_if_it_fails(path: Path) -> Iterator[None]:
    """Create the file, unless it exists, and remove it again if the body fails."""
    files.require_own_name(path)
    file = files.followed(path)
    if file.exists():
        yield
        return
    files.require_no_log(file)
    file.touch(mode=files.OWNER_ALONE, exist_ok=False)
    try:
        yield
    except BaseException:
        for made in (file, *files.wal_files(file)):
            made.unlink(missing_ok=True)
        raise


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        cause = files.why_not_opened(path)
        raise BackupError(f"{error}{cause and f'; {cause}'}") from error
