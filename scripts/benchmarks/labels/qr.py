"""QR labels are bounded by encoding: the server's processor time against that of `segno.make_qr` alone.

segno encodes the same contents in a process that does nothing else, one for each round, and by turns with it the
service's own encoder, which shows how much of the server's time is not encoding.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import segno

from barcodesvc.symbols.qr import qr
from scripts.benchmarks.labels import service
from scripts.benchmarks.labels.requests import product_code, sheets
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import running_module
from scripts.benchmarks.turns import Contender

CPU = at_most(1.3)
ROUNDS = 3
LABELS = 1000
CHUNK = 20


def measure() -> Iterator[Figure]:
    """Yield processor time as a multiple of segno's and of that of the service's own encoder."""
    with running_module(service.MODULE) as server:
        printing = Contender(server, server.ports[0], sheets(LABELS, "QR"), connections=1)
        printing.one_round()
        rounds = [(printing.one_round().cpu_microseconds / LABELS, *_alone()) for _ in range(ROUNDS)]
    server_time, segno_time, own_time = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(a / b for a, b, _ in rounds)
    beside = f"{server_time:,.0f} µs a label against {segno_time:,.0f}"
    yield Figure(f"{LABELS:,} QR labels, processor time, times segno.make_qr", ratio, "x", CPU, beside)
    ratio = statistics.median(a / c for a, _, c in rounds)
    beside = f"{server_time:,.0f} µs a label against {own_time:,.0f}"
    yield Figure(f"{LABELS:,} QR labels, processor time, times the service's encoder", ratio, "x", None, beside)


def _alone() -> tuple[float, float]:
    """Return the processor microseconds of one `segno.make_qr` and of the service's encoder, from a new process."""
    command = [sys.executable, "-m", "scripts.benchmarks.labels.qr"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - this very file
    theirs, own = map(float, printed.stdout.split())
    return theirs, own


def _by_turns() -> tuple[float, float]:
    theirs = own = 0.0
    for begin in range(-CHUNK, LABELS, CHUNK):
        contents = [product_code(abs(number)) for number in range(begin, begin + CHUNK)]
        spent = _spent(_make, contents), _spent(qr, contents)
        if begin >= 0:
            theirs, own = theirs + spent[0], own + spent[1]
    return theirs / LABELS * 1e6, own / LABELS * 1e6


def _make(content: str) -> object:
    return segno.make_qr(content, error="M", boost_error=False)


def _spent(work: Callable[[str], object], contents: list[str]) -> float:
    begin = time.process_time()
    for content in contents:
        work(content)
    return time.process_time() - begin


if __name__ == "__main__":
    print(*_by_turns())
