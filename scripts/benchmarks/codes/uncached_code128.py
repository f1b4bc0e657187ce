"""Distinct CODE128 codes, with text, SVG and PNG: the whole service against whole services of its peers.

Each runs in one process, with the same load in turns. bwip-js is measured if scripts/bench found Node to install it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from scripts.benchmarks.codes import peers, service
from scripts.benchmarks.codes.requests import different_barcodes
from scripts.benchmarks.report import Figure, Target, at_least
from scripts.benchmarks.servers import Server, running, running_module
from scripts.benchmarks.turns import Contender, Turns, by_turns

TARGETS = {"python-barcode's writers": at_least(7), "bwip-js": at_least(5)}
CONNECTIONS = (16, 64)
SCRIPT = Path(__file__).parent / "bwip_js.mjs"
INSTALLED = Path(__file__).parents[3] / ".venv" / "bwip-js"


def measure() -> Iterator[Figure]:
    """Yield the throughput as a multiple of each peer's."""
    with ExitStack() as stack:
        servers = {
            "service": stack.enter_context(running_module(service.MODULE)),
            "python-barcode's writers": stack.enter_context(running_module(peers.MODULE, "python-barcode")),
        }
        node = shutil.which("node")
        if node and (INSTALLED / "node_modules" / "bwip-js").exists():
            servers["bwip-js"] = stack.enter_context(running(node, str(SCRIPT), str(INSTALLED)))
        else:
            print("  bwip-js is not compared: it takes `node`, `npm` and the network to install it")
        requests = {name: different_barcodes() for name in servers}
        for connections in CONNECTIONS:
            turns = by_turns(
                {name: _contender(server, requests[name], connections) for name, server in servers.items()}
            )
            compared = (peer for peer in TARGETS if peer in servers)
            yield from (_compared(turns, peer, connections, TARGETS[peer]) for peer in compared)


def _contender(server: Server, requests: Iterator[bytes], connections: int) -> Contender:
    return Contender(server, server.ports[0], requests, connections)


def _compared(turns: Turns, peer: str, connections: int, target: Target) -> Figure:
    note = (
        f"{turns.per_second('service'):,.0f} requests/s against {turns.per_second(peer):,.0f}; "
        f"{turns.cpu_microseconds('service'):.0f} µs of processor time against {turns.cpu_microseconds(peer):.0f}, "
        f"a factor of {1 / turns.cpu_ratio('service', peer):.2f}"
    )
    return Figure(
        f"uncached CODE128 from {connections} connections, times {peer}",
        turns.speed_ratio("service", peer),
        "x",
        target,
        note,
    )
