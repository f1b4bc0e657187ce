"""The interface between encoders and writers: symbols made of modules.

A linear symbol is a row of bars and spaces, a matrix symbol a grid of modules. Encoders know symbologies, writers know
SVG, PNG and PDF; they have only the types of this file in common. All lengths are whole modules (multiples of the
X-dimension). Quiet zones are those that the symbology's standard requires, and are included in `width`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

MM_PER_INCH = 25.4
"""Resolutions are in dots per inch; the X-dimension, and what is printed, is in millimetres."""
_QUIET_ZONE = 10
"""Modules; the quiet zone of Code 128, GS1-128, Code 39, Code 93, Codabar, ITF and ITF-14."""


@dataclass(frozen=True, slots=True)
class Caption:
    """Human-readable text centred between two module columns, counted from the left edge of the quiet zone.

    share: its size relative to other captions; the outer digits of UPC are smaller.
    """

    text: str
    start: int
    stop: int
    share: float = 1


@dataclass(frozen=True, slots=True)
class AddOn:
    """The two or five digits next to an EAN or UPC symbol, whose bars begin lower, below their caption.

    start: the index of its first bar in the symbol's `runs` (ISO/IEC 15420 4.2.5).
    """

    start: int
    caption: Caption


@dataclass(frozen=True)
class Bars:
    """A linear symbol.

    runs: widths of bar, space, bar, … bar in modules, without the quiet zones, but including an add-on.
    guards: indexes into `runs` of the bars that extend down next to the text (EAN and UPC, ISO/IEC 15420 4.2).
    bearer: thickness of the lines along both ends of the bars, 0 if there are none; they keep a partial scan of an
    ITF-14 from being read as a shorter code (GS1 General Specifications 5.3.2.4).
    """

    runs: tuple[int, ...]
    quiet_left: int
    quiet_right: int
    captions: tuple[Caption, ...] = ()
    guards: frozenset[int] = frozenset()
    add_on: AddOn | None = None
    bearer: int = 0

    @cached_property
    def width(self) -> int:
        """Width in modules, both quiet zones included."""
        return self.quiet_left + sum(self.runs) + self.quiet_right

    @cached_property
    def has_digit_in_gap(self) -> bool:
        """Whether a caption is between the symbol and its add-on, so that the add-on's bars must not extend down."""
        if self.add_on is None:
            return False
        symbol_end = self.quiet_left + sum(self.runs[: self.add_on.start - 1])
        return any(caption.start >= symbol_end for caption in self.captions)


def captioned_bars(runs: tuple[int, ...], text: str, quiet: int = _QUIET_ZONE) -> Bars:
    """Return a linear symbol with `quiet` modules of quiet zone on either side and one caption below it."""
    return Bars(runs, quiet, quiet, (Caption(text, 0, sum(runs) + 2 * quiet),))


def run_lengths(modules: Iterable[object]) -> tuple[int, ...]:
    """Return the lengths of the runs of equal modules in a row that begins and ends dark."""
    return tuple(len(list(run)) for _, run in groupby(modules))


@dataclass(frozen=True)
class Matrix:
    """A two-dimensional symbol: `rows` has one byte for each module, 1 for dark, without the quiet zone."""

    rows: tuple[bytes, ...]
    quiet: int

    @cached_property
    def width(self) -> int:
        """Width in modules, both quiet zones included."""
        return len(self.rows[0]) + 2 * self.quiet

    @cached_property
    def height(self) -> int:
        """Height in modules, both quiet zones included."""
        return len(self.rows) + 2 * self.quiet


Symbol = Bars | Matrix
