"""Query times, for an observer such as a histogram, and the log of slow queries.

The time of a read is that of its caller: the wait for the connection, the trip to its thread and back, and the query,
whether it succeeds or fails. Of a short change, whose queries share a trip, it is that of each query alone.

Rule: the name is reported and never a parameter, which may be somebody's data.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

_LOG = logging.getLogger(__name__)

Observe = Callable[[str, float], None]
"""Is called in the event loop after each named query with its name and its time in seconds."""


def unobserved(_name: str, _seconds: float) -> None:
    """Keep the time of a query to oneself."""


def warning_of_slow(observe: Observe, bound: float) -> Observe:
    """Return an observer that also logs a warning of each query over the bound in seconds; 0 is no bound."""
    if not bound:
        return observe

    def observed(name: str, seconds: float) -> None:
        if seconds > bound:
            _LOG.warning("slow query %s: %.3f s", name, seconds)
        observe(name, seconds)

    return observed
