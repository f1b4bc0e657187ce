"""Changes of levels through the whole service, by one client and by many, against a program that only commits them.

The program runs the same two statements on a separate file on the same disk, with the same safety, each change in its
own transaction, without HTTP. The ratio for one client shows what a request costs in addition to its commit. The ratio
for many shows the gain from committing waiting changes together, which grows with the time that the disk takes.
"""

import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path

import uvloop

from barcodesvc.models import ProductDraft
from barcodesvc.store.sqlite.connection import QUERIES
from scripts.benchmarks.load import Round, set_level
from scripts.benchmarks.report import Figure, at_least
from scripts.benchmarks.service import fill_catalogue, serving
from scripts.benchmarks.turns import Contender, in_turns

PRODUCTS = [ProductDraft(product_code=f"P-{number}", description="x") for number in range(100)]
CLIENTS = {"one client": (1, at_least(0.2)), "32 clients at a time": (32, at_least(0.9))}
ROUNDS = 9
SECONDS = 1.0
_NOW = "2026-01-31T12:00:00.000Z"


def levels() -> Iterator[Figure]:
    """Yield the changes per second of one client and of many, as shares of the program's."""
    with tempfile.TemporaryDirectory() as folder, serving(products=PRODUCTS) as server:
        path = Path(folder, "plain.db")
        uvloop.run(fill_catalogue(path, PRODUCTS))
        requests = (set_level(1 + level % len(PRODUCTS), level) for level in count())
        rounds = {
            name: partial(Contender(server, server.ports[0], requests, clients).one_round, SECONDS)
            for name, (clients, _) in CLIENTS.items()
        }
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            turns = in_turns({"program": partial(_committed, connection, SECONDS), **rounds}, ROUNDS)
    for name, (_, target) in CLIENTS.items():
        note = f"{turns.per_second(name):,.0f} changes/s against {turns.per_second('program'):,.0f}"
        ratio = turns.speed_ratio(name, "program")
        yield Figure(f"changes of levels by {name}, share of sqlite3 alone", ratio, "%", target, note)


def _committed(connection: sqlite3.Connection, seconds: float) -> Round:
    """Commit changes one by one for the same time."""
    begin, cpu, made = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - begin < seconds:
        booked = {"product_id": 1 + made % len(PRODUCTS), "new_level": made, "updated_by": "x", "now": _NOW}
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            QUERIES["insert_setting"].sql, {**booked, "expected_level": None, "change_reason": "", "scanned_at": None}
        ).fetchall()
        connection.execute(QUERIES["set_level"].sql, {**booked, "changed_at": _NOW})
        connection.execute("COMMIT")
        made += 1
    return Round(made, time.perf_counter() - begin, time.process_time() - cpu)
