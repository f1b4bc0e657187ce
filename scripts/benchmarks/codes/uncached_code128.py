"""Distinct CODE128 codes, with text, SVG and PNG: the whole service against a service with python-barcode's writers.

Each runs in one process, with the same load in turns.
"""

from collections.abc import Iterator

from scripts.benchmarks.codes import peers, service
from scripts.benchmarks.codes.requests import different_barcodes
from scripts.benchmarks.report import Figure, at_least
from scripts.benchmarks.servers import running_module
from scripts.benchmarks.turns import Contender, Turns, by_turns

PEER = "python-barcode's writers"
TARGET = at_least(7)
CONNECTIONS = (16, 64)


def measure() -> Iterator[Figure]:
    """Yield the throughput as a multiple of the peer's."""
    with running_module(service.MODULE) as ours, running_module(peers.MODULE, "python-barcode") as theirs:
        requests = {"service": different_barcodes(), PEER: different_barcodes()}
        for connections in CONNECTIONS:
            contenders = {
                name: Contender(server, server.ports[0], requests[name], connections)
                for name, server in {"service": ours, PEER: theirs}.items()
            }
            yield _compared(by_turns(contenders), connections)


def _compared(turns: Turns, connections: int) -> Figure:
    note = (
        f"{turns.per_second('service'):,.0f} requests/s against {turns.per_second(PEER):,.0f}; "
        f"{turns.cpu_microseconds('service'):.0f} µs of processor time against {turns.cpu_microseconds(PEER):.0f}, "
        f"a factor of {1 / turns.cpu_ratio('service', PEER):.2f}"
    )
    name = f"uncached CODE128 from {connections} connections, times {PEER}"
    return Figure(name, turns.speed_ratio("service", PEER), "x", TARGET, note)
