"""One connection while it is held: its statements run one after the other, in a transaction or each by itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeVar

import asyncpg

from barcodesvc.store import snapshots
from barcodesvc.store.postgres.failures import ERRORS, FailureLog
from barcodesvc.store.postgres.queries import NumberedQuery
from barcodesvc.store.query_times import Observe
from barcodesvc.store.script import Result, Row, Script, Statement, one, play_waiting, rows

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Use:
    """What every use of a database shares: its queries, who gets their times, and the log of what fails."""

    queries: Mapping[str, NumberedQuery]
    observe: Observe
    log: FailureLog


class Session:
    """Runs named statements on a connection; raises what asyncpg raises."""

    def __init__(self, connection: asyncpg.Connection, use: Use) -> None:
        self._connection = connection
        self._use = use

    async def answer(self, statement: Statement) -> Any:
        """Run a statement of a script, and return what the script is sent for it; raises what asyncpg raises."""
        with self._timed(statement.name):
            return await self._answer(statement)

    async def open_cursor(self, statement: Statement) -> Any:
        """Begin a statement whose rows are fetched later; the cursor ends with the transaction."""
        query = self._use.queries[statement.name]
        with self._timed(statement.name):
            return await self._connection.cursor(query.sql, *query.values(statement.parameters))

    async def next_rows(self, statement: Statement, cursor: Any, rows: int) -> list[Row]:
        """Return at most so many of the next rows of a cursor."""
        with self._timed(statement.name):
            return [tuple(record) for record in await cursor.fetch(rows)]

    async def play(self, script: Script[T]) -> T:
        """Play a script; raises what it raises, and what asyncpg raises."""
        return await play_waiting(script, self.answer)

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        begun = perf_counter()
        try:
            yield
        finally:
            self._use.observe(name, perf_counter() - begun)

    async def _answer(self, statement: Statement) -> Any:
        query = self._use.queries[statement.name]
        values = query.values(statement.parameters)
        if statement.result is Result.COUNT:
            done: str = await self._connection.execute(query.sql, *values)
            return _changed_rows(done)
        if statement.result is Result.ROW:
            record = await self._connection.fetchrow(query.sql, *values)
            return None if record is None else tuple(record)
        return [tuple(record) for record in await self._connection.fetch(query.sql, *values)]


class SnapshotSession:
    """A session that only reads, for others: raises DatabaseFailure for what asyncpg raises."""

    def __init__(self, connection: asyncpg.Connection, use: Use) -> None:
        self._session = Session(connection, use)
        self._log = use.log

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Read all rows of the query."""
        found: list[Row] = await self._answer(rows(name, **parameters))
        return found

    async def row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None."""
        found: Row | None = await self._answer(one(name, **parameters))
        return found

    async def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[Row]]:
        """Yield all rows of the query from a cursor, some at a time; it ends with the snapshot at the latest."""
        statement = rows(name, **parameters)
        with self._translated(name):
            cursor = await self._session.open_cursor(statement)
        while found := await self._next_rows(statement, cursor):
            yield found

    async def play(self, script: Script[T]) -> T:
        """Play a script that only reads."""
        return await play_waiting(script, self._answer)

    async def _answer(self, statement: Statement) -> Any:
        with self._translated(statement.name):
            return await self._session.answer(statement)

    async def _next_rows(self, statement: Statement, cursor: Any) -> list[Row]:
        with self._translated(statement.name):
            return await self._session.next_rows(statement, cursor, snapshots.BATCH)

    @contextmanager
    def _translated(self, name: str) -> Iterator[None]:
        try:
            yield
        except ERRORS as error:
            raise self._log.failed(name, error) from error


def _changed_rows(done: str) -> int:
    """Return how many rows a statement has changed, from what the server says of it, such as `UPDATE 3`."""
    count = done.rpartition(" ")[2]
    return int(count) if count.isdigit() else 0
