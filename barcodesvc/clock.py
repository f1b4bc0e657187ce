"""The injected clock: whoever needs the time takes a Clock, and a test brings its own.

Rule: nothing else in the package calls time.time, time.monotonic or datetime.now. One thing is real time even where a
test's clock stands still: how long a statement of the database takes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Clock:
    """Two clocks in seconds: `wall` since 1970-01-01 UTC, `steady` never going backwards."""

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic

    def timestamp(self) -> str:
        """Return the wall time as UTC, ISO 8601, milliseconds, `Z`."""
        return as_timestamp(datetime.fromtimestamp(self.wall(), UTC))

    def year(self) -> int:
        """Return the present year (UTC)."""
        return time.gmtime(self.wall()).tm_year


def as_timestamp(moment: datetime) -> str:
    """Return an aware moment as the service writes time: UTC, milliseconds (cut, not rounded), `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
