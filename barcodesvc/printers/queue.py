"""The queue of one printer: sends its jobs in order over one connection, and retries those that have to wait.

Rules: a printer that is off, or needs attention, delays only its own jobs, and is tried again after a pause that grows
to 30 s. A job fails once the printer has delayed it for `tries` seconds. So every wait for a printer ends; until then
the job says what it waits for, and can be cancelled.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.print_jobs import JobState
from barcodesvc.printers.connection import NotReachableError, Printer
from barcodesvc.printers.link import FRESH, PrinterLink
from barcodesvc.printers.print_run import LONGEST_PAUSE, Delayed, Ended, PrintRun
from barcodesvc.printers.queue_context import RECORD_PAUSE, QueueContext, recorded
from barcodesvc.store.print_jobs import HeldPrinter, LeaseLostError, QueuedJob

_LOG = logging.getLogger(__name__)

FIRST_PAUSE = 0.5
_HOLD_PAUSE = 5.0


class PrinterQueue:
    """The queue of one printer; `held` makes its changes, and `is_held` is whether this process has the printer."""

    def __init__(self, printer: Printer, held: HeldPrinter, context: QueueContext) -> None:
        self.link = PrinterLink(printer, held, context)
        self.is_held = False
        self._name = printer.address.name
        self._held = held
        self._context = context
        self._awake = asyncio.Event()
        self._closing = asyncio.Event()
        self._pause = FIRST_PAUSE
        self._failing_since = ""

    def wake(self) -> None:
        """Look for jobs now."""
        self._awake.set()

    def ask(self) -> None:
        """Poll the printer often for a while, and now unless it was just polled."""
        if not (self.link.is_asked and self.link.is_fresh):
            self._awake.set()
        self.link.ask()

    def close(self) -> None:
        """End `run` after the document that is being sent."""
        self._closing.set()
        self._awake.set()

    async def run(self) -> None:
        """Send jobs as they come, until the queue is closed."""
        while not self._closing.is_set():
            await self._awake.wait()
            self._awake.clear()
            try:
                await self._serve()
            except* LeaseLostError:
                _LOG.warning("another replica has taken over printer %s", self._name)
            except* (DatabaseFailure, DatabaseOverload):
                await self._retry_later()  # the engine has logged it
            except* Exception:  # noqa: BLE001 - the queue continues
                _LOG.exception("unexpected failure in the queue of printer %s", self._name)
                await self._retry_later()

    async def _retry_later(self) -> None:
        await asyncio.sleep(RECORD_PAUSE)
        self._awake.set()

    async def _serve(self) -> None:
        """Hold the printer as long as there are jobs, or somebody is asking for its state."""
        doubted = await self._held.claim(self._context.timestamp())
        if doubted is None:
            return
        for job in doubted:
            self._context.note(job)
        self.is_held = True
        self.link.forget_published()
        self._pause, self._failing_since = FIRST_PAUSE, ""
        try:
            async with self._renewed():
                await self._send_all()
        finally:
            self.is_held = False
            await self.link.disconnect()
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
        while not self._closing.is_set():
            self._awake.clear()
            job = await self._held.next_job()
            if job is not None:
                await self._send(job)
            elif self.link.is_asked:
                with contextlib.suppress(NotReachableError):
                    await self.link.poll()
                await self._wait(FRESH / 2)
            else:
                return

    async def _send(self, job: QueuedJob) -> None:
        """Send a job, or the rest of it, and record how it ended, or wait before the next try."""
        run = PrintRun(job, self.link, self._held, self._context)
        outcome = await run.outcome(self._closing)
        if run.has_advanced:
            self._pause, self._failing_since = FIRST_PAUSE, ""
        if isinstance(outcome, Ended):
            await self._end(job.job.id, outcome)
            if outcome.state is not JobState.CANCELLED:
                self._pause, self._failing_since = FIRST_PAUSE, ""
        elif outcome is not None:
            await self._delay(job.job.id, outcome)

    async def _delay(self, job_id: int, delayed: Delayed) -> None:
        """Wait before the next attempt, or end the job if the printer has been tried too long, other jobs included."""
        if not delayed.reason:
            await self._wait(delayed.pause)
            return
        self._pause = min(self._pause, delayed.pause)
        job = await self._held.next_job()
        if job is None or job.job.id != job_id:  # somebody has cancelled it
            return
        self._failing_since = self._failing_since or job.tried_at or self._context.timestamp()
        if self._context.is_given_up(max(self._failing_since, job.job.created_at)):
            await self._end(job_id, Ended(JobState.FAILED, f"{delayed.reason}; given up"))
            return
        if job.job.message != delayed.reason or not job.tried_at:
            _LOG.warning("print job %d of printer %s waits: %s", job_id, self._name, delayed.reason)
            await recorded(self._held.note_try, job_id, delayed.reason, self._context.timestamp())
        await self._wait(min(self._pause, FRESH / 2) if self.link.is_asked else self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    async def _end(self, job_id: int, end: Ended) -> None:
        ended = await recorded(self._held.end_job, job_id, end.state, end.message, self._context.timestamp())
        if ended is not None:
            self._context.note(ended)

    async def _wait(self, seconds: float) -> None:
        """Wait, at most until a job comes or somebody asks."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._awake.wait()
