"""Named statements that run in the thread of a connection, any number of them in one trip to it.

Rule: an abandoned trip runs no further statement. The thread names each statement before it checks whether it may run,
so the event loop knows, when it abandons a trip, whether the commit has begun: if not, it never will.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

from barcodesvc.store.queries import Query
from barcodesvc.store.script import Result, Row, Statement, run
from barcodesvc.store.sqlite.failures import COMMIT, ROLLBACK, StatementError, StatementTimeoutError

T = TypeVar("T")

_BEGIN = run("begin_change")


class Statements:
    """The statements of one trip; `running` is the name of the last one, `times` are those of each in seconds."""

    def __init__(self, connection: sqlite3.Connection, queries: Mapping[str, Query]) -> None:
        self._connection = connection
        self._queries = queries
        self._is_abandoned = False
        self.running = ""
        self.times: list[tuple[str, float]] = []

    @property
    def is_open(self) -> bool:
        """Whether a transaction is open; some faults end one."""
        return self._connection.in_transaction

    @property
    def changed_rows(self) -> int:
        """The number of rows that the connection has changed since it was opened."""
        return self._connection.total_changes

    def result(self, statement: Statement) -> Any:
        """Run a statement of a script and return its result; raises StatementError."""
        begun = perf_counter()
        try:
            return self._run(statement.name, partial(self._result, statement))
        finally:
            self.times.append((statement.name, perf_counter() - begun))

    def open_cursor(self, statement: Statement) -> sqlite3.Cursor:
        """Begin a statement whose rows are fetched later; raises StatementError."""
        query = self._queries[statement.name]
        return self._run(statement.name, partial(self._connection.execute, query.sql, statement.parameters))

    def next_rows(self, statement: Statement, cursor: sqlite3.Cursor, rows: int) -> list[Row]:
        """Return at most `rows` of the next rows; raises StatementError."""
        return self._run(statement.name, partial(cursor.fetchmany, rows))

    def begin(self) -> None:
        """Begin a transaction for changes, waiting for another process's to end; raises StatementError."""
        self._run(_BEGIN.name, partial(self._result, _BEGIN))

    def commit(self) -> None:
        """Commit the transaction; raises StatementError."""
        self._run(COMMIT, self._connection.commit)

    def roll_back(self) -> None:
        """Roll the transaction back, if one is open; raises StatementError."""
        try:
            self._connection.rollback()
        except sqlite3.Error as error:
            raise StatementError(ROLLBACK, error) from error

    def abandon(self) -> str:
        """Let no further statement run, and return the name of the last one."""
        self._is_abandoned = True
        return self.running

    def _run(self, name: str, call: Callable[[], T]) -> T:
        self.running = name
        if self._is_abandoned:
            raise StatementError(name, StatementTimeoutError("abandoned"))
        try:
            return call()
        except (sqlite3.Error, ValueError, OverflowError, MemoryError) as error:
            raise StatementError(name, error) from error

    def _result(self, statement: Statement) -> Any:
        sql = self._queries[statement.name].sql
        cursor = self._connection.execute(sql, statement.parameters)
        if statement.result is Result.COUNT:
            return cursor.rowcount
        found = cursor.fetchall()
        if statement.result is Result.ROWS:
            return found
        return found[0] if found else None
