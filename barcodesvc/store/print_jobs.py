"""Print jobs in the database: the queue of each printer, and which process sends to it.

A process holds a lease of a printer while it sends, and renews it in each of its changes. So of several replicas one
sends, and another one takes over when it dies. A replica that was stopped for longer than its lease changes nothing
after it, so that no document begins twice.

Rules: labels are counted as unsure before their first byte is sent, and as sure once the printer says so. What a dead
process was sending is in doubt if labels are unsure, and else waits again. The queue is bounded, and jobs that are over
are deleted, the oldest first.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

from barcodesvc.errors import RenderOverload
from barcodesvc.models import MAX_ID
from barcodesvc.print_jobs import OVER, JobState, PrinterState, PrintJob, PrintJobNotFound, PrintJobStateDiffers
from barcodesvc.store.database import Database, Reader
from barcodesvc.store.script import Begin, Row, Script, Statement, changed_rows, one, rows, run

T = TypeVar("T")

LEASE = 20.0
"""Seconds after which another replica may take over a printer from one that is silent."""
MOST_KEPT = 10_000
"""Jobs in the database, with those that are over."""
DELETED_AT_ONCE = 500
_CANCELLING = "cancelled; the printer still prints the labels that it has"
_INTERRUPTED = "the service ended while it was sending"
_LEFT = "the settings no longer name the printer"


class LeaseLostError(Exception):
    """Another replica has taken over the printer; this one changes nothing more."""


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """The maximum number of waiting jobs, and of bytes in the requests of all jobs that are kept."""

    jobs: int
    request_bytes: int


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job as the queue sends it.

    `request` is what it prints, as JSON; its first label is label `from_label` of that, at `start_position` of a sheet,
    0 for where the request says. `tried_at` is when the printer was first tried, an empty text for never.
    """

    job: PrintJob
    request: str
    start_position: int
    tried_at: str
    is_cancelled: bool


class NewJob(NamedTuple):
    """A job to be queued; see `QueuedJob`."""

    printer: str
    labels: int
    request: str
    now: str
    from_label: int = 1
    resend_of: int | None = None
    products: tuple[str, ...] = ()
    start_position: int = 0


def queue(new: NewJob, limits: QueueLimits) -> Script[PrintJob]:
    """Put a job into the queue, in place of as many that are over as necessary; raises RenderOverload without room.

    The oldest go first, but those that are in doubt or have failed go last, because people may still need them. A job
    of which the new one prints the rest is settled.
    """
    size = len(new.request.encode())
    most_bytes = limits.request_bytes - size
    yield run("lock_names")
    open_jobs, open_bytes, kept, stored = yield one("print_queue_size")
    if open_jobs >= min(limits.jobs, MOST_KEPT) or open_bytes > most_bytes:
        raise RenderOverload("too many print jobs are waiting; try again later", retry_after=30)
    if kept >= MOST_KEPT or stored > most_bytes:
        yield run("make_room_for_print_job", jobs=kept - MOST_KEPT + 1, bytes=stored - most_bytes)
    if new.resend_of is not None:
        yield one("settle_print_job", id=new.resend_of, now=new.now)
    row = yield one("insert_print_job", **{**new._asdict(), "products": json.dumps(new.products)}, bytes=size)
    return _job(row)


def rest_of(old: QueuedJob, from_label: int | None, now: str) -> NewJob:
    """Return a job with the rest of one that is over, by default from the first label that is not sure.

    Raises PrintJobStateDiffers for a job that is not over, or has no such label.
    """
    job = old.job
    if job.state not in OVER:
        raise PrintJobStateDiffers(f"the job is {job.state}; cancel it first", id=job.id, state=job.state)
    first = job.labels_sure + 1 if from_label is None else from_label
    if first > job.labels:
        message = (
            "all labels are printed; give from_label to print some of them again"
            if from_label is None
            else f"the job has {job.labels} labels; label {first} is not one of them"
        )
        raise PrintJobStateDiffers(message, id=job.id, state=job.state)
    return NewJob(job.printer, job.labels - first + 1, old.request, now, job.from_label + first - 1, job.id)


