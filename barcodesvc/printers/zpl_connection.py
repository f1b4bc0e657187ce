"""A ZPL printer on a TCP connection.

Bytes count as taken when the printer's TCP has confirmed them, not when the system has buffered them: only so is a
printer that hangs noticed. The printer is asked for its state on the same connection, never within a document, and has
printed a document when its buffers are empty and it has no fault, twice in a row.

Rule: a printer that has not answered once is not asked again on this connection, because some print the question.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, cast

from barcodesvc.print_jobs import PrinterState
from barcodesvc.printer_addresses import PrinterAddress
from barcodesvc.printers.connection import (
    CONNECT_WAIT,
    PROGRESS_WAIT,
    ZPL,
    BrokenOffError,
    Connection,
    Document,
    Model,
    NotReachableError,
    Progress,
    cause_of,
)
from barcodesvc.printers.zpl_status import ASK, ASK_MODEL, LONGEST, HostStatus, model_in, taken_statuses
from barcodesvc.runtime.unconfirmed import unconfirmed_bytes

PATIENCE = 1.0
"""Seconds in which a printer answers the question for its state."""
CONFIRMATIONS = 2
"""How often in a row a printer has to say that it has printed everything."""
SLOWEST = 1000.0
"""Bytes a second that a printer takes at least out of its buffers, where nothing shows its progress."""
_PIECE = 32 * 1024
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05


class ZplConnection:
    """An open connection; made by `open_zpl`."""

    loaded = ""
    has_other_media = False

    def __init__(self, wire: _Wire, *, asks_status: bool) -> None:
        self.state = PrinterState.UNKNOWN
        self.told: object = None
        self._wire = wire
        self._is_asked = asks_status
        self._has_answered = False
        self._confirmations = 0
        self._heard = 0.0
        self._questions = self._questions_before = self._answers = 0

    async def look(self) -> PrinterState:
        """Ask for the state, if the printer answers that."""
        if self._wire.is_lost:
            raise NotReachableError("the printer has closed the connection")
        if await self._status() is None and self._has_answered:
            raise NotReachableError("the printer does not answer")
        return self.state

    async def model(self) -> Model:
        """Ask for the model, if the printer answers questions."""
        if not self._has_answered:
            return Model()
        self._wire.received.clear()
        self._wire.write(ASK_MODEL)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while not model_in(self._wire.received).name and not self._wire.is_lost:
                    self._wire.changed.clear()
                    await self._wire.changed.wait()
        return model_in(self._wire.received)

    async def media_types(self) -> tuple[str, ...]:
        """Return ZPL."""
        return (ZPL,)

    async def send(self, document: Document) -> None:
        """Send a document, and wait until the printer has taken all of it."""
        if self._wire.is_lost:
            raise NotReachableError("the printer has closed the connection")
        for start in range(0, len(document.content), _PIECE):
            self._wire.write(document.content[start : start + _PIECE])
            await self._taken()
        self._confirmations = 0
        self._questions_before = self._questions
        self._heard = asyncio.get_running_loop().time() + len(document.content) / SLOWEST

    async def progress(self) -> Progress:
        """Ask whether the document is printed."""
        self._require_wire()
        status = await self._status()
        self._require_wire()
        if not self._has_answered:
            return Progress.SILENT
        now = asyncio.get_running_loop().time()
        if status is None:
            self.state = PrinterState.NOT_REACHABLE
            if now - self._heard > PROGRESS_WAIT:
                raise BrokenOffError(f"the printer did not tell its state for {PROGRESS_WAIT:g} s")
            return Progress.PRINTING
        self._heard, self.told = now, status.waiting
        self._confirmations = self._confirmations + 1 if status.state is PrinterState.READY else 0
        return Progress.PRINTED if self._confirmations >= CONFIRMATIONS else Progress.PRINTING

    async def close(self) -> None:
        """Close the connection; what is sent already still arrives."""
        self._wire.close()

    def _require_wire(self) -> None:
        if self._wire.is_lost:
            raise BrokenOffError("the connection broke off")

    async def _status(self) -> HostStatus | None:
        """Ask the printer, unless it does not answer; returns None for no answer yet, and keeps the state.

        An answer counts only if it is to a question that was asked after the last document.
        """
        if not self._is_asked:
            return None
        if self._answers >= self._questions or self._questions <= self._questions_before:
            self._questions += 1
            self._wire.write(ASK)
        status = await self._answer()
        if status is not None:
            self._has_answered, self.state = True, status.state
        elif not self._has_answered:
            self._is_asked = False
        return status

    async def _answer(self) -> HostStatus | None:
        """Return the answer to the last question, None if it does not come in time."""
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    self._wire.changed.clear()
                    statuses = taken_statuses(self._wire.received)
                    self._answers += len(statuses)
                    if statuses and self._answers >= self._questions:
                        return statuses[-1]
                    if self._wire.is_lost:
                        return None
                    await self._wire.changed.wait()
        except TimeoutError:
            return None

    async def _taken(self) -> None:
        """Wait until the printer has taken everything; raises BrokenOffError if it breaks off or takes nothing."""
        loop = asyncio.get_running_loop()
        left, since, pause = self._wire.untaken(), loop.time(), _SHORTEST_PAUSE
        while left:
            self._require_wire()
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            now_left = self._wire.untaken()
            if now_left < left:
                left, since = now_left, loop.time()
            elif loop.time() - since > PROGRESS_WAIT:
                self._wire.abort()
                raise BrokenOffError(f"the printer took nothing for {PROGRESS_WAIT:g} s")
        self._require_wire()


async def open_zpl(address: PrinterAddress) -> ZplConnection:
    """Connect to a printer; raises NotReachableError."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(CONNECT_WAIT):
            _, wire = await loop.create_connection(_Wire, address.host, address.port)
    except TimeoutError as error:
        raise NotReachableError(f"the printer did not accept a connection within {CONNECT_WAIT:g} s") from error
    except OSError as error:
        raise NotReachableError(f"the printer cannot be reached: {cause_of(error)}") from error
    return ZplConnection(wire, asks_status=address.asks_status)


class _Wire(asyncio.Protocol):
    """The two directions of the connection: the last bytes that were received, and those that are not taken yet."""

    def __init__(self) -> None:
        self.received = bytearray()
        self.changed = asyncio.Event()
        self.is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Keep the last bytes."""
        self.received += data
        del self.received[:-LONGEST]
        self.changed.set()

    def connection_lost(self, _: Exception | None) -> None:
        """Note that the connection is lost, or that the printer has ended its direction."""
        self.is_lost = True
        self.changed.set()

    def write(self, data: bytes) -> None:
        """Send bytes, as soon as the printer takes them."""
        self._transport.write(data)

    def close(self) -> None:
        """Close after what is written has left."""
        self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def untaken(self) -> int:
        """Return the number of bytes that the printer has not confirmed."""
        if self.is_lost:
            return 0
        descriptor = self._transport.get_extra_info("socket").fileno()
        return self._transport.get_write_buffer_size() + unconfirmed_bytes(descriptor)


if TYPE_CHECKING:
    _: type[Connection] = ZplConnection
