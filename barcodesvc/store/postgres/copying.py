"""A PostgreSQL database as the source or the target of a copy: one transaction on a separate connection."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import asyncpg

from barcodesvc.errors import BackupError
from barcodesvc.store.copying import BATCH_ROWS, Batch, Table, Tables, require_source, require_version
from barcodesvc.store.limits import cause_of
from barcodesvc.store.postgres.addresses import usable
from barcodesvc.store.postgres.failures import ERRORS
from barcodesvc.store.postgres.migrations import migrate, migration_scripts
from barcodesvc.store.postgres.pool import CLOSE_WAIT
from barcodesvc.store.postgres.queries import QUERIES
from barcodesvc.store.postgres.staging import copy_lines, line

_WAIT = 15.0
"""Seconds to wait for a connection; statements have no time limit."""


class _Tables:
    """The tables of a database inside the transaction of a connection."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def batches(self, table: Table) -> AsyncIterator[Batch]:
        query = QUERIES[table.read]
        batch: Batch = []
        async for record in self._connection.cursor(query.sql, prefetch=BATCH_ROWS):
            batch.append(dict(record))
            if len(batch) == BATCH_ROWS:
                yield batch
                batch = []
        if batch:
            yield batch

    async def insert(self, table: Table, batch: Batch) -> None:
        try:
            lines = "".join(line(row.values()) for row in batch).encode()
            await copy_lines(self._connection, table.name, list(batch[0]), lines)
        except (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, TypeError, ValueError) as error:
            raise BackupError(f"the target cannot store a row of the table {table.name}: {error}") from error

    async def last_id(self, table: Table) -> int:
        return int(await self._connection.fetchval(QUERIES["last_given_id"].sql, table.name))

    async def set_last_id(self, table: Table, last: int) -> None:
        await self._connection.execute(QUERIES["set_last_given_id"].sql, table.name, last)


@asynccontextmanager
async def open_source(address: str) -> AsyncIterator[Tables]:
    """Open a database as of now; it may be served meanwhile.

    Raises BackupError if it cannot be read, or has a different schema version.
    """
    async with _connected(address) as connection, connection.transaction(isolation="repeatable_read", readonly=True):
        await connection.execute(QUERIES["lift_time_limits"].sql)
        require_source([name for (name,) in await connection.fetch(QUERIES["tables"].sql)])
        require_version(await connection.fetchval(QUERIES["schema_version"].sql), migration_scripts())
        yield _Tables(connection)


@asynccontextmanager
async def open_target(address: str) -> AsyncIterator[Tables]:
    """Open a database in a transaction that is committed at the end.

    Raises BackupError, and StartError for a database of a newer release or of another program.
    """
    async with _connected(address) as connection, connection.transaction(isolation="read_committed"):
        await connection.execute(QUERIES["lift_time_limits"].sql)
        await migrate(connection)
        await connection.execute(QUERIES["keep_others_out"].sql)
        yield _Tables(connection)
        await connection.execute(QUERIES["count_copied_rows"].sql)


@asynccontextmanager
async def _connected(address: str) -> AsyncIterator[asyncpg.Connection]:
    with usable(address, "", BackupError) as url:
        settings = {"application_name": "barcodesvc"}
        connection = await asyncpg.connect(url, timeout=_WAIT, server_settings=settings)
    try:
        yield connection
    except ERRORS as error:
        raise BackupError(cause_of(error)) from error
    finally:
        with suppress(*ERRORS):
            await connection.close(timeout=CLOSE_WAIT)