def cancel(printer: str, job_id: int, now: str) -> Script[PrintJob]:
    """Cancel a job: at once if it waits, else once the printer has printed what it has of it.

    Raises PrintJobNotFound, and PrintJobStateDiffers for a job that is over.
    """
    old = _job(_required((yield one("lock_print_job", printer=printer, id=job_id)), job_id))
    if old.state in OVER:
        raise PrintJobStateDiffers(f"the job is over: it is {old.state}", id=job_id, state=old.state)
    if old.state is JobState.SENDING:
        return _job((yield one("ask_to_cancel_print_job", id=job_id, message=_CANCELLING, now=now)))
    return _job((yield one("end_print_job", id=job_id, state=JobState.CANCELLED, message="", now=now)))


def settle(printer: str, job_id: int, now: str) -> Script[PrintJob]:
    """Note that somebody has dealt with a job that is over; the first time stays.

    Raises PrintJobNotFound, and PrintJobStateDiffers for a job that is not over.
    """
    old = _job(_required((yield one("lock_print_job", printer=printer, id=job_id)), job_id))
    if old.state not in OVER:
        raise PrintJobStateDiffers(f"the job is {old.state}; cancel it first", id=job_id, state=old.state)
    return _job((yield one("settle_print_job", id=job_id, now=now)))


async def get_job(reader: Reader, printer: str, job_id: int) -> PrintJob:
    """Return a job; raises PrintJobNotFound."""
    return _job(_required(await reader.row("get_print_job", printer=printer, id=job_id), job_id))


async def get_queued_job(reader: Reader, printer: str, job_id: int) -> QueuedJob:
    """Return a job with its request; raises PrintJobNotFound."""
    return _queued(_required(await reader.row("get_queued_print_job", printer=printer, id=job_id), job_id))


async def list_jobs(reader: Reader, printer: str, limit: int, before: int | None) -> list[PrintJob]:
    """Return jobs of a printer, the newest first, those before an id if one is given."""
    found = await reader.rows("list_print_jobs", printer=printer, limit=limit, before=before or MAX_ID)
    return [_job(row) for row in found]


async def list_unsettled_jobs(reader: Reader, printer: str, limit: int, before: int | None) -> list[PrintJob]:
    """Return the jobs of a printer that need attention, as `list_jobs` does."""
    found = await reader.rows("list_unsettled_print_jobs", printer=printer, limit=limit, before=before or MAX_ID)
    return [_job(row) for row in found]


async def waiting_jobs(reader: Reader) -> dict[str, int]:
    """Return how many jobs wait for each printer that has jobs that are not over, 0 if the only one is being sent."""
    return dict(await reader.rows("waiting_print_jobs"))


async def held_printers(reader: Reader) -> dict[str, tuple[PrinterState, str]]:
    """Return the states of the printers that processes hold, and since when they are so."""
    return {name: (PrinterState(state), since) for name, state, since in await reader.rows("held_printers")}


async def ask_holders(database: Database) -> None:
    """Tell the processes that hold printers that somebody is asking for their states."""
    await database.change(partial(changed_rows, run("ask_held_printers")))


async def asked_printers(reader: Reader, seconds: float) -> list[str]:
    """Return the printers whose states somebody asked another process for in the last `seconds`."""
    return [name for (name,) in await reader.rows("asked_printers", seconds=seconds)]


async def delete_old(database: Database, used_by: str) -> None:
    """Delete jobs that were over at or before this time."""
    some = run("delete_old_print_jobs", used_by=used_by, limit=DELETED_AT_ONCE)
    while await database.change(partial(changed_rows, some)) == DELETED_AT_ONCE:
        pass


async def end_left_jobs(database: Database, printer: str, used_by: str, now: str) -> list[PrintJob]:
    """End the jobs of a printer that have not changed since this time, and return them as they are then."""

    def script() -> Script[list[PrintJob]]:
        found = yield rows("end_left_print_jobs", printer=printer, used_by=used_by, message=_LEFT, now=now)
        return list(map(_job, found))

    return await database.change(script)


