"""Fixtures of the tests of this engine: a database on a server, a module's own server, another replica's connection."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
import pytest

from barcodesvc.addresses import ServerAddress
from tests.engines import ServerPlaces
from tests.servers.postgres import PostgresServer, programs, running_postgres

_WAITING = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture
def place(postgres: ServerPlaces) -> Iterator[ServerAddress]:
    """Return a database on a server, whatever the engine of the other tests is."""
    with postgres.one() as made:
        yield made


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Return a folder with a short path, for a module's own server."""
    if programs() is None:
        pytest.skip("needs a PostgreSQL server")
    with TemporaryDirectory(prefix="pg-") as name:
        yield Path(name)


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[PostgresServer]:
    """Return a module's own server, which its tests may stop."""
    with running_postgres(folder) as running:
        yield running


@pytest.fixture
async def other(place: ServerAddress) -> AsyncIterator[asyncpg.Connection]:
    """Return a connection to the database, as another replica would have."""
    connection = await asyncpg.connect(place.url)
    yield connection
    await connection.close()


async def until_one_waits(connection: asyncpg.Connection) -> None:
    """Wait until a transaction waits for another one, at most ten seconds."""
    async with asyncio.timeout(10.0):
        while not await connection.fetchval(_WAITING):  # noqa: ASYNC110 - the server sends no event
            await asyncio.sleep(0.01)
