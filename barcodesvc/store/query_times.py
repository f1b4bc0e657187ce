"""Query times, for an observer such as a histogram, and the log of slow queries.

The time of a read is the time that its caller waits: for the connection, for the trip to its thread and back, and for
the query, whether it succeeds or fails. The queries of a short change share a trip, so each has its time alone.

Rule: only names are reported. Parameters may be personal data.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

_LOG = logging.getLogger(__name__)

Observe = Callable[[str, float], None]
"""Called in the event loop after each named query, with its name and its time in seconds."""


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
