"""Fixtures of the store's tests: the open database, adding products, and query plans."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.models import Product, ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.sqlite.connection import QUERIES, Statements
from tests.engines import Place
from tests.fixture_types import Add, Plan
from tests.stock import create_product
from tests.store.own_queries import OF_ENGINE

NOW = "2026-01-31T12:00:00.000Z"


@pytest.fixture
async def database(engine: str, place: Place) -> AsyncIterator[Database]:
    """Return the open database, which also has the tests' own queries."""
    async with open_database(place, queries=OF_ENGINE[engine]) as opened:
        yield opened


@pytest.fixture
def add(database: Database) -> Add:
    """Return a function that creates a product with this code and the given fields."""

    async def create(product_code: str, **fields: Any) -> Product:
        now = fields.pop("now", NOW)
        draft = ProductDraft(product_code=product_code, **{"description": f"The {product_code}", **fields})
        return await create_product(database, draft, now)

    return create


@pytest.fixture
def plan(database_file: Path, database: Database) -> Plan:  # noqa: ARG001 - the file is there once the database is open
    """Return a function that returns SQLite's plan for a named query, line by line."""

    def explain(name: str) -> list[str]:
        query = QUERIES[name]
        connection = sqlite3.connect(database_file)
        try:
            statement = f"EXPLAIN QUERY PLAN {query.sql}"
            return [row[3] for row in connection.execute(statement, dict.fromkeys(query.parameters))]
        finally:
            connection.close()

    return explain


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Return a list that grows by one with each commit."""
    made: list[None] = []
    commit = Statements.commit

    def counted(statements: Statements) -> None:
        made.append(None)
        commit(statements)

    monkeypatch.setattr(Statements, "commit", counted)
    return made
