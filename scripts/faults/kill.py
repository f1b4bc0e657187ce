"""The service killed at random moments under changes: everything it confirmed is there, once, and it starts again."""

import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from pathlib import Path

import psutil

from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.faults.clients import Book, Client, busy
from scripts.faults.stored_data import differences, select_from_file, wrong_in_file
from tests.served import MODULE, UNLIMITED, Service

_KILLS, _BRIEF_KILLS = 200, 12
_CLIENTS = 4
_SHORTEST, _LONGEST = 0.05, 0.6
"""Seconds that the service runs under changes between two kills."""
_START = 1.0


def killed(*, brief: bool) -> Iterator[Figure]:
    """Kill it again and again, and compare the database with the responses."""
    kills = _BRIEF_KILLS if brief else _KILLS
    wrong: Counter[str] = Counter()
    starts: list[float] = []
    worked: list[float] = []
    moments = random.Random(1)  # noqa: S311 - moments
    with tempfile.TemporaryDirectory(prefix="chaos-") as name, Service(Path(name), *MODULE, **UNLIMITED) as service:
        book, stop, path = Book(), threading.Event(), Path(name) / "shop.db"
        clients = [Client(service.port, number, book, stop) for number in range(_CLIENTS)]
        clients[0].create_products()
        with busy(clients, stop):
            for _ in range(kills):
                time.sleep(moments.uniform(_SHORTEST, _LONGEST))
                service.kill()
                begin = time.perf_counter()
                service.start()
                if service.exchange("GET", "/health")[0] != HTTPStatus.OK:
                    raise SystemExit(f"the service is not well after its start: {service.errors()}")
                starts.append(time.perf_counter() - begin)
                worked.append(sum(psutil.Process(service.process.pid).cpu_times()[:2]))
                wrong += wrong_in_file(path)
        wrong += differences(partial(select_from_file, path), book) + book.wrong
    answered = len(book.made) + len(book.refused) + len(book.products) + len(book.imports)
    yield Figure("killed under changes", kills, "", at_least(kills), f"{answered} responses to changes")
    yield Figure("wrong after a start", wrong.total(), "", at_most(0), "; ".join(map(str, wrong.items())))
    yield Figure("processor time of a start, median", statistics.median(worked), "s", at_most(_START))
    yield Figure("start to the first /health, median", statistics.median(starts), "s", at_most(_START))
    yield Figure("start to the first /health, slowest", max(starts), "s", at_most(_START), _time_of_imports())


def _time_of_imports() -> str:
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import gc; gc.disable(); import barcodesvc.__main__"], check=True)
    return f"of which Python's own start and imports take {time.perf_counter() - begin:.2f} s now"
