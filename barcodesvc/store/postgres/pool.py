"""A connection pool with limits: how many connections there are, how many requests wait for one, and how long.

Work on a connection is retried, a limited number of times, after a conflict with another transaction, and after the
connection or the server is lost: a restart of the server costs waiting requests some seconds, and no error.

Rule: asyncpg's errors leave this module as DatabaseFailure.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import asyncpg

from barcodesvc.runtime.capacity import Capacity
from barcodesvc.store import limits
from barcodesvc.store.database import Snapshot
from barcodesvc.store.limits import DatabaseLimits, FailureLog, Observe, cause_of, too_many_waiting, waited_too_long
from barcodesvc.store.postgres.failures import ERRORS, UnconfirmedError, is_lost, is_violation, may_be_retried
from barcodesvc.store.postgres.queries import NumberedQuery
from barcodesvc.store.postgres.staging import load
from barcodesvc.store.script import Begin, ConflictError, Result, Row, Statement, play_waiting

T = TypeVar("T")

PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Seconds before each retry, on average: a server that restarts is back within their sum."""
MOST_VIOLATIONS = 2
"""Violations of a constraint after which work is retried: one that lasts would fail each time."""
CLOSE_WAIT = 2.0
"""Seconds to wait for connections to close."""


@dataclass(frozen=True, slots=True)
class Statements:
    """The named statements of a database, the observer of their times, and the log of failures."""

    queries: Mapping[str, NumberedQuery]
    observe: Observe
    log: FailureLog

    async def result(self, connection: asyncpg.Connection, statement: Statement) -> Any:
        """Run a statement and return the part of its result that is wanted; raises asyncpg's errors."""
        query = self.queries[statement.name]
        values = query.values(statement.parameters)
        if statement.result is Result.COUNT:
            tag: str = await connection.execute(query.sql, *values)
            return int(tag.rpartition(" ")[2])  # of the server's command tag, such as `UPDATE 3`
        if statement.result is Result.ROW:
            record = await connection.fetchrow(query.sql, *values)
            return None if record is None else tuple(record)
        return [tuple(record) for record in await connection.fetch(query.sql, *values)]

    async def timed_result(self, connection: asyncpg.Connection, statement: Statement) -> Any:
        """Do the same and report the time."""
        with self.timed(statement.name):
            return await self.result(connection, statement)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Report how long the block takes, whether it succeeds or fails."""
        begun = perf_counter()
        try:
            yield
        finally:
            self.observe(name, perf_counter() - begun)

    @contextmanager
    def read(self, name: str) -> Iterator[None]:
        """Time a block that reads outside of a retry; asyncpg's errors are logged, and raised as DatabaseFailure."""
        with self.timed(name):
            try:
                yield
            except ERRORS as error:
                raise self.log.failed(name, error) from error


class PostgresSnapshot(Snapshot):
    """A connection that sees the database as of one moment; raises DatabaseFailure."""

    def __init__(self, connection: asyncpg.Connection, statements: Statements) -> None:
        self._connection = connection
        self._statements = statements

    async def result(self, statement: Statement) -> Any:
        """Run one statement that reads."""
        with self._statements.read(statement.name):
            return await self._statements.result(self._connection, statement)

    async def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[Row]]:
        """Yield all rows of the query from a cursor in batches; the cursor ends with the snapshot at the latest."""
        query = self._statements.queries[name]
        with self._statements.read(name):
            cursor = await self._connection.cursor(query.sql, *query.values(parameters))
        while True:
            with self._statements.read(name):
                found = [tuple(record) for record in await cursor.fetch(limits.BATCH)]
            if not found:
                return
            yield found


class _Connection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """A connection that is not reset when it is released: no statement of this service leaves anything in a session."""

    def get_reset_query(self) -> str:
        """Return no query, which saves a trip at each release; an open transaction is still rolled back."""
        return ""


