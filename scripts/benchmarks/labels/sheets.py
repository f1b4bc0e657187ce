"""Sheets of CODE128 labels with descriptions: whole responses against reportlab's, and ten times as many labels.

Responses come one after the other, those of many labels from a separate server. Every ratio compares times, so less is
better.
"""

from collections.abc import Iterator

from scripts.benchmarks.labels import reportlab_peer, service
from scripts.benchmarks.labels.requests import sheets
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import Server, running_module
from scripts.benchmarks.turns import Contender, by_turns, times

FEW, MANY = 1000, 10_000
REPORTLAB = at_most(0.6)
GROWTH = at_most(12)
WAIT = at_most(1000)
ROUNDS = 5


def measure() -> Iterator[Figure]:
    """Yield the time as a multiple of reportlab's, the time itself, and how long ten times as many labels take."""
    with running_module(service.MODULE) as server, running_module(reportlab_peer.MODULE) as peer:
        turns = by_turns({"few": _printing(server, FEW), "reportlab": _printing(peer, FEW)}, ROUNDS)
    yield times(f"{FEW:,} labels, response time, times reportlab's widgets", turns, ("few", "reportlab"), REPORTLAB)
    yield Figure(f"{FEW:,} labels, response time on this machine", 1000 / turns.per_second("few"), "ms", WAIT)
    with running_module(service.MODULE) as server, running_module(service.MODULE) as other:
        turns = by_turns({"few": _printing(server, FEW), "many": _printing(other, MANY)}, ROUNDS)
    yield times(f"{MANY:,} labels, response time, times {FEW:,} labels", turns, ("many", "few"), GROWTH)


def _printing(server: Server, labels: int) -> Contender:
    return Contender(server, server.ports[0], sheets(labels), connections=1)
