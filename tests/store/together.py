"""What the tests of short changes share: changes that are made as one group, and what they do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from barcodesvc.store.database import Database
from barcodesvc.store.statements import Statements
from tests.store.faulty import insert

Work = Callable[[Statements], Any]


@asynccontextmanager
async def busy_writer(database: Database) -> AsyncIterator[None]:
    """Let all changes of the block wait for the writer together."""
    gate = asyncio.Event()
    holder = asyncio.create_task(database.write_long(lambda _: gate.wait()))
    await asyncio.sleep(0)
    yield
    gate.set()
    await holder


async def together(database: Database, *works: Work) -> list[Any]:
    """Return the outcomes of changes that were made as one group."""
    async with busy_writer(database):
        changing = [asyncio.create_task(database.write(work)) for work in works]
        await asyncio.sleep(0)
    return await asyncio.gather(*changing, return_exceptions=True)


def inserting(code: str) -> Work:
    """Return work that inserts a product and returns its code."""

    def work(statements: Statements) -> str:
        insert(statements, code)
        return code

    return work


def raising(error: BaseException) -> Work:
    """Return work that inserts a product and then fails."""

    def work(statements: Statements) -> None:
        insert(statements, "lost")
        raise error

    return work
