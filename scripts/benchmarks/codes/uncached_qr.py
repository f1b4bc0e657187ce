"""Distinct QR codes: processor time against `segno.make` alone, and throughput against segno's own writers.

The reference is `segno.make(…, micro=False)` at the same error level: plain `segno.make` may choose a Micro QR code,
which is a different symbol. That call and the service's rendering without HTTP take turns in a process that does
nothing else, a new one for each round; the whole service's processor time per request covers all of its threads. The
contents are of one kind.
"""

import statistics
from collections.abc import Iterable, Iterator

import segno

from barcodesvc.codes.rendering import QrKey
from scripts.benchmarks.alone import alone, print_by_turns
from scripts.benchmarks.codes import peers, service
from scripts.benchmarks.codes.requests import different_qrcodes, short_code
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import running_module
from scripts.benchmarks.turns import Contender, Turns, by_turns

CPU = at_most(1)
ROUNDS = 5
SYMBOLS = 400


def measure() -> Iterator[Figure]:
    """Yield processor time as a multiple of that of `segno.make`, and throughput as one of segno's own writers."""
    with running_module(service.MODULE) as server, running_module(peers.MODULE, "segno") as peer:
        ours = Contender(server, server.ports[0], different_qrcodes())
        ours.one_round()
        pairs = [(ours.one_round().cpu_microseconds, *alone(__name__)) for _ in range(ROUNDS)]
        yield _multiple(
            "uncached QR, rendering alone, processor time, times segno.make(…, micro=False)",
            [pair[1:] for pair in pairs],
        )
        yield _multiple(
            "uncached QR, whole service, processor time, times segno.make(…, micro=False)",
            [(a, c) for a, _, c in pairs],
        )
        theirs = Contender(peer, peer.ports[0], different_qrcodes())
        yield _throughput(by_turns({"service": ours, "segno": theirs}, rounds=ROUNDS))


def _multiple(name: str, pairs: Iterable[tuple[float, ...]]) -> Figure:
    ours, makes = zip(*pairs, strict=True)
    ratio = statistics.median(a / b for a, b in zip(ours, makes, strict=True))
    note = f"{statistics.median(ours):,.0f} µs against {statistics.median(makes):,.0f}"
    return Figure(name, ratio, "x", CPU, note)


def _throughput(turns: Turns) -> Figure:
    note = (
        f"{turns.per_second('service'):,.0f} requests/s against {turns.per_second('segno'):,.0f}; "
        f"{turns.cpu_microseconds('service'):,.0f} µs of processor time against {turns.cpu_microseconds('segno'):,.0f}"
    )
    return Figure(
        "uncached QR, throughput, times segno's writers", turns.speed_ratio("service", "segno"), "x", None, note
    )


def _render(content: str) -> object:
    return QrKey(content, "M", 300).render()


def _make(content: str) -> object:
    return segno.make(content, error="M", boost_error=False, micro=False)


if __name__ == "__main__":
    print_by_turns(short_code, SYMBOLS, (_render, _make))
