"""Fixtures of the tests of this engine: a database on a server, and another replica's connection to it."""

from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from barcodesvc.addresses import ServerAddress
from tests.engines import ServerPlaces


@pytest.fixture
def place(postgres: ServerPlaces) -> Iterator[ServerAddress]:
    """Return a database on a server, whatever the engine of the other tests is."""
    with postgres.one() as made:
        yield made


@pytest.fixture
async def other(place: ServerAddress) -> AsyncIterator[asyncpg.Connection]:
    """Return a connection to it, as another replica would have."""
    connection = await asyncpg.connect(place.url)
    yield connection
    await connection.close()
