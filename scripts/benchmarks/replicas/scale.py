"""A million products on PostgreSQL against ten thousand: a scan, pages, a search, a change of a level."""

from collections.abc import Iterator

from scripts.benchmarks.decode.scale import CONNECTIONS, FEW, KINDS, LAST_PAGE, LAST_PAGES, MANY, Requests
from scripts.benchmarks.replicas.served import PostgresTime, catalogue, one_of, postgres, served
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import Server
from scripts.benchmarks.turns import Contender, Turns

_TWICE = at_most(2)
_BOUND = {"decode", "page 1", "a level change", "a search for a word"}


def measure() -> Iterator[Figure]:
    """Yield how many times as long each kind of request takes with a million products; for last pages, how long."""
    with postgres() as server:
        places = {products: catalogue(server, f"p{products}", products) for products in (FEW, MANY)}
        with served(places[FEW]) as few, served(places[MANY]) as many:
            for name, (requests, _) in KINDS.items():
                database = PostgresTime(server.process)
                yield _times(name, _turns(database, requests, few, many), database)
            for name, requests in LAST_PAGES.items():
                database = PostgresTime(server.process)
                yield _time(name, _turns(database, requests, few, many), database)


def _turns(database: PostgresTime, requests: Requests, few: Server, many: Server) -> Turns:
    return database.turns(
        {
            "few": one_of(Contender(few, few.ports[0], requests(FEW), CONNECTIONS)),
            "many": one_of(Contender(many, many.ports[0], requests(MANY), CONNECTIONS)),
        }
    )


def _times(name: str, turns: Turns, database: PostgresTime) -> Figure:
    note = (
        f"{turns.per_second('few'):,.0f} a second among {FEW:,} products, {turns.per_second('many'):,.0f} "
        f"among {MANY:,}; processor time {turns.cpu_microseconds('few'):,.0f} and "
        f"{turns.cpu_microseconds('many'):,.0f} µs, of the database server "
        f"{database.microseconds('few'):,.0f} and {database.microseconds('many'):,.0f}"
    )
    target = _TWICE if name in _BOUND else None
    return Figure(f"{name} among {MANY:,} products, times {FEW:,}", turns.speed_ratio("few", "many"), "x", target, note)


def _time(name: str, turns: Turns, database: PostgresTime) -> Figure:
    few, many = (database.microseconds(contender) / 1000 for contender in ("few", "many"))
    note = f"{few:,.1f} ms among {FEW:,}; {turns.per_second('many'):,.0f} a second among {MANY:,}"
    return Figure(f"{name} among {MANY:,} products, in the database server", many, "ms", LAST_PAGE, note)
