"""QR labels are limited by encoding: the server's processor time against that of `segno.make_qr` alone.

segno encodes the same contents in a process that does nothing else, a new one for each round. It takes turns with the
service's own encoder, which shows how much of the server's time is not encoding.
"""

import statistics
from collections.abc import Iterator

import segno

from barcodesvc.symbols.qr import qr
from scripts.benchmarks.alone import alone, print_by_turns
from scripts.benchmarks.labels import service
from scripts.benchmarks.labels.requests import product_code, sheets
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import running_module
from scripts.benchmarks.turns import Contender

CPU = at_most(1.3)
ROUNDS = 3
LABELS = 1000


def measure() -> Iterator[Figure]:
    """Yield processor time as a multiple of segno's and of that of the service's own encoder."""
    with running_module(service.MODULE) as server:
        printing = Contender(server, server.ports[0], sheets(LABELS, "QR"), connections=1)
        printing.one_round()
        rounds = [(printing.one_round().cpu_microseconds / LABELS, *alone(__name__)) for _ in range(ROUNDS)]
    server_time, segno_time, own_time = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(a / b for a, b, _ in rounds)
    note = f"{server_time:,.0f} µs a label against {segno_time:,.0f}"
    yield Figure(f"{LABELS:,} QR labels, processor time, times segno.make_qr", ratio, "x", CPU, note)
    ratio = statistics.median(a / c for a, _, c in rounds)
    note = f"{server_time:,.0f} µs a label against {own_time:,.0f}"
    yield Figure(f"{LABELS:,} QR labels, processor time, times the service's encoder", ratio, "x", None, note)


def _make(content: str) -> object:
    return segno.make_qr(content, error="M", boost_error=False)


if __name__ == "__main__":
    print_by_turns(product_code, LABELS, (_make, qr))
