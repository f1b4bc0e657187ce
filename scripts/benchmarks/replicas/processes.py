"""Two processes on one PostgreSQL against one: scans never sent before, and changes of levels.

All of it shares one machine, with the database and with the sender, so it also reports processor time per request.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence

import uvloop

from scripts.benchmarks.decode.scale import FEW, KINDS
from scripts.benchmarks.load import Round, for_seconds, send_load
from scripts.benchmarks.replicas.served import Postgres, PostgresTime, catalogue, postgres, served
from scripts.benchmarks.report import Figure
from scripts.benchmarks.servers import Server
from scripts.benchmarks.turns import SECONDS

CONNECTIONS = 8
"""To each process."""


def measure() -> Iterator[Figure]:
    """Yield how many times as many requests two processes answer."""
    with postgres() as server:
        address = catalogue(server, "few", FEW)
        with served(address) as one, served(address) as other:
            for name in ("decode", "a level change"):
                yield _figure(name, server, KINDS[name][0](FEW), (one, other))


def _figure(name: str, server: Postgres, requests: Iterator[bytes], processes: Sequence[Server]) -> Figure:
    database = PostgresTime(server.process)
    turns = database.turns({"one": _loaded(processes[:1], requests), "two": _loaded(processes, requests)})
    told = (
        f"{turns.per_second('two'):,.0f} a second against {turns.per_second('one'):,.0f}; processor time "
        f"{turns.cpu_microseconds('two'):,.0f} µs a request against {turns.cpu_microseconds('one'):,.0f}, of the "
        f"database server {database.microseconds('two'):,.0f} against {database.microseconds('one'):,.0f}"
    )
    return Figure(f"{name}, two processes against one", turns.speed_ratio("two", "one"), "x", None, told)


def _loaded(processes: Sequence[Server], requests: Iterator[bytes]) -> Callable[[], Round]:
    """Return a function that sends load to all of them at once for a while."""

    async def send() -> Round:
        limited = for_seconds(SECONDS, requests)
        rounds = await asyncio.gather(*(send_load(one, one.ports[0], limited, CONNECTIONS) for one in processes))
        answered, cpu = sum(each.answered for each in rounds), sum(each.cpu_seconds for each in rounds)
        return Round(answered, max(each.seconds for each in rounds), cpu)

    return lambda: uvloop.run(send())
