"""Services over PostgreSQL and SQLite with the same catalogue, and rounds of load that measure both processes' work.

The processor time of the PostgreSQL server, which works in separate processes, is reported next to the service's.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
import psutil

from barcodesvc.addresses import ServerAddress
from barcodesvc.store.postgres.database import open_database
from scripts.benchmarks import whole_service
from scripts.benchmarks.load import Round
from scripts.benchmarks.servers import Server, running_module
from scripts.benchmarks.turns import SECONDS, Contender, Turns, in_turns
from tests.servers.postgres import running_postgres

ROUNDS = 5

_PRODUCTS = """
INSERT INTO products (product_code, description, category, unit_of_measure, created_at, updated_at,
                      code_folded, description_folded, number_key)
SELECT code, description, 'Bin ' || (number % 8), 'pcs', '{now}', '{now}', lower(code), lower(description),
       lpad(CAST(number AS TEXT), 14, '0')
FROM (
    SELECT number, 'AB-' || lpad(CAST(number AS TEXT), 8, '0') AS code,
           'Hex bolt M' || (4 + number % 7) || ' x ' || (20 + number % 60) || ', zinc, bin ' || number
           || CASE WHEN number % ({products} / 20) = 7 THEN ', walnut' ELSE '' END AS description
    FROM generate_series(0, {products} - 1) AS numbers (number)
) AS texts
"""
_LEVELS = """
INSERT INTO levels (product_id, current_level, minimum_level, maximum_level, last_updated, updated_by)
SELECT id, 5, 2, 0, '{now}', 'system' FROM products ORDER BY id
"""
_NOW = "2026-01-31T12:00:00.000Z"


@dataclass(frozen=True, slots=True)
class Postgres:
    """A running server with a database for each catalogue."""

    address: Callable[[str], str]
    process: Server


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Run a server inside of the block."""
    with TemporaryDirectory(prefix="pg-") as name:
        folder = Path(name)
        with running_postgres(folder, {"shared_buffers": "256MB", "max_wal_size": "4GB"}) as server:
            pid = int((folder / "data" / "postmaster.pid").read_text().split()[0])
            yield Postgres(server.address, Server(psutil.Process(pid), ()))


async def make_catalogue(server: Postgres, name: str, products: int) -> str:
    """Create a database of this many products, like those of decode/scale, and return its address."""
    address = server.address(name)
    await run(server.address("postgres"), f"CREATE DATABASE {name}")
    async with open_database(ServerAddress(address)):
        pass
    values = {"products": products, "now": _NOW}
    await run(address, _PRODUCTS.format(**values), _LEVELS.format(**values), "VACUUM ANALYZE")
    return address


async def run(address: str, *statements: str) -> None:
    """Run statements on a database, each in its own transaction."""
    connection = await asyncpg.connect(address)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@contextmanager
def served(place: str) -> Iterator[Server]:
    """Serve a database in a separate process."""
    with running_module(whole_service.MODULE, place) as server:
        yield server


class PostgresTime:
    """The processor time of PostgreSQL in the rounds of each contender, in microseconds per request."""

    def __init__(self, process: Server) -> None:
        self._process = process
        self._spent: dict[str, list[float]] = {}

    def turns(self, contenders: Mapping[str, Callable[[], Round]], rounds: int = ROUNDS) -> Turns:
        """Run rounds of each contender in turn, after one that is not counted."""
        for one_round in contenders.values():
            one_round()
        return in_turns({name: self._watched(name, one) for name, one in contenders.items()}, rounds)

    def microseconds(self, name: str) -> float:
        """Return the median of PostgreSQL's processor time per request."""
        spent = sorted(self._spent[name])
        return spent[len(spent) // 2]

    def _watched(self, name: str, one_round: Callable[[], Round]) -> Callable[[], Round]:
        def watched() -> Round:
            begin = self._process.cpu_seconds()
            round_ = one_round()
            spent = self._process.cpu_seconds() - begin
            self._spent.setdefault(name, []).append(spent / round_.answered * 1e6)
            return round_

        return watched


def one_of(contender: Contender) -> Callable[[], Round]:
    """Return a function that runs a round of it."""
    return lambda: contender.one_round(SECONDS)


def catalogue(server: Postgres, name: str, products: int) -> str:
    """Create a catalogue and return its address."""
    return asyncio.run(make_catalogue(server, name, products))
