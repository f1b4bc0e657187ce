"""A workbook becomes catalogue: rows are drawn in a worker thread, spooled, and then written in one transaction.

Reading a workbook takes several times as long as writing its rows, so it is over before the transaction begins: the
till that books a sale waits for the writing alone. What was drawn lies in memory up to SPOOL_BYTES, then on disk.

Every data row lands in exactly one class: imported, updated, skipped or errors; the counts add up. An update leaves
the level alone, whatever the file says: a stock count belongs to the inventory and its history, and a file that was
exported last week must not undo today's bookings. Blank cells change nothing; a row without a description is an
error in either mode.
"""

from __future__ import annotations

import pickle
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Protocol

from barcodesvc.catalogue_rows import CatalogueRow, RowDraft, RowProblem, catalogue_batches
from barcodesvc.models import ProductChange, ProductDraft, require_ordered_levels
from barcodesvc.store.database import Connection, Database
from barcodesvc.store.products import Stocked, insert_products, stocked, update_products
from barcodesvc.worker_threads import run_to_end

SPOOL_BYTES = 4 * 1024 * 1024
"""Bytes of drawn rows that are held in memory; the rest lies in a temporary file."""


@dataclass(frozen=True, slots=True)
class RowError:
    """Why a row was not imported; `row` is the number beside it in the spreadsheet."""

    row: int
    error: str


@dataclass(slots=True)
class ImportResult:
    """The counts of an import, and its row errors; they add up to the data rows."""

    imported: int = 0
    updated: int = 0
    skipped: int = 0
    errors: list[RowError] = field(default_factory=list)


class Effect(Protocol):
    """What an import does with the rows that it sorted."""

    async def insert(self, drafts: Sequence[ProductDraft]) -> None:
        """Create the products."""

    async def update(self, changes: Sequence[tuple[int, ProductChange]]) -> None:
        """Change the products."""


@dataclass(frozen=True, slots=True)
class Writing:
    """The effect of a real import: rows go into the caller's transaction."""

    connection: Connection
    now: str

    async def insert(self, drafts: Sequence[ProductDraft]) -> None:
        """Create the products."""
        await insert_products(self.connection, drafts, self.now)

    async def update(self, changes: Sequence[tuple[int, ProductChange]]) -> None:
        """Change the products."""
        await update_products(self.connection, changes, self.now)


class Trying:
    """The effect of a dry run: none."""

    async def insert(self, drafts: Sequence[ProductDraft]) -> None:
        """Create nothing."""

    async def update(self, changes: Sequence[tuple[int, ProductChange]]) -> None:
        """Change nothing."""


ExistingRule = Callable[[RowDraft, Stocked], ProductChange | None]
"""What becomes of a row whose product is already there: a change to make, or None to skip it.

Raises ValueError where the row does not fit the stored product.
"""


def skip_existing(_row: RowDraft, _existing: Stocked) -> None:
    """Leave products that are already there as they are."""


def update_existing(row: RowDraft, existing: Stocked) -> ProductChange:
    """Change what the row fills in, but the level; raises ValueError if minimum and maximum then contradict."""
    fields = row.filled - {"product_code", "initial_level"}
    change = ProductChange(**{name: getattr(row.draft, name) for name in fields})
    require_ordered_levels(
        existing.minimum_level if change.minimum_level is None else change.minimum_level,
        existing.maximum_level if change.maximum_level is None else change.maximum_level,
    )
    return change


async def import_catalogue(
    database: Database, threads: ThreadPoolExecutor, path: Path, existing: ExistingRule, now: str
) -> ImportResult:
    """Import a workbook in one transaction; nothing is written if anything but single rows fails.

    Raises InvalidFileFormat, FileTooLarge, InvalidInput (no header row) and DatabaseFailure.
    """
    async with _drawn(threads, path) as batches:
        return await database.write(
            lambda connection: _consume(connection, batches, existing, Writing(connection, now))
        )


async def try_import(
    database: Database, threads: ThreadPoolExecutor, path: Path, existing: ExistingRule
) -> ImportResult:
    """Tell what `import_catalogue` would do, without writing; raises the same."""
    async with _drawn(threads, path) as batches, database.snapshot() as connection:
        return await _consume(connection, batches, existing, Trying())


async def _consume(
    connection: Connection, batches: AsyncGenerator[list[CatalogueRow]], existing: ExistingRule, effect: Effect
) -> ImportResult:
    result = ImportResult()
    first_rows: dict[str, int] = {}
    async for batch in batches:
        drafts = _without_repeats(batch, first_rows, result)
        await _sort(connection, drafts, existing, effect, result)
    result.errors.sort(key=lambda error: error.row)
    return result


def _without_repeats(batch: list[CatalogueRow], first_rows: dict[str, int], result: ImportResult) -> list[RowDraft]:
    drafts = []
    for row in batch:
        code = row.product_code if isinstance(row, RowProblem) else row.draft.product_code
        first = first_rows.setdefault(code, row.number) if code else row.number
        if isinstance(row, RowProblem):
            result.errors.append(RowError(row.number, row.message))
        elif first != row.number:
            result.errors.append(RowError(row.number, f"product_code: {code!r} is already in row {first}"))
        else:
            drafts.append(row)
    return drafts


async def _sort(
    connection: Connection, rows: list[RowDraft], existing: ExistingRule, effect: Effect, result: ImportResult
) -> None:
    there = await stocked(connection, [row.draft.product_code for row in rows])
    new = [row.draft for row in rows if row.draft.product_code not in there]
    changes = []
    for row in rows:
        product = there.get(row.draft.product_code)
        if product is None:
            continue
        try:
            change = existing(row, product)
        except ValueError as error:
            result.errors.append(RowError(row.number, str(error)))
            continue
        if change is None:
            result.skipped += 1
        else:
            changes.append((product.id, change))
    await effect.insert(new)
    await effect.update(changes)
    result.imported += len(new)
    result.updated += len(changes)


@asynccontextmanager
async def _drawn(threads: ThreadPoolExecutor, path: Path) -> AsyncIterator[AsyncGenerator[list[CatalogueRow]]]:
    """Draw every batch of the workbook into a spool and hand out what replays them."""
    with SpooledTemporaryFile(SPOOL_BYTES, prefix="barcodesvc-import-") as spool:
        await run_to_end(threads, _draw, path, spool)
        yield _replayed(threads, spool)


def _draw(path: Path, spool: IO[bytes]) -> None:
    with closing(catalogue_batches(path)) as batches:
        for batch in batches:
            pickle.dump(batch, spool)
    spool.seek(0)


async def _replayed(threads: ThreadPoolExecutor, spool: IO[bytes]) -> AsyncGenerator[list[CatalogueRow]]:
    while (batch := await run_to_end(threads, _next_batch, spool)) is not None:
        yield batch


def _next_batch(spool: IO[bytes]) -> list[CatalogueRow] | None:
    try:
        batch: list[CatalogueRow] = pickle.load(spool)  # noqa: S301 - what _draw wrote, in a file that nobody else can open
    except EOFError:
        return None
    return batch
