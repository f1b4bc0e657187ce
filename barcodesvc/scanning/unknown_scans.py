"""Unknown scans: what was scanned and named no product is kept, for a person to work off.

Rule: a scan never waits for this. What is noted is written in the background, in one short change a second at most, and
what does not fit, or cannot be written, is dropped.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

from barcodesvc.clock import Clock
from barcodesvc.errors import DatabaseFailure, DatabaseOverload
from barcodesvc.store.database import Database
from barcodesvc.store.unknown_scans import Sightings, keep

_LOG = logging.getLogger(__name__)

LONGEST_TEXT = 500
"""Characters that are kept of a scan."""
MOST_NOTED = 500
"""Different scans that are noted between two writes: those of the largest batch."""
PAUSE = 1.0
"""Seconds between two writes."""


class UnknownScans:
    """Notes scans, and writes them in the background while `written` is open."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._noted: dict[str, Sightings] = {}
        self._is_any = asyncio.Event()
        self._writing = asyncio.Lock()

    def note(self, text: str) -> None:
        """Note a scan that named no product; it returns at once."""
        now, beginning = self._clock.timestamp(), text[:LONGEST_TEXT]
        seen = self._noted.get(beginning)
        if seen:
            seen.scans, seen.last_seen = seen.scans + 1, now
        elif len(self._noted) < MOST_NOTED:
            self._noted[beginning] = Sightings(1, now, now)
            self._is_any.set()

    @asynccontextmanager
    async def written(self) -> AsyncIterator[None]:
        """Write what is noted within the block, and the rest at its end."""
        task = asyncio.create_task(self._write_on())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
            await self.write()

    async def write(self) -> None:
        """Write what is noted; afterwards, everything that was noted before can be read."""
        async with self._writing:
            self._is_any.clear()
            noted, self._noted = self._noted, {}
            if noted:
                await self._keep(noted)

    async def _keep(self, noted: Mapping[str, Sightings]) -> None:
        try:
            await self._database.change(partial(keep, noted))
        except (DatabaseFailure, DatabaseOverload):
            pass  # the engine has logged it
        except Exception:  # noqa: BLE001 - the next ones are written
            _LOG.exception("unexpected failure while unknown scans are written")

    async def _write_on(self) -> None:
        while True:
            await self._is_any.wait()
            await self.write()
            await asyncio.sleep(PAUSE)
