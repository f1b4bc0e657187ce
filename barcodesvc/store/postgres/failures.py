"""Classes of PostgreSQL's errors by SQLSTATE (PostgreSQL's manual, appendix A), and which are worth a retry.

    conflict    another transaction was in the way (class 40): retried, a change sees what that one wrote
    violation   another transaction may have inserted the same key (23505), or changed a limit that this one did not
                touch (23514): retried twice
    lost        the connection, or the server, is lost (class 08, 57P01 to 57P05, too many connections, 40003 from a
                cluster that does not know): there may be another one in a moment

Each rolls the transaction back, except at its commit: if the confirmation is lost, the outcome is unknown.
"""

import asyncpg

from barcodesvc.store.limits import Failure
from barcodesvc.store.script import ConflictError

ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
"""Errors that asyncpg raises; TimeoutError is an OSError."""
_CONFLICTS = ("40",)
_VIOLATIONS = ("23505", "23514")
_LOST = ("08", "57P", "53300", "40003")


class UnconfirmedError(Exception):
    """The confirmation of a commit was lost."""


def is_lost(error: BaseException) -> bool:
    """Return whether the connection is lost or cannot be made now; an error about a value is neither."""
    if isinstance(error, asyncpg.PostgresError):
        return _state_of(error).startswith(_LOST)
    return isinstance(error, ERRORS) and not isinstance(error, (ValueError, TimeoutError))


def may_be_retried(error: BaseException) -> bool:
    """Return whether a retry may succeed."""
    is_conflict = isinstance(error, ConflictError) or _state_of(error).startswith(_CONFLICTS)
    return is_conflict or is_violation(error) or is_lost(error)


def is_violation(error: BaseException) -> bool:
    """Return whether a constraint was violated, which another transaction may have caused."""
    return _state_of(error) in _VIOLATIONS


def failure_of(_what: str, error: BaseException) -> Failure:
    """Return what is known of an error."""
    return Failure(_state_of(error), is_unconfirmed=isinstance(error, UnconfirmedError))


def _state_of(error: BaseException) -> str:
    return getattr(error, "sqlstate", None) or ""
