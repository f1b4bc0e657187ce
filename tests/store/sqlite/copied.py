"""What the tests of backups share: databases with products, and what is in a file."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from barcodesvc.models import ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.products import create_product
from barcodesvc.store.sqlite.backup import Contents, restore
from barcodesvc.store.sqlite.database import open_database

NOON = "2026-01-31T12:00:00.000Z"


async def add(database: Database, code: str, now: str = NOON) -> int:
    """Create a product of this code and return its id."""
    return (await create_product(database, ProductDraft(product_code=code, description="x"), now)).id


async def made(path: Path, *codes: str, now: str = NOON) -> Path:
    """Make a database with products of these codes."""
    async with open_database(path) as database:
        for code in codes:
            await add(database, code, now)
    return path


def codes_in(path: Path) -> list[str]:
    """Return the codes in a file."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return [code for (code,) in connection.execute("SELECT product_code FROM products ORDER BY id")]


def content(path: Path) -> bytes:
    """Return the content of a file, nothing for one that is not there."""
    return path.read_bytes() if path.exists() else b""


def names_in(folder: Path) -> set[str]:
    """Return the names of the files in a folder."""
    return {path.name for path in folder.iterdir()}


def change(path: Path, statement: str) -> None:
    """Run a statement on a file."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


def damage(path: Path) -> None:
    """Overwrite the middle of a file, but not its first page."""
    content = bytearray(path.read_bytes())
    content[4096 : len(content) // 2] = b"\xff" * (len(content) // 2 - 4096)
    path.write_bytes(content)


def restore_from(backup: Path, database: Path, *, overwrite: bool) -> Contents:
    """Put a backup in the place of a database, whose former file goes beside it."""
    return restore(backup, database, overwrite=overwrite, aside=database.with_name("aside"))
