"""A printer that speaks IPP (RFC 8010 and 8011): documents are jobs of the printer, and it says when one is completed.

Rules: the service connects to the address in the settings and follows no redirect. A certificate is checked, or is the
one whose fingerprint the settings name. Three limits: 5 s to connect, 30 s for attributes, because a printer may sleep,
and 60 s without progress of a document, unless the printer says that it needs a person. It is asked for that over a
second connection while a document is sent.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from barcodesvc.print_jobs import FAULTS, PrinterState
from barcodesvc.printer_addresses import PrinterAddress
from barcodesvc.printers.connection import (
    BLACK,
    GREY,
    PDF,
    PROGRESS_WAIT,
    PWG_RASTER,
    BrokenOffError,
    Connection,
    Document,
    Model,
    NotReachableError,
    Progress,
    RefusedError,
)
from barcodesvc.printers.ipp_http import HttpConnection, plain
from barcodesvc.printers.ipp_media import ReadyMedia, has_size, margins, ready_media, told
from barcodesvc.printers.ipp_messages import (
    Attribute,
    MessageError,
    Operation,
    Response,
    Tag,
    request,
    response,
)
from barcodesvc.printers.ipp_sending import PATIENCE, Sending

ATTRIBUTES_WAIT = 30.0
"""Seconds in which a printer must tell its attributes."""
_LOOK_PAUSE = 0.25
_FIRST_ERROR = 0x0400
_BUSY = (0x0502, 0x0505, 0x0506, 0x0507)
"""Unavailable, for the moment, not accepting jobs, busy: after these the same document may be sent again (RFC 8011,
Appendix B.1.5)."""
_USER = Attribute(Tag.NAME, "requesting-user-name", "barcodesvc")
_NOT_FOUND = 0x0406
_GONE = (_NOT_FOUND, 0x0407)
_STOPPED, _PROCESSING = 5, 4
_FRAMEWORK = "PAPPL"
"""What LPrint and other printer applications are made with, and name as a part of their firmware."""
_HELD = (4, 6)
_CANCELLED, _ABORTED, _COMPLETED = 7, 8, 9
_DONE = ("job-impressions-completed", "job-media-sheets-completed")
"""What a printer counts of a job."""
_DOTS_PER_INCH = 3
_WANTED = (
    *("printer-state", "printer-state-reasons", "printer-is-accepting-jobs", "printer-make-and-model"),
    *("printer-firmware-name", "cups-version", "media-ready", "media-col-ready"),
    *("document-format-supported", "pwg-raster-document-type-supported", "pwg-raster-document-resolution-supported"),
)
_ASKED = (Attribute(Tag.KEYWORD, "requested-attributes", _WANTED),)
_REASONS = {
    "cover-open": PrinterState.HEAD_OPEN,
    "door-open": PrinterState.HEAD_OPEN,
    "media-empty": PrinterState.OUT_OF_PAPER,
    "media-needed": PrinterState.OUT_OF_PAPER,
    "marker-supply-empty": PrinterState.RIBBON_OUT,
    "paused": PrinterState.PAUSED,
}
"""Reasons of a printer's state, the most important first. Each may have a suffix; a warning counts if it stopped."""


