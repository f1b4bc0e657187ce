"""All printers in the settings, each with its own queue, and what is known about them.

Rule: the queues run as long as the service. At the end each has CLOSE_WAIT seconds to finish the document that it is
sending.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from barcodesvc.clock import as_timestamp
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.print_jobs import JobState, PrinterState, PrintJob
from barcodesvc.printers.connection import Printer
from barcodesvc.printers.link import ASKED_FOR
from barcodesvc.printers.queue import PrinterQueue
from barcodesvc.printers.queue_context import QueueContext
from barcodesvc.store.database import Database
from barcodesvc.store.print_jobs import (
    HeldPrinter,
    ask_holders,
    asked_printers,
    delete_old,
    end_left_jobs,
    held_printers,
    waiting_jobs,
)

_LOG = logging.getLogger(__name__)

CLOSE_WAIT = 15.0
"""Seconds that documents have to finish being sent."""
POLL_PAUSE = 1.0
"""Seconds after which a replica looks for jobs that others queued or left behind, and whether others are asked."""
HOUSEKEEPING_PAUSE = 60.0
ONLY_PROCESS = "the service"
"""The holder of printers where the database belongs to one process: after a crash it takes them at once."""


@dataclass(frozen=True, slots=True)
class PrinterReport:
    """What is known about a printer; `loaded` are the sizes that it says are in it, empty if it does not say."""

    printer: Printer
    state: PrinterState
    since: str
    jobs_waiting: int
    loaded: str


class Printers:
    """The printers by name; see `running`."""

    def __init__(self, printers: Sequence[Printer], database: Database, context: QueueContext) -> None:
        holder = secrets.token_hex(8) if database.is_shared else ONLY_PROCESS
        self._database = database
        self._queues = {
            one.address.name: PrinterQueue(one, HeldPrinter(database, one.address.name, holder), context)
            for one in printers
        }
        self._context = context

    def note(self, job: PrintJob) -> None:
        """Log and count a job that was queued or cancelled, and wake its printer."""
        if job.state is not JobState.SENDING:
            self._context.note(job)
        self._queues[job.printer].wake()

    async def report(self) -> list[PrinterReport]:
        """Poll all printers, and return what is known about them."""
        others = await self._held_by_others()
        if others:
            await ask_holders(self._database)
        own = [each for name, each in self._queues.items() if name not in others]
        for each in own:
            each.ask()
        await asyncio.gather(*(each.link.fresh() for each in own))
        others = await self._held_by_others()  # another one may have taken a printer meanwhile
        waiting = await waiting_jobs(self._database)
        return [
            PrinterReport(link.printer, *others.get(name, (link.state, link.since)), waiting.get(name, 0), link.loaded)
            for name, link in ((name, each.link) for name, each in self._queues.items())
        ]

    @asynccontextmanager
    async def running(self, days: int) -> AsyncIterator[None]:
        """Send jobs within the block, and delete those that have been over for that many days."""
        sending = [asyncio.create_task(each.run()) for each in self._queues.values()]
        watching = [asyncio.create_task(self._watch()), asyncio.create_task(self._keep_house(days))]
        try:
            yield
        finally:
            for each in self._queues.values():
                each.close()
            if sending:
                await asyncio.wait(sending, timeout=CLOSE_WAIT)
            for task in (*sending, *watching):
                task.cancel()
            await asyncio.wait([*sending, *watching])

    async def _watch(self) -> None:
        """Find the jobs of an earlier process at the start, and, all the time, what other replicas are asked for."""
        while True:
            with suppress(DatabaseFailure, DatabaseOverload):  # the engine logs them
                await self._look_around()
            await asyncio.sleep(POLL_PAUSE if self._database.is_shared else HOUSEKEEPING_PAUSE)

    async def _look_around(self) -> None:
        for name in await waiting_jobs(self._database):
            if name in self._queues and not self._queues[name].is_held:
                self._queues[name].wake()
        for name in await asked_printers(self._database, ASKED_FOR) if self._database.is_shared else ():
            if name in self._queues and self._queues[name].is_held:
                self._queues[name].ask()

    async def _keep_house(self, days: int) -> None:
        while True:
            now = datetime.fromisoformat(self._context.timestamp())
            try:
                await delete_old(self._database, as_timestamp(now - timedelta(days=days)))
                await self._end_left(now)
            except (DatabaseFailure, DatabaseOverload):
                pass  # the engine has logged it
            except Exception:  # noqa: BLE001 - the next round tries again
                _LOG.exception("unexpected failure while deleting old print jobs")
            await asyncio.sleep(HOUSEKEEPING_PAUSE)

    async def _held_by_others(self) -> dict[str, tuple[PrinterState, str]]:
        """Return the states of the printers that other replicas hold."""
        held = await held_printers(self._database) if self._database.is_shared else {}
        return {name: seen for name, seen in held.items() if name in self._queues and not self._queues[name].is_held}

    async def _end_left(self, now: datetime) -> None:
        """End the jobs of printers that the settings have not named for as long as a printer is tried."""
        last = as_timestamp(now - timedelta(seconds=self._context.tries))
        for name in await waiting_jobs(self._database):
            if name not in self._queues:
                for job in await end_left_jobs(self._database, name, last, as_timestamp(now)):
                    self._context.note(job)
