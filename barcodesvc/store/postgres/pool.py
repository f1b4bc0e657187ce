"""A connection pool with limits: how many connections there are, and how long a request waits for one.

Work on a connection is retried, a limited number of times, after a conflict with another transaction, and after the
connection or the server is lost: a restart of the server costs waiting requests some seconds, and no error.

Rule: asyncpg's errors leave this module as DatabaseFailure.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, TypeVar

import asyncpg

from barcodesvc.store.limits import DatabaseLimits, cause_of, waited_too_long
from barcodesvc.store.postgres.failures import ERRORS, UnconfirmedError, is_lost, is_violation, may_be_retried
from barcodesvc.store.postgres.session import EngineContext, Session, SnapshotSession
from barcodesvc.store.script import ConflictError

T = TypeVar("T")

SetUp = Callable[[asyncpg.Connection], Awaitable[None]]
"""Prepares a new connection."""

PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Seconds before each retry, on average: a server that restarts is back within their sum."""
MOST_VIOLATIONS = 2
"""Violations of a constraint after which work is retried: one that lasts would fail each time."""
CLOSE_WAIT = 2.0
"""Seconds to wait for connections to close."""


class _Connection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """A connection that is not reset when it is released: no statement of this service leaves anything in a session."""

    def get_reset_query(self) -> str:
        """Return no query, which saves a trip at each release; an open transaction is still rolled back."""
        return ""


class Pool:
    """Connections to one database; `wait` is how many seconds a request waits for one."""

    def __init__(self, pool: asyncpg.Pool, wait: float, context: EngineContext) -> None:
        self._pool = pool
        self._wait = wait
        self._context = context

    async def do(
        self, what: str, work: Callable[[asyncpg.Connection, Session], Awaitable[T]], pauses: Sequence[float] = PAUSES
    ) -> T:
        """Do work on a connection, with retries where they may help; `what` names it in the log.

        Raises what the work raises, DatabaseFailure, and DatabaseOverload if no connection was free in time.
        """
        return await self._tried(what, lambda: self._once(work), pauses)

    @asynccontextmanager
    async def snapshot(self, begin: Callable[[asyncpg.Connection], Awaitable[Any]]) -> AsyncIterator[SnapshotSession]:
        """Hold a connection inside the block, in the transaction that `begin` starts and returns; it is rolled back.

        Retries as `do` does. Raises DatabaseFailure, and DatabaseOverload.
        """
        connection, held = await self._tried("a snapshot", lambda: self._begun(begin), PAUSES)
        async with held:
            yield SnapshotSession(connection, self._context)

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[asyncpg.Connection]:
        """Hold a connection inside the block; raises asyncpg's errors, and DatabaseOverload."""
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

    async def _tried(self, what: str, once: Callable[[], Awaitable[T]], pauses: Sequence[float]) -> T:
        try:
            return await _repeated(once, pauses)
        except (*ERRORS, UnconfirmedError, ConflictError) as error:
            raise self._context.log.failed(what, error) from error

    async def _once(self, work: Callable[[asyncpg.Connection, Session], Awaitable[T]]) -> T:
        async with self._held() as connection:
            return await work(connection, Session(connection, self._context))

    async def _begun(
        self, begin: Callable[[asyncpg.Connection], Awaitable[Any]]
    ) -> tuple[asyncpg.Connection, AsyncExitStack]:
        async with AsyncExitStack() as held:
            connection = await held.enter_async_context(self._held())
            held.push_async_callback(_undone, await begin(connection))
            return connection, held.pop_all()


async def _repeated(once: Callable[[], Awaitable[T]], pauses: Sequence[float]) -> T:
    violations = 0
    for pause in pauses:
        try:
            return await once()
        except (*ERRORS, ConflictError) as error:
            violations += is_violation(error)
            if violations > MOST_VIOLATIONS or not may_be_retried(error):
                raise
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - apart, not secret
    return await once()


async def _undone(transaction: Any) -> None:
    with suppress(*ERRORS):  # a transaction ends with its connection
        await transaction.rollback()


@asynccontextmanager
async def open_pool(
    address: str, size: int, limits: DatabaseLimits, context: EngineContext, set_up: SetUp
) -> AsyncIterator[Pool]:
    """Open a pool on a server and close it at the end; raises asyncpg's errors if the server does not respond."""
    opened = await asyncpg.create_pool(
        address,
        min_size=0,  # otherwise asyncpg logs a traceback at each failed attempt to open one
        max_size=size,
        connection_class=_Connection,
        command_timeout=limits.statement_timeout,
        server_settings={"application_name": "barcodesvc"},
        init=set_up,
    )
    try:
        async with opened.acquire(timeout=limits.busy_timeout):  # fails now if the server refuses the settings
            pass
        yield Pool(opened, limits.write_wait, context)
    finally:
        await _close(opened)


async def _close(pool: asyncpg.Pool) -> None:
    """Close the connections; do not wait for those that hang."""
    try:
        async with asyncio.timeout(CLOSE_WAIT):
            await pool.close()
    except ERRORS:
        pool.terminate()


async def commit(transaction: Any) -> None:
    """Commit; raises UnconfirmedError if its outcome is unknown."""
    try:
        await transaction.commit()
    except ERRORS as error:
        if is_lost(error) or isinstance(error, TimeoutError):
            raise UnconfirmedError(cause_of(error)) from error
        raise
