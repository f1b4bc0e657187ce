"""PostgreSQL: against SQLite, as two processes on one server, and with a million products against ten thousand.

PostgreSQL works in separate processes, whose processor time is reported next to the service's. All of it shares one
machine, with the sender of the load.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import uvloop

from scripts.benchmarks.catalogues import FEW, MANY, make_database, make_file
from scripts.benchmarks.load import Round, for_seconds, send_load
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.scale import CONNECTIONS, KINDS, LAST_PAGE, LAST_PAGE_TIME, contenders, times_as_long
from scripts.benchmarks.servers import Server
from scripts.benchmarks.service import serving
from scripts.benchmarks.turns import SECONDS, Contender, Turns, in_turns
from tests.servers.postgres import PostgresServer, running_postgres

SQLITE = at_most(1.3)
TWO_PROCESSES = at_least(1.1)
ROUNDS = 5
CONNECTIONS_TO_EACH = 8


class Postgres:
    """A running server, and its processor time in the rounds of each contender, in microseconds per request."""

    def __init__(self, server: PostgresServer, folder: Path) -> None:
        self.server = server
        pid = int((folder / "data" / "postmaster.pid").read_text().split()[0])
        self._process = Server(psutil.Process(pid), ())
        self._spent: dict[str, list[float]] = {}

    def turns(self, rounds: Mapping[str, Callable[[], Round]]) -> Turns:
        """Run rounds of each contender in turn, after one that is not counted."""
        for one_round in rounds.values():
            one_round()
        self._spent = {name: [] for name in rounds}
        return in_turns({name: partial(self._watched, name, one) for name, one in rounds.items()}, ROUNDS)

    def microseconds(self, name: str) -> float:
        """Return the median of its processor time per request in these rounds."""
        spent = sorted(self._spent[name])
        return spent[len(spent) // 2]

    def _watched(self, name: str, one_round: Callable[[], Round]) -> Round:
        begin = self._process.cpu_seconds()
        seen = one_round()
        self._spent[name].append((self._process.cpu_seconds() - begin) / seen.answered * 1e6)
        return seen


def engines() -> Iterator[Figure]:
    """Yield for each kind of request how many times SQLite's processor time it takes."""
    with _postgres() as postgres, TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        path = Path(folder) / "bench.db"
        make_file(path, FEW)
        address = make_database(postgres.server, "few", FEW)
        with serving({"database": address}) as on_postgres, serving({"database": str(path)}) as on_sqlite:
            for name, (requests, _) in KINDS.items():
                rounds = {
                    engine: Contender(server, server.ports[0], requests(FEW), CONNECTIONS).one_round
                    for engine, server in {"PostgreSQL": on_postgres, "SQLite": on_sqlite}.items()
                }
                turns = postgres.turns(rounds)
                note = (
                    f"{turns.rates('PostgreSQL', 'SQLite')}, and {postgres.microseconds('PostgreSQL'):,.0f} in the "
                    f"database server"
                )
                ratio = turns.cpu_ratio("PostgreSQL", "SQLite")
                yield Figure(f"{name}, processor time, times SQLite", ratio, "x", SQLITE, note)


def processes() -> Iterator[Figure]:
    """Yield how many times as many requests two processes answer: scans never sent before, and changes of levels."""
    with _postgres() as postgres:
        settings = {"database": make_database(postgres.server, "few", FEW)}
        with serving(settings) as one, serving(settings) as other:
            for name in ("decode", "a level change"):
                requests = KINDS[name][0](FEW)
                turns = postgres.turns(
                    {"one": partial(_at_once, [one], requests), "two": partial(_at_once, [one, other], requests)}
                )
                note = (
                    f"{turns.rates('two', 'one')}, of the database server {postgres.microseconds('two'):,.0f} against "
                    f"{postgres.microseconds('one'):,.0f}"
                )
                yield Figure(
                    f"{name}, two processes against one", turns.speed_ratio("two", "one"), "x", TWO_PROCESSES, note
                )


def million() -> Iterator[Figure]:
    """Yield how many times as long each kind of request takes with a million products; for the last page, how long."""
    with _postgres() as postgres:
        places = {products: make_database(postgres.server, f"p{products}", products) for products in (FEW, MANY)}
        with serving({"database": places[FEW]}) as few, serving({"database": places[MANY]}) as many:
            for name, (_, target) in KINDS.items():
                turns = postgres.turns({each: one.one_round for each, one in contenders(name, few, many).items()})
                few_us, many_us = postgres.microseconds("few"), postgres.microseconds("many")
                more = f", of the database server {few_us:,.0f} and {many_us:,.0f} µs"
                yield times_as_long(name, turns, target, more)
            postgres.turns({each: one.one_round for each, one in contenders(LAST_PAGE, few, many).items()})
    seconds = postgres.microseconds("many") / 1000
    note = f"{postgres.microseconds('few') / 1000:,.1f} ms among {FEW:,}"
    yield Figure(f"the last page among {MANY:,} products, in the database server", seconds, "ms", LAST_PAGE_TIME, note)


@contextmanager
def _postgres() -> Iterator[Postgres]:
    with TemporaryDirectory(prefix="pg-") as name:
        folder = Path(name)
        with running_postgres(folder, {"shared_buffers": "256MB", "max_wal_size": "4GB"}) as server:
            yield Postgres(server, folder)


def _at_once(servers: Sequence[Server], requests: Iterator[bytes]) -> Round:
    """Send load to all of them at once for a while."""

    async def send() -> Round:
        limited = for_seconds(SECONDS, requests)
        rounds = await asyncio.gather(
            *(send_load(each, each.ports[0], limited, CONNECTIONS_TO_EACH) for each in servers)
        )
        cpu = sum(each.cpu_seconds for each in rounds)
        return Round(sum(each.answered for each in rounds), max(each.seconds for each in rounds), cpu)

    return uvloop.run(send())
