"""Migrations: the schema is brought to the version of this release, by one of those that start at once.

Rule: their numbers are those of sql/sqlite/migrations, so that a version means the same in both engines. A database of
a newer release, or of another program, is refused before anything in it is changed.
"""

from __future__ import annotations

import logging
from importlib.resources import files

import asyncpg

from barcodesvc.errors import StartError
from barcodesvc.store.postgres.queries import QUERIES

_LOG = logging.getLogger(__name__)

OWN_TABLES = frozenset({"schema_version", "products", "levels", "level_changes"})
"""What every database of this service has, since its first version."""
LEAST_VERSION = 13
ENCODING = "UTF8"
_VERSION_STEP = 10_000


def migration_scripts() -> dict[int, str]:
    """Return the SQL of every migration by its number."""
    folder = files("barcodesvc.sql").joinpath("postgres", "migrations")
    scripts = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    return {int(file.name[:4]): file.read_text("utf-8") for file in sorted(scripts, key=lambda file: file.name)}


async def migrate(connection: asyncpg.Connection) -> int:
    """Bring the database to the newest version and return it.

    Raises StartError for a server that is too old and for a database of a newer release or of another program;
    asyncpg's errors as they come.
    """
    await _require_server(connection)
    scripts = migration_scripts()
    async with connection.transaction():
        await connection.execute(QUERIES["wait_for_other_starts"].sql)
        version = await _version(connection)
        _refuse_newer(version, max(scripts))
        for number in range(version + 1, max(scripts) + 1):
            await connection.execute(scripts[number])
            await connection.execute(QUERIES["set_schema_version"].sql, number)
        await index_trigrams(connection)
    return max(scripts)


async def _require_server(connection: asyncpg.Connection) -> None:
    version, encoding = await connection.fetchrow(QUERIES["server"].sql)
    if version < LEAST_VERSION * _VERSION_STEP:
        raise StartError(f"PostgreSQL {version // _VERSION_STEP} is too old; {LEAST_VERSION} or newer is needed")
    if encoding != ENCODING:
        raise StartError(f"the database stores texts as {encoding}; make one with: createdb --encoding=UTF8")


async def _version(connection: asyncpg.Connection) -> int:
    tables = {name for (name,) in await connection.fetch(QUERIES["tables"].sql)}
    if tables >= OWN_TABLES:
        return int(await connection.fetchval(QUERIES["schema_version"].sql))
    if tables:
        raise StartError("the database belongs to another program; name another one in BARCODESVC_DATABASE")
    await connection.execute(QUERIES["create_schema_version"].sql)
    await connection.execute(QUERIES["begin_schema_version"].sql)
    return 0


def _refuse_newer(version: int, known: int) -> None:
    if version > known:
        raise StartError(
            f"the database has schema version {version}, this release knows {known}; "
            "start a newer release of barcodesvc, or name another database"
        )


async def index_trigrams(connection: asyncpg.Connection) -> None:
    """Make the index that searches use, where the extension pg_trgm is there or may be made.

    CREATE INDEX would wait for whoever writes products, and let nobody else begin to, though the index is there.
    """
    if await connection.fetchval(QUERIES["has_trigram_index"].sql):
        return
    try:
        async with connection.transaction():
            await connection.execute(QUERIES["make_trigrams"].sql)
            await connection.execute(QUERIES["index_trigrams"].sql)
    except asyncpg.UndefinedObjectError as error:  # a transaction that has made it finds its operators
        _LOG.warning(
            "searches compare every product: the extension pg_trgm is in no schema of the search_path (%s); put its "
            "schema there, as by ALTER DATABASE ... SET search_path, and start again",
            error,
        )
    except (
        asyncpg.InsufficientPrivilegeError,
        asyncpg.FeatureNotSupportedError,
        asyncpg.UndefinedFileError,
    ) as error:
        _LOG.warning(
            "searches compare every product: the extension pg_trgm cannot be made (%s); "
            "let an administrator run CREATE EXTENSION pg_trgm, and start again",
            error,
        )
