"""What an encoder yields and a writer needs: modules, and nothing else.

A linear symbol is a row of bars and spaces counted in modules; a matrix symbol is a grid of them. Encoders know
symbologies, writers know SVG, PNG and PDF, and they meet only in the two types of this file. All lengths are
whole modules (multiples of the X-dimension); quiet zones are those that the symbology's standard demands and are
counted in `width`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

_QUIET_ZONE = 10
"""What Code 128, GS1-128, Code 39, Code 93, Codabar, ITF and ITF-14 have in common."""


@dataclass(frozen=True, slots=True)
class Caption:
    """Human-readable text centred between two module columns, counted from the left edge of the quiet zone.

    share: its size beside that of other captions; the outer digits of UPC are smaller ones.
    """

    text: str
    start: int
    stop: int
    share: float = 1


@dataclass(frozen=True, slots=True)
class AddOn:
    """The two or five digits beside an EAN or UPC symbol: their bars begin lower, below their own caption.

    start: index into the symbol's `runs` of the first bar that belongs to it (ISO/IEC 15420 4.2.5).
    """

    start: int
    caption: Caption


@dataclass(frozen=True)
class Bars:
    """A linear symbol.

    runs: widths in modules of bar, space, bar, … bar, without the quiet zones; an add-on's are among them.
    guards: indexes into `runs` of the bars that reach down beside the text (EAN and UPC, ISO/IEC 15420 4.2).
    bearer: thickness of the lines along both ends of the bars, none where it is 0; a scan that leaves an ITF-14 through
    them cannot be taken for a shorter code (GS1 General Specifications 5.3.2.4).
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
        """Whether a caption stands between the symbol and its add-on, whose bars then must not reach down beside it."""
        if self.add_on is None:
            return False
        symbol_end = self.quiet_left + sum(self.runs[: self.add_on.start - 1])
        return any(caption.start >= symbol_end for caption in self.captions)


def captioned_bars(runs: tuple[int, ...], text: str, quiet: int = _QUIET_ZONE) -> Bars:
    """Return a linear symbol with `quiet` modules of quiet zone on either side and one caption below all of it."""
    return Bars(runs, quiet, quiet, (Caption(text, 0, sum(runs) + 2 * quiet),))


def run_lengths(modules: Iterable[object]) -> tuple[int, ...]:
    """Return how many equal modules follow each other, in order: the `runs` of a row that begins and ends dark."""
    return tuple(len(list(run)) for _, run in groupby(modules))


@dataclass(frozen=True)
class Matrix:
    """A two-dimensional symbol: `rows` holds one byte a module, 1 for dark, without the quiet zone."""

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
