"""Named queries that run one after the other in the thread of a connection, all of them in one trip to it.

A trip takes longer than most statements, so what a transaction does is a plain function of these, without a wait.

Rule: what a statement meets comes out as FailedStatementError with its name; only the event loop makes of it what a
client is told.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import Context
from time import perf_counter
from typing import Any

from barcodesvc.store.failures import StuckError
from barcodesvc.store.progress import BEGIN, COMMIT, Progress
from barcodesvc.store.queries import Query, Row
from barcodesvc.store.query_times import Observe


class FailedStatementError(Exception):
    """A statement has failed; the cause is sqlite3's error, or what Python made of its parameters."""

    def __init__(self, statement: str) -> None:
        super().__init__(statement)
        self.statement = statement


class Statements:
    """The statements of one trip; `context` is that of the request for which they are run, if it is for one."""

    def __init__(self, connection: sqlite3.Connection, progress: Progress) -> None:
        self._connection = connection
        self._progress = progress
        self._is_abandoned = False
        self._times: list[tuple[Context, str, float]] = []
        self.context = Context()
        self.is_sound = True
        """Whether the connection can be used on."""

    @property
    def is_open(self) -> bool:
        """Whether a transaction is open; some faults end it without being asked."""
        return self._connection.in_transaction

    @property
    def changed_rows(self) -> int:
        """How many rows were changed on the connection since it is open."""
        return self._connection.total_changes

    def rows(self, query: Query, **parameters: Any) -> list[Row]:
        """Run the query and return all of its rows."""
        with self._observed(query):
            return self._connection.execute(query.sql, parameters).fetchall()

    def row(self, query: Query, **parameters: Any) -> Row | None:
        """Run the query and return its first row, or None."""
        found = self.rows(query, **parameters)
        return found[0] if found else None

    def change(self, query: Query, **parameters: Any) -> int:
        """Run a query that gives no rows back and return how many rows it has changed."""
        with self._observed(query):
            return self._connection.execute(query.sql, parameters).rowcount

    def each(self, query: Query, parameters: Iterable[dict[str, Any]]) -> None:
        """Run a query that gives no rows back once for each set of parameters.

        RETURNING is not possible here: executemany does not fetch, and from Python 3.13 on that is an error.
        """
        with self._observed(query):
            self._connection.executemany(query.sql, parameters)

    def begin(self) -> None:
        """Begin a transaction that changes something."""
        with self._running(BEGIN):
            self._connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit the transaction, unless nobody waits for it any more: they have been told that nothing was changed."""
        with self._running(COMMIT):
            if self._is_abandoned:
                raise StuckError("given up")
            self._connection.commit()

    def roll_back(self) -> None:
        """Undo the transaction, if one is open; a connection that cannot is unsound, and its end undoes it."""
        try:
            self._connection.rollback()
        except sqlite3.Error:
            self.is_sound = False

    def abandon(self) -> str:
        """Let nothing be committed from now on, and return the name of the statement that runs, if one does.

        If that is COMMIT, nobody knows what becomes of it: the thread names it before it looks whether it may.
        """
        self._is_abandoned = True
        return self._progress.statement or "a change"

    def tell_times(self, observe: Observe) -> None:
        """Tell the time of each named query, in the context of its request."""
        for context, name, seconds in self._times:
            context.run(observe, name, seconds)

    @contextmanager
    def _observed(self, query: Query) -> Iterator[None]:
        begun = perf_counter()
        try:
            with self._running(query.name):
                yield
        finally:
            self._times.append((self.context, query.name, perf_counter() - begun))

    @contextmanager
    def _running(self, statement: str) -> Iterator[None]:
        self._progress.begin(statement)
        try:
            yield
        except (sqlite3.Error, ValueError, OverflowError, MemoryError) as error:
            raise FailedStatementError(statement) from error
        finally:
            self._progress.end()
