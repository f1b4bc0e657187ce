"""A workbook becomes catalogue: its rows are drawn into a spool, and then written in one transaction.

Reading a workbook takes several times as long as writing its rows, so it is over before the transaction begins: the
till that books a sale waits for the writing alone. A file over SMALL_FILE bytes is read in a process of its own,
because in a thread it would hold the interpreter lock against every scan beside it.

Every data row lands in exactly one class: imported, updated, skipped or errors; the counts add up. An update leaves
the level alone, whatever the file says: a stock count belongs to the inventory and its history, and a file that was
exported last week must not undo today's bookings. Blank cells change nothing; a row without a description is an
error in either mode.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal, Protocol

from barcodesvc.catalogue_rows import CellRefusal, RowProblem
from barcodesvc.catalogue_spool import DrawnBatch, DrawnRow, FirstErrors, RowError, draw, next_batch, row_error
from barcodesvc.catalogue_table import Selection, TableFound
from barcodesvc.models import require_ordered_levels
from barcodesvc.store.database import Connection, Database
from barcodesvc.store.products import (
    ChangedColumns,
    ProductColumns,
    Stocked,
    StoredProduct,
    change_columns,
    insert_columns,
    stocked,
    stored_products,
)
from barcodesvc.worker_processes import WorkerProcesses
from barcodesvc.worker_threads import run_to_end

SMALL_FILE = 256 * 1024
"""Bytes up to which a file is read in a thread: a process takes longer to start than such a file takes to read."""
PREVIEWED = 10
"""Rows that a dry run shows as they would be stored."""


@dataclass(frozen=True, slots=True)
class PreviewedRow:
    """A valid row: its number, what becomes of it, and its product as the catalogue then holds it."""

    row: int
    outcome: Literal["imported", "updated", "skipped"]
    product: StoredProduct


@dataclass(slots=True)
class ImportResult:
    """The counts of an import so far; at its end all others add up to `rows_read`.

    `preview` are the first valid rows of a dry run.
    """

    rows_read: int = 0
    imported: int = 0
    updated: int = 0
    skipped: int = 0
    refused: FirstErrors = field(default_factory=FirstErrors)
    found: TableFound | None = None
    preview: list[PreviewedRow] = field(default_factory=list, compare=False)

    @property
    def errors(self) -> list[RowError]:
        """The first errors by row, at most MOST_ERRORS."""
        return self.refused.in_order()

    @property
    def errors_count(self) -> int:
        """The number of all rows with errors."""
        return self.refused.count


ProgressTold = Callable[[ImportResult], None]
"""Is called in the event loop after every batch, with the counts so far."""


def _tell_nobody(_: ImportResult) -> None:
    """Keep the progress to oneself."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a workbook is read: which part of it, where, and who is told of the progress.

    Without `processes` every file is read in a thread, whatever its size.
    """

    selection: Selection = field(default_factory=Selection)
    processes: WorkerProcesses | None = None
    told: ProgressTold = _tell_nobody


_AS_FOUND = Reading()

ExistingRule = Callable[[DrawnRow, Stocked], ChangedColumns | None]
"""What becomes of a row whose product is already there: a change to make, or None to skip it.

Raises ValueError where the row does not fit the stored product.
"""


def skip_existing(_row: DrawnRow, _existing: Stocked) -> None:
    """Leave products that are already there as they are."""


def update_existing(row: DrawnRow, existing: Stocked) -> ChangedColumns:
    """Change what the row fills in, but the level; raises ValueError if minimum and maximum then contradict."""
    product, filled = row.product, row.filled
    change = ChangedColumns(
        product.description,
        product.description_folded,
        product.category if "category" in filled else None,
        product.unit_of_measure if "unit_of_measure" in filled else None,
        product.minimum_level if "minimum_level" in filled else None,
        product.maximum_level if "maximum_level" in filled else None,
    )
    require_ordered_levels(
        existing.minimum_level if change.minimum_level is None else change.minimum_level,
        existing.maximum_level if change.maximum_level is None else change.maximum_level,
    )
    return change


@dataclass(frozen=True, slots=True)
class SortedRows:
    """The valid rows of a batch by what becomes of them."""

    new: Sequence[DrawnRow]
    changed: Sequence[tuple[DrawnRow, int, ChangedColumns]]
    skipped: Sequence[DrawnRow]


class Effect(Protocol):
    """What an import does with the rows that it sorted, on the connection where it looks products up."""

    @property
    def connection(self) -> Connection:
        """Return that connection."""

    async def apply(self, rows: SortedRows) -> None:
        """Take the rows of the next batch."""


@dataclass(frozen=True, slots=True)
class Writing:
    """The effect of a real import: rows go into the caller's transaction."""

    connection: Connection
    now: str

    async def apply(self, rows: SortedRows) -> None:
        """Create and change products."""
        await insert_columns(self.connection, [row.product for row in rows.new], self.now)
        await change_columns(self.connection, [(key, change) for _, key, change in rows.changed], self.now)


