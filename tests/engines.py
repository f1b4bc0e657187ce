"""The engines that tests run on: a database of a test's own is a file, or a copy of a migrated one on a server.

Rule: a server is that of BARCODESVC_TEST_POSTGRES, whose role may make databases, or one of the tests' own.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import asyncpg

from barcodesvc.addresses import ServerAddress
from barcodesvc.store.engines import open_database

T = TypeVar("T")

ENGINES = ("sqlite", "postgres")
GIVEN_SERVER = os.environ.pop("BARCODESVC_TEST_POSTGRES", None)
"""The address of a server to use; the services that tests start know no such variable."""

Place = Path | ServerAddress
"""Where a database is."""


class Places(Protocol):
    """Makes places for databases."""

    def one(self) -> AbstractContextManager[Place]:
        """Keep a place inside of the block that nobody has used."""


def in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns, wherever an event loop runs already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def answered(address: str, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements on a server, each by itself; return the rows of the last one."""
    connection = await asyncpg.connect(address)
    try:
        rows: list[tuple[Any, ...]] = []
        for statement in statements:
            rows = [tuple(record) for record in await connection.fetch(statement)]
    finally:
        await connection.close()
    return rows


class FilePlaces:
    """Files in a folder, each in one of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()

    @contextmanager
    def one(self) -> Iterator[Place]:
        """Yield the path of a file that is not there yet."""
        folder = self._folder / str(next(self._numbers))
        folder.mkdir()
        yield folder / "test.db"


class ServerPlaces:
    """Databases on a server, each a copy of one that is migrated; `address` is that of any database on it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._names = (f"barcodesvc_test_{os.getpid()}_{number}" for number in count())
        self._template = ""

    def address_of(self, name: str) -> ServerAddress:
        """Return the address of another database on the server."""
        return ServerAddress(urlsplit(self._address)._replace(path=f"/{name}").geturl())

    @contextmanager
    def empty(self, options: str = "") -> Iterator[ServerAddress]:
        """Yield a database with nothing in it, made with these options of CREATE DATABASE."""
        name = next(self._names)
        in_thread(answered(self._address, f"CREATE DATABASE {name} {options}"))
        try:
            yield self.address_of(name)
        finally:
            in_thread(answered(self._address, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))

    @contextmanager
    def migrated(self) -> Iterator[None]:
        """Keep a migrated database inside of the block, of which each place is a copy."""
        with self.empty() as template:
            in_thread(_migrated(template))
            self._template = urlsplit(template.url).path[1:]
            yield

    @contextmanager
    def one(self) -> Iterator[Place]:
        """Yield a database of the newest schema, without products."""
        with self.empty(f"TEMPLATE {self._template}") as place:
            yield place


async def _migrated(place: ServerAddress) -> None:
    async with open_database(place):
        pass
    # a connection ends behind its closing, and nobody may be connected to what is copied: connecting to it once more is
    # refused from here on, and what is still there is ended
    name = urlsplit(place.url).path[1:]
    other = ServerAddress(urlsplit(place.url)._replace(path="/postgres").geturl())
    await answered(
        other.url,
        f"ALTER DATABASE {name} ALLOW_CONNECTIONS false",
        f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'",  # noqa: S608 - our own name
    )
