"""Classes of SQLite's errors: faults of the disk or the file, and those after which a connection is unusable."""

import sqlite3

from barcodesvc.store.limits import Failure

COMMIT = "COMMIT"
ROLLBACK = "ROLLBACK"

_PRIMARY = 0xFF
_LASTING = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_FATAL = _LASTING | {
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}
_FAULTS = _FATAL | {sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY}


class StatementError(Exception):
    """A statement has failed; the cause is an error of sqlite3, or of Python about its parameters."""

    def __init__(self, statement: str, cause: BaseException) -> None:
        super().__init__(statement)
        self.statement = statement
        self.cause = cause


class StatementTimeoutError(Exception):
    """A statement did not end within its time limit."""


def code_of(error: BaseException) -> int:
    """Return SQLite's primary code of the error, or 0 if it has none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & _PRIMARY


def is_fault(error: BaseException) -> bool:
    """Return whether disk, file, memory or another process is the cause, and not the statement."""
    return isinstance(error, (StatementTimeoutError, OSError, MemoryError)) or code_of(error) in _FAULTS


def is_fatal(error: BaseException) -> bool:
    """Return whether the connection can no longer be used after the error."""
    return code_of(error) in _FATAL


def failure_of(what: str, error: BaseException) -> Failure:
    """Return what is known of an error; a commit that the disk interrupted may reappear after a crash."""
    is_broken_off = isinstance(error, StatementTimeoutError) or code_of(error) == sqlite3.SQLITE_IOERR
    is_lasting = isinstance(error, OSError) or code_of(error) in _LASTING
    return Failure(getattr(error, "sqlite_errorname", ""), what == COMMIT and is_broken_off, is_lasting)