class HeldPrinter:
    """The changes of the process that sends to a printer; each raises LeaseLostError once another one has taken over.

    `holder` names the process.
    """

    def __init__(self, database: Database, printer: str, holder: str) -> None:
        self._database = database
        self._printer = printer
        self._holder = holder

    async def claim(self, now: str) -> list[PrintJob] | None:
        """Take the printer, unless another process has it: then return None.

        Returns the jobs that are in doubt now, because the process that sent them has ended.
        """

        def script() -> Script[list[PrintJob] | None]:
            lease = {"printer": self._printer, "holder": self._holder, "seconds": LEASE}
            if not (yield run("claim_printer", **lease, now=now)):
                return None
            found = yield rows("doubt_print_jobs", printer=self._printer, message=_INTERRUPTED, now=now)
            return list(map(_job, found))

        return await self._database.change(script)

    async def hold(self) -> None:
        """Renew the lease."""
        await self._database.change(self._held)

    async def release(self) -> None:
        """Give the printer back, so that another process can take it at once."""
        release = run("release_printer", printer=self._printer, holder=self._holder)
        await self._database.change(partial(changed_rows, release))

    async def next_job(self) -> QueuedJob | None:
        """Return the oldest job that is not over."""
        row = await self._database.row("next_print_job", printer=self._printer)
        return None if row is None else _queued(row)

    async def is_cancelled(self, job_id: int) -> bool:
        """Return whether somebody wants the job to end."""
        row = await self._database.row("is_print_job_cancelled", id=job_id)
        return row is None or bool(row[0])

    async def note_state(self, state: PrinterState, since: str) -> None:
        """Record the state of the printer, for other replicas."""
        await self._run(run("note_printer_state", printer=self._printer, holder=self._holder, state=state, since=since))

    async def note_try(self, job_id: int, message: str, now: str) -> None:
        """Record what the job waits for, and its first attempt."""
        await self._run(run("note_print_try", id=job_id, message=message, now=now))

    async def note_wait(self, job_id: int, message: str, now: str) -> None:
        """Record what a document that is being sent or printed waits for, an empty text for nothing."""
        await self._run(run("note_print_wait", id=job_id, message=message, now=now))

    async def begin_document(self, job_id: int, unsure: int, now: str) -> bool:
        """Count this many labels as unsure, before they are sent; return whether the job is still to be sent."""
        return bool(await self._run(run("begin_print_document", id=job_id, unsure=unsure, now=now)))

    async def take_back_document(self, job_id: int, unsure: int, tried_at: str, now: str) -> None:
        """Count only this many labels as unsure, and `tried_at` as the first attempt: the others did not go out."""
        await self._run(run("take_back_print_document", id=job_id, unsure=unsure, tried_at=tried_at, now=now))

    async def confirm_documents(self, job_id: int, sure: int, now: str) -> None:
        """Count this many labels as sure and none as unsure: the printer said that it has printed them."""
        await self._run(run("confirm_print_documents", id=job_id, sure=sure, now=now))

    async def end_job(self, job_id: int, state: JobState, message: str, now: str) -> PrintJob | None:
        """Record how the job ended, and return it, None if it was over; one that has begun is in doubt, not failed."""

        def script() -> Script[PrintJob | None]:
            row = yield one("end_print_job", id=job_id, state=state, message=message, now=now)
            return None if row is None else _job(row)

        return await self._change(script)

    async def _run(self, statement: Statement) -> int:
        return await self._change(partial(changed_rows, statement))

    async def _change(self, begin: Begin[T]) -> T:
        def script() -> Script[T]:
            yield from self._held()
            return (yield from begin())

        return await self._database.change(script)

    def _held(self) -> Script[None]:
        if not (yield run("hold_printer", printer=self._printer, holder=self._holder, seconds=LEASE)):
            raise LeaseLostError


def _required(row: Row | None, job_id: int) -> Row:
    if row is None:
        raise PrintJobNotFound(f"the printer has no job with id {job_id}", id=job_id)
    return row


def _job(row: Sequence[Any]) -> PrintJob:
    job_id, printer, state, *rest, products = row
    values = (job_id, printer, JobState(state), *rest, tuple(json.loads(products)))
    return PrintJob(*values)


def _queued(row: Row) -> QueuedJob:
    *job, request, start_position, tried_at, is_cancelled = row
    return QueuedJob(_job(job), request, start_position, tried_at, bool(is_cancelled))