class Pool:
    """Connections to one database; made by `open_pool`.

    All methods raise DatabaseFailure, and DatabaseOverload if no connection was free in time.
    """

    def __init__(self, pool: asyncpg.Pool, bounds: DatabaseLimits, statements: Statements) -> None:
        self._pool = pool
        self._wait = bounds.write_wait
        self._reads = Capacity(bounds.read_queue, too_many_waiting)
        self._statements = statements

    async def read(self, statement: Statement, pauses: Sequence[float] = PAUSES) -> Any:
        """Run a statement that reads; its time includes the wait for a connection, and all retries.

        Raises DatabaseOverload, too, if too many reads wait.
        """
        with self._statements.timed(statement.name), self._reads.held():
            return await self._done(statement.name, partial(self._statements.result, statement=statement), pauses)

    async def change(
        self, what: str, begin: Begin[T], staged: Path | None = None, pauses: Sequence[float] = PAUSES
    ) -> T:
        """Play a script in a transaction, and return what it returns once that is committed.

        `what` names it in the log. Raises what the script raises, too.
        """
        return await self._done(what, partial(self._committed, begin=begin, staged=staged), pauses)

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[PostgresSnapshot]:
        """Hold a connection inside the block, in a transaction that is rolled back."""

        async def once() -> tuple[asyncpg.Connection, AsyncExitStack]:
            async with AsyncExitStack() as held:
                connection = await held.enter_async_context(self._held())
                transaction = connection.transaction(isolation="repeatable_read", readonly=True)
                await transaction.start()
                held.push_async_callback(_undo, transaction)
                return connection, held.pop_all()

        connection, held = await self._retried("a snapshot", once, PAUSES)
        async with held:
            yield PostgresSnapshot(connection, self._statements)

    async def _done(self, what: str, work: Callable[[asyncpg.Connection], Awaitable[T]], pauses: Sequence[float]) -> T:
        async def once() -> T:
            async with self._held() as connection:
                return await work(connection)

        return await self._retried(what, once, pauses)

    async def _retried(self, what: str, once: Callable[[], Awaitable[T]], pauses: Sequence[float]) -> T:
        violations, left = 0, iter(pauses)
        while True:
            try:
                return await once()
            except (*ERRORS, UnconfirmedError, ConflictError) as error:
                violations += is_violation(error)
                pause = next(left, None)
                if pause is None or violations > MOST_VIOLATIONS or not may_be_retried(error):
                    raise self._statements.log.failed(what, error) from error
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - apart, not secret

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[asyncpg.Connection]:
        """Hold a connection inside the block; raises asyncpg's errors."""
        try:
            connection = await self._pool.acquire(timeout=self._wait)
        except TimeoutError:
            raise waited_too_long() from None
        try:
            yield connection
        finally:
            # asyncpg closes a connection that cannot be released; the block's error says more, such as UnconfirmedError
            with suppress(*ERRORS):
                await self._pool.release(connection)

    async def _committed(self, connection: asyncpg.Connection, begin: Begin[T], staged: Path | None) -> T:
        transaction = connection.transaction(isolation="read_committed")  # whatever the server's default is
        await transaction.start()
        try:
            if staged:
                await load(connection, staged)
            result = await play_waiting(begin(), partial(self._statements.timed_result, connection))
        except BaseException:
            await _undo(transaction)
            raise
        await _commit(transaction)
        return result


async def _undo(transaction: Any) -> None:
    with suppress(*ERRORS):  # a transaction ends with its connection
        await transaction.rollback()


async def _commit(transaction: Any) -> None:
    """Commit; raises UnconfirmedError if its outcome is unknown."""
    try:
        await transaction.commit()
    except ERRORS as error:
        if is_lost(error) or isinstance(error, TimeoutError):
            raise UnconfirmedError(cause_of(error)) from error
        raise


@asynccontextmanager
async def open_pool(
    url: str,
    size: int,
    bounds: DatabaseLimits,
    statements: Statements,
    set_up: Callable[[asyncpg.Connection], Awaitable[None]],
) -> AsyncIterator[Pool]:
    """Open a pool on a server and close it at the end; raises asyncpg's errors if the server does not respond."""
    opened = await asyncpg.create_pool(
        url,
        min_size=0,  # otherwise asyncpg logs a traceback at each failed attempt to open one
        max_size=size,
        connection_class=_Connection,
        command_timeout=bounds.statement_timeout,
        server_settings={"application_name": "barcodesvc"},
        init=set_up,
    )
    try:
        async with opened.acquire(timeout=bounds.busy_timeout):  # fails now if the server refuses the settings
            pass
        yield Pool(opened, bounds, statements)
    finally:
        try:
            async with asyncio.timeout(CLOSE_WAIT):
                await opened.close()
        except ERRORS:  # a connection that hangs
            opened.terminate()
