"""Changes that meet: on the same levels, at the same time, in whatever order."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("asyncpg")

from barcodesvc.models import ProductDraft
from barcodesvc.store.adjustments import Entry, add, each_alone
from barcodesvc.store.idempotency import Answer
from barcodesvc.store.postgres.database import PostgresDatabase, open_database
from barcodesvc.store.products import create_product
from barcodesvc.store.script import Script
from scripts.servers.postgres import PostgresServer, programs, running_postgres

pytestmark = pytest.mark.skipif(programs() is None, reason="needs a PostgreSQL server")

NOW = "2026-01-31T12:00:00.000Z"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Return the folder of the server of this module's own."""
    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        yield Path(name)


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[PostgresServer]:
    """Return that server."""
    with running_postgres(folder) as running:
        yield running


@pytest.fixture
async def database(server: PostgresServer) -> AsyncIterator[PostgresDatabase]:
    """Return the open database."""
    async with open_database(server.address()) as opened:
        yield opened


def _counted(product_id: int) -> Script[Answer]:
    yield from add(product_id, 1, Entry("counted", "test", NOW))
    return Answer(b"", replayed=False)


async def test_batches_in_any_order_never_wait_for_each_other(folder: Path, database: PostgresDatabase) -> None:
    """None is broken off by the server for a deadlock, which it looks for only after a second; each counts once."""
    products = [
        (await create_product(database, ProductDraft(product_code=f"P-{number}", description="x"), NOW)).id
        for number in range(20)
    ]
    source = random.Random(1)  # noqa: S311 - orders
    orders = [source.sample(products, len(products)) for _ in range(30)]
    await asyncio.gather(
        *(
            database.change(partial(each_alone, [partial(_counted, product) for product in order], order))
            for order in orders
        )
    )
    assert (folder / "log").read_text().count("deadlock detected") == 0
    levels = [await database.row("get_level", product_id=product) for product in products]
    assert [level[4] for level in levels if level] == [len(orders)] * len(products)
