"""The resolution of a printer: what its dots make of the lengths inside a label.

A symbol's modules are whole dots, so that no bar becomes wider or narrower than its neighbour. Between the least and
the greatest module lies what printers print and scanners read:

    bars      module 0.165 to 1.016 mm (the greatest X-dimension of the GS1 General Specifications, 5.12.3),
              height 5 to 40 mm; 8 mm and more are easy to hit with a scanner
    matrix    module from 0.25 mm; 0.42 mm and more are easy to read
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

_MM_PER_INCH = 25.4
_POINTS_PER_INCH = 72
_GREATEST_MODULES_PER_INCH = 25
"""1.016 mm are a 25th of an inch."""
GREATEST_PADDING = 1.5
"""The strip along every edge of a label that stays empty, mm at the most."""
PADDING_PER_SIDE = 0.05
"""The same in parts of the label's shorter side, whichever is less."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """Lengths in dots of a printer with `dpi` dots to the inch."""

    dpi: int
    dots_per_mm: float
    least_bar_module: int
    greatest_bar_module: int
    least_bar_height: int
    easy_bar_height: int
    greatest_bar_height: int
    least_matrix_module: int
    easy_matrix_module: int
    gap: int
    greatest_padding: int

    @property
    def dots_per_point(self) -> float:
        """Dots in a 72nd of an inch."""
        return self.dpi / _POINTS_PER_INCH

    def dots(self, millimetres: float) -> int:
        """Return the nearest whole number of dots."""
        return round(millimetres * self.dots_per_mm)


def resolution(dpi: int) -> Resolution:
    """Return the resolution of a printer."""
    per_mm = dpi / _MM_PER_INCH
    return Resolution(
        dpi=dpi,
        dots_per_mm=per_mm,
        least_bar_module=ceil(0.165 * per_mm),
        greatest_bar_module=dpi // _GREATEST_MODULES_PER_INCH,
        least_bar_height=ceil(5 * per_mm),
        easy_bar_height=int(8 * per_mm),
        greatest_bar_height=int(40 * per_mm),
        least_matrix_module=ceil(0.25 * per_mm),
        easy_matrix_module=ceil(0.42 * per_mm),
        gap=round(0.7 * per_mm),
        greatest_padding=int(GREATEST_PADDING * per_mm),
    )
