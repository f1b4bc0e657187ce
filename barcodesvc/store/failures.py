"""What SQLite's errors mean: which are faults of disk and file, which of them a connection does not outlive.

Rule: the cause of a failure stands in the log, in one line, and once a minute however often it comes; never in an
answer.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable

from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.file_identity import UnconfirmedError

_LOG = logging.getLogger(__name__)

NOTHING_CHANGED = "the database did not carry out the operation; nothing was changed"
UNCONFIRMED = "the database did not confirm the change; look whether it was made before sending it again"
LOG_PAUSE = 60.0
"""Seconds for which the same cause is counted instead of being logged."""

_MOST_CAUSES = 256
_PRIMARY = 0xFF
_UNSOUND = frozenset(
    {
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    }
)
_FAULTS = _UNSOUND | {sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY}
_BREAKS_FILE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class StuckError(sqlite3.OperationalError):
    """A statement did not end within its bound, and nothing else did on its connection."""


def code_of(error: BaseException) -> int:
    """Return SQLite's primary code of the error, 0 where it has none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & _PRIMARY


def is_fault(error: BaseException) -> bool:
    """Tell whether disk, file, memory or another process is the cause, and not the statement."""
    return isinstance(error, (StuckError, OSError, MemoryError)) or code_of(error) in _FAULTS


def breaks_file(error: BaseException) -> bool:
    """Tell whether something in the file is wrong, which others may never meet."""
    return code_of(error) in _BREAKS_FILE


def outlives(error: BaseException) -> bool:
    """Tell whether a connection can be used on after this error."""
    return not isinstance(error, StuckError) and code_of(error) not in _UNSOUND


def failure_of(what: str, error: BaseException) -> DatabaseFailure:
    """Return what a caller is told; a COMMIT that the disk broke off may come back after a crash."""
    broken_off = isinstance(error, (StuckError, UnconfirmedError, MemoryError))
    unknown = what == "COMMIT" and (broken_off or code_of(error) == sqlite3.SQLITE_IOERR)
    return DatabaseFailure(UNCONFIRMED if unknown else NOTHING_CHANGED)


class FailureLog:
    """Logs each cause once in LOG_PAUSE, with how often it came meanwhile."""

    def __init__(self, steady: Callable[[], float]) -> None:
        self._steady = steady
        self._logged: dict[str, float] = {}
        self._silent: dict[str, int] = {}

    def tell(self, what: str, error: BaseException) -> None:
        """Log what failed and why, or count it."""
        cause = f"{error} ({getattr(error, 'sqlite_errorname', None) or type(error).__name__})"
        now = self._steady()
        if now - self._logged.get(cause, float("-inf")) < LOG_PAUSE:
            self._silent[cause] = self._silent.get(cause, 0) + 1
            return
        if len(self._logged) >= _MOST_CAUSES:
            self._logged.clear()
            self._silent.clear()
        self._logged[cause] = now
        silent = self._silent.pop(cause, 0)
        more = f"; {silent} more like it since it was last logged" if silent else ""
        _LOG.error("database failure in %s: %s%s", what, cause, more)
