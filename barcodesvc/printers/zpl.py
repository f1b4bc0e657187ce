"""A ZPL printer on a TCP connection, and what it reports (ZPL II Programming Guide).

The connection has a small send buffer, so that bytes are written only as the printer takes them. The last ones count as
taken once its TCP has confirmed them: a printer that was switched off confirms nothing.

The printer is asked for its state on the same connection, never within a document, and has printed a document when its
buffers are empty and it has no fault, twice in a row. It answers `~HI` with its model, and `~HS` with a status: three
strings between STX and ETX, each followed by CR LF, with fields between commas:

    first     2 paper out, 3 paused, 5 formats in the receive buffer, 8 a format is being received
    second    3 head open, 4 ribbon out, 9 labels remaining of a batch
    third     a password; unused

Rules: a printer that has not answered once is not asked again on this connection, because some print the question.
Anything else is not a status; a printer may send anything.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

from barcodesvc.print_jobs import PrinterState
from barcodesvc.printer_addresses import PrinterAddress
from barcodesvc.printers.connection import (
    PROGRESS_WAIT,
    BrokenOffError,
    Connection,
    Document,
    Model,
    NotReachableError,
    Progress,
    open_streams,
)
from barcodesvc.runtime.unconfirmed import unconfirmed_bytes

PATIENCE = 1.0
"""Seconds in which a printer answers a question."""
CONFIRMATIONS = 2
"""How often in a row a printer has to say that it has printed everything."""
SLOWEST = 1000.0
"""Bytes that a printer takes out of its buffers each second, at least, where nothing shows its progress."""
_SEND_BUFFER = 4096
_CONFIRMATION_PAUSE = 0.02
_LONGEST = 4096
"""Bytes of a response that are kept; a status has about 100."""
_ASK, _ASK_MODEL = b"~HS\r\n", b"~HI\r\n"
_STATUS = re.compile(
    rb"\x02([0-9A-Za-z,]{1,120})\x03\s{0,8}\x02([0-9A-Za-z,]{1,120})\x03\s{0,8}\x02[^\x02\x03]{1,120}\x03"
)
_MODEL = re.compile(rb"\x02([ -+\--~]{1,80}),(?:[^\x02\x03,]{0,40},([0-9]{1,2}),)?[^\x02\x03]{1,120}\x03")
_DPI = {6: 152, 8: 203, 12: 300, 24: 600}
"""The dots per inch of printheads by their dots per millimetre, which printers report."""
_FIRST_FIELDS, _SECOND_FIELDS = 12, 11


@dataclass(frozen=True, slots=True)
class HostStatus:
    """The state that the printer reports; `waiting` counts formats and labels that are not printed yet."""

    state: PrinterState
    waiting: int


def taken_statuses(received: bytearray) -> list[HostStatus]:
    """Take all statuses out of what was received, with all before them, and return them."""
    found = list(_STATUS.finditer(bytes(received)))
    if found:
        del received[: found[-1].end()]
    return [status for one in found if (status := _status(one))]


def _status(found: re.Match[bytes]) -> HostStatus | None:
    first, second = found[1].split(b","), found[2].split(b",")
    if len(first) != _FIRST_FIELDS or len(second) < _SECOND_FIELDS:
        return None
    numbers = (first[1], first[2], first[4], first[7], second[2], second[3], second[8])
    if not all(number.isdigit() for number in numbers):
        return None
    paper_out, paused, formats, partial, head_open, ribbon_out, remaining = map(int, numbers)
    waiting = formats + partial + remaining
    faults = {
        PrinterState.HEAD_OPEN: head_open,
        PrinterState.OUT_OF_PAPER: paper_out,
        PrinterState.RIBBON_OUT: ribbon_out,
        PrinterState.PAUSED: paused,
    }
    fine = PrinterState.BUSY if waiting else PrinterState.READY
    return HostStatus(next((fault for fault, is_so in faults.items() if is_so), fine), waiting)


class ZplConnection(Connection):
    """An open connection; made by `open_zpl`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, asks_status: bool) -> None:
        self._reader = reader
        self._writer = writer
        self._received = bytearray()
        self._is_asked = asks_status
        self._has_answered = False
        self._confirmations = 0
        self._heard = 0.0
        self._questions = self._questions_before = self._answers = 0

    async def poll(self) -> PrinterState:
        """Ask for the state, if the printer answers questions."""
        if self._is_lost:
            raise NotReachableError("the printer has closed the connection")
        if await self._asked_status() is None and self._has_answered:
            raise NotReachableError("the printer does not answer")
        return self.state

    async def model(self) -> Model:
        """Ask for the model, if the printer answers questions."""
        if not self._has_answered:
            return Model()
        self._received.clear()
        self._writer.write(_ASK_MODEL)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while await self._receive():
                    if found := _MODEL.search(self._received):
                        return Model(found[1].decode("ascii"), _DPI.get(int(found[2] or 0)))
        return Model()

    async def send(self, document: Document) -> None:
        """Send a document, and wait until the printer has taken all of it."""
        if self._is_lost:
            raise NotReachableError("the printer has closed the connection")
        for start in range(0, len(document.content), _SEND_BUFFER):
            self._writer.write(document.content[start : start + _SEND_BUFFER])
            async with self._in_time():
                await self._writer.drain()
        async with self._in_time():
            while unconfirmed_bytes(self._writer.get_extra_info("socket").fileno()):  # noqa: ASYNC110 - no event
                await asyncio.sleep(_CONFIRMATION_PAUSE)
        self._require_connected()
        self._confirmations = 0
        self._questions_before = self._questions
        self._heard = asyncio.get_running_loop().time() + len(document.content) / SLOWEST

    async def progress(self) -> Progress:
        """Ask whether the document is printed."""
        self._require_connected()
        status = await self._asked_status()
        self._require_connected()
        if not self._has_answered:
            return Progress.SILENT
        now = asyncio.get_running_loop().time()
        if status is None:
            self.state = PrinterState.NOT_REACHABLE
            if now - self._heard > PROGRESS_WAIT:
                raise BrokenOffError(f"the printer reported no state for {PROGRESS_WAIT:g} s")
            return Progress.PRINTING
        self._heard, self.told = now, status.waiting
        self._confirmations = self._confirmations + 1 if status.state is PrinterState.READY else 0
        return Progress.PRINTED if self._confirmations >= CONFIRMATIONS else Progress.PRINTING

    async def close(self) -> None:
        """Close the connection; what has been sent still arrives."""
        self._writer.close()

    @property
    def _is_lost(self) -> bool:
        return self._writer.is_closing() or self._reader.at_eof() or self._reader.exception() is not None

    def _require_connected(self) -> None:
        if self._is_lost:
            raise BrokenOffError("the connection broke off")

    @contextlib.asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        """Raise BrokenOffError if the printer takes nothing for too long within the block, or breaks off."""
        try:
            async with asyncio.timeout(PROGRESS_WAIT):
                yield
        except TimeoutError as error:
            self._writer.transport.abort()
            raise BrokenOffError(f"the printer took nothing for {PROGRESS_WAIT:g} s") from error
        except OSError as error:
            raise BrokenOffError("the connection broke off") from error

    async def _asked_status(self) -> HostStatus | None:
        """Ask the printer, unless it does not answer; return None if there is no answer yet, and keep the state.

        An answer counts only if it is to a question that was asked after the last document.
        """
        if not self._is_asked:
            return None
        if self._answers >= self._questions or self._questions <= self._questions_before:
            self._questions += 1
            self._writer.write(_ASK)
        status = await self._answer()
        if status is not None:
            self._has_answered, self.state = True, status.state
        elif not self._has_answered:
            self._is_asked = False
        return status

    async def _answer(self) -> HostStatus | None:
        """Return the answer to the last question, None if it does not come in time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while await self._receive():
                    statuses = taken_statuses(self._received)
                    self._answers += len(statuses)
                    if statuses and self._answers >= self._questions:
                        return statuses[-1]
        return None

    async def _receive(self) -> bool:
        """Wait for bytes of the printer, and keep the last ones; return whether there were any."""
        try:
            received = await self._reader.read(_LONGEST)
        except OSError:  # the connection is lost, which its next use reports
            return False
        self._received += received
        del self._received[:-_LONGEST]
        return bool(received)


async def open_zpl(address: PrinterAddress) -> ZplConnection:
    """Connect to a printer; raises NotReachableError."""
    reader, writer = await open_streams(address, _SEND_BUFFER)
    return ZplConnection(reader, writer, asks_status=address.asks_status)
