"""Jobs of numbered labels, and the queues that send them: what the tests of printers share."""

import asyncio
import re
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from barcodesvc.clock import Clock
from barcodesvc.print_jobs import OVER, JobState, PrinterState, PrintJob
from barcodesvc.printer_addresses import printer_of
from barcodesvc.printers.connection import ZPL, Document, Printer
from barcodesvc.printers.ipp import IppConnection
from barcodesvc.printers.printers import Printers
from barcodesvc.printers.queue_context import QueueContext
from barcodesvc.store.database import Database
from barcodesvc.store.print_jobs import (
    NewJob,
    QueuedJob,
    QueueLimits,
    cancel,
    get_job,
    get_queued_job,
    queue,
    rest_of,
)

LIMITS = QueueLimits(jobs=100, request_bytes=1_000_000)
NOON = "2026-01-31T12:00:00.000Z"
NOON_SECONDS, SECONDS_OF_HOUR = 1769860800.0, 3600.0
WAIT = 15.0
LABELS_OF_DOCUMENT = 10
LABEL_BYTES = 400


def label(number: int) -> bytes:
    """Return what is between `^XA` and `^XZ` of a label."""
    text = b"^FD%d^FS" % number
    return text + b"x" * (LABEL_BYTES - len(text) - 6)


def numbers(labels: bytes) -> list[int]:
    """Return the numbers of labels in their order."""
    return list(map(int, re.findall(rb"\^FD(\d+)\^FS", labels)))


async def make_document(_: Printer, job: QueuedJob, done: int, media_types: tuple[str, ...]) -> Document:
    """Return ten labels of a job, each with its number in the job's request."""
    numbers = range(done + 1, min(done + LABELS_OF_DOCUMENT, job.job.labels) + 1)
    content = b"".join(b"^XA%b^XZ" % label(job.job.from_label - 1 + number) for number in numbers)
    return Document(len(numbers), media_types[0] if media_types else ZPL, content)


@dataclass
class Observed:
    """What the queues have told their observer."""

    jobs: Counter[tuple[str, JobState]] = field(default_factory=Counter)
    printers: Counter[tuple[str, PrinterState]] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)

    def job_became(self, printer: str, state: JobState) -> None:
        """Count a change of a job."""
        self.jobs[printer, state] += 1

    def printer_became(self, printer: str, state: PrinterState) -> None:
        """Count a change of a printer."""
        self.printers[printer, state] += 1

    def labels_printed(self, printer: str, labels: int) -> None:
        """Count labels."""
        self.labels[printer] += labels


@dataclass
class Shop:
    """Queues that run, and their database."""

    printers: Printers
    database: Database
    observed: Observed

    async def queue(self, labels: int, printer: str = "zebra") -> int:
        """Queue a job and return its id."""
        job = await queued(self.database, labels, printer)
        self.printers.note(job)
        return job.id

    async def cancel(self, job_id: int) -> PrintJob:
        """Cancel a job and return it."""
        job = await self.database.change(partial(cancel, "zebra", job_id, NOON))
        self.printers.note(job)
        return job

    async def job(self, job_id: int, printer: str = "zebra") -> PrintJob:
        """Return a job as it is now."""
        return await get_job(self.database, printer, job_id)

    async def over(self, job_id: int, printer: str = "zebra") -> PrintJob:
        """Wait until a job is over, and return it."""
        return await self.when(job_id, lambda job: job.state in OVER, printer)

    async def when(self, job_id: int, is_so: Callable[[PrintJob], bool], printer: str = "zebra") -> PrintJob:
        """Wait until something is true of a job, and return it."""
        async with asyncio.timeout(WAIT):
            while not is_so(job := await self.job(job_id, printer)):  # noqa: ASYNC110 - the queue sends no event
                await asyncio.sleep(0.02)
        return job

    async def state(self, printer: str = "zebra") -> PrinterState:
        """Ask for the state of a printer."""
        return next(each.state for each in await self.printers.report() if each.printer.address.name == printer)

    async def until_state(self, wanted: PrinterState) -> None:
        """Ask until the printer has this state."""
        async with asyncio.timeout(WAIT):
            while await self.state() is not wanted:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.02)


@dataclass
class Hours:
    """A clock that a test turns: how many hours have passed since noon."""

    passed: float = 0.0

    def clock(self) -> Clock:
        """Return the clock of a service."""
        return Clock(wall=lambda: NOON_SECONDS + self.passed * SECONDS_OF_HOUR)


@asynccontextmanager
async def shop(
    database: Database, *addresses: str, tries: float = 1.0, hours: Hours | None = None
) -> AsyncIterator[Shop]:
    """Run the queues of printers within the block; each printer is tried for as many hours."""
    observed = Observed()
    clock = hours.clock() if hours else Clock()
    context = QueueContext(make_document, clock, observed, tries * SECONDS_OF_HOUR)
    printers = Printers([Printer(printer_of(text), (50.0, 30.0), 203) for text in addresses], database, context)
    async with printers.running(days=14):
        yield Shop(printers, database, observed)


async def queued(database: Database, labels: int, printer: str = "zebra") -> PrintJob:
    """Put a job into the queue without waking its printer."""
    return await database.change(lambda: queue(NewJob(printer, labels, "{}", NOON), LIMITS))


async def rest(database: Database, job_id: int, from_label: int | None = None, printer: str = "zebra") -> PrintJob:
    """Queue the rest of a job without waking its printer."""
    new = rest_of(await get_queued_job(database, printer, job_id), from_label, NOON)
    return await database.change(lambda: queue(new, LIMITS))


def free_port() -> int:
    """Return a port at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def zebra(port: int, options: str = "", name: str = "zebra") -> str:
    """Return the address of a label printer in settings."""
    return f"{name}=zpl://127.0.0.1:{port}?label=50x30mm{options}"


def office(port: int, options: str = "", scheme: str = "ipp") -> str:
    """Return the address of an IPP printer in settings; its name is that of the label printer."""
    return f"zebra={scheme}://127.0.0.1:{port}/ipp/print?label=50x30mm{options}"


@asynccontextmanager
async def connected(port: int, options: str = "", scheme: str = "ipp") -> AsyncIterator[IppConnection]:
    """Return the service's own connection to a printer, which is not open yet, and close it in the end."""
    connection = IppConnection(Printer(printer_of(office(port, options, scheme)), (50.0, 30.0), 203))
    try:
        yield connection
    finally:
        await connection.close()
