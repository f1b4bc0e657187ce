"""The migrations of a database file, all in one transaction.

Statements run one by one after BEGIN IMMEDIATE, because executescript would silently commit an open transaction.
"""

import sqlite3
from collections.abc import Iterator
from functools import partial
from typing import Any

from barcodesvc.store.migrations import migration, scripts_of
from barcodesvc.store.script import Result, Statement, play
from barcodesvc.store.sqlite.connection import QUERIES


def bring_to_newest(connection: sqlite3.Connection) -> None:
    """Bring the database to the newest version in the open transaction.

    Raises StartError for a database of a newer release or of another program; sqlite3.Error as it comes.
    """
    play(migration(scripts_of("sqlite")), partial(result_of, connection))


def result_of(connection: sqlite3.Connection, step: Statement | str) -> Any:
    """Return the result of a step of a migration; raises sqlite3.Error."""
    if isinstance(step, str):
        for statement in _statements(step):
            connection.execute(statement)
        return None
    query = QUERIES[step.name]
    found = connection.execute(query.sql, step.parameters).fetchall()
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
