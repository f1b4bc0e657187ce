"""How much metrics and the access log slow down a cached barcode, where their share of the cost is greatest.

The rounds alternate and are short and many, because the effect is small compared with the noise of a busy machine.
"""

from collections.abc import Iterator
from functools import partial
from itertools import repeat

from scripts.benchmarks.observability import service
from scripts.benchmarks.report import Figure, Target, at_least
from scripts.benchmarks.servers import running_module
from scripts.benchmarks.turns import Contender, Turns, in_turns

METRICS_SHARE = at_least(0.95)
LOG_SHARE = at_least(0.75)
ROUNDS = 45
SECONDS = 0.4


def measure() -> Iterator[Figure]:
    """Yield the share of the throughput that is left with each."""
    with running_module(service.MODULE) as server:
        names = ("neither", "metrics", "access log")
        contenders = {
            name: Contender(server, port, repeat(service.REQUEST))
            for name, port in zip(names, server.ports, strict=True)
        }
        turns = in_turns({name: partial(one.one_round, SECONDS) for name, one in contenders.items()}, ROUNDS)
    yield _share(turns, "metrics", "neither", METRICS_SHARE)
    yield _share(turns, "access log", "metrics", LOG_SHARE)


def _share(turns: Turns, name: str, other: str, target: Target) -> Figure:
    note = (
        f"{turns.per_second(name):,.0f} requests/s against {turns.per_second(other):,.0f}; "
        f"{turns.cpu_microseconds(name):.1f} µs of processor time against {turns.cpu_microseconds(other):.1f}, "
        f"a factor of {turns.cpu_ratio(name, other):.3f}"
    )
    return Figure(f"cached barcode with {name}, share of {other}", turns.speed_ratio(name, other), "%", target, note)
