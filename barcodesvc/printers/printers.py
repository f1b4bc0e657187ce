"""All printers of the settings, each with its own queue, and what is known of them.

Rule: the queues run as long as the service. At the end each finishes the document that it is sending, in CLOSE_WAIT.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from barcodesvc.clock import as_timestamp
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.print_jobs import JobState, PrinterState, PrintJob
from barcodesvc.printers.printer import Printer
from barcodesvc.printers.seen_state import ASKED_FOR
from barcodesvc.printers.sender import Sender
from barcodesvc.printers.surroundings import Surroundings
from barcodesvc.store import print_jobs
from barcodesvc.store.database import Database
from barcodesvc.store.print_jobs import (
    HeldPrinter,
    NewJob,
    QueueLimits,
    ask_holders,
    asked_printers,
    delete_old,
    end_left_jobs,
    held_printers,
    waiting_jobs,
)
from barcodesvc.store.script import Begin

_LOG = logging.getLogger(__name__)

CLOSE_WAIT = 15.0
"""Seconds in which the documents that are being sent may end."""
POLL_PAUSE = 1.0
"""Seconds after which a replica looks for jobs that others queued or left behind, and whether others are asked."""
HOUSEKEEPING_PAUSE = 60.0
ONLY_PROCESS = "the service"
"""The holder of printers where the database belongs to one process: after a crash it takes them at once."""


@dataclass(frozen=True, slots=True)
class PrinterReport:
    """What is known of a printer; `loaded` are the sizes that it says are in it, empty if it does not tell."""

    printer: Printer
    state: PrinterState
    since: str
    jobs_waiting: int
    loaded: str


class Printers:
    """The printers by name; see `running`."""

    def __init__(
        self, printers: Sequence[Printer], database: Database, surroundings: Surroundings, limits: QueueLimits
    ) -> None:
        holder = secrets.token_hex(8) if database.is_shared else ONLY_PROCESS
        self._database = database
        self._senders = {
            one.address.name: Sender(one, HeldPrinter(database, one.address.name, holder), surroundings)
            for one in printers
        }
        self._around = surroundings
        self._limits = limits

    def queueing(self, new: NewJob) -> Begin[PrintJob]:
        """Return the change that queues a job; see `print_jobs.queue`. `note` follows it."""
        return partial(print_jobs.queue, new, self._limits)

    async def cancel(self, name: str, job_id: int) -> PrintJob:
        """Cancel a job, and return it; see `print_jobs.cancel`."""
        cancel = partial(print_jobs.cancel, name, job_id, self._around.clock.timestamp())
        job = await self._database.change(cancel)
        self.note(job)
        return job

    def note(self, job: PrintJob) -> None:
        """Log and count a job that was queued or cancelled, and have its printer look at it."""
        if job.state is not JobState.SENDING:
            self._around.note(job)
        self._senders[job.printer].wake()

    async def report(self) -> list[PrinterReport]:
        """Look at all printers, and return what is known of them."""
        others = await self._held_by_others()
        if others:
            await ask_holders(self._database)
        await asyncio.gather(*(each.fresh_state() for name, each in self._senders.items() if name not in others))
        others = await self._held_by_others()  # another one may have taken a printer meanwhile
        waiting = await waiting_jobs(self._database)
        return [
            PrinterReport(each.printer, *others.get(name, each.seen.now), waiting.get(name, 0), each.loaded)
            for name, each in self._senders.items()
        ]

    @asynccontextmanager
    async def running(self, days: int) -> AsyncIterator[None]:
        """Send jobs within the block, and delete those that have been over for that many days."""
        sending = [asyncio.create_task(each.run()) for each in self._senders.values()]
        watching = [asyncio.create_task(self._watch()), asyncio.create_task(self._keep_house(days))]
        try:
            yield
        finally:
            for each in self._senders.values():
                each.close()
            if sending:
                await asyncio.wait(sending, timeout=CLOSE_WAIT)
            for task in (*sending, *watching):
                task.cancel()
            await asyncio.wait([*sending, *watching])

    async def _watch(self) -> None:
        """Find the jobs of an earlier process at the start, and what other replicas are asked for all the time."""
        while True:
            with suppress(DatabaseFailure, DatabaseOverload):  # the engine logs them
                await self._look_around()
            await asyncio.sleep(POLL_PAUSE if self._database.is_shared else HOUSEKEEPING_PAUSE)

    async def _look_around(self) -> None:
        for name in await waiting_jobs(self._database):
            if name in self._senders and not self._senders[name].is_held:
                self._senders[name].wake()
        for name in await asked_printers(self._database, ASKED_FOR) if self._database.is_shared else ():
            if name in self._senders and self._senders[name].is_held:
                self._senders[name].ask()

    async def _keep_house(self, days: int) -> None:
        while True:
            now = datetime.fromisoformat(self._around.clock.timestamp())
            try:
                await delete_old(self._database, as_timestamp(now - timedelta(days=days)))
                await self._end_left(now)
            except (DatabaseFailure, DatabaseOverload):
                pass  # the engine has logged it
            except Exception:  # noqa: BLE001 - the next round tries again
                _LOG.exception("unexpected failure while old print jobs are deleted")
            await asyncio.sleep(HOUSEKEEPING_PAUSE)

    async def _held_by_others(self) -> dict[str, tuple[PrinterState, str]]:
        """Return the states of the printers that other replicas hold."""
        held = await held_printers(self._database) if self._database.is_shared else {}
        return {name: seen for name, seen in held.items() if name in self._senders and not self._senders[name].is_held}

    async def _end_left(self, now: datetime) -> None:
        """End the jobs of printers that the settings have not named for as long as a printer is tried."""
        last = as_timestamp(now - timedelta(seconds=self._around.tries))
        for name in await waiting_jobs(self._database):
            if name not in self._senders:
                for job in await end_left_jobs(self._database, name, last, as_timestamp(now)):
                    self._around.note(job)
