"""The engines that tests run on: a test's own database is a file, or a copy of a migrated one on a server.

Rule: the server is that of BARCODESVC_TEST_POSTGRES, whose role may create databases, or one started for the tests.
"""

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
"""The address of a server to use; removed from the environment, so that services under test do not see it."""

Place = Path | ServerAddress
"""The location of a database."""


class Places(Protocol):
    """A factory of places for databases."""

    def one(self) -> AbstractContextManager[Place]:
        """Provide a fresh place within the block."""


def in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine, even if an event loop is running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def answered(address: str, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements on a server, each in its own transaction; return the rows of the last one."""
    connection = await asyncpg.connect(address)
    try:
        rows: list[tuple[Any, ...]] = []
        for statement in statements:
            rows = [tuple(record) for record in await connection.fetch(statement)]
    finally:
        await connection.close()
    return rows


class FilePlaces:
    """Files, each in a separate folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()

    @contextmanager
    def one(self) -> Iterator[Place]:
        """Yield the path of a file that does not exist yet."""
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
"""The numbers of a schema's objects: adding or removing any changes one of them."""
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
    """Databases on a server, with the newest schema; `address` is that of any database on it.

    Each is a copy of a migrated one. A database that a test has released is emptied and reused, which costs a tenth of
    a new one, unless the test has changed its schema.
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
        """Yield an empty database, created with these options of CREATE DATABASE."""
        name = next(self._names)
        in_thread(answered(self._address, f"CREATE DATABASE {name} {options}"))
        try:
            yield self.address_of(name)
        finally:
            in_thread(answered(self._address, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))

    @contextmanager
    def migrated(self) -> Iterator[None]:
        """Keep a migrated database within the block, of which each place is a copy."""
        with self.empty() as template, self._copies:
            self._schema = in_thread(_as_template(template))
            self._template = urlsplit(template.url).path[1:]
            yield

    @contextmanager
    def one(self) -> Iterator[ServerAddress]:
        """Yield a database with the newest schema, without products."""
        place = self._empty.pop() if self._empty else self._copy()
        yield place
        if in_thread(_emptied(place, self._schema)):
            self._empty.append(place)

    def _copy(self) -> ServerAddress:
        return self._copies.enter_context(self.empty(f"TEMPLATE {self._template}"))


async def _emptied(place: ServerAddress, schema: tuple[Any, ...]) -> bool:
    """Empty an unused database, and return whether it is then like a new one."""
    with suppress(asyncpg.PostgresError):  # from a closed database, or one that has lost its tables
        return await answered(place.url, _END_OTHERS, _EMPTY, _BEGIN_IDS, _SCHEMA) == [schema]
    return False


async def migrated(place: Place) -> None:
    """Bring a database to the newest schema."""
    async with open_database(place):
        pass


async def _as_template(place: ServerAddress) -> tuple[Any, ...]:
    """Migrate a database, forbid further connections to it, and return the numbers of its schema's objects."""
    await migrated(place)
    [schema] = await answered(place.url, _SCHEMA)
    # a connection ends after its close returns, and a template must have no connections: new ones are
    # refused from here on, and remaining ones are terminated
    name = urlsplit(place.url).path[1:]
    other = ServerAddress(urlsplit(place.url)._replace(path="/postgres").geturl())
    await answered(
        other.url,
        f"ALTER DATABASE {name} ALLOW_CONNECTIONS false",
        f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'",  # noqa: S608 - our own name
    )
    return schema
