"""The log of an engine's failures, and the messages that clients receive instead of their causes.

Rule: the cause of a failure is logged in one line, at most once a minute, and is never part of a response. Without the
limit a full disk would fill the log, too.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

_LOG = logging.getLogger(__name__)

NOTHING_CHANGED = "the database could not carry out the operation; nothing was changed"
UNCONFIRMED = "the database did not confirm the change; check whether it was made before sending it again"
LOG_PAUSE = 60.0
"""Seconds during which the same cause is counted, not logged again."""
_MOST_CAUSES = 256


def cause_of(error: BaseException) -> str:
    """Return the message of an error, or its class if it has none, such as a TimeoutError."""
    return str(error) or type(error).__name__


def cause_with_code(error: BaseException, code: str) -> str:
    """Return the message of an error, followed by its code, or by its class if it has no code."""
    cause, code = cause_of(error), code or type(error).__name__
    return cause if cause == code else f"{cause} ({code})"


class CauseLog:
    """Logs each cause once in LOG_PAUSE, with the number of failures in between; `steady` reads a clock in seconds."""

    def __init__(self, steady: Callable[[], float]) -> None:
        self._steady = steady
        self._logged: dict[str, float] = {}
        self._silent: dict[str, int] = {}

    def failed(self, what: str, cause: str) -> None:
        """Log what failed and why, or count it."""
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
