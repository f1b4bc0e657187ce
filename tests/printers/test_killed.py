"""The service is killed in the middle of print jobs; what it says of them afterwards is what is on paper.

Each label has another code. Sure labels must be on paper, others only where they are unsure, and none twice, because
nothing is sent again by itself.
"""

import asyncio
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.printers.queued import zebra
from tests.served import UNLIMITED, Service
from tests.servers.label_printer import Behaviour, LabelPrinter

ROUNDS, JOBS_OF_ROUND = 2, 2
MOST_LABELS = 120
SHORTEST, LONGEST = 0.05, 0.9
"""Seconds that the service sends in a round."""
LABEL_SECONDS = 0.003
END_WAIT = 600.0
"""Seconds in which the jobs that are left are printed; under a load of other processes half of all may be left."""
JOBS = "/api/printers/zebra/jobs"
OVER = {"printed", "sent", "failed", "cancelled", "in_doubt"}

Labels = Mapping[int, Sequence[bytes]]
"""The labels of each job, in order."""


def test_a_kill_loses_no_label_and_doubles_none(tmp_path: Path) -> None:
    """Two jobs are queued in each round; the last service prints the rest."""
    seeds = random.Random(1)  # noqa: S311 - moments and numbers
    labels: dict[int, list[bytes]] = {}
    with printing() as printer:
        settings = UNLIMITED | {"printers": zebra(printer.port, "&dpi=203")}
        for number in range(ROUNDS):
            with Service(tmp_path, **settings) as service:
                for job in range(JOBS_OF_ROUND):
                    labels |= queued(service, f"R{number}J{job}", seeds.randint(1, MOST_LABELS))
                time.sleep(seeds.uniform(SHORTEST, LONGEST))
                service.kill()
        with Service(tmp_path, **settings) as service:
            given_up = time.monotonic() + END_WAIT
            while {job["state"] for job in jobs_of(service)} - OVER and time.monotonic() < given_up:
                time.sleep(0.1)
            time.sleep(MOST_LABELS * LABEL_SECONDS)  # what the printer has in memory
            jobs, tracebacks = jobs_of(service), service.errors().count("Traceback")
    assert list(differences({job["id"]: job for job in jobs}, labels, Counter(printer.printed))) == []
    assert {job["state"] for job in jobs} <= {"printed", "in_doubt"}
    assert (len(jobs), bool(printer.printed), tracebacks) == (ROUNDS * JOBS_OF_ROUND, True, 0)


@contextmanager
def printing() -> Iterator[LabelPrinter]:
    """Run a printer in a thread."""
    printer = LabelPrinter(Behaviour(label_seconds=LABEL_SECONDS))
    ready, loop, stop = threading.Event(), asyncio.new_event_loop(), asyncio.Event()

    async def run() -> None:
        async with printer.running():
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    ready.wait()
    try:
        yield printer
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def queued(service: Service, prefix: str, count: int) -> dict[int, list[bytes]]:
    """Queue a job, and return its id with its labels in order, as another output of the service has them."""
    products = [f"{prefix}N{number}" for number in range(count)]
    printable = {"products": products, "layout": {"sheet": "50x30mm", "dpi": 203}, "output": "zpl"}
    _, expected = service.exchange("POST", "/api/codes/printable", printable)
    job = service.call("POST", JOBS, {"products": products, "idempotency_key": prefix})["data"]
    return {job["id"]: re.findall(rb"\^XA(.*?)\^XZ", expected, re.DOTALL)}


def jobs_of(service: Service) -> list[dict[str, Any]]:
    """Return all jobs."""
    found: list[dict[str, Any]] = service.call("GET", f"{JOBS}?limit=500")["data"]
    return found


def differences(jobs: Mapping[int, dict[str, Any]], labels: Labels, paper: Counter[bytes]) -> Iterator[str]:
    """Yield what the API says and the paper does not."""
    for job_id, expected in labels.items():
        job = jobs.get(job_id)
        if job is None or job["labels"] != len(expected):
            yield "a job is lost"
            continue
        sure, unsure = job["labels_sure"], job["labels_unsure"]
        if any(paper[label] == 0 for label in expected[:sure]):
            yield "a label that is sure is not on paper"
        if any(paper[label] for label in expected[sure + unsure :]):
            yield "a label on paper is neither sure nor unsure"
        if any(paper[label] > 1 for label in expected):
            yield "a label is on paper twice"
