"""A million products on PostgreSQL against ten thousand: a scan, pages, a search, a change of a level."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.benchmarks.decode.scale import CONNECTIONS, FEW, KINDS, MANY
from scripts.benchmarks.replicas.served import PostgresTime, catalogue, one_of, postgres, served
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.turns import Contender

_TWICE = at_most(2)
_BOUND = {"decode", "a level change", "a search for a word"}
"""Pages count all products, so theirs are reported separately."""


def measure() -> Iterator[Figure]:
    """Yield for each kind of request how many times as long it takes with a million products."""
    with postgres() as server:
        places = {products: catalogue(server, f"p{products}", products) for products in (FEW, MANY)}
        with served(places[FEW]) as few, served(places[MANY]) as many:
            for name, (requests, _) in KINDS.items():
                database = PostgresTime(server.process)
                turns = database.turns(
                    {
                        "few": one_of(Contender(few, few.ports[0], requests(FEW), CONNECTIONS)),
                        "many": one_of(Contender(many, many.ports[0], requests(MANY), CONNECTIONS)),
                    }
                )
                told = (
                    f"{turns.per_second('few'):,.0f} a second among {FEW:,} products, {turns.per_second('many'):,.0f} "
                    f"among {MANY:,}; processor time {turns.cpu_microseconds('few'):,.0f} and "
                    f"{turns.cpu_microseconds('many'):,.0f} µs, of the database server "
                    f"{database.microseconds('few'):,.0f} and {database.microseconds('many'):,.0f}"
                )
                target = _TWICE if name in _BOUND else None
                title = f"{name} among {MANY:,} products, times {FEW:,}"
                yield Figure(title, turns.speed_ratio("few", "many"), "x", target, told)
