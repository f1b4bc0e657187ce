"""A repeated code against a bare POST handler that returns the same bytes, in the same event loop, in turns.

The service has its default settings, with a rate limit that is never reached. What the limit costs is measured too.
"""

from collections.abc import Iterator
from itertools import repeat

from scripts.benchmarks.codes import service
from scripts.benchmarks.codes.requests import BARCODE
from scripts.benchmarks.load import post
from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.benchmarks.servers import Server, running_module
from scripts.benchmarks.turns import Contender, by_turns

SHARE = at_least(0.75)
LIMITED = at_most(1.15)
"""Processor time with a rate limit, as a multiple of that without one."""
ROUNDS = 25


def measure() -> Iterator[Figure]:
    """Yield the share of the bare handler's throughput, for a barcode and for a QR code; and the cost of the limit."""
    with running_module(service.MODULE) as server:
        for path in service.REPEATED:
            yield _compared(server, path)
        yield _limited(server)


def _compared(server: Server, path: str) -> Figure:
    request = post(path, service.REPEATED[path])
    port, bare_port, _ = server.ports
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


def _limited(server: Server) -> Figure:
    request = post(BARCODE, service.REPEATED[BARCODE])
    port, _, unlimited = server.ports
    turns = by_turns(
        {"on": Contender(server, port, repeat(request)), "off": Contender(server, unlimited, repeat(request))}, ROUNDS
    )
    note = f"{turns.cpu_microseconds('on'):.1f} µs against {turns.cpu_microseconds('off'):.1f}"
    ratio = turns.cpu_ratio("on", "off")
    return Figure("cached barcode with a rate limit, processor time, times that without", ratio, "x", LIMITED, note)
