"""The queues of print jobs: short jobs and long ones wait apart, each for a thread, so that codes and scans go on.

Queues are bounded, and a job that nobody wants any more is dropped from them; one that runs goes on to its end,
because a thread cannot be stopped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from barcodesvc.errors import GenerationFailure, RenderOverload, ServiceError
from barcodesvc.labels.print_job import PrintJob
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.threads import WorkerThreads

_LOG = logging.getLogger(__name__)

JOBS = 8
"""Print jobs of a queue under way or waiting before a 503, unless told otherwise."""
SHORT_JOB = 200
"""Labels up to which a job takes the short queue."""
_LABELS_PER_SECOND = 1000
"""Labels with QR codes that are made in a second; others are quicker."""

IsWanted = Callable[[], bool]
"""Whether anybody still waits for a job."""


def _always() -> bool:
    return True


class PrintQueues:
    """Two queues of print jobs with one thread each, `print-short` and `print-long`, and at most `jobs` in either.

    A sheet of a few labels never waits for thousands of QR codes. `font` is the one that the settings name.
    """

    def __init__(self, font: Path | None = None, jobs: int = JOBS) -> None:
        self._short, self._long = (_Queue(name, jobs, font) for name in ("print-short", "print-long"))

    @property
    def jobs(self) -> int:
        """How many jobs are under way or waiting."""
        return sum(self.jobs_by_queue.values())

    @property
    def jobs_by_queue(self) -> dict[str, int]:
        """How many jobs are under way or waiting in each queue."""
        return {"short": len(self._short.entries), "long": len(self._long.entries)}

    def require_place(self, labels: int) -> None:
        """Raise RenderOverload where a job of so many labels has no place now, before any work goes into it."""
        self._queue(labels).require_place()

    async def run(self, job: PrintJob, is_wanted: IsWanted = _always) -> bytes:
        """Return the PDF; a job that nobody wants any more is dropped before it begins.

        Raises what the job raises, RenderOverload and GenerationFailure.
        """
        printing = self._queue(len(job.codes)).begin(job, is_wanted)
        try:
            return await asyncio.shield(printing)
        except ServiceError:
            raise
        except asyncio.CancelledError:
            if printing.cancelled():
                raise RenderOverload("the service is shutting down; try again in a moment") from None
            raise
        except Exception as error:
            _LOG.exception("printing %d labels failed", len(job.codes))
            raise GenerationFailure("the label sheet could not be made") from error

    def _queue(self, labels: int) -> _Queue:
        return self._short if labels <= SHORT_JOB else self._long

    def drop_unwanted(self) -> None:
        """Drop the jobs that wait and that nobody wants any more."""
        for queue in (self._short, self._long):
            queue.drop_unwanted()

    async def close(self) -> None:
        """Finish the jobs that run, drop those that wait, and end the threads."""
        for queue in (self._short, self._long):
            await queue.close()


@dataclass(slots=True)
class _Entry:
    """A job in a queue."""

    labels: int
    is_wanted: IsWanted
    has_begun: bool


class _Queue:
    """One thread and the jobs that wait for it."""

    def __init__(self, name: str, most: int, font: Path | None) -> None:
        self._threads = WorkerThreads(name, 1)
        self.entries: dict[asyncio.Task[bytes], _Entry] = {}
        self._capacity = Capacity(most, self._overload)
        self._font = font
        self._turn = asyncio.Lock()

    def require_place(self) -> None:
        """Raise RenderOverload where no further job has a place, telling how long those before it may take."""
        self.drop_unwanted()
        self._capacity.require()

    def begin(self, job: PrintJob, is_wanted: IsWanted) -> asyncio.Task[bytes]:
        """Put a job in the queue; raises RenderOverload, as `require_place` does."""
        self.drop_unwanted()
        self._capacity.take()
        entry = _Entry(len(job.codes), is_wanted, has_begun=not self.entries)
        printing = asyncio.create_task(self._print(job, entry))
        self.entries[printing] = entry
        printing.add_done_callback(self._forget)
        return printing

    def drop_unwanted(self) -> None:
        """Free the places of jobs that nobody wants; what runs goes on and keeps its place, as the bound is of work."""
        for printing, entry in tuple(self.entries.items()):
            if not entry.is_wanted() and not entry.has_begun:
                self._drop(printing)

    async def close(self) -> None:
        """Drop the jobs that wait, finish the one that runs, and end the thread."""
        for printing, entry in tuple(self.entries.items()):
            if not entry.has_begun:
                self._drop(printing)
        if self.entries:
            await asyncio.wait(self.entries)
        await self._threads.close()

    async def _print(self, job: PrintJob, entry: _Entry) -> bytes:
        async with self._turn:
            entry.has_begun = True
            return await self._threads.run(job.run, self._font)

    def _drop(self, printing: asyncio.Task[bytes]) -> None:
        printing.cancel()
        del self.entries[printing]
        self._capacity.give_back()

    def _overload(self) -> RenderOverload:
        waiting = sum(entry.labels for entry in self.entries.values())
        return RenderOverload(
            "too many label sheets are waiting; try again in a moment", retry_after=1 + waiting // _LABELS_PER_SECOND
        )

    def _forget(self, printing: asyncio.Task[bytes]) -> None:
        """Give the job's capacity back, and mark a failure as seen even if its caller has gone away."""
        if self.entries.pop(printing, None):
            self._capacity.give_back()
        with suppress(asyncio.CancelledError):
            printing.exception()
