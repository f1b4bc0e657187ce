"""A job on its way to a printer: it is sent, watched, judged and ended.

A job is sent in documents of some labels each. The labels of a document are counted as unsure before its first byte is
sent, and as sure once the printer says that they are printed; then the next document follows. So a job that breaks off
leaves few labels in doubt. A printer that reports nothing gets the documents one after the other. A job that is
cancelled ends after the document that the printer has, because the printer finishes that.

Rule: a document that may have gone out is never sent again.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace

from barcodesvc.errors import DatabaseFailure, Overload, ServiceError
from barcodesvc.print_jobs import FAULTS, JobState, PrinterState
from barcodesvc.printers.connection import (
    PROGRESS_WAIT,
    BrokenOffError,
    Connection,
    Document,
    NotReachableError,
    Progress,
    RefusedError,
)
from barcodesvc.printers.link import FRESH, PrinterLink
from barcodesvc.printers.queue_context import RECORD_PAUSE, QueueContext, recorded
from barcodesvc.store.print_jobs import HeldPrinter, QueuedJob

_LOG = logging.getLogger(__name__)

LONGEST_PAUSE = 30.0
_POLL_PAUSE = 0.25
_REASONS = {**FAULTS, PrinterState.NOT_REACHABLE: "the printer cannot be reached"}
"""What a document waits for in these states of its printer."""
_HELD = "the printer holds the labels; release them there"
_SILENT = "the printer has not said yet that it has printed the labels"
_SLOW = "the printer has not taken all of the labels yet"
_CANCELLED = "cancelled while labels were being printed"
LONGEST_WORK = 600.0
"""Seconds after which a document counts as stalled, whatever its printer says."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The job is over; one that has failed is in doubt if labels of it may be printed."""

    state: JobState
    message: str = ""


@dataclass(frozen=True, slots=True)
class Delayed:
    """The job waits; `reason` is empty if the service itself is the cause. It is tried again after at most `pause`."""

    reason: str
    pause: float = LONGEST_PAUSE


