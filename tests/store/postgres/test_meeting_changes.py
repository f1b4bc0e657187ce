"""Concurrent changes of the same levels, in any order."""

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("asyncpg")

from barcodesvc.addresses import ServerAddress
from barcodesvc.models import ProductDraft
from barcodesvc.store.idempotency import Reply
from barcodesvc.store.movements import Entry, adjust, each_alone
from barcodesvc.store.postgres.database import PostgresDatabase, open_database
from barcodesvc.store.script import Script
from tests.servers.postgres import PostgresServer, programs, running_postgres
from tests.stock import create_product

pytestmark = pytest.mark.skipif(programs() is None, reason="needs a PostgreSQL server")

NOW = "2026-01-31T12:00:00.000Z"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Return the folder of this module's own server."""
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
    async with open_database(ServerAddress(server.address())) as opened:
        yield opened


def _counted(product_id: int) -> Script[Reply]:
    yield from adjust(product_id, 1, Entry("counted", "test", NOW))
    return Reply(b"", replayed=False)


@pytest.mark.parametrize("count", [20, 2])
async def test_batches_in_any_order_never_wait_for_each_other(
    folder: Path, database: PostgresDatabase, count: int
) -> None:
    """The server aborts none for a deadlock, which it detects only after a second; each counts once."""
    products = [
        (await create_product(database, ProductDraft(product_code=f"P-{count}-{number}", description="x"), NOW)).id
        for number in range(count)
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
