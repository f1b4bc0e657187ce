"""How a figure is printed: its value, the target beside it, and whether that was reached."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Unit = Literal["x", "%", "ms", "MB", "MiB"]
_FORMATS: dict[Unit, str] = {"x": "{:.2f} x", "%": "{:.1%}", "ms": "{:.2f} ms", "MB": "{:.1f} MB", "MiB": "{:.1f} MiB"}


@dataclass(frozen=True, slots=True)
class Target:
    """What a figure is held against, inclusive."""

    bound: float
    side: Literal["at least", "at most"]

    def is_reached(self, value: float) -> bool:
        """Tell whether the value keeps to the target."""
        return value >= self.bound if self.side == "at least" else value <= self.bound


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value; `beside` is what it was computed from, or how to read it."""

    name: str
    value: float
    unit: Unit
    target: Target | None = None
    beside: str = ""

    def __str__(self) -> str:
        """Return the figure as one or two lines."""
        line = f"  {self.name:<64} {_shown(self.value, self.unit):>10}"
        if self.target:
            verdict = "reached" if self.target.is_reached(self.value) else "MISSED"
            line += f"   target: {self.target.side} {_shown(self.target.bound, self.unit)}, {verdict}"
        return f"{line}\n      {self.beside}" if self.beside else line


def at_least(bound: float) -> Target:
    """Return a target that greater values reach."""
    return Target(bound, "at least")


def at_most(bound: float) -> Target:
    """Return a target that smaller values reach."""
    return Target(bound, "at most")


def summary(figures: Iterable[Figure]) -> str:
    """Return how many targets were reached, and which were not."""
    held = [figure for figure in figures if figure.target]
    missed = [figure.name for figure in held if figure.target and not figure.target.is_reached(figure.value)]
    counted = f"{len(held) - len(missed)} of {len(held)} targets reached"
    return f"{counted}; missed: {'; '.join(missed)}" if missed else counted


def _shown(value: float, unit: Unit) -> str:
    return _FORMATS[unit].format(value)
