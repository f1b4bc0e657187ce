"""Server restarts: what waits for the server, what fails, and what the log says."""

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

pytest.importorskip("asyncpg")

from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import DatabaseFailure
from barcodesvc.models import ProductDraft
from barcodesvc.store import limits
from barcodesvc.store.lists import bounds_of
from barcodesvc.store.postgres import pool
from barcodesvc.store.postgres.database import PostgresDatabase, open_database
from tests.servers.postgres import PostgresServer, programs, running_postgres
from tests.stock import create_product

pytestmark = pytest.mark.skipif(programs() is None, reason="needs a PostgreSQL server")

NOW = "2026-01-31T12:00:00.000Z"


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """Return this module's own server, which its tests may stop."""
    with tempfile.TemporaryDirectory(prefix="pg-") as folder, running_postgres(Path(folder)) as running:
        yield running


@pytest.fixture
async def database(server: PostgresServer) -> AsyncIterator[PostgresDatabase]:
    """Return the open database."""
    async with open_database(ServerAddress(server.address())) as opened:
        yield opened


async def _create(database: PostgresDatabase, code: str) -> None:
    await create_product(database, ProductDraft(product_code=code, description="x"), NOW)


async def _in_the_middle(server: PostgresServer, work: asyncio.Task[object]) -> None:
    """Start work while the server is down, and start it again."""
    await asyncio.sleep(0.2)
    assert not work.done()
    await asyncio.to_thread(server.start)


async def test_a_change_waits_for_a_server_that_comes_back(server: PostgresServer, database: PostgresDatabase) -> None:
    """A restart delays it, and causes no error."""
    await asyncio.to_thread(server.stop)
    change = asyncio.create_task(_create(database, "waited"))
    await _in_the_middle(server, change)
    await change
    assert await database.rows("product_texts_by_codes", wanted='["waited"]')


async def test_a_snapshot_waits_for_a_server_that_comes_back(
    server: PostgresServer, database: PostgresDatabase
) -> None:
    """An export that begins during a restart causes no error either."""
    await asyncio.to_thread(server.stop)

    async def read() -> object:
        async with database.snapshot() as snapshot:
            return await snapshot.rows("list_levels", limit=1)

    snapshot = asyncio.create_task(read())
    await _in_the_middle(server, snapshot)
    await snapshot


async def test_a_snapshot_without_a_server_fails_as_the_database(
    server: PostgresServer, database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export gets the same database failure as other requests."""
    monkeypatch.setattr(pool, "PAUSES", (0.01,))
    await asyncio.to_thread(server.stop)
    try:
        with pytest.raises(DatabaseFailure):
            async with database.snapshot():
                pass
    finally:
        await asyncio.to_thread(server.start)


async def test_a_stream_that_loses_its_server_fails_as_the_database(
    server: PostgresServer, database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export does not continue in another snapshot: the rows that it has read would not fit the rest."""
    monkeypatch.setattr(limits, "BATCH", 1)
    for code in ("one", "two"):
        await _create(database, code)
    async with (
        database.snapshot() as snapshot,
        aclosing(snapshot.stream("export_products", **bounds_of(None))) as batches,
    ):
        assert await anext(batches)
        await asyncio.to_thread(server.stop_at_once)
        try:
            with pytest.raises(DatabaseFailure):
                await anext(batches)
        finally:
            await asyncio.to_thread(server.start)


async def test_a_restart_leaves_no_traceback_in_the_log(
    server: PostgresServer, database: PostgresDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has one line for each failed operation; lost connections are not reported one by one."""
    caplog.set_level(logging.INFO)
    await _create(database, "before")
    await asyncio.to_thread(server.stop)
    await asyncio.sleep(0.2)
    await asyncio.to_thread(server.start)
    await _create(database, "behind")
    assert [record.message for record in caplog.records] == []


async def test_all_is_well_at_once_when_the_server_is_back(server: PostgresServer, database: PostgresDatabase) -> None:
    """Connections that died with the server delay nothing."""
    await asyncio.gather(*(database.rows("list_levels", limit=1) for _ in range(20)))
    await asyncio.to_thread(server.stop_at_once)
    await asyncio.to_thread(server.start)
    assert await database.is_well()
    await asyncio.gather(*(database.rows("list_levels", limit=1) for _ in range(20)))


async def test_a_start_waits_for_no_import(server: PostgresServer, database: PostgresDatabase) -> None:
    """A replica starts, and lets others write, while a long change has written products."""
    written, end = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        import asyncpg  # noqa: PLC0415 - skipped without it

        connection = await asyncpg.connect(server.address())
        async with connection.transaction():
            await connection.execute("UPDATE products SET description = 'y'")
            written.set()
            await end.wait()
        await connection.close()

    holding = asyncio.create_task(hold())
    await written.wait()
    async with asyncio.timeout(10), open_database(ServerAddress(server.address())):
        await _create(database, "second")
    end.set()
    await holding
