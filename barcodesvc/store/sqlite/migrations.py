"""Numbered migrations: sql/sqlite/migrations/0001_*.sql and on, each applied once, in order, in one transaction.

The version reached stands in the table schema_version. Rule: a database that is newer than the code, or that
belongs to another program, is refused untouched. Statements are run one by one inside BEGIN IMMEDIATE, because
executescript would silently commit an open transaction; of two processes that start at once, one migrates and the
other finds it done.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from importlib.resources import files

import aiosqlite

from barcodesvc.errors import StartError
from barcodesvc.store.sqlite.queries import QUERIES

OWN_TABLES = frozenset({"schema_version", "products", "levels", "level_changes"})
"""What every database of this service has, since its first version."""


def migration_scripts() -> dict[int, str]:
    """Return the SQL of every migration by its number."""
    folder = files("barcodesvc.sql").joinpath("sqlite", "migrations")
    scripts = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    return {int(file.name[:4]): file.read_text("utf-8") for file in sorted(scripts, key=lambda file: file.name)}


async def migrate(connection: aiosqlite.Connection) -> int:
    """Bring the database to the newest version in a transaction of its own, and return that version.

    Raises StartError for a database of a newer release or of another program; sqlite3.Error as it comes.
    """
    await connection.execute_fetchall(QUERIES["begin_change"].sql)
    try:
        newest = await bring_to_newest(connection)
        await connection.execute_fetchall(QUERIES["commit"].sql)
    except BaseException:
        await connection.rollback()
        raise
    return newest


async def bring_to_newest(connection: aiosqlite.Connection) -> int:
    """Do the same in the transaction that is open."""
    scripts = migration_scripts()
    version = await _version(connection)
    _refuse_newer(version, max(scripts))
    for number in range(version + 1, max(scripts) + 1):
        await _apply(connection, number, scripts[number])
    return max(scripts)


def _refuse_newer(version: int, known: int) -> None:
    if version > known:
        raise StartError(
            f"the database has schema version {version}, this release knows {known}; "
            "start a newer release of barcodesvc, or name another database"
        )


async def _version(connection: aiosqlite.Connection) -> int:
    tables = {name for (name,) in await connection.execute_fetchall(QUERIES["tables"].sql)}
    if tables >= OWN_TABLES:
        [(version,)] = await connection.execute_fetchall(QUERIES["schema_version"].sql)
        return int(version)
    if tables:
        raise StartError("the database belongs to another program; name another file in BARCODESVC_DATABASE")
    await connection.execute_fetchall(QUERIES["create_schema_version"].sql)
    await connection.execute_fetchall(QUERIES["begin_schema_version"].sql)
    return 0


async def _apply(connection: aiosqlite.Connection, number: int, script: str) -> None:
    for statement in _statements(script):
        await connection.execute_fetchall(statement)
    await connection.execute_fetchall(QUERIES["set_schema_version"].sql, {"version": number})


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement
