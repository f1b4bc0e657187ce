"""Staging: the table of a workbook becomes a file of valid rows, which an import then writes in one transaction.

Everything that takes long and does not need the stored catalogue is done here, so that a worker process can do it:
reading, validating, finding repeated codes, deriving search keys. A process returns its result as JSON, which is
validated like any other input, because the process has read an untrusted file.

Rule: every row of the table is either in the file or counted as an error.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import TypeAdapter

from barcodesvc.catalogue.rows import LONGEST_NAME, CatalogueRow, RowDraft, RowProblem, WrongCell, open_catalogue
from barcodesvc.catalogue.table import RecognisedTable, Selection
from barcodesvc.fields import described
from barcodesvc.models import AttributeName
from barcodesvc.store.database import Staging
from barcodesvc.store.staging import StagedRows, ValidRow

MOST_ERRORS = 1000
"""Row errors that are kept, the first ones of the sheet; the others are only counted."""


@dataclass(frozen=True, slots=True)
class WrongRow:
    """Why a row was not imported; `row` is its number in the spreadsheet."""

    row: Annotated[int, described("The number of the row in the sheet, from 1.", 3)]
    product_code: Annotated[str, described("The code in the row; empty if none can be read.", "AB-1234")]
    description: Annotated[str, described("The description in the row, or its beginning.", "Ballpoint pen, blue")]
    error: Annotated[str, described("What is wrong, in words for people.", "minimum_level: not a whole number")]
    problems: Annotated[tuple[WrongCell, ...], described("What is wrong with each of its cells.")]


@dataclass(slots=True)
class FirstErrors:
    """The `most` errors with the lowest row numbers, added in any order, and the number of all errors."""

    most: int = MOST_ERRORS
    count: int = 0
    _kept: list[tuple[int, int, WrongRow]] = field(default_factory=list)

    @classmethod
    def of(cls, kept: Iterable[WrongRow], count: int) -> FirstErrors:
        """Return the first of this many errors."""
        errors = cls()
        for error in kept:
            errors.add(error)
        errors.count = count
        return errors

    def add(self, error: WrongRow) -> None:
        """Count the error, and keep it if it is among the first ones so far."""
        self.count += 1
        entry = (-error.row, -self.count, error)
        if len(self._kept) < self.most:
            heapq.heappush(self._kept, entry)
        else:
            heapq.heappushpop(self._kept, entry)

    def copy(self) -> FirstErrors:
        """Return an independent copy."""
        return replace(self, _kept=[*self._kept])

    def in_order(self) -> list[WrongRow]:
        """Return the kept errors, sorted by row."""
        return [error for _, _, error in sorted(self._kept, reverse=True)]


@dataclass(frozen=True, slots=True)
class StagedTable:
    """A staged table: what was recognised, the number of valid rows, and the errors of the others.

    `names` are those of the attributes in valid rows. `warned` are the warnings of the file and of valid rows.
    """

    found: RecognisedTable
    rows: int
    refused: FirstErrors
    names: frozenset[str]
    warned: FirstErrors


def row_error(problem: RowProblem) -> WrongRow:
    """Return the error that reports a problem."""
    return WrongRow(problem.number, problem.product_code, problem.description, problem.message, problem.problems)


class ReadSoFar(NamedTuple):
    """How many rows were read, and how many of them have errors."""

    rows: int
    errors: int


def stage_table(
    report: Callable[[ReadSoFar], None], path: Path, selection: Selection, staged: Path, staging: Staging
) -> StagedTable:
    """Write the workbook's table to the empty file `staged`, and report after each batch how much was read so far.

    `staging` opens the file in the database's format.

    Raises what `open_catalogue` raises, and DatabaseFailure if the file cannot be written.
    """
    with open_catalogue(path, selection) as table, staging(staged) as file:
        valid, read = StagedRows(file), 0
        sorting = _Sorting()
        sorting.warn(table.found.header_row, table.warnings)
        for rows in table.batches():
            valid.put(sorting.valid(rows))
            read += len(rows)
            report(ReadSoFar(read, sorting.refused.count))
        return StagedTable(table.found, valid.rows, sorting.refused, frozenset(valid.names), sorting.warned)


class _Sorting:
    """State that spans batches: the first row of each code, the errors and the warnings."""

    def __init__(self) -> None:
        self._first_rows: dict[str, int] = {}
        self.refused = FirstErrors()
        self.warned = FirstErrors()

    def warn(self, row: int, warnings: tuple[WrongCell, ...], code: str = "", description: str = "") -> None:
        """Add the warnings of a row, if there are any."""
        if warnings:
            self.warned.add(row_error(RowProblem(row, warnings, code, description[:LONGEST_NAME])))

    def valid(self, rows: Iterable[CatalogueRow]) -> Iterator[ValidRow]:
        """Yield the valid rows, and add the others to `refused`."""
        for row in rows:
            code = row.product_code if isinstance(row, RowProblem) else row.draft.product_code
            first = self._first_rows.get(code)
            if first is None and code:
                self._first_rows[code] = row.number
            if isinstance(row, RowProblem):
                self.refused.add(row_error(row))
            elif first is not None:
                self.refused.add(row_error(_repeat(row, first)))
            else:
                self.warn(row.number, row.left_out, code, row.draft.description)
                yield row[:3]


def _repeat(row: RowDraft, first: int) -> RowProblem:
    code = row.draft.product_code
    refusal = WrongCell("product_code", code[:40], "repeat", f"{code!r} is already in row {first}")
    return RowProblem(row.number, (refusal,), code, row.draft.description[:LONGEST_NAME])


@dataclass(frozen=True, slots=True)
class _Result:
    """The result of staging as JSON."""

    found: RecognisedTable
    rows: int
    errors: tuple[WrongRow, ...]
    errors_count: int
    names: tuple[AttributeName, ...]
    warnings: tuple[WrongRow, ...]
    warnings_count: int


_RESULT = TypeAdapter(_Result)
_READ = TypeAdapter(ReadSoFar)


def stage_as_json(
    report: Callable[[ReadSoFar], None], path: Path, selection: Selection, staged: Path, staging: Staging
) -> dict[str, Any]:
    """Do what `stage_table` does, and return the JSON of its result."""
    table = stage_table(report, path, selection, staged, staging)
    errors, warnings = tuple(table.refused.in_order()), tuple(table.warned.in_order())
    counts = table.refused.count, table.warned.count
    return asdict(_Result(table.found, table.rows, errors, counts[0], tuple(table.names), warnings, counts[1]))


def table_from_json(result: Any) -> StagedTable:
    """Return the table that a process has staged; raises ValueError for invalid JSON."""
    given = _RESULT.validate_python(result)
    refused = FirstErrors.of(given.errors, given.errors_count)
    warned = FirstErrors.of(given.warnings, given.warnings_count)
    return StagedTable(given.found, given.rows, refused, frozenset(given.names), warned)


def read_from_json(result: Any) -> ReadSoFar:
    """Return how much a process has read so far; raises ValueError for anything else."""
    return _READ.validate_python(result)
