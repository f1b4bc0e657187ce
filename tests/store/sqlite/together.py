"""Helpers for tests of changes: scripts, and changes that run as one group."""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from barcodesvc.models import ProductDraft
from barcodesvc.store.database import Database, Reader
from barcodesvc.store.script import Begin, Script, rows, run
from tests.stock import creation

NOW = "2026-01-31T12:00:00.000Z"


def insert(*codes: str) -> Script[None]:
    """Insert products with these codes, each with a level."""
    for code in codes:
        yield from creation(ProductDraft(product_code=code, description="x", initial_level=1), NOW)


def inserting(*codes: str) -> Begin[str]:
    """Return a script that inserts products and returns the last code."""

    def script() -> Script[str]:
        yield from insert(*codes)
        return codes[-1]

    return script


def raising(error: Exception) -> Begin[None]:
    """Return a script that inserts a product and then fails."""

    def script() -> Script[None]:
        yield from insert("lost")
        raise error

    return script


def running(name: str, **parameters: Any) -> Begin[int]:
    """Return a script of one statement that returns no rows."""

    def script() -> Script[int]:
        changed: int = yield run(name, **parameters)
        return changed

    return script


def reading(name: str) -> Begin[list[Any]]:
    """Return a script that reads the rows of one query."""

    def script() -> Script[list[Any]]:
        found: list[Any] = yield rows(name)
        return found

    return script


async def codes(source: Reader) -> list[str]:
    """Return the codes of all products."""
    return [code for (code,) in await source.rows("codes")]


@asynccontextmanager
async def busy_writer(database: Database) -> AsyncIterator[None]:
    """Make all changes of the block wait for the writer together."""
    begun, gate = threading.Event(), threading.Event()

    def hold() -> Script[None]:
        begun.set()
        gate.wait()
        yield from ()

    holder = asyncio.create_task(database.change(hold))
    await asyncio.to_thread(begun.wait)
    try:
        yield
    finally:
        gate.set()
        await holder


async def together(database: Database, *scripts: Begin[Any]) -> list[Any]:
    """Return the outcomes of changes that ran as one group."""
    async with busy_writer(database):
        changing = [asyncio.create_task(database.change(script)) for script in scripts]
        await asyncio.sleep(0)
    return await asyncio.gather(*changing, return_exceptions=True)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock the file against changes, as another process would."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


async def well(database: Database, *, wanted: bool = True) -> None:
    """Poll until the database is healthy, or is not, at most ten seconds."""
    async with asyncio.timeout(10.0):
        while await database.is_well() != wanted:  # noqa: ASYNC110 - the state sends no event
            await asyncio.sleep(0.01)
