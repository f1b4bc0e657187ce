"""What reading a workbook yields: sheets, rows and cells, the same for every file format.

Rule: a cell is text as the person sees it in the spreadsheet, or the reason why its content cannot be taken.
A row carries the number that stands beside it on the screen, and ends with its last cell that is not blank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, Self

from barcodesvc.models import shows_nothing

MAX_COLUMNS = 256
"""Columns that are looked at; what stands to the right of column IV is left out."""

MAX_ROWS = 1_048_576
"""Rows that a sheet can have (ECMA-376-1, 18.3.1.73; the bound of every spreadsheet program)."""

MAX_TEXT = 32_767
"""Characters of one cell that are read (the bound of every spreadsheet program)."""

KEPT_TEXT = 1_000
"""Characters of one cell that are kept: a small file can show a long text in a million cells."""
_BEGINNING = 400
_FILLING = "\u2026" * (KEPT_TEXT - _BEGINNING)

MAX_SHEETS = 256
"""Sheets that a workbook may have here."""


@dataclass(frozen=True, slots=True)
class CellProblem:
    """A cell whose content cannot be taken; `message` says why and what to do, `shown` what a person sees there."""

    message: str
    shown: str = ""


Cell = str | CellProblem
"""The text of a cell, `""` where it is blank."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One row that is not wholly blank; `number` counts from 1 and counts blank rows too."""

    number: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Worksheet:
    """One worksheet, named as on its tab; `hidden` is one whose tab the person does not see.

    `rows()` reads it anew, row by row, in the order of the file; hidden rows are rows like all others.
    `hidden_columns()` gives the 0-based columns that the person does not see, before any row is read.
    """

    title: str
    hidden: bool
    hidden_columns: Callable[[], frozenset[int]]
    rows: Callable[[], Iterator[SheetRow]]


class MaskedNumber(str):
    """A number under the format of a code, such as `05 Stk`, or, where the format does not pad, its digits.

    `number` is it alone, as a level has it, `code` with all characters that the person sees, as a code has it.
    """

    __slots__ = ("code", "number")
    number: str
    code: str

    def __new__(cls, shown: str, number: str, code: str) -> Self:
        """Return `shown`, which texts have."""
        text = super().__new__(cls, shown)
        text.number = number
        text.code = code
        return text


def kept_text(text: str) -> str:
    """Return the text of a cell as it is kept.

    One that is too long is kept as its beginning, filled up with 600 ellipses: so it stays too long for every field of
    a product, whatever white space is taken away from it.
    """
    if len(text) <= KEPT_TEXT:
        return text
    if len(text) <= MAX_TEXT and len(stripped := text.strip()) <= KEPT_TEXT:
        return stripped
    return text[:_BEGINNING] + _FILLING


def error_cell(name: str) -> CellProblem:
    """Return what an error cell such as `#N/A` counts as."""
    return CellProblem(f"holds the error {name}: correct it in the spreadsheet", name)


def is_blank(cells: list[Cell]) -> bool:
    """Return whether the person sees nothing in these cells."""
    for cell in cells:  # noqa: SIM110 - a generator costs several times as much as the first cell, which decides
        if cell != "" and (isinstance(cell, CellProblem) or not shows_nothing(cell)):
            return False
    return True


class Workbook(Protocol):
    """An open workbook of any format."""

    def sheets(self) -> Iterator[Worksheet]:
        """Yield the worksheets in the order of their tabs, the visible ones first and then the hidden ones.

        What a macro alone can show ("very hidden") is nobody's data and is left out.
        """
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...
