"""Decodes against a bare POST handler that returns as many bytes, in the same event loop, in turns."""

import tempfile
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

from scripts.benchmarks.decode import service
from scripts.benchmarks.load import post
from scripts.benchmarks.report import Figure, Target, at_least
from scripts.benchmarks.servers import Server, running_module
from scripts.benchmarks.turns import Contender, by_turns

SHARE_REPEATED = at_least(0.70)
SHARE_UNSEEN = at_least(0.35)


def measure() -> Iterator[Figure]:
    """Yield the share of the bare handler's throughput, for a repeated scan and for scans never sent before."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_module(service.MODULE, str(Path(folder) / "bench.db")) as server,
    ):
        yield _compared("a repeated decode", server, repeat(service.REPEATED), SHARE_REPEATED)
        yield _compared("a decode not seen before", server, service.unseen(), SHARE_UNSEEN)


def _compared(name: str, server: Server, bodies: Iterator[bytes], target: Target) -> Figure:
    port, bare_port = server.ports
    requests = (post(service.DECODE, body) for body in bodies)
    bare = repeat(post(service.DECODE, service.REPEATED))
    turns = by_turns({"service": Contender(server, port, requests), "bare": Contender(server, bare_port, bare)})
    note = (
        f"{turns.per_second('service'):,.0f} requests/s against {turns.per_second('bare'):,.0f}; "
        f"{turns.cpu_microseconds('service'):.0f} µs of processor time against {turns.cpu_microseconds('bare'):.0f}"
    )
    return Figure(f"{name}, share of a bare handler", turns.speed_ratio("service", "bare"), "%", target, note)
