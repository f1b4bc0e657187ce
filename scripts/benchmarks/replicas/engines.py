"""Each kind of request on PostgreSQL against SQLite, and a scan's look-up by asyncpg alone.

Both services have the same ten thousand products, and take turns. The figure is the processor time of the service:
PostgreSQL works in separate processes, whose time is reported separately.
"""

import asyncio
import itertools
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
import uvloop

from barcodesvc.store.postgres.queries import QUERIES
from scripts.benchmarks.decode.scale import CONNECTIONS, FEW, KINDS, LAST_PAGES, Requests, make_catalogue as make_file
from scripts.benchmarks.load import get
from scripts.benchmarks.replicas.served import Postgres, PostgresTime, catalogue, one_of, postgres, served
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import Server
from scripts.benchmarks.turns import Contender

SCAN = at_most(1.3)
_LOOK_UPS = 2000
_KINDS: Mapping[str, Requests] = {
    **{name: requests for name, (requests, _) in KINDS.items()},
    **LAST_PAGES,
    "a product": lambda _: (get(f"/api/products/{number % FEW + 1}") for number in itertools.count()),
    "a history": lambda _: (get(f"/api/inventory/{number % FEW + 1}/history") for number in itertools.count()),
    "a page of levels": lambda _: itertools.repeat(get("/api/inventory?page=7&limit=50")),
}


def measure() -> Iterator[Figure]:
    """Yield for each kind of request how many times SQLite's processor time it takes."""
    with TemporaryDirectory(prefix="barcodesvc-bench-") as folder, postgres() as server:
        path = Path(folder) / "bench.db"
        make_file(path, FEW)
        address = catalogue(server, "few", FEW)
        with served(address) as on_postgres, served(str(path)) as on_sqlite:
            for name, requests in _KINDS.items():
                pair = {"PostgreSQL": (on_postgres, requests(FEW)), "SQLite": (on_sqlite, requests(FEW))}
                yield _figure(name, pair, server)
        alone = uvloop.run(_alone(address))
        yield Figure(
            "a scan's look-up by asyncpg alone", alone, "ms", None, f"{alone * 1000:,.0f} µs of processor time"
        )


def _figure(name: str, pair: dict[str, tuple[Server, Iterator[bytes]]], server: Postgres) -> Figure:
    database = PostgresTime(server.process)
    turns = database.turns(
        {engine: one_of(Contender(on, on.ports[0], sent, CONNECTIONS)) for engine, (on, sent) in pair.items()}
    )
    told = (
        f"{turns.cpu_microseconds('PostgreSQL'):,.0f} µs against {turns.cpu_microseconds('SQLite'):,.0f}, and "
        f"{database.microseconds('PostgreSQL'):,.0f} in the database server; {turns.per_second('PostgreSQL'):,.0f} "
        f"requests a second against {turns.per_second('SQLite'):,.0f}"
    )
    target = SCAN if name == "decode" else None
    return Figure(f"{name}, processor time, times SQLite", turns.cpu_ratio("PostgreSQL", "SQLite"), "x", target, told)


async def _alone(address: str) -> float:
    """Return the milliseconds of processor time that one look-up of a scan's query takes in this process."""
    query = QUERIES["resolve_scans"]
    pool = await asyncpg.create_pool(address, min_size=1, max_size=2)
    try:
        numbers = iter(range(_LOOK_UPS))
        begin = time.process_time()
        await asyncio.gather(*(_look_up(pool, query.sql, query.order, numbers) for _ in range(CONNECTIONS)))
        return (time.process_time() - begin) / _LOOK_UPS * 1000
    finally:
        await pool.close()


async def _look_up(pool: asyncpg.Pool, sql: str, order: tuple[str, ...], numbers: Iterator[int]) -> None:
    for number in numbers:
        values = [f'["AB-{number:08}"]' if name in {"code", "folded", "number"} else "[]" for name in order]
        async with pool.acquire() as connection:
            await connection.fetchrow(sql, *values)
