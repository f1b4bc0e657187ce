"""Helpers of the backup tests: databases with products, and the content of files."""

import contextlib
import sqlite3
from pathlib import Path

from barcodesvc.models import ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.sqlite.backup import restore
from barcodesvc.store.sqlite.database import open_database
from tests.stock import create_product

NOON, LATER = "2026-01-31T12:00:00.000Z", "2026-02-28T12:00:00.000Z"


async def add(database: Database, code: str, now: str = NOON) -> int:
    """Create a product with this code and return its id."""
    return (await create_product(database, ProductDraft(product_code=code, description="x"), now)).id


async def made(path: Path, *codes: str, now: str = NOON) -> Path:
    """Create a database with products with these codes."""
    async with open_database(path) as database:
        for code in codes:
            await add(database, code, now)
    return path


def codes_in(path: Path) -> list[str]:
    """Return the codes in a file."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return [code for (code,) in connection.execute("SELECT product_code FROM products ORDER BY id")]


def content(path: Path) -> bytes:
    """Return the content of a file, empty for a missing one."""
    return path.read_bytes() if path.exists() else b""


def names_in(folder: Path) -> set[str]:
    """Return the names of the files in a folder."""
    return {path.name for path in folder.iterdir()}


def change(path: Path, statement: str) -> None:
    """Run a statement on a database file."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


def restore_from(backup: Path, database: Path) -> str:
    """Replace a database with a backup; the former file is kept in the same folder."""
    return restore(backup, database, aside=database.with_name("aside"), now=LATER)
