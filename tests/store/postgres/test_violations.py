"""Constraint violations: retried if another transaction may be the cause, but not for long."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import DatabaseFailure, DuplicateProductCode, InvalidInput, ProductNotFound
from barcodesvc.models import ProductChange, ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.script import Script, run
from tests.stock import change_product, create_product
from tests.store.own_queries import OF_ENGINE
from tests.store.postgres.waiting import until_one_waits

NOW = "2026-01-31T12:00:00.000Z"
CREATE = """
INSERT INTO products (
    product_code, description, category, unit_of_measure, created_at, updated_at, code_folded, description_folded
)
VALUES ('B-1', 'x', '', 'pcs', '', '', 'b-1', 'x')
"""


@pytest.fixture
async def database(place: ServerAddress) -> AsyncIterator[Database]:
    """Return the open database with the product 1."""
    async with open_database(place, queries=OF_ENGINE["postgres"]) as opened:
        await create_product(opened, ProductDraft(product_code="A-1", description="x"), NOW)
        yield opened


@pytest.mark.parametrize(
    ("name", "tries"), [("again", 3), ("disorder", 3), ("orphan", 1)], ids=["unique", "check", "foreign key"]
)
async def test_a_violation_that_lasts_fails_soon(database: Database, name: str, tries: int) -> None:
    """It keeps its place in the queue for milliseconds, not seconds."""
    begun: list[None] = []

    def script() -> Script[None]:
        begun.append(None)
        yield run(name)

    with pytest.raises(DatabaseFailure):
        await database.change(script)
    assert len(begun) == tries


async def test_a_code_that_another_replica_takes_meanwhile_is_a_duplicate(
    database: Database, other: asyncpg.Connection
) -> None:
    """The second attempt sees what the first one conflicted with."""
    async with other.transaction():
        await other.execute(CREATE)
        creating = asyncio.create_task(create_product(database, ProductDraft(product_code="B-1", description="y"), NOW))
        await until_one_waits(other)
    with pytest.raises(DuplicateProductCode):
        await creating


async def test_bounds_that_another_replica_changes_meanwhile_are_compared_again(
    database: Database, other: asyncpg.Connection
) -> None:
    """A maximum that falls below the new minimum is a problem of the request, not a failure."""
    async with other.transaction():
        await other.execute("UPDATE levels SET minimum_level = 5")
        changing = asyncio.create_task(change_product(database, 1, ProductChange(maximum_level=3), NOW))
        await until_one_waits(other)
    with pytest.raises(InvalidInput, match="maximum_level 3 is below minimum_level 5"):
        await changing


async def test_a_product_that_another_replica_deletes_meanwhile_is_not_found(
    database: Database, other: asyncpg.Connection
) -> None:
    """A change that waits for the deletion is refused as one that comes after it."""
    async with other.transaction():
        await other.execute("DELETE FROM products WHERE id = 1")
        changing = asyncio.create_task(change_product(database, 1, ProductChange(description="y"), NOW))
        await until_one_waits(other)
    with pytest.raises(ProductNotFound):
        await changing