class PrintRun:
    """One attempt to send a job, or the rest of it; `has_advanced` is whether the printer has taken a document."""

    def __init__(self, job: QueuedJob, link: PrinterLink, held: HeldPrinter, context: QueueContext) -> None:
        self.has_advanced = False
        self._queued = job
        self._job = job.job
        self._sure, self._unsure = job.job.labels_sure, job.job.labels_unsure
        self._link = link
        self._held = held
        self._context = context
        self._waits_for = ""

    async def outcome(self, closing: asyncio.Event) -> Ended | Delayed | None:
        """Send document after document until the job is over or has to wait, or until the queue closes: then None."""
        if self._queued.is_cancelled:
            return Ended(JobState.CANCELLED)
        if delay := await self._printer_delay():
            return delay
        while self._sure + self._unsure < self._job.labels:
            if closing.is_set():
                return None
            document = await self._next_document()
            if not isinstance(document, Document):
                return document
            stop = await self._send(document) or await self._judge(document)
            if stop is not None:
                return stop
        return Ended(JobState.SENT if self._unsure else JobState.PRINTED)

    async def _printer_delay(self) -> Delayed | None:
        """Return why the printer accepts no labels now, None if it does."""
        try:
            state = await self._link.poll()
        except NotReachableError as error:
            return Delayed(str(error))
        return Delayed(FAULTS[state], FRESH / 2) if state in FAULTS else None

    async def _next_document(self) -> Document | Ended | Delayed:
        """Return the document after the labels that were sent, or what stops the job."""
        try:
            connection = await self._link.connected()
            if connection.has_other_media:
                return Delayed(self._link.printer.with_other_media(connection.loaded), FRESH / 2)
            done, media_types = self._sure + self._unsure, connection.media_types
            return await self._context.make_document(self._link.printer, self._queued, done, media_types)
        except (Overload, DatabaseFailure):  # of the service itself, not of the printer
            return Delayed("", RECORD_PAUSE)
        except NotReachableError as error:
            return Delayed(str(error))
        except ServiceError as error:
            return Ended(JobState.FAILED, error.message)
        except Exception:  # noqa: BLE001 - the queue continues
            _LOG.exception("unexpected failure while drawing print job %d of %s", self._job.id, self._job.printer)
            return Ended(JobState.FAILED, "unexpected failure while its labels were drawn")

    async def _send(self, document: Document) -> Ended | Delayed | None:
        """Count the labels of a document as unsure, and send it; return what stops the job, None if it was taken."""
        before, self._unsure = self._unsure, self._unsure + document.labels
        if not await recorded(self._held.begin_document, self._job.id, self._unsure, self._context.timestamp()):
            return Ended(JobState.CANCELLED)
        if self._job.state is JobState.WAITING and self._sure + self._unsure == document.labels:
            self._context.note(replace(self._job, state=JobState.SENDING, message=""))
        try:
            end = await self._taken(document)
        except RefusedError as error:
            await self._take_back(before)
            return Ended(JobState.FAILED, str(error))
        except NotReachableError as error:
            await self._take_back(before)
            await self._link.disconnect()
            # a silent printer may have lost what it took before
            return Ended(JobState.IN_DOUBT, str(error)) if before else Delayed(str(error))
        except BrokenOffError as error:
            end = Ended(JobState.IN_DOUBT, str(error))
        if end is not None:
            await self._link.disconnect()
            return end
        self.has_advanced = True
        self._queued = replace(self._queued, tried_at="")
        return None

    async def _taken(self, document: Document) -> Ended | None:
        """Wait until the printer has taken a document, or the job ends; raises what `Connection.send` raises.

        The printer is busy until it has all of it, unless it says that it needs attention.
        """
        connection = await self._link.connected()
        if connection.state is not PrinterState.UNKNOWN:
            connection.state = PrinterState.BUSY
        self._waits_for, work = "", _Work(self._context.timestamp())
        sending = asyncio.create_task(connection.send(document))
        try:
            while not sending.done():
                await self._link.publish_state()
                if end := await self._given_up(work, _SLOW if work.is_stalled else ""):
                    return end
                if (self._link.state in FAULTS or work.is_stalled) and await self._is_cancelled():
                    return Ended(JobState.CANCELLED, _CANCELLED)
                await asyncio.wait([sending], timeout=_POLL_PAUSE)
            await sending
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
        return None

    async def _take_back(self, unsure: int) -> None:
        """Count only these labels as unsure: nothing of the others went out."""
        tried_at, now = self._queued.tried_at, self._context.timestamp()
        await recorded(self._held.take_back_document, self._job.id, unsure, tried_at, now)

    async def _judge(self, document: Document) -> Ended | None:
        """Count what was sent as sure once the printer has printed it; return how the job ended if it will not."""
        connection = await self._link.connected()
        try:
            end = await self._wait_until_printed(connection)
        except BrokenOffError as error:
            await self._link.disconnect()
            await self._link.publish_state()
            return Ended(JobState.IN_DOUBT, str(error))
        if isinstance(end, Ended):
            return end
        if end is Progress.PRINTED:
            self._sure, self._unsure = self._sure + self._unsure, 0
            await recorded(self._held.confirm_documents, self._job.id, self._sure, self._context.timestamp())
        self._context.observer.labels_printed(self._job.printer, document.labels)
        return None

    async def _wait_until_printed(self, connection: Connection) -> Progress | Ended:
        """Return what the printer finally says, or how the job ended before that; raises BrokenOffError."""
        work = _Work(self._context.timestamp())
        while (progress := await self._progress(connection, work)) in (Progress.PRINTING, Progress.HELD):
            held = _HELD if progress is Progress.HELD else ""
            if end := await self._given_up(work, held or (_SILENT if work.is_stalled else "")):
                return end
            if work.is_stalled and self._link.state not in FAULTS and await self._is_cancelled():
                return Ended(JobState.IN_DOUBT, _CANCELLED)
            await asyncio.sleep(_POLL_PAUSE)
        end = await self._given_up(work, "")
        return end or progress

    async def _progress(self, connection: Connection, work: _Work) -> Progress:
        with self._link.unreachable_if_late():
            progress = await connection.progress()
        await self._link.publish_state()
        work.note((self._link.state, connection.told))
        return progress

    async def _given_up(self, work: _Work, stalled: str) -> Ended | None:
        """Record what the document waits for; return the end of the job if it has waited for too long.

        `stalled` is why the printer makes no progress although it needs no attention, an empty text if it makes some.
        """
        state = self._link.state
        reason = _REASONS.get(state, stalled)
        if reason != self._waits_for:
            self._waits_for = reason
            await recorded(self._held.note_wait, self._job.id, reason, self._context.timestamp())
        if reason and self._context.is_given_up(self._link.since if state in _REASONS else work.since):
            return Ended(JobState.IN_DOUBT, f"{reason}; given up")
        return None

    async def _is_cancelled(self) -> bool:
        return await recorded(self._held.is_cancelled, self._job.id)


class _Work:
    """The work of a printer on a document, which it began to get at the wall time `since`."""

    def __init__(self, since: str) -> None:
        self.since = since
        self._told: object = None
        self._begun = self._moved = asyncio.get_running_loop().time()

    def note(self, told: object) -> None:
        """Note what the printer says about it; saying something else than before is progress."""
        if told != self._told:
            self._told, self._moved = told, asyncio.get_running_loop().time()

    @property
    def is_stalled(self) -> bool:
        """Whether there was no progress for PROGRESS_WAIT, or no end for LONGEST_WORK."""
        now = asyncio.get_running_loop().time()
        return now - self._moved > PROGRESS_WAIT or now - self._begun > LONGEST_WORK
