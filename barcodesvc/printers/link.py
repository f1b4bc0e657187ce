"""The link of a queue to its printer: a connection, opened when it is needed, and the last state.

Rule: a state is at most 2 s old while somebody asks. A printer that does not answer by then counts as unreachable.
"""

import asyncio
import contextlib
import logging
from collections.abc import Iterator

from barcodesvc.print_jobs import PrinterState
from barcodesvc.printers.connection import Connection, NotReachableError, Printer
from barcodesvc.printers.device_file import open_device
from barcodesvc.printers.ipp import IppConnection
from barcodesvc.printers.queue_context import QueueContext, recorded
from barcodesvc.printers.zpl import open_zpl
from barcodesvc.store.print_jobs import HeldPrinter

_LOG = logging.getLogger(__name__)

FRESH = 1.5
"""Seconds for which a state counts as new; a printer that does not answer for that long counts as unreachable."""
ASKED_FOR = 10.0
"""Seconds for which the connection stays open after somebody asked for the state."""
_LONGEST_LOOK = 1.8
"""Seconds that asking for the state may take, so that a change is reported within 2 s."""


async def connect(printer: Printer) -> Connection:
    """Open a connection to a printer, whose state is not known before it is polled; raises NotReachableError."""
    if printer.address.kind == "ipp":
        return IppConnection(printer)
    if printer.address.kind == "zpl":
        return await open_zpl(printer.address)
    return await open_device(printer.address)


class PrinterLink:
    """The link to a printer; `state` is what it last said, `since` when, and `loaded` what it last said is in it."""

    def __init__(self, printer: Printer, held: HeldPrinter, context: QueueContext) -> None:
        self.printer = printer
        self.state, self.since = PrinterState.UNKNOWN, context.clock.timestamp()
        self.loaded = ""
        self._held = held
        self._context = context
        self._connection: Connection | None = None
        self._published: PrinterState | None = None
        self._looked = asyncio.Event()
        self._looked_at = self._asked_at = float("-inf")

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

    async def poll(self) -> PrinterState:
        """Ask the printer for its state, and return it; raises NotReachableError.

        A connection that the printer has closed meanwhile is opened again.
        """
        try:
            with self.unreachable_if_late():
                if self._connection is not None:
                    with contextlib.suppress(NotReachableError):
                        return await self._connection.poll()
                    await self.disconnect()
                return await (await self.connected()).poll()
        except NotReachableError:
            await self.disconnect()
            raise
        finally:
            await self.publish_state()

    async def connected(self) -> Connection:
        """Return the connection, and open it if necessary; raises NotReachableError."""
        if self._connection is None:
            self._connection = await connect(self.printer)
        return self._connection

    async def disconnect(self) -> None:
        """Close the connection, if there is one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    def forget_published(self) -> None:
        """Have the next state published, whatever it is: another process may have published one meanwhile."""
        self._published = None

    async def publish_state(self) -> None:
        """Note the state of the connection, for other replicas too."""
        state = self._connection.state if self._connection else PrinterState.NOT_REACHABLE
        self.loaded = self._connection.loaded if self._connection else self.loaded
        if self._published is not state:
            self._published, since = state, self.since if state is self.state else self._context.timestamp()
            await recorded(self._held.note_state, state, since)
        self._report(state)

    @contextlib.contextmanager
    def unreachable_if_late(self) -> Iterator[None]:
        """Report that the printer is unreachable if it has not answered within FRESH seconds of the block."""
        late = asyncio.get_running_loop().call_later(FRESH, self._report, PrinterState.NOT_REACHABLE)
        try:
            yield
        finally:
            late.cancel()

    def _report(self, state: PrinterState) -> None:
        """Note what the state is now, and log and count a change."""
        name = self.printer.address.name
        if state is not self.state:
            _LOG.info("printer %s is %s", name, state)
            self._context.observer.printer_became(name, state)
            self.state, self.since = state, self._context.timestamp()
        self._looked_at = asyncio.get_running_loop().time()
        self._looked.set()