@dataclass(frozen=True, slots=True)
class Trying:
    """The effect of a dry run: the first rows are shown, nothing is written."""

    connection: Connection
    preview: list[PreviewedRow]

    async def apply(self, rows: SortedRows) -> None:
        """Show what becomes of the first rows."""
        if len(self.preview) == PREVIEWED:
            return
        there = [row.product.product_code for row in (*(row for row, _, _ in rows.changed), *rows.skipped)]
        stored = await stored_products(self.connection, there)
        shown = [PreviewedRow(row.number, "imported", _as_new(row.product)) for row in rows.new]
        for row, _, change in rows.changed:
            changed = _as_changed(stored[row.product.product_code], change)
            shown.append(PreviewedRow(row.number, "updated", changed))
        shown += [PreviewedRow(row.number, "skipped", stored[row.product.product_code]) for row in rows.skipped]
        shown.sort(key=lambda previewed: previewed.row)
        self.preview.extend(shown[: PREVIEWED - len(self.preview)])


def _as_new(product: ProductColumns) -> StoredProduct:
    return StoredProduct(
        product.product_code,
        product.description,
        product.category,
        product.unit_of_measure,
        product.initial_level,
        product.minimum_level,
        product.maximum_level,
    )


def _as_changed(stored: StoredProduct, change: ChangedColumns) -> StoredProduct:
    set_columns = {name: value for name, value in change._asdict().items() if value is not None}
    set_columns.pop("description_folded", None)
    return replace(stored, **set_columns)


async def import_catalogue(  # noqa: PLR0913, PLR0917 - where to read, where to write, and how
    database: Database,
    threads: ThreadPoolExecutor,
    path: Path,
    existing: ExistingRule,
    now: str,
    reading: Reading = _AS_FOUND,
) -> ImportResult:
    """Import a workbook in one transaction; nothing is written if anything but single rows fails.

    Raises InvalidFileFormat, FileTooLarge, InvalidInput (no header row, a selection that is not there),
    GenerationFailure (its process was killed), RenderOverload (shutting down) and DatabaseFailure.
    """
    result = ImportResult()
    async with _drawn(threads, path, reading, result) as batches:
        return await database.write(
            lambda connection: _consume(batches, existing, Writing(connection, now), reading.told, result)
        )


async def try_import(
    database: Database,
    threads: ThreadPoolExecutor,
    path: Path,
    existing: ExistingRule,
    reading: Reading = _AS_FOUND,
) -> ImportResult:
    """Tell what `import_catalogue` would do, with a preview, and write nothing; raises the same."""
    result = ImportResult()
    async with _drawn(threads, path, reading, result) as batches, database.snapshot() as connection:
        return await _consume(batches, existing, Trying(connection, result.preview), reading.told, result)


async def _consume(
    batches: AsyncGenerator[DrawnBatch],
    existing: ExistingRule,
    effect: Effect,
    told: ProgressTold,
    result: ImportResult,
) -> ImportResult:
    async for batch in batches:
        result.refused.add_all(batch.errors, beyond=batch.errors_beyond)
        there = await stocked(effect.connection, [row.product.product_code for row in batch.rows])
        rows = _sorted(batch.rows, there, existing, result.refused)
        await effect.apply(rows)
        result.imported += len(rows.new)
        result.updated += len(rows.changed)
        result.skipped += len(rows.skipped)
        told(result)
    return result


def _sorted(
    rows: Sequence[DrawnRow], there: dict[str, Stocked], existing: ExistingRule, refused: FirstErrors
) -> SortedRows:
    new, changed, skipped = [], [], []
    for row in rows:
        product = there.get(row.product.product_code)
        if product is None:
            new.append(row)
            continue
        try:
            change = existing(row, product)
        except ValueError as error:
            refused.add(row_error(_contradiction(row, str(error))))
            continue
        if change is None:
            skipped.append(row)
        else:
            changed.append((row, product.id, change))
    return SortedRows(new, changed, skipped)


def _contradiction(row: DrawnRow, message: str) -> RowProblem:
    column = "maximum_level" if "maximum_level" in row.filled else "minimum_level"
    refusal = CellRefusal(column, str(getattr(row.product, column)), "order", message)
    return RowProblem(row.number, (refusal,), row.product.product_code)


@asynccontextmanager
async def _drawn(
    threads: ThreadPoolExecutor, path: Path, reading: Reading, result: ImportResult
) -> AsyncIterator[AsyncGenerator[DrawnBatch]]:
    """Draw the workbook into a spool, counting the rows read, and hand out what replays its batches, once."""

    def count(rows: int) -> None:
        result.rows_read = rows
        reading.told(result)

    loop = asyncio.get_running_loop()
    with tempfile.NamedTemporaryFile(prefix="barcodesvc-import-") as spool:
        work = partial(_draw, path, reading, Path(spool.name), lambda rows: loop.call_soon_threadsafe(count, rows))
        result.found = await run_to_end(threads, work)
        async with aclosing(_replayed(threads, spool)) as batches:
            yield batches


def _draw(path: Path, reading: Reading, spool: Path, tell: Callable[[int], Any]) -> TableFound:
    if reading.processes is None or path.stat().st_size <= SMALL_FILE:
        return draw(tell, path, reading.selection, spool)
    found: TableFound = reading.processes.run(draw, path, reading.selection, spool, told=tell)
    return found


async def _replayed(threads: ThreadPoolExecutor, spool: IO[bytes]) -> AsyncGenerator[DrawnBatch]:
    while (batch := await run_to_end(threads, next_batch, spool)) is not None:
        yield batch
