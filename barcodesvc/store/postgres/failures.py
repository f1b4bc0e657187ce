"""Classes of PostgreSQL's errors, by SQLSTATE (PostgreSQL's manual, appendix A): which go away by trying again.

    conflict    another transaction was in the way (classes 40 and 23): tried again, a change sees what that has made
    lost        the connection, or the server, has gone (class 08, 57P01 to 57P05, too many connections, 40003 where a
                cluster does not know): there may be another one in a moment

Both undo the transaction that meets them, unless they meet its commit: what became of that is unknown where the answer
was lost.
"""

from __future__ import annotations

from collections.abc import Callable

import asyncpg

from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import DatabaseFailure
from barcodesvc.store.failure_log import NOTHING_CHANGED, UNCONFIRMED, CauseLog, cause_of, cause_with_code
from barcodesvc.store.script import MetAnotherChangeError

ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
"""What asyncpg raises; TimeoutError is an OSError."""
_CONFLICTS = ("40", "23")
_LOST = ("08", "57P", "53300", "40003")


class UnconfirmedError(Exception):
    """The answer to a commit was lost."""


def state_of(error: BaseException) -> str:
    """Return the SQLSTATE of an error, "" where it has none."""
    return getattr(error, "sqlstate", None) or ""


def is_lost(error: BaseException) -> bool:
    """Return whether the connection has gone, or cannot be made now; what asyncpg finds wrong with a value is not."""
    if isinstance(error, asyncpg.PostgresError):
        return state_of(error).startswith(_LOST)
    if isinstance(error, (ValueError, TimeoutError)):
        return False
    return isinstance(error, (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError))


def is_worth_another_try(error: BaseException) -> bool:
    """Return whether the same may well be carried out in a moment."""
    return isinstance(error, MetAnotherChangeError) or state_of(error).startswith(_CONFLICTS) or is_lost(error)


def unusable(address: str, error: BaseException) -> str:
    """Return that no database answers at an address, and why; the password is not in it."""
    is_option = isinstance(error, (asyncpg.UndefinedObjectError, asyncpg.InvalidParameterValueError))
    where = "; it is an option of the address" if is_option else ""
    return f"{ServerAddress(address)} cannot be used: {cause_of(error)}{where}"


def unreadable(address: str) -> str:
    """Return that a part of an address is wrong, of which asyncpg's error may repeat too much."""
    return f"{ServerAddress(address)} cannot be used; look at its port and its options"


class FailureLog:
    """Logs what fails, and makes a failure of it."""

    def __init__(self, steady: Callable[[], float]) -> None:
        self._causes = CauseLog(steady)

    def failed(self, what: str, error: BaseException) -> DatabaseFailure:
        """Log what failed and why, or count it, and return it as a failure."""
        cause = (error.__cause__ if isinstance(error, UnconfirmedError) else None) or error
        self._causes.failed(what, cause_with_code(cause, state_of(error) or type(error).__name__))
        failure = DatabaseFailure(UNCONFIRMED if isinstance(error, UnconfirmedError) else NOTHING_CHANGED)
        failure.__cause__ = error
        return failure
