"""What the queues of all printers share: how documents are made, a clock, and an observer."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Protocol

from barcodesvc.clock import Clock
from barcodesvc.print_jobs import JobState, PrintJob, PrintObserver
from barcodesvc.printers.connection import Document
from barcodesvc.printers.printer import Printer
from barcodesvc.store.print_jobs import QueuedJob

_LOG = logging.getLogger(__name__)


class MakeDocument(Protocol):
    """Makes the document of a job that follows its first `done` labels, in one of the media types."""

    async def __call__(self, printer: Printer, job: QueuedJob, done: int, media_types: tuple[str, ...], /) -> Document:
        """Return it; raises Overload and DatabaseFailure, after which it can be tried again, or another error."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all queues share: how documents are made, a clock, an observer, and the seconds after which a job fails."""

    make_document: MakeDocument
    clock: Clock
    observer: PrintObserver
    tries: float

    def note(self, job: PrintJob) -> None:
        """Log and count a change of a job."""
        level = logging.WARNING if job.state in (JobState.FAILED, JobState.IN_DOUBT) else logging.INFO
        said = job.message and f": {job.message}"
        _LOG.log(level, "print job %d of printer %s is %s%s", job.id, job.printer, job.state, said)
        self.observer.job_became(job.printer, job.state)
