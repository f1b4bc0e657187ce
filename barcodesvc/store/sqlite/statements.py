"""Named statements that run in the thread of a connection, one after the other, all of them in one trip to it.

Rule: a trip that was given up runs no further statement. The thread names each before it looks whether it may run, so
that whoever gives it up knows whether the commit has begun: if not, it never will.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

from barcodesvc.store.queries import Query
from barcodesvc.store.script import Result, Row, Statement, run
from barcodesvc.store.sqlite.failures import COMMIT, ROLLBACK, StatementError, StuckError

T = TypeVar("T")

_BEGIN = run("begin_change")


class Statements:
    """The statements of one trip; `running` is the name of the last one, `times` what each has taken in seconds."""

    def __init__(self, connection: sqlite3.Connection, queries: Mapping[str, Query]) -> None:
        self._connection = connection
        self._queries = queries
        self._is_given_up = False
        self.running = ""
        self.times: list[tuple[str, float]] = []

    @property
    def is_open(self) -> bool:
        """Whether a transaction is open; some faults end it without being asked."""
        return self._connection.in_transaction

    @property
    def changed_rows(self) -> int:
        """How many rows were changed on the connection since it is open."""
        return self._connection.total_changes

    def answer(self, statement: Statement) -> Any:
        """Run a statement of a script and return what the script is sent for it; raises StatementError."""
        begun = perf_counter()
        try:
            return self._run(statement.name, partial(self._answer, statement))
        finally:
            self.times.append((statement.name, perf_counter() - begun))

    def open_cursor(self, statement: Statement) -> sqlite3.Cursor:
        """Begin a statement whose rows are fetched later; raises StatementError."""
        query = self._queries[statement.name]
        return self._run(statement.name, partial(self._connection.execute, query.sql, statement.parameters))

    def next_rows(self, statement: Statement, cursor: sqlite3.Cursor, rows: int) -> list[Row]:
        """Return at most so many of the next rows; raises StatementError."""
        return self._run(statement.name, partial(cursor.fetchmany, rows))

    def begin(self) -> None:
        """Begin a transaction that changes something, waiting for another process that does; raises StatementError."""
        self._run(_BEGIN.name, partial(self._answer, _BEGIN))

    def commit(self) -> None:
        """Commit the transaction; raises StatementError."""
        self._run(COMMIT, self._connection.commit)

    def roll_back(self) -> None:
        """Undo the transaction, if one is open; raises StatementError."""
        try:
            self._connection.rollback()
        except sqlite3.Error as error:
            raise StatementError(ROLLBACK, error) from error

    def give_up(self) -> str:
        """Let no further statement run, and return the name of the last one."""
        self._is_given_up = True
        return self.running

    def _run(self, name: str, call: Callable[[], T]) -> T:
        self.running = name
        if self._is_given_up:
            raise StatementError(name, StuckError("given up"))
        try:
            return call()
        except (sqlite3.Error, ValueError, OverflowError, MemoryError) as error:
            raise StatementError(name, error) from error

    def _answer(self, statement: Statement) -> Any:
        sql = self._queries[statement.name].sql
        cursor = self._connection.execute(sql, statement.parameters)
        if statement.result is Result.COUNT:
            return cursor.rowcount
        found = cursor.fetchall()
        if statement.result is Result.ROWS:
            return found
        return found[0] if found else None
