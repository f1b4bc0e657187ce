"""First pages of a million products: in each order against that of ids, and those of filters against the same.

The levels have 500 values. Each product has a movement, and twenty have one more, a day later.
"""

import itertools
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args
from urllib.parse import urlencode

from barcodesvc.store.lists import Sort
from scripts.benchmarks import whole_service
from scripts.benchmarks.decode.scale import CONNECTIONS, MANY, make_catalogue
from scripts.benchmarks.load import get
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import Server, running_module
from scripts.benchmarks.turns import Contender, Turns, by_turns

TWICE = at_most(2)
ROUNDS = 5
_MOVEMENTS = """
INSERT INTO movements (product_id, old_level, new_level, change_reason, updated_by, updated_at)
SELECT product_id, 0, current_level, '', 'system', '2026-01-31T12:00:00.000Z' FROM levels ORDER BY product_id
"""
_LATER_MOVEMENTS = """
INSERT INTO movements (product_id, old_level, new_level, change_reason, updated_by, updated_at)
SELECT product_id, current_level, current_level, '', 'system', '2026-02-01T12:00:00.000Z'
FROM levels
WHERE product_id % 50000 = 7
ORDER BY product_id
"""
LEVELS = ("UPDATE levels SET current_level = product_id * 7919 % 500", _MOVEMENTS, _LATER_MOVEMENTS)
"""Statements that both engines understand."""
_BY_ID = "by id"
_SORTED = {f"by {sort}": {"sort": sort} for sort in get_args(Sort) if sort != "id"}
_FILTERED = {
    "a category of 125,000": {"category": "Bin 3"},
    "a category of 125,000, by product_code": {"category": "Bin 3", "sort": "product_code"},
    "20 products moved": {"moved_since": "2026-02-01"},
    "20 products moved, by current_level": {"moved_since": "2026-02-01", "sort": "current_level"},
    "all products moved": {"moved_since": "2026-01-01"},
    "all products moved, by current_level": {"moved_since": "2026-01-01", "sort": "current_level"},
}


def measure() -> Iterator[Figure]:
    """Yield for each list how many times as long its first page takes as that of all products by id."""
    with TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        path = Path(folder) / "products.db"
        make_catalogue(path, MANY)
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in LEVELS:
                connection.execute(statement)
        with running_module(whole_service.MODULE, str(path)) as server:
            yield from figures(by_turns(contenders(server), ROUNDS))


def contenders(server: Server) -> dict[str, Contender]:
    """Return the lists by name."""
    lists: Mapping[str, Mapping[str, str]] = {_BY_ID: {}, **_SORTED, **_FILTERED}
    return {name: Contender(server, server.ports[0], _first_pages(query), CONNECTIONS) for name, query in lists.items()}


def figures(turns: Turns) -> Iterator[Figure]:
    """Yield the figure of each list; only those of all products have a target."""
    for name in (*_SORTED, *_FILTERED):
        note = (
            f"{turns.per_second(name):,.0f} a second against {turns.per_second(_BY_ID):,.0f}; "
            f"processor time {turns.cpu_microseconds(name):,.0f} against {turns.cpu_microseconds(_BY_ID):,.0f} µs"
        )
        target = TWICE if name in _SORTED else None
        yield Figure(f"page 1, {name}", turns.speed_ratio(_BY_ID, name), "x", target, note)


def _first_pages(query: Mapping[str, str]) -> Iterator[bytes]:
    return itertools.repeat(get(f"/api/products?{urlencode(query)}"))
