"""What the tests of exports share: products to export, and readers of the results."""

import csv
from collections.abc import AsyncGenerator
from io import BytesIO, StringIO
from typing import Any

from openpyxl import load_workbook

from barcodesvc.catalogue import exporting
from barcodesvc.catalogue.export_tables import level_table
from barcodesvc.catalogue.exporting import Exporter, OpenTable
from barcodesvc.errors import ExportOverload
from barcodesvc.models import ProductDraft
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.processes import IsWanted, always_wanted
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store.database import Database
from tests.stock import insert_all

NOW = "2026-01-31T12:00:00.000Z"
TEXTS = ["=1+1", "+49 30", "-5", "@home", "'=quoted", "''x", "#N/A", "1e5", "0042", 'say "hi", ok', "ü €", "_x0041_"]


async def stock(database: Database, *codes: str, **fields: Any) -> None:
    """Insert products of these codes with a level of 5."""
    drafts = [
        ProductDraft(**{"product_code": c, "description": f"The {c}", "initial_level": 5, **fields}) for c in codes
    ]
    await database.change(lambda: insert_all(drafts, NOW))


def exporter(database: Database, threads: WorkerThreads, most_bytes: int = 10_000_000) -> Exporter:
    """Return the dependencies of an export, with room for more files than a test needs."""
    files, size = (Capacity(most, lambda: ExportOverload("no room")) for most in (100, most_bytes))
    return Exporter(database, threads, files, size)


def csv_export(
    exports: Exporter, table: OpenTable = level_table, is_wanted: IsWanted = always_wanted
) -> AsyncGenerator[bytes]:
    """Export a table as CSV."""
    return exporting.csv_export(exports, table, "anyone", is_wanted)


def xlsx_export(exports: Exporter, *tables: OpenTable, is_wanted: IsWanted = always_wanted) -> AsyncGenerator[bytes]:
    """Export tables as a workbook."""
    return exporting.xlsx_export(exports, tables or (level_table,), "anyone", is_wanted)


async def content(chunks: AsyncGenerator[bytes]) -> bytes:
    """Return a whole export."""
    return b"".join([chunk async for chunk in chunks])


def csv_rows(exported: bytes) -> list[list[str]]:
    """Read a CSV export, header and rows."""
    return list(csv.reader(StringIO(exported.decode("utf-8-sig"), newline=""), strict=True))


def sheets(exported: bytes) -> dict[str, list[tuple[Any, ...]]]:
    """Read a workbook: the rows of each sheet by its name."""
    book = load_workbook(BytesIO(exported))
    return {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book.worksheets}
