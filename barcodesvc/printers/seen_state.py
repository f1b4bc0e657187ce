"""The state of a printer as it was seen last, and for whom it is kept fresh.

Rule: a state is at most 2 s old while somebody asks. A printer that does not answer by then counts as not reachable.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator

from barcodesvc.print_jobs import PrinterState
from barcodesvc.printers.surroundings import Surroundings

_LOG = logging.getLogger(__name__)

FRESH = 1.5
"""Seconds for which a state counts as new; a printer that does not answer for so long counts as not reachable."""
ASKED_FOR = 10.0
"""Seconds for which the connection stays open after somebody asked for the state."""
_LONGEST_LOOK = 1.8
"""Seconds that a question for the state takes at most, so that a change is reported within 2 s."""


class SeenState:
    """The state of the printer of this name, and since when it has it."""

    def __init__(self, name: str, surroundings: Surroundings) -> None:
        self.state, self.since = PrinterState.UNKNOWN, surroundings.clock.timestamp()
        self._name = name
        self._around = surroundings
        self._looked = asyncio.Event()
        self._looked_at = self._asked_at = float("-inf")

    @property
    def now(self) -> tuple[PrinterState, str]:
        """The state, and since when the printer has it."""
        return self.state, self.since

    @property
    def is_asked(self) -> bool:
        """Whether somebody asked in the last ASKED_FOR seconds."""
        return asyncio.get_running_loop().time() - self._asked_at < ASKED_FOR

    @property
    def is_fresh(self) -> bool:
        """Whether the state is at most FRESH seconds old."""
        return asyncio.get_running_loop().time() - self._looked_at < FRESH

    def ask(self) -> None:
        """Note that somebody asks."""
        self._asked_at = asyncio.get_running_loop().time()

    async def fresh(self) -> None:
        """Wait until the state is at most FRESH seconds old, but not for long."""
        if self.is_fresh:
            return
        self._looked.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_LOOK):
                await self._looked.wait()

    def say(self, state: PrinterState) -> None:
        """Note what the state is now, and log and count a change."""
        if state is not self.state:
            _LOG.info("printer %s is %s", self._name, state)
            self._around.observer.printer_became(self._name, state)
            self.state, self.since = state, self._around.clock.timestamp()
        self._looked_at = asyncio.get_running_loop().time()
        self._looked.set()

    @contextlib.contextmanager
    def said_in_time(self) -> Iterator[None]:
        """Say that the printer is not reachable if it has not answered within FRESH seconds of the block."""
        late = asyncio.get_running_loop().call_later(FRESH, self.say, PrinterState.NOT_REACHABLE)
        try:
            yield
        finally:
            late.cancel()
