"""What the tests of the store share: adding products, a database whose waits are short, and the plan of a query."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from barcodesvc.config import Settings
from barcodesvc.models import Product, ProductDraft
from barcodesvc.store.connection import Bounds
from barcodesvc.store.database import Database, open_database
from barcodesvc.store.file_identity import LookingConnection
from barcodesvc.store.products import create_product
from barcodesvc.store.queries import QUERIES

NOW = "2026-01-31T12:00:00.000Z"

Add = Callable[..., Awaitable[Product]]
Plan = Callable[[str], list[str]]


@pytest.fixture
def add(database: Database) -> Add:
    """Return a function that creates a product of this code, with the fields given."""

    async def create(product_code: str, **fields: Any) -> Product:
        now = fields.pop("now", NOW)
        draft = ProductDraft(product_code=product_code, **{"description": f"The {product_code}", **fields})
        return await create_product(database, draft, now)

    return create


@pytest.fixture
def plan(settings: Settings, database: Database) -> Plan:  # noqa: ARG001 - the file is there once the database is open
    """Return a function that tells how SQLite would run a named query, line by line."""

    def explain(name: str) -> list[str]:
        query = QUERIES[name]
        connection = sqlite3.connect(settings.database)
        try:
            statement = f"EXPLAIN QUERY PLAN {query.sql}"
            return [row[3] for row in connection.execute(statement, dict.fromkeys(query.parameters))]
        finally:
            connection.close()

    return explain


@pytest.fixture
async def stocked(settings: Settings, standing_clock: Any) -> AsyncIterator[Database]:
    """Return a database with a product A, whose clock a test sets forward; its waits are short."""
    async with open_database(
        settings.database, bounds=Bounds(busy_timeout=0.05), clock=standing_clock.clock()
    ) as database:
        await create_product(database, ProductDraft(product_code="A", description="x"), NOW)
        yield database


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Return a list that grows by one with each commit."""
    made: list[None] = []
    commit = LookingConnection.commit

    def counted(connection: LookingConnection) -> None:
        made.append(None)
        commit(connection)

    monkeypatch.setattr(LookingConnection, "commit", counted)
    return made
