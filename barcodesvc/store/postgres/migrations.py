"""The migrations of a database on a server, all in one transaction.

Of replicas that start at once, one migrates while the others wait for its lock and then find it done.
"""

import logging
from functools import partial
from typing import Any

import asyncpg

from barcodesvc.errors import StartError
from barcodesvc.store.migrations import migration, scripts_of
from barcodesvc.store.postgres.queries import QUERIES
from barcodesvc.store.script import Result, Statement, play_waiting

_LOG = logging.getLogger(__name__)

LEAST_VERSION = 13
_VERSION_STEP = 10_000


async def migrate(connection: asyncpg.Connection) -> None:
    """Bring the database to the newest version.

    Raises StartError for a server that is too old and for a database of a newer release or of another program;
    asyncpg's errors as they come.
    """
    await _require_server(connection)
    async with connection.transaction():
        await connection.execute(QUERIES["wait_for_other_starts"].sql)
        await play_waiting(migration(scripts_of("postgres")), partial(result_of, connection))
        await _index_trigrams(connection)


async def result_of(connection: asyncpg.Connection, step: Statement | str) -> Any:
    """Return the result of a step of a migration; raises asyncpg's errors."""
    if isinstance(step, str):
        return await connection.execute(step)
    query = QUERIES[step.name]
    found = await connection.fetch(query.sql, *query.values(step.parameters))
    return found[0] if step.result is Result.ROW else found


async def _require_server(connection: asyncpg.Connection) -> None:
    version, encoding = await connection.fetchrow(QUERIES["server"].sql)
    if version < LEAST_VERSION * _VERSION_STEP:
        raise StartError(f"PostgreSQL {version // _VERSION_STEP} is too old; {LEAST_VERSION} or newer is needed")
    if encoding != "UTF8":
        raise StartError(f"the database stores texts as {encoding}; create one with: createdb --encoding=UTF8")


async def _index_trigrams(connection: asyncpg.Connection) -> None:
    """Create the index for searches, if the extension pg_trgm is installed or can be installed.

    It looks for the index first, because CREATE INDEX would block writers even if the index exists.
    """
    if await connection.fetchval(QUERIES["has_trigram_index"].sql):
        return
    try:
        async with connection.transaction():
            await connection.execute(QUERIES["make_trigrams"].sql)
            await connection.execute(QUERIES["index_trigrams"].sql)
    except asyncpg.UndefinedObjectError as error:  # the extension exists, but its operators are not found
        _LOG.warning(
            "searches compare every product: the extension pg_trgm is in no schema of the search_path (%s); add its "
            "schema, for example with ALTER DATABASE ... SET search_path, and restart the service",
            error,
        )
    except (
        asyncpg.InsufficientPrivilegeError,
        asyncpg.FeatureNotSupportedError,
        asyncpg.UndefinedFileError,
    ) as error:
        _LOG.warning(
            "searches compare every product: the extension pg_trgm cannot be created (%s); "
            "ask an administrator to run CREATE EXTENSION pg_trgm, and restart the service",
            error,
        )
