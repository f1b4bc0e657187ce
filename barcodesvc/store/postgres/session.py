"""A held connection, which runs statements one after the other, in one transaction or each in its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeVar

import asyncpg

from barcodesvc.store import limits
from barcodesvc.store.limits import FailureLog, Observe
from barcodesvc.store.postgres.failures import ERRORS
from barcodesvc.store.postgres.queries import NumberedQuery
from barcodesvc.store.script import Result, Row, Script, Statement, one, play_waiting, rows

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EngineContext:
    """What all work on a database shares: its queries, the observer of their times, and the log of failures."""

    queries: Mapping[str, NumberedQuery]
    observe: Observe
    log: FailureLog


class Session:
    """Runs named statements on a connection; raises asyncpg's errors."""

    def __init__(self, connection: asyncpg.Connection, context: EngineContext) -> None:
        self._connection = connection
        self._context = context

    async def result(self, statement: Statement, begun: float | None = None) -> Any:
        """Run a statement of a script and return its result; its time is from when it `begun` to wait, or from now."""
        query = self._context.queries[statement.name]
        values = query.values(statement.parameters)
        with self._timed(statement.name, begun):
            if statement.result is Result.COUNT:
                return _changed_rows(await self._connection.execute(query.sql, *values))
            if statement.result is Result.ROW:
                record = await self._connection.fetchrow(query.sql, *values)
                return None if record is None else tuple(record)
            return [tuple(record) for record in await self._connection.fetch(query.sql, *values)]

    async def open_cursor(self, statement: Statement) -> Any:
        """Begin a statement whose rows are fetched later; the cursor ends with the transaction."""
        query = self._context.queries[statement.name]
        with self._timed(statement.name):
            return await self._connection.cursor(query.sql, *query.values(statement.parameters))

    async def next_rows(self, statement: Statement, cursor: Any, rows: int) -> list[Row]:
        """Return at most `rows` of the next rows of a cursor."""
        with self._timed(statement.name):
            return [tuple(record) for record in await cursor.fetch(rows)]

    async def play(self, script: Script[T]) -> T:
        """Play a script; raises its errors, too."""
        return await play_waiting(script, self.result)

    @contextmanager
    def _timed(self, name: str, begun: float | None = None) -> Iterator[None]:
        start = perf_counter() if begun is None else begun
        try:
            yield
        finally:
            self._context.observe(name, perf_counter() - start)


class SnapshotSession:
    """A session that only reads; raises DatabaseFailure for asyncpg's errors."""

    def __init__(self, connection: asyncpg.Connection, context: EngineContext) -> None:
        self._session = Session(connection, context)
        self._log = context.log

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Read all rows of the query."""
        found: list[Row] = await self._result(rows(name, **parameters))
        return found

    async def row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None."""
        found: Row | None = await self._result(one(name, **parameters))
        return found

    async def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[Row]]:
        """Yield all rows of the query from a cursor in batches; the cursor ends with the snapshot at the latest."""
        statement = rows(name, **parameters)
        with self._translated(name):
            cursor = await self._session.open_cursor(statement)
        while found := await self._next_rows(statement, cursor):
            yield found

    async def play(self, script: Script[T]) -> T:
        """Play a script that only reads."""
        return await play_waiting(script, self._result)

    async def _result(self, statement: Statement) -> Any:
        with self._translated(statement.name):
            return await self._session.result(statement)

    async def _next_rows(self, statement: Statement, cursor: Any) -> list[Row]:
        with self._translated(statement.name):
            return await self._session.next_rows(statement, cursor, limits.BATCH)

    @contextmanager
    def _translated(self, name: str) -> Iterator[None]:
        try:
            yield
        except ERRORS as error:
            raise self._log.failed(name, error) from error


def _changed_rows(done: str) -> int:
    """Return how many rows a statement has changed, from the server's command tag such as `UPDATE 3`."""
    count = done.rpartition(" ")[2]
    return int(count) if count.isdigit() else 0
