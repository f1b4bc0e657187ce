"""Classes of PostgreSQL's errors by SQLSTATE (PostgreSQL's manual, appendix A), and for which a retry may help.

    conflict    another transaction was in the way (class 40): retried, a change sees what that one wrote
    violation   another transaction may have inserted the same key (23505), or changed a limit that this one did not
                touch (23514): retried twice
    lost        the connection, or the server, is lost (class 08, 57P01 to 57P05, too many connections, 40003 from a
                cluster that does not know): there may be another one in a moment

Each rolls the transaction back, except at its commit: if the confirmation is lost, the outcome is unknown.
"""

from __future__ import annotations

from collections.abc import Callable

import asyncpg

from barcodesvc.errors import DatabaseFailure, UnconfirmedChange
from barcodesvc.store.failure_log import NOTHING_CHANGED, UNCONFIRMED, CauseLog, cause_with_code
from barcodesvc.store.script import ConflictError

ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
"""Errors that asyncpg raises; TimeoutError is an OSError."""
_CONFLICTS = ("40",)
_VIOLATIONS = ("23505", "23514")
_LOST = ("08", "57P", "53300", "40003")


class UnconfirmedError(Exception):
    """The confirmation of a commit was lost."""


def state_of(error: BaseException) -> str:
    """Return the SQLSTATE of an error, or "" if it has none."""
    return getattr(error, "sqlstate", None) or ""


def is_lost(error: BaseException) -> bool:
    """Return whether the connection is lost or cannot be made now; an error about a value is neither."""
    if isinstance(error, asyncpg.PostgresError):
        return state_of(error).startswith(_LOST)
    if isinstance(error, (ValueError, TimeoutError)):
        return False
    return isinstance(error, (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError))


def is_worth_another_try(error: BaseException) -> bool:
    """Return whether a retry may succeed."""
    is_conflict = isinstance(error, ConflictError) or state_of(error).startswith(_CONFLICTS)
    return is_conflict or is_violation(error) or is_lost(error)


def is_violation(error: BaseException) -> bool:
    """Return whether a constraint was violated, which another transaction may have caused."""
    return state_of(error) in _VIOLATIONS


class FailureLog:
    """Logs errors and turns them into failures."""

    def __init__(self, steady: Callable[[], float]) -> None:
        self._causes = CauseLog(steady)

    def failed(self, what: str, error: BaseException) -> DatabaseFailure:
        """Log what failed and why, or count it, and return the failure to raise."""
        cause = (error.__cause__ if isinstance(error, UnconfirmedError) else None) or error
        self._causes.failed(what, cause_with_code(cause, state_of(error) or type(error).__name__))
        unknown = isinstance(error, UnconfirmedError)
        failure = UnconfirmedChange(UNCONFIRMED) if unknown else DatabaseFailure(NOTHING_CHANGED)
        failure.__cause__ = error
        return failure
