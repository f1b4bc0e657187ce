"""Named queries that run one after the other in the thread of a connection, all of them in one trip to it.

A trip takes longer than most statements, so what a transaction does is a plain function of these, without a wait.

Rule: what a statement meets comes out as FailedStatementError with its name; only the event loop makes of it what a
client is told.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import Context, copy_context
from time import perf_counter
from typing import Any

from barcodesvc.store.failures import StuckError
from barcodesvc.store.progress import BEGIN, COMMIT, Running
from barcodesvc.store.queries import QUERIES, Query, Row
from barcodesvc.store.query_times import Observe


class FailedStatementError(Exception):
    """A statement has failed; the cause is sqlite3's error, or what Python made of its parameters."""

    def __init__(self, statement: str) -> None:
        super().__init__(statement)
        self.statement = statement


class Statements:
    """The statements of one trip; `context` is that of the request for which they are run at the moment."""

    def __init__(self, connection: sqlite3.Connection, running: Running) -> None:
        self._connection = connection
        self._active = running
        self._begun = perf_counter()
        self._is_abandoned = self._is_committed = False
        self._times: list[tuple[Context, str, float]] = []
        self.context = copy_context()
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

    @property
    def seconds(self) -> float:
        """For how long they have been run."""
        return perf_counter() - self._begun

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
            self._connection.execute(QUERIES["begin_change"].sql)

    def commit(self) -> None:
        """Commit the transaction."""
        with self._running(COMMIT):
            self._connection.commit()
            self._is_committed = True

    def roll_back(self) -> None:
        """Undo the transaction, if one is open; a connection that cannot is unsound, and its end undoes it."""
        try:
            self._connection.rollback()
        except sqlite3.Error:
            self.is_sound = False

    def abandon(self) -> str:
        """Let no further statement be run, and return the name of the one that is, if one is.

        If that is COMMIT, nobody knows what becomes of it, or it was made already: the thread names each statement
        before it looks whether it may be run, and notes that it has committed before that name is gone.
        """
        self._is_abandoned = True
        statement, seconds = self._active.statement, self._active.seconds
        if self._is_committed:
            return COMMIT
        if statement not in {"", BEGIN, COMMIT}:
            self._times.append((self.context, statement, seconds))
        return statement or "a change"

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
        self._active.begin(statement)
        try:
            if self._is_abandoned:
                raise StuckError("given up")
            yield
        except (sqlite3.Error, ValueError, OverflowError, MemoryError) as error:
            raise FailedStatementError(statement) from error
        finally:
            self._active.end()
