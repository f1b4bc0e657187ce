"""A PostgreSQL database as the source or the target of a copy: one transaction on a separate connection."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

import asyncpg

from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import BackupError
from barcodesvc.store.copying import BATCH_ROWS, TABLES, Batch, Tables, queries_with, require_newest
from barcodesvc.store.limits import cause_of
from barcodesvc.store.migrations import scripts_of
from barcodesvc.store.postgres.addresses import usable
from barcodesvc.store.postgres.failures import ERRORS
from barcodesvc.store.postgres.migrations import migrate, result_of
from barcodesvc.store.postgres.pool import CLOSE_WAIT
from barcodesvc.store.postgres.queries import QUERIES, NumberedQuery, numbered
from barcodesvc.store.postgres.staging import copy_lines, line
from barcodesvc.store.script import play_waiting

_WAIT = 15.0
"""Seconds to wait for a connection; statements have no time limit."""


class _Tables:
    """The tables of a database inside the transaction of a connection."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def batches(self, table: str) -> AsyncIterator[Batch]:
        query = _query("copied_rows", table)
        cursor = await self._connection.cursor(query.sql)
        while rows := await cursor.fetch(BATCH_ROWS):
            yield Batch(list(rows[0].keys()), rows)

    async def insert(self, table: str, batch: Batch) -> None:
        try:
            lines = "".join(map(line, batch.rows)).encode()
            await copy_lines(self._connection, table, batch.columns, lines)
        except (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, TypeError, ValueError) as error:
            raise BackupError(f"the target cannot store a row of the table {table}: {error}") from error

    async def value(self, name: str, table: str, **parameters: int) -> int:
        query = _query(name, table)
        return int(await self._connection.fetchval(query.sql, *query.values({"table": table, **parameters})))


def _query(name: str, *tables: str) -> NumberedQuery:
    return numbered(queries_with("postgres", table=", ".join(tables))[name])


@asynccontextmanager
async def open_source(address: ServerAddress) -> AsyncIterator[Tables]:
    """Open a database as of now; it may be served meanwhile.

    Raises BackupError if it cannot be read, or as `require_newest` does.
    """
    async with _connected(address) as connection, connection.transaction(isolation="repeatable_read", readonly=True):
        await connection.execute(QUERIES["lift_time_limits"].sql)
        await play_waiting(require_newest(scripts_of("postgres")), partial(result_of, connection))
        yield _Tables(connection)


@asynccontextmanager
async def open_target(address: ServerAddress) -> AsyncIterator[Tables]:
    """Open a database in a transaction that is committed at the end.

    Raises BackupError, and StartError for a database of a newer release or of another program.
    """
    async with _connected(address) as connection, connection.transaction(isolation="read_committed"):
        await connection.execute(QUERIES["lift_time_limits"].sql)
        await migrate(connection)
        locking, planning = _query("keep_others_out", *TABLES), _query("plan_for_copied_rows", *TABLES)
        await connection.execute(locking.sql)
        yield _Tables(connection)
        await connection.execute(QUERIES["doubt_copied_jobs"].sql)
        await connection.execute(planning.sql)


@asynccontextmanager
async def _connected(address: ServerAddress) -> AsyncIterator[asyncpg.Connection]:
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
