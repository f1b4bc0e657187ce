"""First pages of a million products on PostgreSQL, as `products/lists.py` measures them on SQLite."""

import asyncio
from collections.abc import Iterator

from scripts.benchmarks.decode.scale import MANY
from scripts.benchmarks.products.lists import LEVELS, ROUNDS, contenders, figures
from scripts.benchmarks.replicas.served import catalogue, postgres, run, served
from scripts.benchmarks.report import Figure
from scripts.benchmarks.turns import by_turns


def measure() -> Iterator[Figure]:
    """Yield for each list how many times as long its first page takes as that of all products by id."""
    with postgres() as server:
        place = catalogue(server, "products", MANY)
        asyncio.run(run(place, *LEVELS, "VACUUM ANALYZE"))
        with served(place) as service:
            yield from figures(by_turns(contenders(service), ROUNDS))
