"""What the tests of imports share: workbooks to import, and readers of the stored data."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barcodesvc.catalogue.importing import CatalogueFile, Importer, ImportResult
from barcodesvc.models import Level
from barcodesvc.runtime.processes import WorkerProcesses
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store.database import Database
from barcodesvc.store.lists import ProductFilter, list_products
from barcodesvc.store.script import Begin, Script
from barcodesvc.store.staging import SKIP, Entry, Mode
from tests.stock import levels_of_all
from tests.workbooks import xlsx

NOW = "2026-01-31T12:00:00.000Z"
UNSIGNED = Entry(NOW)
"""Who imports, when nobody is named."""
_PROCESSES = WorkerProcesses()
Row = tuple[Any, ...]
HEADER = ("product_code", "description", "category", "current_level", "minimum_level", "maximum_level")


def workbook(folder: Path, *rows: Row, header: Row = HEADER) -> Path:
    """Write a workbook with a header and these rows, and return its path."""
    (folder / "made.xlsx").write_bytes(xlsx([header, *rows]))
    return folder / "made.xlsx"


def importer(database: Database, threads: WorkerThreads) -> Importer:
    """Return what imports into the database; all read their files in the same processes."""
    return Importer(database, threads, _PROCESSES)


def alone(merge: Begin[ImportResult]) -> Script[ImportResult]:
    """Return the script of an import that has no key."""
    return merge()


async def imported(database: Database, threads: WorkerThreads, path: Path, mode: Mode = SKIP) -> ImportResult:
    """Import a workbook."""
    return await importer(database, threads).run(CatalogueFile(path, mode, UNSIGNED), alone)


async def tried_out(database: Database, threads: WorkerThreads, path: Path, mode: Mode = SKIP) -> ImportResult:
    """Return what an import of a workbook would do."""
    return await importer(database, threads).try_out(CatalogueFile(path, mode, UNSIGNED))


async def codes(database: Database) -> list[str]:
    """Return the codes of all products, in the order of their ids."""
    page = await list_products(database, ProductFilter(), limit=5000, offset=0)
    return [product.product_code for product in page.products]


async def levels(database: Database) -> dict[str, Level]:
    """Return every inventory record by product code."""
    return {level.product_code: level for level in await levels_of_all(database)}


@dataclass(frozen=True)
class Imports:
    """Imports workbooks of rows into a database."""

    database: Database
    threads: WorkerThreads
    folder: Path

    async def run(self, *rows: Row, mode: Mode = SKIP, header: Row = HEADER, entry: Entry = UNSIGNED) -> ImportResult:
        """Import these rows."""
        path = workbook(self.folder, *rows, header=header)
        return await importer(self.database, self.threads).run(CatalogueFile(path, mode, entry), alone)

    async def try_out(self, *rows: Row, mode: Mode = SKIP, header: Row = HEADER) -> ImportResult:
        """Return what an import of these rows would do."""
        return await tried_out(self.database, self.threads, workbook(self.folder, *rows, header=header), mode)


def counts(result: ImportResult) -> tuple[int, int, int, int]:
    """Return how many rows are in each class: imported, updated, skipped, errors."""
    return result.imported, result.updated, result.skipped, result.errors_count


def lines(result: ImportResult) -> list[tuple[int, str]]:
    """Return the rows with errors and the message of each."""
    return [(error.row, error.error) for error in result.errors]
