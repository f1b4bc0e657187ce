"""A database server as the source or the target of a copy: one transaction on a connection of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress

import asyncpg

from barcodesvc.errors import BackupError, StartError
from barcodesvc.store.copyable import BATCH_ROWS, Table, require_version
from barcodesvc.store.failure_log import cause_of
from barcodesvc.store.postgres.copy_text import copy_lines, line
from barcodesvc.store.postgres.failures import ERRORS, UnconfirmedError, unreadable, unusable
from barcodesvc.store.postgres.migrations import OWN_TABLES, index_trigrams, migrate, migration_scripts
from barcodesvc.store.postgres.options import client_url
from barcodesvc.store.postgres.pool import CLOSE_WAIT, commit
from barcodesvc.store.postgres.queries import QUERIES
from barcodesvc.store.script import Row

_WAIT = 15.0
"""Seconds that a copy waits for a connection; for its statements it waits as long as they take."""


class PostgresTables:
    """The tables of a database, as the transaction of this connection sees them."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def rows(self, table: Table, after: int | str) -> Sequence[Row]:
        """Return the next rows behind a key."""
        query = QUERIES[table.read]
        found = await self._connection.fetch(query.sql, *query.values({"after": after, "limit": BATCH_ROWS}))
        return [tuple(record) for record in found]

    async def last_id(self, table: Table) -> int:
        """Return the last id that was given."""
        return int(await self._connection.fetchval(QUERIES["last_given_id"].sql, table.name))

    async def put(self, table: Table, rows: Sequence[Row]) -> None:
        """Put rows into a table, each time by a COPY of its own: the server checks what they refer to at its end."""
        try:
            lines = "".join(map(line, rows)).encode()
            await copy_lines(self._connection, table.name, table.columns, lines)
        except (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, TypeError, ValueError) as error:
            raise BackupError(
                f"the rows of the table {table.name} behind {rows[0][0]!r} do not fit: {error}"
            ) from error

    async def complete(self) -> None:
        """Make the index of texts, and let the server count."""
        await index_trigrams(self._connection)
        await self._connection.execute(QUERIES["count_copied_rows"].sql)

    async def set_last_id(self, table: Table, last: int) -> None:
        """Let the next id be above this one, whatever becomes of the transaction."""
        await self._connection.execute(QUERIES["set_last_given_id"].sql, table.name, last)


@asynccontextmanager
async def open_source(address: str) -> AsyncIterator[PostgresTables]:
    """Open a database, which may be served meanwhile, as it is now.

    Raises BackupError where it cannot be read, or has another version than this release.
    """
    async with _connected(address) as connection:
        transaction = connection.transaction(isolation="repeatable_read", readonly=True)
        await transaction.start()
        try:
            await _set_up(connection)
            await _require_own(connection)
            yield PostgresTables(connection)
        finally:
            with suppress(*ERRORS):  # by then the target is committed
                await transaction.rollback()


@asynccontextmanager
async def open_target(address: str) -> AsyncIterator[PostgresTables]:
    """Open a database in a transaction that is committed at the end; raises BackupError."""
    async with _connected(address) as connection:
        transaction = connection.transaction(isolation="read_committed")
        await transaction.start()
        try:
            await _set_up(connection)
            await migrate(connection)
            await connection.execute(QUERIES["keep_others_out"].sql)
            await connection.execute(QUERIES["drop_trigrams"].sql)
            yield PostgresTables(connection)
        except BaseException:
            with suppress(*ERRORS):  # a connection that cannot undo it has gone, and the transaction with it
                await transaction.rollback()
            raise
        await commit(transaction)


async def _set_up(connection: asyncpg.Connection) -> None:
    await connection.execute(QUERIES["let_statements_last"].sql)
    await connection.execute(QUERIES["let_transaction_wait"].sql)


async def _require_own(connection: asyncpg.Connection) -> None:
    tables = {name for (name,) in await connection.fetch(QUERIES["tables"].sql)}
    if not tables >= OWN_TABLES:
        raise BackupError("the source is no database of this service")
    require_version(await connection.fetchval(QUERIES["schema_version"].sql), max(migration_scripts()))


@asynccontextmanager
async def _connected(address: str) -> AsyncIterator[asyncpg.Connection]:
    with _translated():
        try:
            connection = await asyncpg.connect(
                client_url(address), timeout=_WAIT, server_settings={"application_name": "barcodesvc"}
            )
        except ERRORS as error:
            raise BackupError(unusable(address, error)) from error
        except ValueError:  # of a part of the address, which it repeats
            raise BackupError(unreadable(address)) from None
        try:
            yield connection
        finally:
            with suppress(*ERRORS):
                await connection.close(timeout=CLOSE_WAIT)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except StartError as error:
        raise BackupError(str(error)) from error
    except UnconfirmedError as error:
        raise BackupError(
            "the answer to its commit was lost: the target holds everything, or nothing; copy again, which says so"
        ) from error
    except ERRORS as error:
        raise BackupError(cause_of(error)) from error
