"""What a table that is written looks like: its columns, what their cells are, which rows are marked.

Rule: the kind of a column says what its cells are, never how a value looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

Values = Sequence[str | int | None]
"""One row: texts, whole numbers, None for a blank cell."""


class Kind(Enum):
    """What the cells of a column are; in CSV all of them are text."""

    CODE = "code"
    """Text whose zeros must survive whoever edits the sheet: each cell, and the column, is formatted as text."""
    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    """A timestamp such as `2026-01-31T12:00:00.000Z`; in a workbook a real date and time, shown with `UTC` behind."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; `width` is in characters, as spreadsheet programs count."""

    name: str
    kind: Kind
    width: int


@dataclass(frozen=True, slots=True)
class TableDesign:
    """A table: its title, its columns, and which of its rows are marked.

    `title` has at most 27 characters, which leaves room for the number of a continuation. `marked` names two columns:
    a row is marked where the first one's number is not above the second one's, also after somebody edits it.
    """

    title: str
    columns: tuple[Column, ...]
    marked: tuple[str, str] | None = None

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)