class IppConnection:
    """A printer's address and an HTTP connection; made by `open_ipp`.

    `resolutions` are those of PWG raster that the printer lists, in dots per inch.
    """

    def __init__(self, address: PrinterAddress, media: tuple[float, float], dpi: int) -> None:
        self.state = PrinterState.UNKNOWN
        self.told: object = None
        self.loaded = ""
        self.has_other_media = False
        self.resolutions: tuple[int, ...] = ()
        self._address = address
        self._media = media
        self._dpi = dpi
        self._numbers = itertools.count(1)
        self._model = ""
        self._hands_on = False
        self._formats: tuple[str, ...] = ()
        self._ready: tuple[ReadyMedia, ...] = ()
        self._job: int | None = None
        self._reached = 0.0
        self._was_away = False
        self._http = HttpConnection(address)

    async def look(self) -> PrinterState:
        """Ask for the attributes of the printer."""
        asked = self._request(Operation.GET_PRINTER_ATTRIBUTES, _ASKED)
        try:
            async with asyncio.timeout(ATTRIBUTES_WAIT):
                found = await self._answered(asked)
        except TimeoutError as error:
            raise NotReachableError(f"the printer did not tell its attributes within {ATTRIBUTES_WAIT:g} s") from error
        except MessageError as error:
            raise NotReachableError(str(error)) from error
        if found.status >= _FIRST_ERROR:
            raise NotReachableError(_refusal(found.status))
        self.resolutions = tuple(_resolutions(found))
        self._formats = tuple(_formats(found, has_dpi=self._dpi in (self.resolutions or [self._dpi])))
        self._model = plain(next(iter(found.values(Tag.PRINTER_GROUP, "printer-make-and-model")), ""))
        self._hands_on = _hands_on(found)
        self._ready = ready_media(found)
        self.loaded = told(self._ready)
        is_known = bool(self._ready) and not self._hands_on  # a server repeats its settings
        self.has_other_media = is_known and not has_size(self._ready, *self._media)
        self.state = _state(found)
        return self.state

    async def model(self) -> Model:
        """Return the maker and the model."""
        return Model(self._model)

    async def media_types(self) -> tuple[str, ...]:
        """Return PDF, and BLACK or GREY, as far as the printer lists them, and the dots per inch that they have."""
        return self._formats

    async def send(self, document: Document) -> None:
        """Send a document as a job of the printer."""
        self._job = None
        head = self._request(Operation.PRINT_JOB, self._about(document), self._job_attributes())
        sending = Sending(head, document, self._http)
        try:
            async with sending.watched(), self._looking(sending):
                found = response(await self._http.posted(sending.size, sending.pieces()))
        except (NotReachableError, MessageError, TimeoutError) as error:
            if not sending.has_begun:
                raise NotReachableError(str(error)) from error
            raise BrokenOffError(str(error) or f"the printer took nothing for {PROGRESS_WAIT:g} s") from error
        if found.status in _BUSY:
            raise NotReachableError("the printer takes no jobs now")
        if found.status >= _FIRST_ERROR:
            said = next(iter(found.values(Tag.OPERATION_GROUP, "status-message")), f"status {found.status:#06x}")
            raise RefusedError(f"the printer refuses the document: {plain(said)}")
        numbers = found.values(Tag.JOB_GROUP, "job-id")
        self._job = numbers[0] if numbers and isinstance(numbers[0], int) else None
        self._reached, self._was_away = asyncio.get_running_loop().time(), False

    async def progress(self) -> Progress:
        """Ask for the state of the printer's job; a printer that cannot be reached is asked again for PROGRESS_WAIT.

        One that was away, and does not know the job then, was switched off.
        """
        if self._job is None:
            return Progress.SILENT
        about = (
            Attribute(Tag.INTEGER, "job-id", self._job),
            Attribute(Tag.KEYWORD, "requested-attributes", ("job-state", *_DONE)),
        )
        try:
            async with asyncio.timeout(ATTRIBUTES_WAIT):
                found = await self._answered(self._request(Operation.GET_JOB_ATTRIBUTES, about))
            if found.status not in _GONE:
                await self.look()
        except (NotReachableError, MessageError, TimeoutError):
            return self._away()
        self._reached = asyncio.get_running_loop().time()
        state = next(iter(found.values(Tag.JOB_GROUP, "job-state")), None)
        if found.status in _GONE or (found.status >= _FIRST_ERROR and state is None):
            if self._was_away:
                raise BrokenOffError("the printer was off, and has lost the job")
            return Progress.SILENT
        if state in (_CANCELLED, _ABORTED):
            raise BrokenOffError(
                "the printer ended the job" if state == _ABORTED else "the job was cancelled at the printer"
            )
        self.told = state, *(found.values(Tag.JOB_GROUP, name) for name in _DONE)
        if state in _HELD:
            return Progress.HELD
        if state != _COMPLETED:
            return Progress.SILENT if state is None else Progress.PRINTING
        return Progress.SILENT if self._hands_on else Progress.PRINTED

    async def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def _away(self) -> Progress:
        self.state, self._was_away = PrinterState.NOT_REACHABLE, True
        if asyncio.get_running_loop().time() - self._reached > PROGRESS_WAIT:
            raise BrokenOffError(f"the printer could not be reached for {PROGRESS_WAIT:g} s")
        return Progress.PRINTING

    def _request(self, operation: Operation, about: Sequence[Attribute], job: Sequence[Attribute] = ()) -> bytes:
        first = (Attribute(Tag.URI, "printer-uri", str(self._address)),)
        if operation is Operation.GET_JOB_ATTRIBUTES:  # the id of a job follows the address (RFC 8011, 4.1.5)
            return request(operation, next(self._numbers), (*first, about[0], _USER, *about[1:]), job)
        return request(operation, next(self._numbers), (*first, _USER, *about), job)

    def _about(self, document: Document) -> tuple[Attribute, ...]:
        return (
            Attribute(Tag.NAME, "job-name", f"{document.labels} labels"),
            Attribute(Tag.MEDIA_TYPE, "document-format", document.media_type.partition(";")[0]),
        )

    def _job_attributes(self) -> tuple[Attribute, ...]:
        size = {name: round(100 * side) for name, side in zip(("x-dimension", "y-dimension"), self._media, strict=True)}
        return (
            Attribute(Tag.KEYWORD, "print-scaling", "none"),
            Attribute(Tag.KEYWORD, "sides", "one-sided"),
            Attribute(Tag.BEGIN_COLLECTION, "media-col", {"media-size": size, **margins(self._ready, *self._media)}),
        )

    @asynccontextmanager
    async def _looking(self, sending: Sending) -> AsyncIterator[None]:
        """Look at the printer again and again within the block, over another connection."""

        async def look() -> None:
            while True:
                await asyncio.sleep(_LOOK_PAUSE)
                self.state = await self._state_meanwhile(sending)

        looking = asyncio.create_task(look())
        try:
            yield
        finally:
            looking.cancel()
            await asyncio.wait([looking])

    async def _state_meanwhile(self, sending: Sending) -> PrinterState:
        """Return the state of a printer that takes a document: busy, unless it needs a person or is away.

        One that takes bytes is not away: many have one connection at a time.
        """
        asked, http = self._request(Operation.GET_PRINTER_ATTRIBUTES, _ASKED), HttpConnection(self._address)
        try:
            async with asyncio.timeout(PATIENCE):
                state = _state(response(await http.posted(len(asked), iter([asked]))))
        except (NotReachableError, MessageError, TimeoutError):
            return PrinterState.BUSY if sending.is_moving else PrinterState.NOT_REACHABLE
        finally:
            http.close()
        if state not in FAULTS:
            return PrinterState.BUSY
        sending.note_progress()
        return state

    async def _answered(self, asked: bytes) -> Response:
        """Send a question and return its response; raises NotReachableError and MessageError."""
        return response(await self._http.posted(len(asked), iter([asked])))


