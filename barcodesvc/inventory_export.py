"""Stock as a file: rows from a snapshot of the database, written as CSV or .xlsx while they are read.

The snapshot is what makes an export of a busy shop consistent. Neither format is ever held as a whole: a file grows in
a temporary folder and is handed out in chunks when it is complete. So a snapshot, which keeps the database's log from
being cleared, is held as long as the database needs and not as long as a client does, and no failure cuts a file short.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from barcodesvc.errors import ExportFailure
from barcodesvc.spreadsheets.write import CSV_BOM, XlsxFile, csv_bytes
from barcodesvc.store import inventory
from barcodesvc.store.database import Connection, Database, Row
from barcodesvc.worker_threads import run_to_end

LEVEL_COLUMNS = (
    "id",
    "product_id",
    "product_code",
    "description",
    "current_level",
    "minimum_level",
    "maximum_level",
    "last_updated",
    "updated_by",
    "category",
    "unit_of_measure",
)
CHANGE_COLUMNS_BEHIND = (
    "change_id",
    "old_level",
    "new_level",
    "change_reason",
    "change_updated_by",
    "change_updated_at",
)
HISTORY_COLUMNS = (
    "product_id",
    "id",
    "product_code",
    "old_level",
    "new_level",
    "change_reason",
    "updated_by",
    "updated_at",
)
_CHUNK = 256 * 1024

Sheets = tuple["ExportSheet", ...]


@dataclass(frozen=True, slots=True)
class ExportSheet:
    """One table of an export: its title, its header, and how its rows are read."""

    title: str
    header: tuple[str, ...]
    read: Callable[[Connection], AsyncIterator[list[Row]]]


INVENTORY = ExportSheet("Inventory", LEVEL_COLUMNS, inventory.exported_levels)
HISTORY = ExportSheet("History", HISTORY_COLUMNS, inventory.exported_changes)
INVENTORY_WITH_HISTORY = ExportSheet(
    "Inventory", LEVEL_COLUMNS + CHANGE_COLUMNS_BEHIND, inventory.exported_levels_with_changes
)


def csv_export(database: Database, threads: ThreadPoolExecutor, sheet: ExportSheet) -> AsyncGenerator[bytes]:
    """Yield one table as CSV in chunks; before the first, raises ExportOverload, ExportFailure, DatabaseFailure."""
    return _chunks(threads, partial(_write_csv, database, threads, sheet))


def xlsx_export(database: Database, threads: ThreadPoolExecutor, sheets: Sheets) -> AsyncGenerator[bytes]:
    """Yield a workbook in chunks; before the first, raises ExportOverload, ExportFailure, DatabaseFailure."""
    return _chunks(threads, partial(_write_workbook, database, threads, sheets))


async def _chunks(threads: ThreadPoolExecutor, write: Callable[[Path], Awaitable[None]]) -> AsyncGenerator[bytes]:
    with ExitStack() as stack:
        try:
            path = Path(stack.enter_context(TemporaryDirectory(prefix="barcodesvc-export-"))) / "export"
            await write(path)
        except OSError as error:
            raise ExportFailure("the export could not be written; free disk space and try again") from error
        with path.open("rb") as file:
            while chunk := await run_to_end(threads, file.read, _CHUNK):
                yield chunk


async def _write_csv(database: Database, threads: ThreadPoolExecutor, sheet: ExportSheet, path: Path) -> None:
    with path.open("wb") as file:
        file.write(CSV_BOM + csv_bytes([sheet.header]))
        async with database.snapshot() as connection:
            async for rows in sheet.read(connection):
                await run_to_end(threads, _append_csv, file, rows)


def _append_csv(file: IO[bytes], rows: list[Row]) -> None:
    file.write(csv_bytes(rows))


async def _write_workbook(database: Database, threads: ThreadPoolExecutor, sheets: Sheets, path: Path) -> None:
    with XlsxFile() as book:
        async with database.snapshot() as connection:
            for sheet in sheets:
                book.sheet(sheet.title, sheet.header)
                async for rows in sheet.read(connection):
                    await run_to_end(threads, book.append, rows)
        await run_to_end(threads, book.save, path)
