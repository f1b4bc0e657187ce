"""The service killed at random moments under mixed changes: everything it confirmed is there, and it starts again."""

import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil

from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.faults.extent import Extent
from scripts.faults.mixed_writes import GONE, Client, Known, write_until_killed
from scripts.faults.stored_data import levels, wrongs
from scripts.faults.stored_service import StoredService

_ROUNDS = {Extent.FULL: 200, Extent.BRIEF: 12}
_CLIENTS = 4
_SHORTEST, _LONGEST = 0.05, 0.6
"""Seconds that the service runs under changes in a round."""
_START = 1.0


def killed(extent: Extent) -> Iterator[Figure]:
    """Kill it again and again, and compare the database with the responses."""
    wrong: Counter[str] = Counter()
    starts: list[float] = []
    worked: list[float] = []
    answered = 0
    seeds = random.Random(1)  # noqa: S311 - moments
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        folder = Path(name) / "data"
        folder.mkdir()
        for number in range(_ROUNDS[extent]):
            clients = [Client(number * _CLIENTS + each) for each in range(_CLIENTS)]
            begin = time.perf_counter()
            with StoredService(folder) as service:
                begun_well(service)
                starts.append(time.perf_counter() - begin)
                worked.append(sum(psutil.Process(service.process.pid).cpu_times()[:2]))
                write_until_killed(service, clients, seeds.uniform(_SHORTEST, _LONGEST))
            answered += sum(client.answered for client in clients)
            wrong.update(what for client in clients for what in client.wrong)
            with StoredService(folder) as service:
                wrong.update(wrongs(service.database))
                wrong.update(_lost(levels(service.database), clients))
                wrong.update(_counted_twice(service, clients))
    yield Figure("killed under changes", _ROUNDS[extent], "", at_least(_ROUNDS[extent]), f"{answered} responses")
    yield Figure("wrong after a start", wrong.total(), "", at_most(0), "; ".join(map(str, wrong.items())))
    yield Figure("processor time of a start, median", statistics.median(worked), "s", at_most(_START))
    yield Figure("start to the first /health, median", statistics.median(starts), "s", at_most(_START))
    yield Figure("start to the first /health, slowest", max(starts), "s", at_most(_START), _time_of_imports())


def begun_well(service: StoredService) -> None:
    """Raise unless the first response of the service says that it is healthy."""
    if not service.is_well():
        raise SystemExit(f"the service is not well after its start: {service.errors()}")


def _time_of_imports() -> str:
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import gc; gc.disable(); import barcodesvc.__main__"], check=True)
    return f"of which Python's own start and imports take {time.perf_counter() - begin:.2f} s now"


def _lost(there: dict[str, int], clients: list[Client]) -> Iterator[str]:
    for client in clients:
        for code, product in client.products.items():
            if there.get(code, GONE) not in {product.level, *product.unanswered}:
                yield "an answered change is not there"
        for codes, was_answered in client.imports:
            found = sum(code in there for code in codes)
            if found not in ({len(codes)} if was_answered else {0, len(codes)}):
                yield "an import is there in part, or not at all"


def _counted_twice(service: StoredService, clients: list[Client]) -> Iterator[str]:
    """Send each last adjustment again, under its key."""
    repeated = [(code, known) for client in clients for code, known in client.products.items() if known.repeated]
    repeated = [(code, known) for code, known in repeated if known.level != GONE and GONE not in known.unanswered]
    for _, known in repeated:
        _send_again(service, known)
    there = levels(service.database)
    for code, known in repeated:
        if known.repeated and there[code] != known.repeated[1]:
            yield "an adjustment under a key did not count once"


def _send_again(service: StoredService, known: Known) -> None:
    if known.repeated:
        service.ask("POST", f"/api/inventory/{known.id}/adjust", known.repeated[0])
