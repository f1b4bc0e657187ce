"""Changes of levels through the whole service, by one client and by many, against a program that only commits them.

The program runs the same two statements on a separate file on the same disk, with the same safety, each change in its
own transaction, without HTTP. The ratio for one client shows what a request costs in addition to its commit. The ratio
for many shows the gain from committing waiting changes together, which grows with the time that the disk takes.
"""

import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path

import uvloop

from barcodesvc.models import ProductDraft
from barcodesvc.store.sqlite.connection import QUERIES
from scripts.benchmarks import whole_service
from scripts.benchmarks.load import Round, post
from scripts.benchmarks.report import Figure, Target, at_least
from scripts.benchmarks.servers import running_module
from scripts.benchmarks.turns import Contender, Turns, in_turns

ALONE = at_least(0.2)
TOGETHER = at_least(0.9)
PRODUCTS = 100
CLIENTS = 32
ROUNDS = 9
SECONDS = 1.0
_NOW = "2026-01-31T12:00:00.000Z"


def measure() -> Iterator[Figure]:
    """Yield the changes per second of one client and of many, as shares of the program's."""
    with tempfile.TemporaryDirectory() as folder:
        served, plain = Path(folder, "served.db"), Path(folder, "plain.db")
        for path in (served, plain):
            uvloop.run(whole_service.fill_catalogue(path, _products()))
        with running_module(whole_service.MODULE, str(served)) as server, closing(_opened(plain)) as connection:
            [port], requests = server.ports, _requests()
            contenders: dict[str, Callable[[float], Round]] = {
                "program": partial(_committed, connection),
                "one client": Contender(server, port, requests, connections=1).one_round,
                "clients": Contender(server, port, requests, connections=CLIENTS).one_round,
            }
            turns = in_turns({name: partial(one, SECONDS) for name, one in contenders.items()}, ROUNDS)
    yield _share(turns, "one client", "one client", ALONE)
    yield _share(turns, "clients", f"{CLIENTS} clients at a time", TOGETHER)


def _share(turns: Turns, name: str, told: str, target: Target) -> Figure:
    note = f"{turns.per_second(name):,.0f} changes/s against {turns.per_second('program'):,.0f}"
    return Figure(
        f"changes of levels by {told}, share of sqlite3 alone", turns.speed_ratio(name, "program"), "%", target, note
    )


def _products() -> Iterator[ProductDraft]:
    for number in range(PRODUCTS):
        yield ProductDraft(product_code=f"P-{number}", description="x")


def _requests() -> Iterator[bytes]:
    for number in count():
        body = json.dumps({"new_level": number}).encode()
        yield post(f"/api/inventory/{1 + number % PRODUCTS}", body).replace(b"POST", b"PUT", 1)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _committed(connection: sqlite3.Connection, seconds: float) -> Round:
    """Commit changes one by one for the same time."""
    begin, cpu, made = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - begin < seconds:
        booked = {"product_id": 1 + made % PRODUCTS, "new_level": made, "updated_by": "x", "now": _NOW}
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            QUERIES["insert_setting"].sql, {**booked, "expected_level": None, "change_reason": "", "scanned_at": None}
        ).fetchall()
        connection.execute(QUERIES["set_level"].sql, {**booked, "changed_at": _NOW})
        connection.execute("COMMIT")
        made += 1
    return Round(made, time.perf_counter() - begin, time.process_time() - cpu)
