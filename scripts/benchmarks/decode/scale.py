"""What a million products cost against ten thousand: a scan, a page, a search, a change of a level.

Both catalogues are alike and served at the same time; each request goes to one and then to the other. The requested
products are spread over the catalogue, and no scan is sent twice. Each search matches as many products in both.
"""

import itertools
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from scripts.benchmarks import whole_service
from scripts.benchmarks.load import get, post
from scripts.benchmarks.report import Figure, Target, at_most
from scripts.benchmarks.servers import Server, running_module
from scripts.benchmarks.turns import ROUNDS, Contender, Turns, by_turns

FEW, MANY = 10_000, 1_000_000
TWICE, FIVE_TIMES = at_most(2), at_most(5)
LAST_PAGE = at_most(150)
"""Milliseconds in the database, which skips all products before the page."""
CONNECTIONS = 4
PAGE = 50
WORD = "walnut"
"""In twenty products, whatever the size of the catalogue; its trigrams are in no other."""
DIGITS = "0000123"
"""In eleven codes of both catalogues; each of its trigrams is in a large part of them."""
_STRIDE = 7919
"""A prime, so that its multiples reach every product before they repeat."""

PRODUCTS = """
WITH RECURSIVE numbers (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < :products - 1),
texts (number, code, description) AS (
    SELECT number, printf('AB-%08d', number),
           printf('Hex bolt M%d x %d, zinc, bin %d', 4 + number % 7, 20 + number % 60, number)
           || CASE WHEN number % (:products / 20) = 7 THEN ', walnut' ELSE '' END
    FROM numbers
)
INSERT INTO products (product_code, description, category, unit_of_measure, created_at, updated_at,
                      code_folded, description_folded, number_key)
SELECT code, description, 'Bin ' || (number % 8), 'pcs', :now, :now, lower(code), lower(description),
       printf('%014d', number)
FROM texts
"""
LEVELS = """
INSERT INTO levels (product_id, current_level, minimum_level, maximum_level, last_updated, updated_by)
SELECT id, 5, 2, 0, :now, 'system' FROM products
"""
INDEXES = "UPDATE indexed_products SET upto = (SELECT MAX(id) FROM products)"

Requests = Callable[[int], Iterator[bytes]]
"""The requests of one kind for a catalogue of this many products, without end."""


def measure() -> Iterator[Figure]:
    """Yield how many times as long each kind of request takes with a million products; for last pages, how long."""
    with TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        paths = {products: Path(folder) / f"{products}.db" for products in (FEW, MANY)}
        for products, path in paths.items():
            make_catalogue(path, products)
        with (
            running_module(whole_service.MODULE, str(paths[FEW])) as few,
            running_module(whole_service.MODULE, str(paths[MANY])) as many,
        ):
            for name, (requests, target) in KINDS.items():
                yield _times(name, target, _turns(requests, {FEW: few, MANY: many}))
            for name, requests in LAST_PAGES.items():
                yield _time(name, _turns(requests, {FEW: few, MANY: many}))


def make_catalogue(path: Path, products: int) -> None:
    """Create a database of this many products with their levels, in one transaction of a few statements."""
    uvloop.run(whole_service.fill_catalogue(path, ()))
    values = {"products": products, "now": "2026-01-31T12:00:00.000Z"}
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA cache_size = -262144")
        for statement in (PRODUCTS, LEVELS, INDEXES):
            connection.execute(statement, values)


def _turns(requests: Requests, servers: Mapping[int, Server]) -> Turns:
    contenders = {
        str(products): Contender(server, server.ports[0], requests(products), CONNECTIONS)
        for products, server in servers.items()
    }
    return by_turns(contenders, ROUNDS)


def _times(name: str, target: Target, turns: Turns) -> Figure:
    few, many = str(FEW), str(MANY)
    note = (
        f"{turns.per_second(few):,.0f} a second among {FEW:,} products, {turns.per_second(many):,.0f} among {MANY:,}; "
        f"processor time {turns.cpu_microseconds(few):,.0f} and {turns.cpu_microseconds(many):,.0f} µs"
    )
    return Figure(f"{name} among {MANY:,} products, times {FEW:,}", turns.speed_ratio(few, many), "x", target, note)


def _time(name: str, turns: Turns) -> Figure:
    """Return the processor time of the service: SQLite is part of it, so the database takes less."""
    few, many = (turns.cpu_microseconds(str(products)) / 1000 for products in (FEW, MANY))
    note = f"{few:,.1f} ms among {FEW:,}; {turns.per_second(str(MANY)):,.0f} a second among {MANY:,}"
    return Figure(f"{name} among {MANY:,} products, processor time", many, "ms", LAST_PAGE, note)


def _numbers(products: int) -> Iterator[int]:
    return (number * _STRIDE % products for number in itertools.count())


def _scans(products: int) -> Iterator[bytes]:
    for sent, number in enumerate(_numbers(products)):
        yield post("/api/codes/decode", _json({"code_data": f"AB-{number:08}", "code_type": str(sent)}))


def _level_changes(products: int) -> Iterator[bytes]:
    for level, number in enumerate(_numbers(products)):
        request = post(f"/api/inventory/{number + 1}", _json({"new_level": level, "updated_by": "till"}))
        yield request.replace(b"POST", b"PUT", 1)


def _first_pages(_: int) -> Iterator[bytes]:
    return itertools.repeat(get("/api/products"))


def _last_pages(products: int) -> Iterator[bytes]:
    return itertools.repeat(get(f"/api/products?page={products // PAGE}"))


def _last_pages_of_category(products: int) -> Iterator[bytes]:
    return itertools.repeat(get(f"/api/products?category=Bin+3&page={products // 8 // PAGE}"))


def _json(body: dict[str, str | int]) -> bytes:
    return json.dumps(body).encode()


def _searches(text: str) -> Requests:
    return lambda _: itertools.repeat(get(f"/api/products?search={text}"))


KINDS: Mapping[str, tuple[Requests, Target]] = {
    "decode": (_scans, TWICE),
    "page 1": (_first_pages, TWICE),
    "a level change": (_level_changes, TWICE),
    "a search for a word": (_searches(WORD), FIVE_TIMES),
    "a search for that word and a frequent one": (_searches(f"zinc+{WORD}"), FIVE_TIMES),
    "a search for digits of a code": (_searches(DIGITS), FIVE_TIMES),
}
LAST_PAGES: Mapping[str, Requests] = {
    "the last page": _last_pages,
    "the last page of a category": _last_pages_of_category,
}