def _refusal(status: int) -> str:
    if status == _NOT_FOUND:
        return "there is no printer at this path of the host; correct the address"
    return f"the printer refuses to tell its attributes (status {status:#06x})"


def _hands_on(found: Response) -> bool:
    """Return whether it is a server that hands jobs on: they are completed once the printer has their bytes."""
    firmware = found.values(Tag.PRINTER_GROUP, "printer-firmware-name")
    return _FRAMEWORK in firmware or bool(found.values(Tag.PRINTER_GROUP, "cups-version"))


def _formats(found: Response, *, has_dpi: bool) -> Iterator[str]:
    formats = found.values(Tag.PRINTER_GROUP, "document-format-supported")
    if PDF in formats:
        yield PDF
    if PWG_RASTER in formats and has_dpi:
        kinds = found.values(Tag.PRINTER_GROUP, "pwg-raster-document-type-supported")
        yield BLACK if "black_1" in kinds or "sgray_8" not in kinds else GREY


def _resolutions(found: Response) -> Iterator[int]:
    for value in found.values(Tag.PRINTER_GROUP, "pwg-raster-document-resolution-supported"):
        if isinstance(value, tuple) and value[0] == value[1] and value[2] == _DOTS_PER_INCH:
            yield value[0]


def _state(found: Response) -> PrinterState:
    reasons = [str(reason) for reason in found.values(Tag.PRINTER_GROUP, "printer-state-reasons")]
    state = next(iter(found.values(Tag.PRINTER_GROUP, "printer-state")), None)
    suffixes = ("", "-error", "-warning", "-report") if state == _STOPPED else ("", "-error")
    for reason, meaning in _REASONS.items():
        if any(f"{reason}{suffix}" in reasons for suffix in suffixes):
            return meaning
    if state == _STOPPED or found.values(Tag.PRINTER_GROUP, "printer-is-accepting-jobs") == [False]:
        return PrinterState.PAUSED
    return PrinterState.BUSY if state == _PROCESSING else PrinterState.READY


async def open_ipp(address: PrinterAddress, media: tuple[float, float], dpi: int) -> IppConnection:
    """Reach a printer, and ask for its attributes; raises NotReachableError. See `Printer`."""
    connection = IppConnection(address, media, dpi)
    try:
        await connection.look()
    except BaseException:
        await connection.close()
        raise
    return connection


if TYPE_CHECKING:
    _: type[Connection] = IppConnection
