"""Classes of SQLite's errors: which are faults of disk and file, which of them a connection does not outlive."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from barcodesvc.errors import DatabaseFailure
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
    """A statement has failed; the cause is sqlite3's error, or what Python made of its parameters."""

    def __init__(self, statement: str, cause: BaseException) -> None:
        super().__init__(statement)
        self.statement = statement
        self.cause = cause


class StuckError(Exception):
    """A statement did not end within its bound."""


class MovedFileError(Exception):
    """Another file, or none, stands at the path of the database."""


def code_of(error: BaseException) -> int:
    """Return SQLite's primary code of the error, 0 where it has none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & _PRIMARY


def is_fault(error: BaseException) -> bool:
    """Return whether disk, file, memory or another process is the cause, and not the statement."""
    return isinstance(error, (StuckError, MovedFileError, OSError, MemoryError)) or code_of(error) in _FAULTS


def is_fatal(error: BaseException) -> bool:
    """Return whether the connection that met the error cannot be used on."""
    return code_of(error) in _FATAL


def is_read_only(error: BaseException) -> bool:
    """Return whether the file, or the index of its log, was opened where it could not be written."""
    return code_of(error) == sqlite3.SQLITE_READONLY


def is_lasting(error: BaseException) -> bool:
    """Return whether something is wrong with the file itself, which others may never meet."""
    return isinstance(error, MovedFileError) or code_of(error) in _LASTING


def failure_of(what: str, error: BaseException) -> DatabaseFailure:
    """Return the failure of a statement; a commit that the disk broke off may come back after a crash."""
    unknown = what == COMMIT and (isinstance(error, StuckError) or code_of(error) == sqlite3.SQLITE_IOERR)
    failure = DatabaseFailure(UNCONFIRMED if unknown else NOTHING_CHANGED)
    failure.__cause__ = error
    return failure


class FailureLog:
    """Logs each cause as `CauseLog` does, and remembers whether one of them lasts."""

    def __init__(self, steady: Callable[[], float]) -> None:
        self._causes = CauseLog(steady)
        self.file_is_broken = False
        """Whether a page or the file itself was found broken: `/health` says so until a restart finds it in order."""

    def failed(self, what: str, error: BaseException) -> DatabaseFailure:
        """Log what failed and why, or count it, and return it as a failure."""
        self.file_is_broken = self.file_is_broken or is_lasting(error)
        self._causes.failed(what, cause_with_code(error, getattr(error, "sqlite_errorname", "")))
        return failure_of(what, error)
