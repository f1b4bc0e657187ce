"""What the tests of faults share: work that hangs, locks, questions asked until they are answered as wanted."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from barcodesvc.errors import DatabaseFailure
from barcodesvc.models import ProductDraft
from barcodesvc.store.connection import Bounds, Connection
from barcodesvc.store.database import Database
from barcodesvc.store.products import create_product, insert_products
from barcodesvc.store.queries import Query
from barcodesvc.store.statements import Statements

NOW = "2026-01-31T12:00:00.000Z"
CODES = Query("codes", frozenset(), "", "SELECT product_code FROM products NOT INDEXED ORDER BY id")
ENDLESS = Query(
    "endless", frozenset(), "", "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n"
)
KEYS = Query("keys", frozenset(), "", "SELECT idempotency_key FROM idempotency_keys")
BRIEF = Bounds(busy_timeout=0.05)
IMPATIENT = Bounds(busy_timeout=0.05, statement_timeout=1.0)


async def add(database: Database, code: str) -> None:
    """Create a product of this code."""
    await create_product(database, ProductDraft(product_code=code, description="x"), NOW)


async def codes(source: Database | Connection) -> list[str]:
    """Return the codes of all products."""
    return [code for (code,) in await source.rows(CODES)]


def endless(statements: Statements) -> None:
    """Change something and never come to an end."""
    insert(statements, "lost")
    statements.rows(ENDLESS)


def insert(statements: Statements, code: str) -> None:
    """Insert a product of this code."""
    insert_products(statements, [ProductDraft(product_code=code, description="x")], NOW)


async def sooner_or_later(database: Database, wanted: list[str]) -> None:
    """Read until the codes are these, within ten seconds."""
    async with asyncio.timeout(10.0):
        while True:
            with contextlib.suppress(DatabaseFailure):
                if await codes(database) == wanted:
                    return
            await asyncio.sleep(0.01)


async def sooner_or_later_gone(database: Database) -> None:
    """Let the database notice that its file is gone, and close it."""
    for _ in range(2):
        with pytest.raises(DatabaseFailure):
            await codes(database)


async def well(database: Database, *, wanted: bool) -> None:
    """Ask until the database is well, or is not, within ten seconds."""
    async with asyncio.timeout(10.0):
        while await is_well(database) != wanted:  # noqa: ASYNC110 - the state sends no event
            await asyncio.sleep(0.01)


async def is_well(database: Database) -> bool:
    """Return whether the database is well; one that cannot be asked is not."""
    try:
        return await database.is_well()
    except DatabaseFailure:
        return False


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep the file locked against changes, as another process would."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def whole(path: Path) -> list[str]:
    """Return the codes in a file that nobody uses, after a check that it is whole."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [code for (code,) in connection.execute("SELECT product_code FROM products ORDER BY id")]


async def checkpointed(path: Path) -> None:
    """Bring what is in the log into the file, in a thread, for the service's own connections are in this one."""

    def bring() -> None:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    await asyncio.to_thread(bring)
