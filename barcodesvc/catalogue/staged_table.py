"""Staging: the table of a workbook becomes a file of valid rows, which an import then writes in one transaction.

All that takes time and knows nothing of the stored catalogue is done here, so that it can be done in a process of its
own: reading, validating, finding repeats, deriving search keys. Rule: every row of the table is either in the file or
counted among the errors.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from barcodesvc.catalogue.rows import CatalogueRow, RowProblem, WrongCell, open_catalogue
from barcodesvc.catalogue.table import RecognisedTable, Selection
from barcodesvc.store.database import Staging
from barcodesvc.store.staging import StagedRows, ValidRow

MOST_ERRORS = 1000
"""Row errors that are kept, the first ones of the sheet; the others are counted."""


@dataclass(frozen=True, slots=True)
class WrongRow:
    """Why a row was not imported; `row` is the number beside it in the spreadsheet."""

    row: int
    error: str
    problems: tuple[WrongCell, ...]


@dataclass(slots=True)
class FirstErrors:
    """The `most` errors of the lowest rows, in whatever order they come, and the number of all."""

    most: int = MOST_ERRORS
    count: int = 0
    _kept: list[tuple[int, int, WrongRow]] = field(default_factory=list)

    def add(self, error: WrongRow) -> None:
        """Count the error, and keep it if it is among the first so far."""
        self.count += 1
        entry = (-error.row, -self.count, error)
        if len(self._kept) < self.most:
            heapq.heappush(self._kept, entry)
        else:
            heapq.heappushpop(self._kept, entry)

    def copy(self) -> FirstErrors:
        """Return the same errors, to which others can be added."""
        return replace(self, _kept=[*self._kept])

    def in_order(self) -> list[WrongRow]:
        """Return what is kept, by row."""
        return [error for _, _, error in sorted(self._kept, reverse=True)]


@dataclass(frozen=True, slots=True)
class StagedTable:
    """A table that was staged: what was recognised, how many rows are valid, and the errors of the others."""

    found: RecognisedTable
    rows: int
    refused: FirstErrors


def row_error(problem: RowProblem) -> WrongRow:
    """Return the error that a problem is reported as."""
    return WrongRow(problem.number, problem.message, problem.problems)


class ReadSoFar(NamedTuple):
    """How many rows were read, and how many of them are errors."""

    rows: int
    errors: int


def stage_table(
    report: Callable[[ReadSoFar], None], path: Path, selection: Selection, staged: Path, staging: Staging
) -> StagedTable:
    """Put the workbook's table into the empty file `staged`, reporting after each batch how much was read so far.

    `staging` is how the database wants the rows put aside.

    Raises what `open_catalogue` raises, and DatabaseFailure if the file cannot be written.
    """
    with open_catalogue(path, selection) as table, staging(staged) as file:
        valid, read = StagedRows(file), 0
        sorting = _Sorting()
        for rows in table.batches():
            valid.put(sorting.valid(rows))
            read += len(rows)
            report(ReadSoFar(read, sorting.refused.count))
        return StagedTable(table.found, valid.rows, sorting.refused)


class _Sorting:
    """What has to be remembered from batch to batch: codes with their first rows, and errors."""

    def __init__(self) -> None:
        self._first_rows: dict[str, int] = {}
        self.refused = FirstErrors()

    def valid(self, rows: Iterable[CatalogueRow]) -> Iterator[ValidRow]:
        """Yield the valid ones of some rows; the others are added to `refused`."""
        for row in rows:
            code = row.product_code if isinstance(row, RowProblem) else row.draft.product_code
            first = self._first_rows.get(code)
            if first is None and code:
                self._first_rows[code] = row.number
            if isinstance(row, RowProblem):
                self.refused.add(row_error(row))
            elif first is not None:
                self.refused.add(row_error(_repeat(row.number, code, first)))
            else:
                yield row


def _repeat(row: int, code: str, first: int) -> RowProblem:
    refusal = WrongCell("product_code", code[:40], "repeat", f"{code!r} is already in row {first}")
    return RowProblem(row, (refusal,), code)
