"""Properties and large tables: tests that hold for any case, with fewer cases in a brief run than in a full one.

The numbers of a full run are those in the tests, and `pytest --extent=full` takes them. A brief run draws a fifth of
the examples, and goes through tables in larger steps.
"""

from enum import Enum
from typing import Any

from hypothesis import settings

FEWEST = 5
"""The number of examples that a brief run draws at least, if a full one does."""


class Extent(Enum):
    """How many examples a run draws, as a divisor of the full number."""

    BRIEF = 5
    FULL = 1


_DEFAULT = 100
"""The number of examples of a property that names none."""


class _Run:
    extent = Extent.BRIEF


def choose(extent: Extent) -> None:
    """Set the extent of this run; it must be called before tests are imported."""
    _Run.extent = extent
    settings.register_profile("run", settings(max_examples=_DEFAULT // extent.value, deadline=None))
    settings.load_profile("run")


def every(full: int) -> int:
    """Return the step in which a test goes through a large table: `full` in a full run, four times that otherwise."""
    return full * (4 if _Run.extent is Extent.BRIEF else 1)


def examples(full: int, **options: Any) -> settings:
    """Return the decorator of a property: the number of its examples in a full run, and options of hypothesis.

    An example may take any time, so that no test depends on the speed of the machine.
    """
    drawn = max(full // _Run.extent.value, min(full, FEWEST))
    return settings(max_examples=drawn, deadline=None, **options)
