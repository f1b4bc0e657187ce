"""A workbook becomes a spool: a file of batches that lie ready for the database, to be replayed inside a transaction.

All that takes time and knows nothing of the stored catalogue is done here, so that it can be done in a process of its
own: reading, validating, telling repeats, deriving search keys. Rule: every row of the table is in exactly one batch,
as a drawn row, as one of its errors, or in the count of the errors beyond.
"""

from __future__ import annotations

import heapq
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from barcodesvc.catalogue_rows import CatalogueRow, CellRefusal, RowProblem, open_catalogue
from barcodesvc.catalogue_table import Selection, TableFound
from barcodesvc.store.products import ProductColumns, product_columns

MOST_ERRORS = 1000
"""Row errors that are kept, the first ones of the sheet; the others are counted."""


@dataclass(frozen=True, slots=True)
class RowError:
    """Why a row was not imported, as a line and by cell; `row` is the number beside it in the spreadsheet."""

    row: int
    error: str
    problems: tuple[CellRefusal, ...] = ()


class DrawnRow(NamedTuple):
    """A valid row: its number, its columns, and the fields of the draft that it filled in.

    A tuple, because it is pickled and read back by the hundred thousand.
    """

    number: int
    product: ProductColumns
    filled: frozenset[str]


@dataclass(frozen=True, slots=True)
class DrawnBatch:
    """Some rows of a table; `errors_beyond` are those that are not among the first MOST_ERRORS any more."""

    rows: list[DrawnRow]
    errors: list[RowError]
    errors_beyond: int


@dataclass(slots=True)
class FirstErrors:
    """The `most` errors of the lowest rows, in whatever order they come, and the number of all."""

    most: int = MOST_ERRORS
    count: int = 0
    _kept: list[tuple[int, int, RowError]] = field(default_factory=list)

    def add(self, error: RowError) -> bool:
        """Count the error and tell whether it is kept, for the time being."""
        self.count += 1
        entry = (-error.row, -self.count, error)
        if len(self._kept) < self.most:
            heapq.heappush(self._kept, entry)
            return True
        return heapq.heappushpop(self._kept, entry) is not entry

    def add_all(self, errors: Iterable[RowError], *, beyond: int) -> None:
        """Count errors, and some more that are known not to be among the first."""
        for error in errors:
            self.add(error)
        self.count += beyond

    def in_order(self) -> list[RowError]:
        """Return what is kept, by row."""
        return [error for _, _, error in sorted(self._kept, reverse=True)]


def row_error(problem: RowProblem) -> RowError:
    """Return the error that a problem is told as."""
    return RowError(problem.number, problem.message, problem.problems)


def draw(told: Callable[[int], None], path: Path, selection: Selection, spool: Path) -> TableFound:
    """Write the workbook's table to the file `spool`, telling after each batch how many rows were read so far.

    Raises what `open_catalogue` raises.
    """
    with spool.open("wb") as file, open_catalogue(path, selection) as table:
        read = 0
        drawing = _Drawing()
        for rows in table.batches():
            pickle.dump(drawing.batch(rows), file, pickle.HIGHEST_PROTOCOL)
            read += len(rows)
            told(read)
        return table.found


def next_batch(spool: IO[bytes]) -> DrawnBatch | None:
    """Read the next batch of an open spool, None at its end."""
    try:
        batch: DrawnBatch = pickle.load(spool)  # noqa: S301 - what `draw` wrote, in a file that nobody else can open
    except EOFError:
        return None
    return batch


class _Drawing:
    """What has to be remembered from batch to batch: codes with their first rows, and errors."""

    def __init__(self) -> None:
        self._first_rows: dict[str, int] = {}
        self._errors = FirstErrors()

    def batch(self, rows: Iterable[CatalogueRow]) -> DrawnBatch:
        drawn: list[DrawnRow] = []
        problems: list[RowProblem] = []
        for row in rows:
            code = row.product_code if isinstance(row, RowProblem) else row.draft.product_code
            first = self._first_rows.setdefault(code, row.number) if code else row.number
            if isinstance(row, RowProblem):
                problems.append(row)
            elif first != row.number:
                problems.append(_repeat(row.number, code, first))
            else:
                drawn.append(DrawnRow(row.number, product_columns(row.draft), row.filled))
        kept = [error for error in map(row_error, problems) if self._errors.add(error)]
        return DrawnBatch(drawn, kept, len(problems) - len(kept))


def _repeat(row: int, code: str, first: int) -> RowProblem:
    refusal = CellRefusal("product_code", code[:40], "repeat", f"{code!r} is already in row {first}")
    return RowProblem(row, (refusal,), code)
