"""The queues of print jobs: short jobs and long ones wait apart, each for a thread, so that codes and scans go on.

Each queue has a bounded capacity. A job whose client has gone is passed over when its turn comes; one that runs goes on
to its end, because a thread cannot be stopped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path

from barcodesvc.errors import GenerationFailure, RenderOverload, ServiceError
from barcodesvc.labels.print_job import PrintJob
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.threads import WorkerThreads

_LOG = logging.getLogger(__name__)

JOBS = 8
"""Print jobs of a queue under way or waiting before a 503, unless another number is given."""
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
        return {"short": self._short.capacity.used, "long": self._long.capacity.used}

    def require_capacity(self, labels: int) -> None:
        """Raise RenderOverload where the queue of so many labels is full, before any work goes into the job."""
        self._queue(labels).capacity.require()

    async def run(self, job: PrintJob, is_wanted: IsWanted = _always) -> bytes:
        """Return the PDF; a job that nobody wants any more is not begun.

        Raises what the job raises, RenderOverload and GenerationFailure.
        """
        printing = self._queue(len(job.codes)).begin(job, is_wanted)
        try:
            return await asyncio.shield(printing)
        except ServiceError:
            raise
        except Exception as error:
            _LOG.exception("printing %d labels failed", len(job.codes))
            raise GenerationFailure("the label sheet could not be made") from error

    def _queue(self, labels: int) -> _Queue:
        return self._short if labels <= SHORT_JOB else self._long

    async def close(self) -> None:
        """Finish the jobs that run, begin none of those that wait, and end the threads."""
        for queue in (self._short, self._long):
            await queue.close()


class _Queue:
    """One thread, and the jobs that wait for their turn in it."""

    def __init__(self, name: str, most: int, font: Path | None) -> None:
        self.capacity = Capacity(most, self._overload)
        self._threads = WorkerThreads(name, 1)
        self._font = font
        self._turn = asyncio.Lock()
        self._labels = 0
        self._is_closing = False

    def begin(self, job: PrintJob, is_wanted: IsWanted) -> asyncio.Task[bytes]:
        """Put a job in the queue, which it leaves when it is done, whoever waits for it; raises RenderOverload."""
        self.capacity.take()
        self._labels += len(job.codes)
        printing = asyncio.create_task(self._print(job, is_wanted))
        printing.add_done_callback(partial(self._end, len(job.codes)))
        return printing

    async def close(self) -> None:
        """Wait for the job that runs, begin no other, and end the thread."""
        self._is_closing = True
        async with self._turn:
            await self._threads.close()

    async def _print(self, job: PrintJob, is_wanted: IsWanted) -> bytes:
        async with self._turn:
            if self._is_closing:
                raise RenderOverload("the service is shutting down; try again in a moment")
            if not is_wanted():
                raise GenerationFailure("nobody waits for these labels any more")
            return await self._threads.run(job.run, self._font)

    def _end(self, labels: int, _: asyncio.Task[bytes]) -> None:
        self.capacity.give_back()
        self._labels -= labels

    def _overload(self) -> RenderOverload:
        return RenderOverload(
            "too many label sheets are waiting; try again in a moment",
            retry_after=1 + self._labels // _LABELS_PER_SECOND,
        )
