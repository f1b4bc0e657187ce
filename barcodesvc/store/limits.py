"""Limits of work on a database: how many requests wait for it and how long, and how often its failures are logged.

Without limits a slow database would fill the memory with requests, and a full disk the log. An open snapshot holds a
connection, and the database keeps every row that it sees.

Rules: a request that exceeds a limit is refused as an overload, so its client can send it again later. The cause of a
failure, and the parameters of a query, may be personal data: the log has the one, responses have neither.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar

from barcodesvc.errors import DatabaseFailure, DatabaseOverload, ExportOverload, Overload, UnconfirmedChange

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

HEALTH_WAIT = 0.5
"""Seconds that each of the two questions of `Database.is_well` waits for its result."""
BATCH = 1000
"""Rows of a stream that are in memory at once."""
SNAPSHOTS = 4
SNAPSHOT_WAIT = 10.0
"""Seconds to wait for a slot."""
LOG_PAUSE = 60.0
"""Seconds during which the same cause is counted, not logged again."""
_MOST_CAUSES = 256

NOTHING_CHANGED = "the database could not carry out the operation; nothing was changed"
UNCONFIRMED = "the database did not confirm the change; check whether it was made before sending it again"


@dataclass(frozen=True, slots=True)
class DatabaseLimits:
    """Times in seconds, lengths of queues, and the number of connections to a server; tests have others."""

    busy_timeout: float = 15.0
    """How long a change waits for another process to unlock the database."""
    statement_timeout: float = 60.0
    """How much longer a statement may take: many times what the longest one needs, unless the disk hangs."""
    write_wait: float = 60.0
    """How long a change waits for earlier ones, such as an import; few clients wait longer for a response."""
    write_queue: int = 1000
    """Changes under way or waiting: what is written within a second, and half of the requests in flight."""
    read_queue: int = 1000
    """Reads waiting for one connection: half of the requests in flight."""
    connections: int = 10
    """Connections besides two for scans: eight processes fit into a server's own limit of 100."""

    @property
    def result_wait(self) -> float:
        """Seconds after which a statement that has not ended is abandoned."""
        return self.busy_timeout + self.statement_timeout


too_many_waiting = partial(DatabaseOverload, "too many requests are waiting for the database")
waited_too_long = partial(DatabaseOverload, "the database is busy; try again later", retry_after=10)
waited_for_long_change = partial(
    DatabaseOverload, "the database is busy with a long change; try again later", retry_after=10
)
too_many_snapshots = partial(
    ExportOverload, "too many exports and full lists are in progress; try again in a moment", retry_after=10
)


@asynccontextmanager
async def held(
    lock: asyncio.Lock | asyncio.Semaphore, wait: float, overload: Callable[[], Overload]
) -> AsyncIterator[None]:
    """Hold a lock or a slot inside the block; raises the overload if none becomes free within `wait` seconds."""
    try:
        async with asyncio.timeout(wait):
            await lock.acquire()
    except TimeoutError:
        raise overload() from None
    try:
        yield
    finally:
        lock.release()


def shielded(change: asyncio.Future[T]) -> asyncio.Future[T]:
    """Return the future result of a change, which continues if the caller is cancelled; then its exception is dropped.

    `asyncio.shield` alone lets asyncio log such an exception, whenever the change is garbage.
    """
    change.add_done_callback(lambda done: done.cancelled() or done.exception())
    return asyncio.shield(change)


def cause_of(error: BaseException) -> str:
    """Return the message of an error, or its class if it has none, such as a TimeoutError."""
    return str(error) or type(error).__name__


class Failure(NamedTuple):
    """What an engine knows of an error: its code, and whether a change may have been made in spite of it.

    `is_lasting` says that the database itself is broken, even if other statements succeed.
    """

    code: str = ""
    is_unconfirmed: bool = False
    is_lasting: bool = False


class FailureLog:
    """Logs each cause once in LOG_PAUSE, with the number of failures in between; `steady` reads a clock in seconds.

    `judge` says what the engine knows of an error in the statement, or other work, of this name.
    """

    def __init__(self, steady: Callable[[], float], judge: Callable[[str, BaseException], Failure]) -> None:
        self._steady = steady
        self._judge = judge
        self._logged: dict[str, tuple[float, int]] = {}
        self.is_broken = False
        """Whether the database was found broken, which `/health` reports until a restart."""

    def failed(self, what: str, error: BaseException) -> DatabaseFailure:
        """Log what failed and why, or count it, and return the failure to raise."""
        found = self._judge(what, error)
        self.is_broken = self.is_broken or found.is_lasting
        cause, code = cause_of(error), found.code or type(error).__name__
        self._log(what, cause if cause == code else f"{cause} ({code})")
        failure = UnconfirmedChange(UNCONFIRMED) if found.is_unconfirmed else DatabaseFailure(NOTHING_CHANGED)
        failure.__cause__ = error
        return failure

    def _log(self, what: str, cause: str) -> None:
        now = self._steady()
        logged, silent = self._logged.get(cause, (float("-inf"), 0))
        if now - logged < LOG_PAUSE:
            self._logged[cause] = logged, silent + 1
            return
        if len(self._logged) >= _MOST_CAUSES:
            self._logged.clear()
        self._logged[cause] = now, 0
        more = f"; {silent} more like it since it was last logged" if silent else ""
        _LOG.error("database failure in %s: %s%s", what, cause, more)


Observe = Callable[[str, float], None]
"""Called in the event loop after each named query, with its name and its time in seconds.

The time of a read is the time that its caller waits: for the connection, for the trip to its thread and back, and for
the query, whether it succeeds or fails. The queries of a change share a connection, so each has its time alone.
"""


def unobserved(_name: str, _seconds: float) -> None:
    """Ignore the time of a query."""


def warning_of_slow(observe: Observe, limit: float) -> Observe:
    """Return an observer that also logs a warning for each query over `limit` seconds; 0 means no limit."""
    if not limit:
        return observe

    def observed(name: str, seconds: float) -> None:
        if seconds > limit:
            _LOG.warning("slow query %s: %.3f s", name, seconds)
        observe(name, seconds)

    return observed
