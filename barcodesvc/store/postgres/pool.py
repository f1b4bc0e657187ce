"""A connection pool with bounds: how many connections there are, how many requests wait for one, and for how long.

Whatever is done on a connection is tried again where another transaction was in the way, or where the connection or the
server has gone: a restart of the server costs those who wait some seconds, and no error. There is a bound to that.

Rule: asyncpg's errors come out as DatabaseFailure.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
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
            return await self._tried(what, lambda: self._once(work), pauses)

    @asynccontextmanager
    async def snapshot(self, begin: Callable[[asyncpg.Connection], Awaitable[Any]]) -> AsyncIterator[SnapshotSession]:
        """Hold a connection inside of the block, in the transaction that `begin` starts and returns; it is undone.

        Begins again where that may help, as `do`. Raises DatabaseFailure, and DatabaseOverload.
        """
        connection, held = await self._tried("a snapshot", lambda: self._begun(begin), PAUSES)
        async with held:
            yield SnapshotSession(connection, self._use)

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[asyncpg.Connection]:
        """Hold a connection inside of the block; raises asyncpg's errors, and DatabaseOverload."""
        try:
            connection = await self._pool.acquire(timeout=self._wait)
        except TimeoutError:
            raise DatabaseOverload("the database is busy; try again later", retry_after=10) from None
        try:
            yield connection
        finally:
            # one that cannot be given back is ended by asyncpg; what the block raises, as UnconfirmedError, says more
            with suppress(*ERRORS):
                await self._pool.release(connection)

    def with_queue(self, queue: int) -> Pool:
        """Return the same connections for uses that are counted apart."""
        return Pool(self._pool, queue, self._wait, self._use)

    async def _tried(self, what: str, once: Callable[[], Awaitable[T]], pauses: Sequence[float]) -> T:
        try:
            return await _repeated(once, pauses)
        except (*ERRORS, UnconfirmedError, MetAnotherChangeError) as error:
            raise self._use.log.failed(what, error) from error

    async def _once(self, work: Callable[[asyncpg.Connection, Session], Awaitable[T]]) -> T:
        async with self._held() as connection:
            return await work(connection, Session(connection, self._use))

    async def _begun(
        self, begin: Callable[[asyncpg.Connection], Awaitable[Any]]
    ) -> tuple[asyncpg.Connection, AsyncExitStack]:
        async with AsyncExitStack() as held:
            connection = await held.enter_async_context(self._held())
            held.push_async_callback(_undone, await begin(connection))
            return connection, held.pop_all()


async def _repeated(once: Callable[[], Awaitable[T]], pauses: Sequence[float]) -> T:
    for pause in pauses:
        try:
            return await once()
        except (*ERRORS, MetAnotherChangeError) as error:
            if not is_worth_another_try(error):
                raise
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - apart, not secret
    return await once()


async def _undone(transaction: Any) -> None:
    with suppress(*ERRORS):  # a connection that cannot undo it has gone, and the transaction with it
        await transaction.rollback()


@asynccontextmanager
async def open_pool(address: str, size: int, bounds: Bounds, use: Use, set_up: SetUp) -> AsyncIterator[Pool]:
    """Open a pool on the server of this address and close it at the end; raises asyncpg's errors where none answers."""
    opened = await asyncpg.create_pool(
        address,
        min_size=0,  # else it logs a traceback for each try to have one while the server is away
        max_size=size,
        connection_class=_Connection,
        command_timeout=bounds.statement_timeout,
        server_settings={"application_name": "barcodesvc"},
        init=set_up,
    )
    try:
        async with opened.acquire(timeout=bounds.busy_timeout):  # settings that the server refuses end the start
            pass
        yield Pool(opened, bounds.read_queue, bounds.write_wait, use)
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
