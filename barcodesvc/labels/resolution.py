"""The resolution of a printer, and the lengths inside a label in its dots.

A symbol's modules are whole dots, so that no bar becomes wider or narrower than its neighbour. Printers can print and
scanners can read these sizes:

    bars      module 0.165 to 1.016 mm (the greatest X-dimension of the GS1 General Specifications, 5.12.3),
              height 5 to 40 mm; 8 mm and more are easy to hit with a scanner
    matrix    module from 0.25 mm; 0.42 mm and more are easy to read
"""

from dataclasses import dataclass
from math import ceil

from barcodesvc.symbols.modules import MM_PER_INCH

MM_PER_POINT = MM_PER_INCH / 72
_DOTS_PER_MM = {203: 8.0}
"""Printheads whose name is a rounded number: that of 203 dpi has 8 dots to the mm, which are 203.2 to the inch."""
ROUNDING = 1e-6
"""The error of computed lengths: what differs by less is equal."""
_GREATEST_MODULES_PER_INCH = 25
"""1.016 mm are a 25th of an inch."""
GREATEST_PADDING = 1.5
"""The widest strip along each edge of a label that remains empty, in mm."""
PADDING_PER_SIDE = 0.05
"""The same as a fraction of the label's shorter side; the smaller of both counts."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """Lengths in dots of a printer with `dpi` dots to the inch, as its maker names them."""

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
        return self.dots_per_mm * MM_PER_POINT

    def dots(self, millimetres: float) -> int:
        """Return the nearest whole number of dots."""
        return round(millimetres * self.dots_per_mm)

    def whole_dots(self, millimetres: float) -> int:
        """Return how many whole dots a length holds."""
        return int(millimetres * self.dots_per_mm + ROUNDING)


def resolution(dpi: int) -> Resolution:
    """Return the resolution of a printer."""
    per_mm = _DOTS_PER_MM.get(dpi, dpi / MM_PER_INCH)
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
