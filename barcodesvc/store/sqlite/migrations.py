"""The migrations of a database file, all in one transaction.

Statements run one by one after BEGIN IMMEDIATE, because executescript would silently commit an open transaction. Of two
processes that start at once, one migrates and the other finds it done.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import partial
from typing import Any

import aiosqlite

from barcodesvc.store.migrations import migration, scripts_of
from barcodesvc.store.script import Result, Statement, play_waiting
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
    return await play_waiting(migration(migration_scripts()), partial(_result, connection))


async def _result(connection: aiosqlite.Connection, step: Statement | str) -> Any:
    if isinstance(step, str):
        for statement in _statements(step):
            await connection.execute_fetchall(statement)
        return None
    query = QUERIES[step.name]
    found = list(await connection.execute_fetchall(query.sql, step.parameters))
    return found[0] if step.result is Result.ROW else found


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement
