"""A database file as the source or the target of a copy: one transaction on a connection of its own.

Rule: what fails leaves nothing. The transaction is undone, and a file that was made for it is removed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import aiosqlite

from barcodesvc.errors import BackupError, StartError
from barcodesvc.store.copyable import BATCH_ROWS, Table, require_version
from barcodesvc.store.script import Row
from barcodesvc.store.sqlite.beside import beside, database_of, followed
from barcodesvc.store.sqlite.connection import connect
from barcodesvc.store.sqlite.migrations import OWN_TABLES, bring_to_newest, migration_scripts
from barcodesvc.store.sqlite.openable import why_not_opened
from barcodesvc.store.sqlite.opening import require_sqlite, set_up_writer
from barcodesvc.store.sqlite.queries import QUERIES

_WAIT = 15.0
"""Seconds that a copy waits for a lock."""
_INDEXED_AT_ONCE = 10_000
"""Products that one statement takes into the index of texts."""


class SqliteTables:
    """The tables of a file, as the transaction of this connection sees them."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def rows(self, table: Table, after: int | str) -> Sequence[Row]:
        """Return the next rows behind a key."""
        query = QUERIES[table.read]
        found = await self._connection.execute_fetchall(query.sql, {"after": after, "limit": BATCH_ROWS})
        return [tuple(row) for row in found]

    async def last_id(self, table: Table) -> int:
        """Return the last id that was given."""
        [(last,)] = await self._connection.execute_fetchall(QUERIES["last_given_id"].sql, {"table": table.name})
        return int(last)

    async def put(self, table: Table, rows: Sequence[Row]) -> None:
        """Put rows into a table."""
        query = QUERIES[table.put]
        try:
            await self._connection.executemany(query.sql, (dict(zip(table.columns, row, strict=True)) for row in rows))
        except (sqlite3.Error, ValueError, OverflowError) as error:
            raise BackupError(
                f"the rows of the table {table.name} behind {rows[0][0]!r} do not fit: {error}"
            ) from error

    async def complete(self) -> None:
        """Take all products into the index of texts and the counts of blocks."""
        indexed = {"limit": _INDEXED_AT_ONCE}
        while await self._connection.execute_fetchall(QUERIES["index_more_products"].sql, indexed):
            pass

    async def set_last_id(self, table: Table, last: int) -> None:
        """Let the next id be above this one."""
        await self._connection.execute_fetchall(QUERIES["forget_given_ids"].sql, {"table": table.name})
        await self._connection.execute_fetchall(QUERIES["set_last_given_id"].sql, {"table": table.name, "last": last})


@asynccontextmanager
async def open_source(path: Path) -> AsyncIterator[SqliteTables]:
    """Open a file, which may be served meanwhile, as it is now.

    Raises BackupError where it cannot be read, or has another version than this release.
    """
    with _translated():
        _require_file(path)
        connection = await connect(path, "rw", _WAIT)
        try:
            await connection.execute_fetchall(QUERIES["begin_reading"].sql)
            await _require_own(connection)
            yield SqliteTables(connection)
        finally:
            await connection.close()


@asynccontextmanager
async def open_target(path: Path) -> AsyncIterator[SqliteTables]:
    """Open a file, made if there is none, in a transaction that is committed at the end; raises BackupError."""
    with _translated(path), _removed_where_it_fails(path):
        require_sqlite()
        connection = await connect(path, "rw", _WAIT)
        try:
            await set_up_writer(connection)
            await connection.execute_fetchall(QUERIES["begin_alone"].sql)
            await bring_to_newest(connection)
            yield SqliteTables(connection)
            await connection.execute_fetchall(QUERIES["commit"].sql)
        except BaseException:
            await connection.rollback()
            raise
        finally:
            await connection.close()


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise BackupError(f"there is no file {path}")


async def _require_own(connection: aiosqlite.Connection) -> None:
    tables = {name for (name,) in await connection.execute_fetchall(QUERIES["tables"].sql)}
    if not tables >= OWN_TABLES:
        raise BackupError("the source is no database of this service")
    [(version,)] = await connection.execute_fetchall(QUERIES["schema_version"].sql)
    require_version(version, max(migration_scripts()))


@contextmanager
def _removed_where_it_fails(path: Path) -> Iterator[None]:
    """Make the file, unless it is there, and remove that one again, with what lies beside it, where the body fails."""
    file = followed(path)
    if database := database_of(file):
        raise BackupError(f"{path} is a part of the database {database}; name another file")
    if file.exists():
        yield
        return
    for left in beside(file):
        if left.exists():  # SQLite would take it for the new file's
            raise BackupError(f"{left} is left of a former {file.name}; move it away first, or name another file")
    file.touch(mode=0o644, exist_ok=False)
    try:
        yield
    except BaseException:
        for made in (file, *beside(file)):
            made.unlink(missing_ok=True)
        raise


@contextmanager
def _translated(target: Path | None = None) -> Iterator[None]:
    try:
        yield
    except StartError as error:
        raise BackupError(str(error)) from error
    except (sqlite3.Error, OSError) as error:
        cause = why_not_opened(target) if target else ""
        raise BackupError(f"{error}{cause and f'; {cause}'}") from error
