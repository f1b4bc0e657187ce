"""A connection pool with bounds: how many connections there are, how many requests wait for one, and for how long.

Whatever is done on a connection is tried again where another transaction was in the way, or where the connection or the
server has gone: a restart of the server costs those who wait some seconds, and no error. There is a bound to that.

Rule: asyncpg's errors come out as DatabaseFailure.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import asyncpg

from barcodesvc.errors import DatabaseOverload
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.store.bounds import Bounds
from barcodesvc.store.postgres.failures import ERRORS, UnconfirmedError, is_lost, is_worth_another_try
from barcodesvc.store.postgres.session import Session, SnapshotSession, Use
from barcodesvc.store.script import MetAnotherChangeError

T = TypeVar("T")

SetUp = Callable[[asyncpg.Connection], Awaitable[None]]
"""What is done on a connection before anything else."""

PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Seconds before each further try, on the average: a server that is restarted is back within their sum."""
CLOSE_WAIT = 2.0
"""Seconds that the end waits for connections to close."""


class _Connection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """A connection that is given back as it is: no statement of this service leaves anything in a session."""

    def get_reset_query(self) -> str:
        """Return nothing to run, which spares each use a trip; a transaction that is open is undone all the same."""
        return ""


class Pool:
    """At most `size` connections, and `queue` uses of them that are under way or wait."""

    def __init__(self, pool: asyncpg.Pool, queue: int, wait: float, use: Use) -> None:
        self._pool = pool
        self._uses = Capacity(queue, _too_many_waiting)
        self._wait = wait
        self._use = use

    @property
    def under_way(self) -> int:
        """How many uses are under way or wait."""
        return self._uses.used

    async def do(
        self, what: str, work: Callable[[asyncpg.Connection, Session], Awaitable[T]], pauses: Sequence[float] = PAUSES
    ) -> T:
        """Do work on a connection, again where that may help; `what` names it in the log.

        Raises what the work raises, DatabaseFailure, and DatabaseOverload where too many wait or others did too long.
        """
        with self._uses.held():
            try:
                return await self._repeated(work, pauses)
            except (*ERRORS, UnconfirmedError, MetAnotherChangeError) as error:
                raise self._use.log.failed(what, error) from error

    @asynccontextmanager
    async def held(self) -> AsyncIterator[asyncpg.Connection]:
        """Hold a connection inside of the block; raises asyncpg's errors, and DatabaseOverload."""
        try:
            connection = await self._pool.acquire(timeout=self._wait)
        except TimeoutError:
            raise DatabaseOverload("the database is busy; try again later", retry_after=10) from None
        try:
            yield connection
        finally:
            await self._pool.release(connection)

    def with_queue(self, queue: int) -> Pool:
        """Return the same connections for uses that are counted apart."""
        return Pool(self._pool, queue, self._wait, self._use)

    def snapshot_session(self, connection: asyncpg.Connection) -> SnapshotSession:
        """Return a session for a connection that is held."""
        return SnapshotSession(connection, self._use)

    async def _repeated(
        self, work: Callable[[asyncpg.Connection, Session], Awaitable[T]], pauses: Sequence[float]
    ) -> T:
        for pause in pauses:
            try:
                return await self._once(work)
            except (*ERRORS, MetAnotherChangeError) as error:
                if not is_worth_another_try(error):
                    raise
                await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - apart, not secret
        return await self._once(work)

    async def _once(self, work: Callable[[asyncpg.Connection, Session], Awaitable[T]]) -> T:
        async with self.held() as connection:
            return await work(connection, Session(connection, self._use))


@asynccontextmanager
async def open_pool(address: str, size: int, bounds: Bounds, use: Use, set_up: SetUp) -> AsyncIterator[Pool]:
    """Open a pool on the server of this address and close it at the end; raises asyncpg's errors where none answers."""
    opened = await asyncpg.create_pool(
        address,
        min_size=1,
        max_size=size,
        connection_class=_Connection,
        command_timeout=bounds.statement_timeout,
        server_settings={"application_name": "barcodesvc"},
        init=set_up,
    )
    pool = Pool(opened, bounds.read_queue, bounds.write_wait, use)
    try:
        yield pool
    finally:
        await _close(opened)


async def _close(pool: asyncpg.Pool) -> None:
    """Close the connections; those that hang are left."""
    try:
        async with asyncio.timeout(CLOSE_WAIT):
            await pool.close()
    except ERRORS:
        pool.terminate()


async def commit(transaction: Any) -> None:
    """Commit; raises UnconfirmedError where nobody knows what became of it."""
    try:
        await transaction.commit()
    except ERRORS as error:
        if is_lost(error) or isinstance(error, TimeoutError):
            raise UnconfirmedError(str(error)) from error
        raise


def _too_many_waiting() -> DatabaseOverload:
    return DatabaseOverload("too many requests wait for the database")
