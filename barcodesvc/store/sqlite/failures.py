"""Classes of SQLite's errors: faults of the disk or the file, and those after which a connection is unusable."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from barcodesvc.errors import DatabaseFailure, UnconfirmedChange
from barcodesvc.store.failure_log import NOTHING_CHANGED, UNCONFIRMED, CauseLog, cause_with_code

COMMIT = "COMMIT"
ROLLBACK = "ROLLBACK"

_PRIMARY = 0xFF
_FATAL = frozenset(
    {
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    }
)
_FAULTS = _FATAL | {sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY}
_LASTING = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class StatementError(Exception):
    """A statement has failed; the cause is an error of sqlite3, or of Python about its parameters."""

    def __init__(self, statement: str, cause: BaseException) -> None:
        super().__init__(statement)
        self.statement = statement
        self.cause = cause


class StatementTimeoutError(Exception):
    """A statement did not end within its time limit."""


class MovedFileError(Exception):
    """Another file, or none, is at the path of the database."""


def code_of(error: BaseException) -> int:
    """Return SQLite's primary code of the error, or 0 if it has none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & _PRIMARY


def is_fault(error: BaseException) -> bool:
    """Return whether disk, file, memory or another process is the cause, and not the statement."""
    return isinstance(error, (StatementTimeoutError, MovedFileError, OSError, MemoryError)) or code_of(error) in _FAULTS


def is_fatal(error: BaseException) -> bool:
    """Return whether the connection can no longer be used after the error."""
    return code_of(error) in _FATAL


def is_read_only(error: BaseException) -> bool:
    """Return whether the file, or the index of its log, cannot be written."""
    return code_of(error) == sqlite3.SQLITE_READONLY


def is_lasting(error: BaseException) -> bool:
    """Return whether the file itself is broken, even if other statements succeed."""
    return isinstance(error, MovedFileError) or code_of(error) in _LASTING


def failure_of(what: str, error: BaseException) -> DatabaseFailure:
    """Return the failure of a statement; a commit that the disk interrupted may reappear after a crash."""
    unknown = what == COMMIT and (isinstance(error, StatementTimeoutError) or code_of(error) == sqlite3.SQLITE_IOERR)
    failure = UnconfirmedChange(UNCONFIRMED) if unknown else DatabaseFailure(NOTHING_CHANGED)
    failure.__cause__ = error
    return failure


class FailureLog:
    """Logs each cause as `CauseLog` does, and remembers whether the file is broken."""

    def __init__(self, steady: Callable[[], float]) -> None:
        self._causes = CauseLog(steady)
        self.file_is_broken = False
        """Whether the file or one of its pages was found broken, which `/health` reports until a restart."""

    def failed(self, what: str, error: BaseException) -> DatabaseFailure:
        """Log what failed and why, or count it, and return it as a failure."""
        self.file_is_broken = self.file_is_broken or is_lasting(error)
        self._causes.failed(what, cause_with_code(error, getattr(error, "sqlite_errorname", "")))
        return failure_of(what, error)
