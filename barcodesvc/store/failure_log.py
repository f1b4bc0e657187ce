"""The log of what fails in an engine, and what those who wait are answered.

Rule: the cause of a failure stands in the log, in one line, and once a minute however often it comes; never in an
answer. Without that rule a full disk would fill the log as well.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

_LOG = logging.getLogger(__name__)

NOTHING_CHANGED = "the database did not carry out the operation; nothing was changed"
UNCONFIRMED = "the database did not confirm the change; look whether it was made before sending it again"
LOG_PAUSE = 60.0
"""Seconds for which the same cause is counted instead of being logged."""
_MOST_CAUSES = 256


def cause_of(error: BaseException) -> str:
    """Return what an error says, or its kind where it says nothing, as a TimeoutError does."""
    return str(error) or type(error).__name__


def cause_with_code(error: BaseException, code: str) -> str:
    """Return what an error says, behind it its code or, without one, its kind."""
    said, code = cause_of(error), code or type(error).__name__
    return said if said == code else f"{said} ({code})"


class CauseLog:
    """Logs each cause once in LOG_PAUSE, with how often it came meanwhile; `steady` reads a clock in seconds."""

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
