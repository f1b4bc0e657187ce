"""What tests of this engine share: a database on a server, and the connection of another replica to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from barcodesvc.addresses import ServerAddress
from tests.engines import ServerPlaces


@pytest.fixture
def place(postgres: ServerPlaces) -> Iterator[ServerAddress]:
    """Return a database on a server, whatever the engine of the other tests."""
    with postgres.one() as made:
        yield made


@pytest.fixture
async def other(place: ServerAddress) -> AsyncIterator[asyncpg.Connection]:
    """Return a connection to it, as another replica has one."""
    connection = await asyncpg.connect(place.url)
    yield connection
    await connection.close()
