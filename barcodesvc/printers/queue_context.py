"""What the queues of all printers share, and how their changes are recorded while the database fails."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import ParamSpec, TypeVar

from barcodesvc.clock import Clock
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.print_jobs import JobState, PrintJob, PrintObserver
from barcodesvc.printers.connection import Document, Printer
from barcodesvc.store.print_jobs import QueuedJob

T = TypeVar("T")
P = ParamSpec("P")

_LOG = logging.getLogger(__name__)

RECORD_PAUSE = 1.0
"""Seconds until the database, or a service without room to draw labels, is tried again."""
MakeDocument = Callable[[Printer, QueuedJob, int, tuple[str, ...]], Awaitable[Document]]
"""Makes the document of a job that follows so many of its labels, in one of the media types.

Raises Overload and DatabaseFailure, after which it can be tried again, or another error.
"""


@dataclass(frozen=True, slots=True)
class QueueContext:
    """What all queues share: how documents are made, a clock, an observer, and the seconds after which a job fails."""

    make_document: MakeDocument
    clock: Clock
    observer: PrintObserver
    tries: float

    def timestamp(self) -> str:
        """Return the wall time."""
        return self.clock.timestamp()

    def is_given_up(self, since: str) -> bool:
        """Return whether a printer that has failed since this time is given up."""
        waited = datetime.fromisoformat(self.timestamp()) - datetime.fromisoformat(since)
        return waited.total_seconds() >= self.tries

    def note(self, job: PrintJob) -> None:
        """Log and count a change of a job."""
        level = logging.WARNING if job.state in (JobState.FAILED, JobState.IN_DOUBT) else logging.INFO
        said = job.message and f": {job.message}"
        _LOG.log(level, "print job %d of printer %s is %s%s", job.id, job.printer, job.state, said)
        self.observer.job_became(job.printer, job.state)


async def recorded(change: Callable[P, Awaitable[T]], *values: P.args, **named: P.kwargs) -> T:
    """Make a change, again and again while the database fails: what was sent must not be forgotten."""
    while True:
        try:
            return await change(*values, **named)
        except (DatabaseFailure, DatabaseOverload):
            await asyncio.sleep(RECORD_PAUSE)
