"""Print jobs and states of printers: what the queue, the store and the API share.

    waiting ---> sending ---> printed      the printer said so
       |            |-------> sent         it says nothing
       |            |-------> in_doubt     it broke off: some labels are sure, some are not
       |            `-------> cancelled
       |--------> failed                   nothing went out
       `--------> cancelled

Rule: labels 1 to `labels_sure` are printed, the next `labels_unsure` may be, and the rest is not. What is in doubt is
never sent again by itself. A job that is in doubt or has failed needs attention until it is settled, on every device.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, Protocol

from barcodesvc.errors import Reason, ServiceError
from barcodesvc.fields import Timestamp, described


class JobState(StrEnum):
    """What has become of a job."""

    WAITING = "waiting"
    SENDING = "sending"
    PRINTED = "printed"
    SENT = "sent"
    FAILED = "failed"
    CANCELLED = "cancelled"
    IN_DOUBT = "in_doubt"


class PrinterState(StrEnum):
    """What a printer reports, or what is known of one that reports nothing."""

    READY = "ready"
    BUSY = "busy"
    OUT_OF_PAPER = "out_of_paper"
    RIBBON_OUT = "ribbon_out"
    HEAD_OPEN = "head_open"
    PAUSED = "paused"
    NOT_REACHABLE = "not_reachable"
    UNKNOWN = "unknown"


FAULTS = {
    PrinterState.OUT_OF_PAPER: "the printer is out of paper",
    PrinterState.RIBBON_OUT: "the printer has no ribbon",
    PrinterState.HEAD_OPEN: "the printer's head or cover is open",
    PrinterState.PAUSED: "the printer is paused",
}
"""The states in which a printer needs attention, as messages."""

OVER = (JobState.PRINTED, JobState.SENT, JobState.FAILED, JobState.CANCELLED, JobState.IN_DOUBT)
"""The states in which a job stays for good."""


class PrintJobNotFound(ServiceError, status=404, code="VALIDATION_ERROR", reason=Reason.NOT_FOUND):
    """The printer has no job with this id."""

    about = "The id that no job of the printer has."

    resource: Annotated[Literal["print_job"], described("What was not found.", "print_job")] = "print_job"
    id: Annotated[int, described("The id that no job of the printer has.", 4711)]


class PrintJobStateDiffers(ServiceError, status=409, code="VALIDATION_ERROR", reason=Reason.PRINT_JOB_STATE_DIFFERS):
    """The print job is over, or not over yet, so that this is not possible; nothing was changed."""

    about = "The job and its state."

    id: Annotated[int, described("The id of the job.", 7)]
    state: Annotated[JobState, described("The state of the job.", "printed")]


class PrintObserver(Protocol):
    """Receives each change, for metrics."""

    def job_became(self, printer: str, state: JobState) -> None:
        """Note a change of a job."""

    def printer_became(self, printer: str, state: PrinterState) -> None:
        """Note a change of a printer."""

    def labels_printed(self, printer: str, labels: int) -> None:
        """Note labels that are printed, or were sent to a printer that says nothing."""


@dataclass(frozen=True, slots=True)
class PrintJob:
    """A job of a printer."""

    id: Annotated[int, described("The id of the job.", 7)]
    printer: Annotated[str, described("The name of the printer.", "zebra")]
    state: Annotated[JobState, described("What has become of the job.", "in_doubt")]
    labels: Annotated[int, described("The number of labels.", 120)]
    labels_sure: Annotated[int, described("How many labels, from the first on, are certainly printed.", 50)]
    labels_unsure: Annotated[int, described("How many labels after these may or may not be printed.", 50)]
    message: Annotated[str, described("What the job waits for, or how it ended, in words for people.", "")]
    created_at: Annotated[Timestamp, described("When the job was sent to the service.")]
    updated_at: Annotated[Timestamp, described("When the job last changed, apart from `settled_at`.")]
    settled_at: Annotated[
        Timestamp | None,
        described("When somebody first settled it, or printed the rest of it again; otherwise null.", None),
    ]
    resend_of: Annotated[int | None, described("The id of the job of which this one prints the rest, or null.", None)]
    from_label: Annotated[
        int, described("The number of its first label in the first request; 1 unless it prints the rest of a job.", 1)
    ]
    products: Annotated[tuple[str, ...], described("The codes of its first products, at most five.", ["BOLT-M8x40"])]
