"""The design of a table that is written: its columns, the kinds of their cells, and the marked rows.

Rule: the kind of a column decides the type of its cells, never the form of a value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

Values = Sequence[str | int | None]
"""A row of texts and whole numbers; None is a blank cell."""


class Kind(Enum):
    """The type of a column's cells; in CSV all cells are text."""

    CODE = "code"
    """Text whose leading zeros must survive edits: each cell, and the column, is formatted as text."""
    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    """A timestamp such as `2026-01-31T12:00:00.000Z`; in a workbook a date and time whose format appends `UTC`."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; `width` is in characters, as in spreadsheet programs."""

    name: str
    kind: Kind
    width: int


@dataclass(frozen=True, slots=True)
class TableDesign:
    """A table: its title, its columns, and the condition of marked rows.

    `title` has at most 27 characters, to leave room for the number of a continuation. `marked` names two columns: a row
    is marked while the number in the first is at most that in the second, even after edits.
    """

    title: str
    columns: tuple[Column, ...]
    marked: tuple[str, str] | None = None

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)
