"""How long a part of the chaos takes: its full length, or as long as CI has time."""

from enum import Enum


class Extent(Enum):
    """FULL for a person who waits for the figures, BRIEF for CI."""

    FULL = "full"
    BRIEF = "brief"
