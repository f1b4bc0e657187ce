"""The migrations of a database file, all in one transaction.

Statements run one by one after BEGIN IMMEDIATE, because executescript would silently commit an open transaction. Of two
processes that start at once, one migrates and the other finds it done.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import aiosqlite

from barcodesvc.store.migrations import DERIVED, PRODUCTS_AT_ONCE, Derivation, is_new, refuse_newer, scripts_of
from barcodesvc.store.sqlite.queries import QUERIES


def migration_scripts() -> dict[int, str]:
    """Return the SQL of every migration by its number."""
    return scripts_of("sqlite")


async def migrate(connection: aiosqlite.Connection) -> int:
    """Bring the database to the newest version in one transaction, and return that version.

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
    """Do the same in the open transaction."""
    scripts = migration_scripts()
    version = await _version(connection)
    refuse_newer(version, max(scripts))
    for number in range(version + 1, max(scripts) + 1):
        await _apply(connection, number, scripts[number])
    return max(scripts)


async def _version(connection: aiosqlite.Connection) -> int:
    if is_new({name for (name,) in await connection.execute_fetchall(QUERIES["tables"].sql)}):
        await connection.execute_fetchall(QUERIES["create_schema_version"].sql)
        await connection.execute_fetchall(QUERIES["begin_schema_version"].sql)
    [(version,)] = await connection.execute_fetchall(QUERIES["schema_version"].sql)
    return int(version)


async def _apply(connection: aiosqlite.Connection, number: int, script: str) -> None:
    for statement in _statements(script):
        await connection.execute_fetchall(statement)
    if number in DERIVED:
        await _derive(connection, DERIVED[number])
    await connection.execute_fetchall(QUERIES["set_schema_version"].sql, {"version": number})


async def _derive(connection: aiosqlite.Connection, column: Derivation) -> None:
    read, put = QUERIES[column.read], QUERIES[column.put]
    some = {"after": 0, "limit": PRODUCTS_AT_ONCE}
    while products := list(await connection.execute_fetchall(read.sql, some)):
        await connection.execute_fetchall(put.sql, {"given": column.values(products)})
        some["after"] = products[-1][0]


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement
