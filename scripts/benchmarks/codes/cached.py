"""A repeated code against a bare POST handler that returns the same bytes, in the same event loop, in turns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

from scripts.benchmarks.codes import service
from scripts.benchmarks.load import post
from scripts.benchmarks.report import Figure, at_least
from scripts.benchmarks.servers import Server, running_module
from scripts.benchmarks.turns import Contender, by_turns

SHARE = at_least(0.75)


def measure() -> Iterator[Figure]:
    """Yield the share of the bare handler's throughput, for a barcode and for a QR code."""
    with running_module(service.MODULE) as server:
        for path in service.REPEATED:
            yield _compared(server, path)


def _compared(server: Server, path: str) -> Figure:
    request = post(path, service.REPEATED[path])
    port, bare_port = server.ports
    turns = by_turns(
        {"service": Contender(server, port, repeat(request)), "bare": Contender(server, bare_port, repeat(request))}
    )
    note = (
        f"{turns.per_second('service'):,.0f} requests/s against {turns.per_second('bare'):,.0f}; "
        f"{turns.cpu_microseconds('service'):.0f} µs of processor time against "
        f"{turns.cpu_microseconds('bare'):.0f}, that is {1 / turns.cpu_ratio('service', 'bare'):.0%}"
    )
    kind = path.rpartition("/")[2]
    return Figure(f"cached {kind}, share of a bare handler", turns.speed_ratio("service", "bare"), "%", SHARE, note)
