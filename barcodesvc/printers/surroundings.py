"""What the queues of all printers share: how documents are made, a clock, and an observer."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Protocol

from barcodesvc.clock import Clock
from barcodesvc.print_jobs import JobState, PrinterState, PrintJob
from barcodesvc.printers.connection import Document
from barcodesvc.printers.printer import Printer
from barcodesvc.store.print_jobs import QueuedJob

_LOG = logging.getLogger(__name__)


class MakeDocument(Protocol):
    """Makes the document of a job that follows its first `done` labels, in one of the media types."""

    async def __call__(self, printer: Printer, job: QueuedJob, done: int, media_types: tuple[str, ...], /) -> Document:
        """Return it; raises Overload and DatabaseFailure, after which it can be tried again, or another error."""


class Observer(Protocol):
    """Receives each change, for metrics."""

    def job_became(self, printer: str, state: JobState) -> None:
        """Note a change of a job."""

    def printer_became(self, printer: str, state: PrinterState) -> None:
        """Note a change of a printer."""

    def labels_printed(self, printer: str, labels: int) -> None:
        """Note labels that are printed, or were sent to a printer that says nothing."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all queues share: how documents are made, a clock, an observer, and the seconds after which a job fails."""

    make_document: MakeDocument
    clock: Clock
    observer: Observer
    tries: float

    def note(self, job: PrintJob) -> None:
        """Log and count a change of a job."""
        level = logging.WARNING if job.state in (JobState.FAILED, JobState.IN_DOUBT) else logging.INFO
        said = job.message and f": {job.message}"
        _LOG.log(level, "print job %d of printer %s is %s%s", job.id, job.printer, job.state, said)
        self.observer.job_became(job.printer, job.state)
