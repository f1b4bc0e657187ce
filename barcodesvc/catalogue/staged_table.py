"""Staging: the table of a workbook becomes a file of valid rows, which an import then writes in one transaction.

Everything that takes long and does not need the stored catalogue is done here, so that a worker process can do it:
reading, validating, finding repeated codes, deriving search keys. A process returns its result as JSON, which is
validated like any other input, because the process has read an untrusted file.

Rule: every row of the table is either in the file or counted as an error.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from barcodesvc.catalogue.rows import CatalogueRow, RowDraft, WrongCell, WrongRow, open_catalogue
from barcodesvc.catalogue.table import RecognisedTable, Selection
from barcodesvc.models import AttributeName
from barcodesvc.store.database import Staging
from barcodesvc.store.staging import StagedRows, ValidRow

MOST_ERRORS = 1000
"""Wrong rows that are kept, the first ones of the sheet; the others are only counted."""
REPORTED = 500
"""Rows after which the progress is reported again."""


@dataclass(slots=True)
class FirstErrors:
    """The MOST_ERRORS wrong rows with the lowest numbers, in their order, and the number of all."""

    count: int = 0
    first: list[WrongRow] = field(default_factory=list)

    def add(self, error: WrongRow) -> None:
        """Count the row, and keep it if it is among the first ones so far."""
        self.count += 1
        insort(self.first, error, key=lambda one: one.row)
        del self.first[MOST_ERRORS:]

    def copy(self) -> FirstErrors:
        """Return an independent copy."""
        return replace(self, first=[*self.first])


@dataclass(frozen=True, slots=True)
class StagedTable:
    """A staged table: what was recognised, the number of valid rows, and the errors of the others.

    `names` are those of the attributes in valid rows. `warned` are the warnings of the file and of valid rows.
    """

    found: RecognisedTable
    rows: int
    refused: FirstErrors
    names: tuple[AttributeName, ...]
    warned: FirstErrors


class Progress(NamedTuple):
    """How many rows were read, and how many of them have errors."""

    rows: int
    errors: int


def stage_table(
    report: Callable[[Progress], None], path: Path, selection: Selection, staged: Path, staging: Staging
) -> dict[str, Any]:
    """Write the workbook's table to the empty file `staged`, and report now and then how much was read so far.

    `staging` opens the file in the database's format. Returns the StagedTable as JSON.

    Raises what `open_catalogue` raises, and DatabaseFailure if the file cannot be written.
    """
    with open_catalogue(path, selection) as table, staging(staged) as file:
        valid = StagedRows(file)
        rows = _DuplicateFilter(report)
        rows.warn(table.found.header_row, table.warnings)
        valid.put(rows.valid(table.rows))
        return asdict(StagedTable(table.found, valid.rows, rows.refused, tuple(valid.names), rows.warned))


class _DuplicateFilter:
    """What rows have in common: the first row of each code, the errors and the warnings."""

    def __init__(self, report: Callable[[Progress], None]) -> None:
        self._report = report
        self._first_rows: dict[str, int] = {}
        self.refused = FirstErrors()
        self.warned = FirstErrors()

    def warn(self, row: int, warnings: tuple[WrongCell, ...], code: str = "", description: str = "") -> None:
        """Add the warnings of a row, if there are any."""
        if warnings:
            self.warned.add(WrongRow.of(row, warnings, code, description))

    def valid(self, rows: Iterable[CatalogueRow]) -> Iterator[ValidRow]:
        """Yield the valid rows, add the others to `refused`, and report the progress."""
        read = 0
        for read, row in enumerate(rows, 1):
            if isinstance(row, WrongRow):
                self._first_row(row.product_code, row.row)
                self.refused.add(row)
            elif repeated := self._repeated(row):
                self.refused.add(_repeat(row, *repeated))
            else:
                self.warn(row.row, row.left_out, row.draft.product_code, row.draft.description)
                yield ValidRow(row.row, row.draft, row.filled, row.other_codes)
            if not read % REPORTED:
                self._report(Progress(read, self.refused.count))
        if read % REPORTED:
            self._report(Progress(read, self.refused.count))

    def _repeated(self, row: RowDraft) -> tuple[str, str, int] | None:
        """Return the column, the code and the row of the first code of a row that an earlier row has."""
        named = [("product_code", row.draft.product_code)]
        named += [("other_codes", one.code) for one in row.other_codes or ()]
        repeats = [(column, code, first) for column, code in named if (first := self._first_row(code, row.row))]
        return repeats[0] if repeats else None

    def _first_row(self, code: str, row: int) -> int | None:
        """Return the number of an earlier row with this code; None if this is the first one."""
        first = self._first_rows.get(code)
        if first is None and code:
            self._first_rows[code] = row
        return first


def _repeat(row: RowDraft, column: str, code: str, first: int) -> WrongRow:
    refusal = WrongCell(column, code[:40], "repeat", f"{code!r} is already in row {first}", first)
    return WrongRow.of(row.row, (refusal,), row.draft.product_code, row.draft.description)


_TABLE = TypeAdapter(StagedTable)
_PROGRESS = TypeAdapter(Progress)


def table_from_json(result: Any) -> StagedTable:
    """Return the table that a process has staged; raises ValueError for invalid JSON."""
    return _TABLE.validate_python(result)


def progress_from_json(result: Any) -> Progress:
    """Return how much a process has read so far; raises ValueError for anything else."""
    return _PROGRESS.validate_python(result)
