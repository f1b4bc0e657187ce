"""Figures with their targets, printed as lines or as rows of a table, and the run of the parts that measure them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Unit = Literal["x", "%", "s", "ms", "MB", "MiB", ""]
"""The last one is for counts."""
_FORMATS: dict[Unit, str] = {
    "x": "{:.2f} x",
    "%": "{:.1%}",
    "s": "{:.2f} s",
    "ms": "{:.2f} ms",
    "MB": "{:.1f} MB",
    "MiB": "{:.1f} MiB",
    "": "{:,.0f}",
}


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a figure, inclusive."""

    bound: float
    side: Literal["at least", "at most"]

    def is_reached(self, value: float) -> bool:
        """Tell whether the value reaches the target."""
        return value >= self.bound if self.side == "at least" else value <= self.bound


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value; `note` says what it was computed from, or how to read it."""

    name: str
    value: float
    unit: Unit
    target: Target | None = None
    note: str = ""

    def row(self, command: str, date: str) -> str:
        """Return the figure as a row of a Markdown table, with the command that measured it, and when."""
        target = f"{self.target.side} {_shown(self.target.bound, self.unit)}" if self.target else ""
        cells = (self.name, _shown(self.value, self.unit), target, self.note, f"`{command}`", date)
        return "".join(f"| {cell} " if cell else "| " for cell in cells) + "|"

    def __str__(self) -> str:
        """Return the figure as one or two lines."""
        line = f"  {self.name:<64} {_shown(self.value, self.unit):>10}"
        if self.target:
            verdict = "reached" if self.target.is_reached(self.value) else "MISSED"
            line += f"   target: {self.target.side} {_shown(self.target.bound, self.unit)}, {verdict}"
        return f"{line}\n      {self.note}" if self.note else line


HEADER = "| figure | result | target | details | command | date |\n|---|---|---|---|---|---|"
"""The head of a table of `Figure.row`."""
Part = Callable[[], Iterable[Figure]]
Subjects = Mapping[str, Mapping[str, Part]]
"""The parts of each subject, by the names of both."""


def at_least(bound: float) -> Target:
    """Return a target that greater values reach."""
    return Target(bound, "at least")


def at_most(bound: float) -> Target:
    """Return a target that smaller values reach."""
    return Target(bound, "at most")


def run(subjects: Subjects, names: Sequence[str]) -> Iterator[tuple[str, Figure]]:
    """Run the parts of a subject, or of all without a name; print each figure, and yield it with the name of its part.

    Raises LookupError for a name that does not exist.
    """
    wanted = set(names[1:])
    for subject in names[:1] or subjects:
        if subject not in subjects or wanted - set(subjects[subject]):
            raise LookupError(" ".join(names))
        for name, part in subjects[subject].items():
            if name in wanted or not wanted:
                print(f"\n{subject} {name}", flush=True)
                for figure in part():
                    print(figure, flush=True)
                    yield f"{subject} {name}", figure


def missed(figures: Iterable[Figure]) -> list[str]:
    """Return the names of the figures that miss their targets."""
    return [figure.name for figure in figures if figure.target and not figure.target.is_reached(figure.value)]


def summary(figures: Collection[Figure]) -> str:
    """Return how many targets were reached, and which were not."""
    held, not_reached = sum(1 for figure in figures if figure.target), missed(figures)
    counted = f"{held - len(not_reached)} of {held} targets reached"
    return f"{counted}; missed: {'; '.join(not_reached)}" if not_reached else counted


def _shown(value: float, unit: Unit) -> str:
    return _FORMATS[unit].format(value)
