"""Injected clock: code that needs the time takes a Clock, so that tests can pass one that they control.

Rule: nothing else in the package calls time.time, time.monotonic or datetime.now. The one exception is the duration of
database statements, which is real time even under a test's clock.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo

LATEST = "9999-12-31T23:59:59.999Z"
"""A timestamp that is not before any other."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Two clocks in seconds: `wall` counts from 1970-01-01 UTC, `steady` never goes backwards."""

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic

    def timestamp(self) -> str:
        """Return the wall time as UTC, ISO 8601, milliseconds, `Z`."""
        return as_timestamp(datetime.fromtimestamp(self.wall(), UTC))

    def date_in(self, zone: tzinfo) -> date:
        """Return the current day in a time zone."""
        return datetime.fromtimestamp(self.wall(), zone).date()

    def year(self) -> int:
        """Return the current year (UTC)."""
        return time.gmtime(self.wall()).tm_year


def as_timestamp(moment: datetime) -> str:
    """Return an aware datetime in the service's format: UTC, milliseconds (truncated, not rounded), `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
