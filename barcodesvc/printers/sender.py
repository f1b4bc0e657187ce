"""The queue of one printer: sends its jobs in order over one connection, and knows its state.

A job goes in documents of some labels. The labels of a document are counted as unsure before its first byte is sent,
and as sure once the printer says that they are printed; then the next document follows. So a job that breaks off leaves
few labels in doubt. A printer that says nothing gets the documents one after the other. A job that is cancelled ends
after the document that the printer has, because the printer goes on with that.

Rules: a document that may have gone out is never sent again. A printer that is off, or needs a person, delays its own
jobs alone, and is tried again after a pause that grows to 30 s. A job fails once the printer has delayed it for `tries`
seconds. So every wait for a printer ends; until then the job says what it waits for, and can be cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import NoReturn, TypeVar

from barcodesvc.errors import DatabaseFailure, DatabaseOverload, Overload, ServiceError
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
from barcodesvc.printers.printer import Printer, connect
from barcodesvc.printers.seen_state import FRESH, SeenState
from barcodesvc.printers.surroundings import Surroundings
from barcodesvc.store.print_jobs import HeldPrinter, LeaseLostError, QueuedJob

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

LONGEST_PAUSE = 30.0
FIRST_PAUSE = 0.5
_POLL_PAUSE = 0.25
_HOLD_PAUSE = 5.0
RECORD_PAUSE = 1.0
_REASONS = {**FAULTS, PrinterState.NOT_REACHABLE: "the printer cannot be reached"}
"""What a document waits for in these states of its printer."""
_HELD = "the printer holds the labels; release them there"
_SILENT = "the printer has not said yet that it has printed the labels"
_SLOW = "the printer has not taken all of the labels yet"
LONGEST_WORK = 600.0
"""Seconds after which a document counts as stalled, whatever its printer says."""


class _EndedError(Exception):
    """The job is over; one that has failed is in doubt if labels of it may be printed."""

    def __init__(self, state: JobState, message: str = "") -> None:
        super().__init__(message)
        self.state = state
        self.message = message


class _LaterError(Exception):
    """The printer takes no job now; the message says why."""


class _SoonError(Exception):
    """The service has no room to draw labels at this moment; the printer is well."""


class _Work:
    """The work of a printer on a document, which it began to get at the wall time `since`."""

    def __init__(self, since: str) -> None:
        self.since = since
        self._told: object = None
        self._begun = self._moved = asyncio.get_running_loop().time()

    def note(self, told: object) -> None:
        """Note what the printer says of it; another word than before is progress."""
        if told != self._told:
            self._told, self._moved = told, asyncio.get_running_loop().time()

    @property
    def is_stalled(self) -> bool:
        """Whether there was no progress for PROGRESS_WAIT, or no end for LONGEST_WORK."""
        now = asyncio.get_running_loop().time()
        return now - self._moved > PROGRESS_WAIT or now - self._begun > LONGEST_WORK


class Sender:
    """The queue of one printer; `held` makes its changes, and `loaded` is what the printer said last is in it."""

    def __init__(self, printer: Printer, held: HeldPrinter, surroundings: Surroundings) -> None:
        self.printer = printer
        self.seen = SeenState(printer.address.name, surroundings)
        self.is_held = False
        self.loaded = ""
        self._name = printer.address.name
        self._held = held
        self._around = surroundings
        self._connection: Connection | None = None
        self._wake = asyncio.Event()
        self._pause = FIRST_PAUSE
        self._failing_since = ""
        self._noted: PrinterState | None = None
        self._waits_for = ""
        self._is_closing = False

    def wake(self) -> None:
        """Look for jobs now."""
        self._wake.set()

    def ask(self) -> None:
        """Look at the printer often for ASKED_FOR, and now unless it was just looked at."""
        if not (self.seen.is_asked and self.seen.is_fresh):
            self._wake.set()
        self.seen.ask()

    async def fresh_state(self) -> None:
        """Wait until the state is fresh, but not for long."""
        self.ask()
        await self.seen.fresh()

    async def run(self) -> None:
        """Send jobs as they come, until the queue is closed."""
        while not self._is_closing:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._serve()
            except* LeaseLostError:
                _LOG.warning("another replica has taken over printer %s", self._name)
            except* (DatabaseFailure, DatabaseOverload):
                await self._later()  # the engine has logged it
            except* Exception:  # noqa: BLE001 - the queue goes on
                _LOG.exception("unexpected failure in the queue of printer %s", self._name)
                await self._later()

    def close(self) -> None:
        """End `run` after the document that is being sent."""
        self._is_closing = True
        self._wake.set()

    async def _later(self) -> None:
        await asyncio.sleep(RECORD_PAUSE)
        self._wake.set()

    async def _serve(self) -> None:
        """Hold the printer as long as there are jobs, or somebody asks for its state."""
        doubted = await self._held.claim(self._now())
        if doubted is None:
            return
        for job in doubted:
            self._around.note(job)
        self.is_held, self._noted = True, None
        self._pause, self._failing_since = FIRST_PAUSE, ""
        try:
            async with self._renewed():
                await self._send_all()
        finally:
            self.is_held = False
            await self._disconnect()
            with contextlib.suppress(DatabaseFailure, DatabaseOverload):
                await self._held.release()

    @contextlib.asynccontextmanager
    async def _renewed(self) -> AsyncIterator[None]:
        """Renew the lease within the block, and end the block if another replica has it."""

        async def renew() -> None:
            while True:
                await asyncio.sleep(_HOLD_PAUSE)
                with contextlib.suppress(DatabaseFailure, DatabaseOverload):
                    await self._held.hold()

        async with asyncio.TaskGroup() as group:
            renewing = group.create_task(renew())
            yield
            renewing.cancel()

    async def _send_all(self) -> None:
        while not self._is_closing:
            self._wake.clear()
            job = await self._held.next_job()
            if job is not None:
                await self._send_or_end(job)
            elif self.seen.is_asked:
                with contextlib.suppress(NotReachableError):
                    await self._look()
                await self._rest(FRESH / 2)
            else:
                return

    async def _look(self) -> PrinterState:
        """Look at the printer, and return its state; raises NotReachableError.

        A connection that the printer has closed meanwhile is opened again.
        """
        try:
            with self.seen.said_in_time():
                if self._connection is not None:
                    with contextlib.suppress(NotReachableError):
                        return await self._connection.look()
                    await self._disconnect()
                return await (await self._connected()).look()
        except NotReachableError:
            await self._disconnect()
            raise
        finally:
            await self._see()

    async def _send_or_end(self, job: QueuedJob) -> None:
        """Send a job, or the rest of it; return early if it has to wait."""
        try:
            await self._send(job)
        except _LaterError as reason:
            await self._put_off(job.job.id, str(reason))
            return
        except _SoonError:
            await self._rest(RECORD_PAUSE)
            return
        except _EndedError as end:
            await self._end(job.job.id, end.state, end.message)
            if end.state is JobState.CANCELLED:
                return
        self._pause, self._failing_since = FIRST_PAUSE, ""

    async def _put_off(self, job_id: int, reason: str) -> None:
        """Wait before the next try, or end the job if there were tries for too long, for jobs before it too."""
        job = await self._held.next_job()
        if job is None or job.job.id != job_id:  # somebody has cancelled it
            return
        self._failing_since = self._failing_since or job.tried_at or self._now()
        since = max(self._failing_since, job.job.created_at)
        if self._is_too_long(since):
            await self._end(job.job.id, JobState.FAILED, f"{reason}; given up")
            return
        if job.job.message != reason or not job.tried_at:
            _LOG.warning("print job %d of printer %s waits: %s", job.job.id, self._name, reason)
            await self._recorded(lambda: self._held.note_try(job.job.id, reason, self._now()))
        await self._rest(min(self._pause, FRESH / 2) if self.seen.is_asked else self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    async def _send(self, job: QueuedJob) -> None:
        """Send documents until the job is over, which raises _EndedError; raises _LaterError if it has to wait."""
        if job.is_cancelled:
            raise _EndedError(JobState.CANCELLED)
        await self._require_ready()
        sure, unsure = job.job.labels_sure, job.job.labels_unsure
        while sure + unsure < job.job.labels and not self._is_closing:
            document = await self._document(job, sure + unsure)
            unsure += document.labels
            if not await self._begun(job.job.id, unsure):
                raise _EndedError(JobState.CANCELLED)
            if job.job.state is JobState.WAITING and sure + unsure == document.labels:
                self._around.note(replace(job.job, state=JobState.SENDING, message=""))
            await self._send_document(job, document, unsure)
            self._pause, self._failing_since = FIRST_PAUSE, ""
            job = replace(job, tried_at="")
            if await self._is_printed(job.job.id):
                sure, unsure = sure + unsure, 0
                await self._confirmed(job.job.id, sure)
            self._around.observer.labels_printed(self._name, document.labels)
        if sure + unsure == job.job.labels:
            raise _EndedError(JobState.SENT if unsure else JobState.PRINTED)

    async def _require_ready(self) -> None:
        """Connect, and raise _LaterError if the printer cannot be reached or needs a person."""
        try:
            state = await self._look()
        except NotReachableError as error:
            raise _LaterError(str(error)) from error
        if state in FAULTS:
            self._wait_later(FAULTS[state])

    def _require_media(self, connection: Connection) -> None:
        """Raise _LaterError if labels or sheets of another size are in the printer."""
        if connection.has_other_media:
            self._wait_later(self.printer.with_other_media(connection.loaded))

    def _wait_later(self, reason: str) -> NoReturn:
        self._pause = min(self._pause, FRESH / 2)  # it can be asked as often
        raise _LaterError(reason)

    async def _document(self, job: QueuedJob, done: int) -> Document:
        try:
            connection = await self._connected()
            self._require_media(connection)
            media_types = await connection.media_types()
            return await self._around.make_document(self.printer, job, done, media_types)
        except _LaterError:
            raise
        except (Overload, DatabaseFailure) as error:  # of the service itself, not of the printer
            raise _SoonError from error
        except NotReachableError as error:
            raise _LaterError(str(error)) from error
        except ServiceError as error:
            raise _EndedError(JobState.FAILED, error.message) from error
        except Exception as error:
            _LOG.exception("unexpected failure while print job %d of printer %s is drawn", job.job.id, self._name)
            raise _EndedError(JobState.FAILED, "unexpected failure while its labels were drawn") from error

    async def _send_document(self, job: QueuedJob, document: Document, unsure: int) -> None:
        try:
            await self._taken(job.job.id, document)
        except (NotReachableError, RefusedError) as error:
            before = unsure - document.labels
            await self._recorded(lambda: self._held.take_back_document(job.job.id, before, job.tried_at, self._now()))
            if isinstance(error, RefusedError):
                raise _EndedError(JobState.FAILED, str(error)) from error
            await self._disconnect()
            if before:  # the silent printer may have lost what it took before
                raise _EndedError(JobState.IN_DOUBT, str(error)) from error
            raise _LaterError(str(error)) from error
        except BrokenOffError as error:
            await self._disconnect()
            raise _EndedError(JobState.IN_DOUBT, str(error)) from error
        except _EndedError:
            await self._disconnect()
            raise

    async def _taken(self, job_id: int, document: Document) -> None:
        """Send a document; the printer is busy until it has all of it, unless it says that it needs a person."""
        connection = await self._connected()
        if connection.state is not PrinterState.UNKNOWN:
            connection.state = PrinterState.BUSY
        self._waits_for, work = "", _Work(self._now())
        sending = asyncio.create_task(connection.send(document))
        try:
            while not sending.done():
                await self._see()
                await self._note_wait(job_id, work, _SLOW if work.is_stalled else "")
                if self.seen.state in FAULTS or work.is_stalled:
                    await self._require_wanted(job_id, JobState.CANCELLED)
                await asyncio.wait([sending], timeout=_POLL_PAUSE)
        except BaseException:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            raise
        await sending

    async def _is_printed(self, job_id: int) -> bool:
        """Wait until the printer has printed what it got; return False if it says nothing."""
        work = _Work(self._now())
        while (progress := await self._progress(work)) in (Progress.PRINTING, Progress.HELD):
            held = _HELD if progress is Progress.HELD else ""
            await self._note_wait(job_id, work, held or (_SILENT if work.is_stalled else ""))
            if work.is_stalled and self.seen.state not in FAULTS:
                await self._require_wanted(job_id, JobState.IN_DOUBT)
            await asyncio.sleep(_POLL_PAUSE)
        await self._note_wait(job_id, work, "")
        return progress is Progress.PRINTED

    async def _progress(self, work: _Work) -> Progress:
        try:
            with self.seen.said_in_time():
                connection = await self._connected()
                progress = await connection.progress()
        except (BrokenOffError, NotReachableError) as error:
            await self._disconnect()
            await self._see()
            raise _EndedError(JobState.IN_DOUBT, str(error)) from error
        await self._see()
        work.note((self.seen.state, connection.told))
        return progress

    async def _note_wait(self, job_id: int, work: _Work, stalled: str) -> None:
        """Record what a document waits for; raises _EndedError if it has waited for too long.

        `stalled` is why the printer does not go on although it needs no person, an empty text if it does.
        """
        reason = _REASONS.get(self.seen.state, stalled)
        since = self.seen.since if self.seen.state in _REASONS else work.since
        if reason != self._waits_for:
            self._waits_for = reason
            await self._recorded(lambda: self._held.note_wait(job_id, reason, self._now()))
        if reason and self._is_too_long(since):
            raise _EndedError(JobState.IN_DOUBT, f"{reason}; given up")

    async def _require_wanted(self, job_id: int, end: JobState) -> None:
        """Raise _EndedError with this end if somebody has cancelled the job."""
        if await self._recorded(lambda: self._held.is_cancelled(job_id)):
            raise _EndedError(end, "cancelled while labels were being printed")

    async def _begun(self, job_id: int, unsure: int) -> bool:
        return await self._recorded(lambda: self._held.begin_document(job_id, unsure, self._now()))

    async def _confirmed(self, job_id: int, sure: int) -> None:
        await self._recorded(lambda: self._held.confirm_documents(job_id, sure, self._now()))

    async def _end(self, job_id: int, state: JobState, message: str) -> None:
        ended = await self._recorded(lambda: self._held.end_job(job_id, state, message, self._now()))
        if ended is not None:
            self._around.note(ended)

    async def _recorded(self, change: Callable[[], Awaitable[T]]) -> T:
        """Make a change, again and again while the database fails: it must not be forgotten what was sent."""
        while True:
            try:
                return await change()
            except (DatabaseFailure, DatabaseOverload):
                await asyncio.sleep(RECORD_PAUSE)

    async def _connected(self) -> Connection:
        """Return the connection, and open it if necessary; raises NotReachableError."""
        if self._connection is None:
            self._connection = await connect(self.printer)
        return self._connection

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _see(self) -> None:
        """Note the state of the connection, for other replicas too."""
        state = self._connection.state if self._connection else PrinterState.NOT_REACHABLE
        self.loaded = self._connection.loaded if self._connection else self.loaded
        if self._noted is not state:
            self._noted, since = state, self.seen.since if state is self.seen.state else self._now()
            await self._recorded(lambda: self._held.note_state(state, since))
        self.seen.say(state)

    async def _rest(self, seconds: float) -> None:
        """Wait, at most until a job comes or somebody asks."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()

    def _is_too_long(self, since: str) -> bool:
        """Return whether a printer is given up that has failed since this time."""
        waited = datetime.fromisoformat(self._now()) - datetime.fromisoformat(since)
        return waited.total_seconds() >= self._around.tries

    def _now(self) -> str:
        return self._around.clock.timestamp()
