"""Server restarts and busy servers: what waits, what fails, and what the log and the times of queries say."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

pytest.importorskip("asyncpg")

import asyncpg

from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.models import ProductDraft
from barcodesvc.store import limits
from barcodesvc.store.limits import DatabaseLimits, FailureLog
from barcodesvc.store.lists import EVERY_PRODUCT, bounds_of, bounds_of_retired
from barcodesvc.store.postgres import pool
from barcodesvc.store.postgres.database import PostgresDatabase, open_database
from barcodesvc.store.postgres.failures import UnconfirmedError, failure_of
from tests.direct_sql import end_connections
from tests.servers.postgres import PostgresServer
from tests.stock import create_product

NOW = "2026-01-31T12:00:00.000Z"


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
            return await snapshot.rows("list_levels", limit=1, **bounds_of_retired("false"))

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
        aclosing(snapshot.stream("export_products", **bounds_of(EVERY_PRODUCT))) as batches,
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
    await asyncio.gather(*(database.rows("list_levels", limit=1, **bounds_of_retired("false")) for _ in range(20)))
    await asyncio.to_thread(server.stop_at_once)
    await asyncio.to_thread(server.start)
    assert await database.is_well()
    await asyncio.gather(*(database.rows("list_levels", limit=1, **bounds_of_retired("false")) for _ in range(20)))


async def test_a_start_waits_for_no_import(server: PostgresServer, database: PostgresDatabase) -> None:
    """A replica starts, and lets others write, while a long change has written products."""
    written, end = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
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


async def test_a_read_that_gets_no_connection_in_time_is_observed_once(place: ServerAddress) -> None:
    """A busy pool shows in the times, even if no read gets through."""
    seen: list[tuple[str, float]] = []
    limits = DatabaseLimits(connections=1, write_wait=0.05)
    async with open_database(place, limits=limits, observe=lambda *one: seen.append(one)) as database:
        seen.clear()
        async with database.snapshot():
            with pytest.raises(DatabaseOverload):
                await database.row("get_level", product_id=1)
    [(name, seconds)] = seen
    assert name == "get_level"
    assert seconds >= limits.write_wait


async def test_a_read_that_is_repeated_is_observed_once(place: ServerAddress) -> None:
    """Its time is that of all attempts together: the caller has waited once."""
    seen: list[str] = []
    async with open_database(place, observe=lambda name, _: seen.append(name)) as database:
        await database.row("get_level", product_id=1)
        end_connections(place)
        seen.clear()
        await database.row("get_level", product_id=1)
    assert seen == ["get_level"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TimeoutError(), "TimeoutError"),
        (UnconfirmedError("gone"), "gone (UnconfirmedError)"),
        (asyncpg.ReadOnlySQLTransactionError("only reads"), "only reads (25006)"),
    ],
)
def test_each_line_names_a_cause(caplog: pytest.LogCaptureFixture, error: Exception, said: str) -> None:
    """This includes errors without a text, such as a timeout."""
    FailureLog(lambda: 0.0, failure_of).failed("a change", error)
    assert caplog.messages == [f"database failure in a change: {said}"]
