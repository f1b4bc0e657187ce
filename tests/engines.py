"""The engines that tests run on: a database of a test's own is a file, or a copy of a migrated one on a server.

Rule: a server is that of BARCODESVC_TEST_POSTGRES, whose role may make databases, or one of the tests' own.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
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


_SCHEMA = """
WITH made (oid) AS (
    SELECT oid FROM pg_class UNION ALL SELECT oid FROM pg_trigger UNION ALL SELECT oid FROM pg_constraint
    UNION ALL SELECT oid FROM pg_extension
)
SELECT COUNT(*), CAST(MAX(oid) AS BIGINT), (SELECT MAX(version) FROM schema_version) FROM made
"""
"""What a schema is made of: whoever adds to it, or takes away from it, changes one of these numbers."""
_END_OTHERS = """
SELECT pg_terminate_backend(pid)
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_EMPTY = """
DO $$
DECLARE
    written TEXT; -- the tables with anything in them: it takes 20 ms to truncate all
BEGIN
    WHILE EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()) LOOP
        PERFORM pg_sleep(0.002), pg_stat_clear_snapshot(); -- pg_terminate_backend itself would look every 100 ms
    END LOOP;
    SELECT string_agg(relname, ', ') INTO written
    FROM pg_class
    WHERE relkind = 'r' AND relnamespace = CAST('public' AS REGNAMESPACE) AND relname <> 'schema_version'
      AND pg_relation_size(oid) > 0;
    IF written IS NOT NULL THEN
        EXECUTE 'TRUNCATE ' || written || ' CASCADE';
    END IF;
END $$
"""
_BEGIN_IDS = "SELECT setval(CAST(seqrelid AS REGCLASS), seqstart, FALSE) FROM pg_sequence"


class ServerPlaces:
    """Databases on a server, of the newest schema; `address` is that of any database on it.

    Each is a copy of one that is migrated. One that a test has left behind is emptied and taken again, which costs a
    tenth of a new one, unless the test has changed its schema.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._names = (f"barcodesvc_test_{os.getpid()}_{number}" for number in count())
        self._template = ""
        self._schema: tuple[Any, ...] = ()
        self._copies = ExitStack()
        self._empty: list[ServerAddress] = []

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
        with self.empty() as template, self._copies:
            self._schema = in_thread(_migrated(template))
            self._template = urlsplit(template.url).path[1:]
            yield

    @contextmanager
    def one(self) -> Iterator[ServerAddress]:
        """Yield a database of the newest schema, without products."""
        place = self._empty.pop() if self._empty else self._copy()
        yield place
        if in_thread(_emptied(place, self._schema)):
            self._empty.append(place)

    def _copy(self) -> ServerAddress:
        return self._copies.enter_context(self.empty(f"TEMPLATE {self._template}"))


async def _emptied(place: ServerAddress, schema: tuple[Any, ...]) -> bool:
    """Take everything out of a database that nobody needs any more, and return whether it is then as a new one."""
    with suppress(asyncpg.PostgresError):  # of one that is closed, or has lost its tables
        return await answered(place.url, _END_OTHERS, _EMPTY, _BEGIN_IDS, _SCHEMA) == [schema]
    return False


async def _migrated(place: ServerAddress) -> tuple[Any, ...]:
    """Migrate a database, let nobody connect to it any more, and return what its schema is made of."""
    async with open_database(place):
        pass
    [schema] = await answered(place.url, _SCHEMA)
    # a connection ends behind its closing, and nobody may be connected to what is copied: connecting to it once more is
    # refused from here on, and what is still there is ended
    name = urlsplit(place.url).path[1:]
    other = ServerAddress(urlsplit(place.url)._replace(path="/postgres").geturl())
    await answered(
        other.url,
        f"ALTER DATABASE {name} ALLOW_CONNECTIONS false",
        f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'",  # noqa: S608 - our own name
    )
    return schema
