"""Low levels and products out of stock, as bounds for queries.

All such levels are at or below their minimum, so the index of low levels finds them. That is true of a level of 0, too:
no minimum is negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from barcodesvc.models import MAX_LEVEL, Level


@dataclass(frozen=True, slots=True)
class StockBounds:
    """Levels at or below their minimum and at most `most_level`, with a minimum of at least `least_minimum`."""

    least_minimum: int = 0
    most_level: int = MAX_LEVEL

    def include(self, level: Level) -> bool:
        """Return whether a level is within the bounds."""
        return self.least_minimum <= level.minimum_level >= level.current_level <= self.most_level


AT_OR_BELOW_MINIMUM = StockBounds()
"""Includes a level of 0 with a minimum of 0, which means no minimum."""
LOW = StockBounds(least_minimum=1)
OUT = StockBounds(most_level=0)


def bounds_of(stock: StockBounds | None) -> Mapping[str, int | None]:
    """Return the parameters of a query; None selects all levels."""
    if stock is None:
        return {"least_minimum": None, "most_level": None}
    return {"least_minimum": stock.least_minimum, "most_level": stock.most_level}
