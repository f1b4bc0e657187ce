"""A simulated label printer, and its paper compared with what the API says after kills of the service.

Each label has another code. Sure labels must be on paper, others only where they are unsure, and none twice, because
nothing is sent again by itself.
"""

import asyncio
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.served import UNLIMITED, Service
from tests.servers.label_printer import Behaviour, LabelPrinter

_JOBS_OF_ROUND = 2
_MOST_LABELS = 120
_SHORTEST, _LONGEST = 0.05, 0.9
"""Seconds that the service sends in a round."""
_LABEL_SECONDS = 0.003
_END_WAIT = 600.0
"""Seconds in which the jobs that are left are printed; under a load of other processes half of all may be left."""
_LAYOUT = {"sheet": "50x30mm", "dpi": 203}
_FORMAT = re.compile(rb"\^XA(.*?)\^XZ", re.DOTALL)
_OVER = {"printed", "sent", "failed", "cancelled", "in_doubt"}


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of all jobs: how many have each state, where word and paper differ, and when the last was over."""

    states: Counter[str]
    differences: Counter[str]
    labels_on_paper: int
    seconds: float
    tracebacks: int


def killed_often(rounds: int) -> Ended:
    """Queue two jobs in each round, and kill the service in the middle; the last one prints the rest."""
    seeds = random.Random(1)  # noqa: S311 - moments and numbers
    labels: dict[int, list[bytes]] = {}
    with _printing({"zebra": Behaviour(label_seconds=_LABEL_SECONDS)}) as printers, TemporaryDirectory() as name:
        folder, settings = Path(name), UNLIMITED | {"printers": _setting(printers), "print_jobs": 10_000}
        for number in range(rounds):
            with Service(folder, **settings) as service:
                for job in range(_JOBS_OF_ROUND):
                    labels |= _queued(service, "zebra", f"R{number}J{job}", seeds.randint(1, _MOST_LABELS))
                time.sleep(seeds.uniform(_SHORTEST, _LONGEST))
                service.kill()
        with Service(folder, **settings) as service:
            waited = _seconds_until_all_are_over(service, "zebra")
            time.sleep(_MOST_LABELS * _LABEL_SECONDS)  # what the printer has in memory
            return _ended(service, {"zebra": labels}, printers, waited)


@contextmanager
def _printing(behaviours: Mapping[str, Behaviour]) -> Iterator[dict[str, LabelPrinter]]:
    """Run printers in a thread."""
    printers = {name: LabelPrinter(behaviour) for name, behaviour in behaviours.items()}
    ready, loop, stop = threading.Event(), asyncio.new_event_loop(), asyncio.Event()

    async def run() -> None:
        async with AsyncExitStack() as running:
            for printer in printers.values():
                await running.enter_async_context(printer.running())
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    ready.wait()
    try:
        yield printers
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def _setting(printers: Mapping[str, LabelPrinter]) -> str:
    return ",".join(
        f"{name}=zpl://127.0.0.1:{printer.port}?label=50x30mm&dpi=203" for name, printer in printers.items()
    )


def _queued(service: Service, printer: str, prefix: str, count: int) -> dict[int, list[bytes]]:
    """Queue a job, and return its id with its labels in order, as another output of the service has them."""
    products = [f"{prefix}N{number}" for number in range(count)]
    printable = {"products": products, "layout": _LAYOUT, "output": "zpl"}
    _, expected = service.exchange("POST", "/api/codes/printable", printable)
    job = service.call("POST", f"/api/printers/{printer}/jobs", {"products": products, "idempotency_key": prefix})
    return {job["data"]["id"]: _FORMAT.findall(expected)}


def _seconds_until_all_are_over(service: Service, printer: str) -> float:
    """Return how long it took until the jobs of a printer were over; _END_WAIT if they were not."""
    begin = time.perf_counter()
    while (waited := time.perf_counter() - begin) < _END_WAIT:
        jobs = service.call("GET", f"/api/printers/{printer}/jobs?limit=500")["data"]
        if not any(each["state"] in ("waiting", "sending") for each in jobs):
            return waited
        time.sleep(0.02)
    return _END_WAIT


def _ended(
    service: Service,
    labels: Mapping[str, Mapping[int, list[bytes]]],
    printers: Mapping[str, LabelPrinter],
    seconds: float,
) -> Ended:
    """Compare the paper of each printer with its jobs; `labels` are those that its jobs should have."""
    jobs = {name: _jobs(service, name) for name in printers}
    differences = Counter(
        difference
        for name, printer in printers.items()
        for difference in _differences(jobs[name], labels[name], Counter(printer.printed))
    )
    states = Counter(job["state"] for each in jobs.values() for job in each.values())
    on_paper = sum(len(printer.printed) for printer in printers.values())
    return Ended(states, differences, on_paper, seconds, service.errors().count("Traceback"))


def _jobs(service: Service, printer: str) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    path = f"/api/printers/{printer}/jobs?limit=500"
    page = service.call("GET", path)["data"]
    while page:
        found |= {job["id"]: job for job in page}
        page = service.call("GET", f"{path}&before={min(found)}")["data"]
    return found


def _differences(
    jobs: Mapping[int, dict[str, Any]], labels: Mapping[int, list[bytes]], paper: Counter[bytes]
) -> Iterator[str]:
    """Yield what the API says and the paper does not."""
    for job_id, expected in labels.items():
        job = jobs.get(job_id)
        if job is None or job["labels"] != len(expected):
            yield "a job is lost"
            continue
        if job["state"] not in _OVER:
            yield "a job is never over"
        sure, unsure = job["labels_sure"], job["labels_unsure"]
        if any(paper[label] == 0 for label in expected[:sure]):
            yield "a label that is sure is not on paper"
        if any(paper[label] for label in expected[sure + unsure :]):
            yield "a label on paper is neither sure nor unsure"
        if any(paper[label] > 1 for label in expected):
            yield "a label is on paper twice"
