"""The queue of label sheets: one thread for short jobs and one for long ones, so that codes and scans are not delayed.

The number of jobs is limited. A job whose client has disconnected is skipped when its turn comes; a running job is
finished, because a thread cannot be stopped.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from barcodesvc.errors import GenerationFailure, RenderOverload, ServiceError, Stopping
from barcodesvc.labels.sheet_job import SheetJob
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.processes import IsWanted, always_wanted
from barcodesvc.runtime.threads import WorkerThreads

_LOG = logging.getLogger(__name__)

JOBS = 8
"""Default limit of running and waiting jobs of one length; one more is a 503."""
SHORT_JOB = 200
"""The maximum number of labels of a short job."""
_LABELS_PER_SECOND = 1000
"""Labels with QR codes that are drawn per second; others are faster."""


class SheetQueue:
    """Two lines of at most `jobs` jobs, each with one thread, `sheets-short` and `sheets-long`.

    A sheet of a few labels never waits for thousands of QR codes. `font` is the font of the settings.
    """

    def __init__(self, font: Path | None = None, jobs: int = JOBS) -> None:
        self._lines = {name: _Line(f"sheets-{name}", jobs, font) for name in ("short", "long")}

    @property
    def jobs_by_queue(self) -> dict[str, int]:
        """How many short and long jobs are running or waiting."""
        return {name: line.capacity.used for name, line in self._lines.items()}

    def require_capacity(self, labels: int, client: str) -> None:
        """Raise RenderOverload if there is no room for a client's job of this many labels, before it is prepared."""
        self._line(labels).capacity.require_for(client)

    async def run(self, job: SheetJob, is_wanted: IsWanted = always_wanted, client: str | None = None) -> bytes:
        """Return the file; raises what the job raises, RenderOverload and GenerationFailure.

        A job whose client has disconnected is not started. One without a client is the service's own.
        """
        labels = job.request.count()
        making = asyncio.create_task(self._line(labels).made(job, labels, is_wanted, client))
        making.add_done_callback(_retrieve)
        return await asyncio.shield(making)

    def _line(self, labels: int) -> _Line:
        return self._lines["short" if labels <= SHORT_JOB else "long"]

    async def close(self) -> None:
        """Finish the running jobs, refuse the waiting ones and end the threads."""
        for line in self._lines.values():
            await line.close()


def _retrieve(making: asyncio.Task[bytes]) -> None:
    """Retrieve a failure for which no client is waiting any more; otherwise asyncio would report it."""
    if not making.cancelled():
        making.exception()


class _Line:
    """One thread and the jobs that wait for it."""

    def __init__(self, name: str, most: int, font: Path | None) -> None:
        self.capacity = Capacity(most, self._overload)
        self._threads = WorkerThreads(name, 1)
        self._font = font
        self._labels = 0
        self._is_closing = False

    async def made(self, job: SheetJob, labels: int, is_wanted: IsWanted, client: str | None) -> bytes:
        """Return the file of a job, which remains in the line until it is done; raises as `run` does."""
        with self.capacity.held(client=client):
            self._labels += labels
            try:
                return await self._threads.run(self._make, job, is_wanted)
            except ServiceError:
                raise
            except Exception as error:
                _LOG.exception("printing %d labels failed", labels)
                raise GenerationFailure("the label sheet could not be made") from error
            finally:
                self._labels -= labels

    async def close(self) -> None:
        """Wait for the running job, refuse the waiting ones and end the thread."""
        self._is_closing = True
        await self._threads.close()

    def _make(self, job: SheetJob, is_wanted: IsWanted) -> bytes:
        if self._is_closing:
            raise Stopping("the service is shutting down; try again in a moment")
        if not is_wanted():
            raise GenerationFailure("the client has disconnected")
        return job.run(self._font)

    def _overload(self) -> RenderOverload:
        return RenderOverload(
            "too many label sheets are waiting; try again in a moment",
            retry_after=1 + self._labels // _LABELS_PER_SECOND,
        )
