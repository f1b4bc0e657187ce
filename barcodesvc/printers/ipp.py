"""A printer that speaks IPP (RFC 8010 and 8011): documents are jobs of the printer, and it says when one is completed.

Rules: the service connects to the address in the settings and follows no redirect. A certificate is checked, or is the
one whose fingerprint the settings name. Three limits: 5 s to connect, 30 s for attributes, because a printer may be
asleep, and 60 s without progress of a document, unless the printer says that it needs attention. It is asked about that
over a second connection while a document is sent.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from barcodesvc.print_jobs import FAULTS, PrinterState
from barcodesvc.printers.connection import (
    PROGRESS_WAIT,
    BrokenOffError,
    Connection,
    Document,
    Model,
    NotReachableError,
    Printer,
    Progress,
    RefusedError,
)
from barcodesvc.printers.ipp_attributes import WANTED, IppAttributes, has_size, margins, printer_attributes, told
from barcodesvc.printers.ipp_http import HttpConnection
from barcodesvc.printers.ipp_messages import (
    Attribute,
    Operation,
    Response,
    Tag,
    plain,
    request,
    response,
)

ATTRIBUTES_WAIT = 30.0
"""Seconds in which a printer must report its attributes."""
PATIENCE = 1.0
"""Seconds in which a printer must report its state while it takes a document."""
_LOOK_PAUSE = 0.25
_FIRST_ERROR = 0x0400
_BUSY = (0x0502, 0x0505, 0x0506, 0x0507)
"""Unavailable, for the moment, not accepting jobs, busy: after these the same document may be sent again (RFC 8011,
Appendix B.1.5)."""
_USER = Attribute(Tag.NAME, "requesting-user-name", "barcodesvc")
_NOT_FOUND = 0x0406
_GONE = (_NOT_FOUND, 0x0407)
_HELD = (4, 6)
_CANCELLED, _ABORTED, _COMPLETED = 7, 8, 9
_DONE = ("job-impressions-completed", "job-media-sheets-completed")
"""What a printer counts while it works on a job."""
_ASKED = (Attribute(Tag.KEYWORD, "requested-attributes", WANTED),)


class IppConnection(Connection):
    """A printer and an HTTP connection, which is opened when the printer is polled."""

    def __init__(self, printer: Printer) -> None:
        self._printer = printer
        self._attributes = IppAttributes(PrinterState.UNKNOWN, "", (), (), (), is_spooler=False)
        self._job: int | None = None
        self._reached = 0.0
        self._was_away = False
        self._http = HttpConnection(printer.address)

    async def poll(self) -> PrinterState:
        """Ask for the attributes of the printer."""
        found = await self._told(Operation.GET_PRINTER_ATTRIBUTES, _ASKED)
        if found.status >= _FIRST_ERROR:
            wrong_path = "there is no printer at this path on the host; correct the address"
            refused = f"the printer refuses to report its attributes (status {found.status:#06x})"
            raise NotReachableError(wrong_path if found.status == _NOT_FOUND else refused)
        self._attributes = said = printer_attributes(found, self._printer.dpi)
        is_known = bool(said.ready) and not said.is_spooler  # a server repeats its settings
        self.has_other_media = is_known and not has_size(said.ready, *self._printer.media)
        self.media_types, self.resolutions, self.loaded = said.media_types, said.resolutions, told(said.ready)
        self.state = said.state
        return self.state

    async def model(self) -> Model:
        """Return the maker and the model."""
        return Model(self._attributes.model)

    async def send(self, document: Document) -> None:
        """Send a document as a job of the printer."""
        self._job = None
        about = (
            Attribute(Tag.NAME, "job-name", f"{document.labels} labels"),
            Attribute(Tag.MEDIA_TYPE, "document-format", document.media_type.partition(";")[0]),
        )
        head = self._request(Operation.PRINT_JOB, about, self._job_attributes())
        await self._http.opened()
        try:
            async with asyncio.timeout(PROGRESS_WAIT) as limit, self._watched(limit):
                found = response(await self._http.posted(head + document.content))
        except (NotReachableError, TimeoutError) as error:
            raise BrokenOffError(str(error) or f"the printer took nothing for {PROGRESS_WAIT:g} s") from error
        if found.status in _BUSY:
            raise NotReachableError("the printer is not accepting jobs")
        if found.status >= _FIRST_ERROR:
            said = next(iter(found.values(Tag.OPERATION_GROUP, "status-message")), f"status {found.status:#06x}")
            raise RefusedError(f"the printer refuses the document: {plain(said)}")
        numbers = found.values(Tag.JOB_GROUP, "job-id")
        self._job = numbers[0] if numbers and isinstance(numbers[0], int) else None
        self._reached, self._was_away = asyncio.get_running_loop().time(), False

    async def progress(self) -> Progress:
        """Ask for the state of the printer's job; a printer that cannot be reached is asked again for PROGRESS_WAIT.

        One that does not know the job when it is back was switched off.
        """
        if self._job is None:
            return Progress.SILENT
        about = (
            Attribute(Tag.INTEGER, "job-id", self._job),
            Attribute(Tag.KEYWORD, "requested-attributes", ("job-state", *_DONE)),
        )
        try:
            found = await self._told(Operation.GET_JOB_ATTRIBUTES, about)
            if found.status not in _GONE:
                await self.poll()
        except NotReachableError:
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
        return Progress.SILENT if self._attributes.is_spooler else Progress.PRINTED

    async def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def _away(self) -> Progress:
        self.state, self._was_away = PrinterState.NOT_REACHABLE, True
        if asyncio.get_running_loop().time() - self._reached > PROGRESS_WAIT:
            raise BrokenOffError(f"the printer could not be reached for {PROGRESS_WAIT:g} s")
        return Progress.PRINTING

    def _request(self, operation: Operation, about: Sequence[Attribute], job: Sequence[Attribute] = ()) -> bytes:
        address = Attribute(Tag.URI, "printer-uri", str(self._printer.address))
        # the id of a job, with which `about` begins, follows the address (RFC 8011, 4.1.5)
        return request(operation, (address, *about, _USER), job)

    def _job_attributes(self) -> tuple[Attribute, ...]:
        size = {
            name: round(100 * side)
            for name, side in zip(("x-dimension", "y-dimension"), self._printer.media, strict=True)
        }
        return (
            Attribute(Tag.KEYWORD, "print-scaling", "none"),
            Attribute(Tag.KEYWORD, "sides", "one-sided"),
            Attribute(
                Tag.BEGIN_COLLECTION,
                "media-col",
                {"media-size": size, **margins(self._attributes.ready, *self._printer.media)},
            ),
        )

    @asynccontextmanager
    async def _watched(self, limit: asyncio.Timeout) -> AsyncIterator[None]:
        """Poll the printer within the block, and extend the limit while it makes progress.

        It does if it takes bytes, or says that it needs attention.
        """

        async def watch() -> None:
            loop = asyncio.get_running_loop()
            while True:
                await asyncio.sleep(_LOOK_PAUSE)
                self.state = await self._state_meanwhile()
                went_on = loop.time() if self.state in FAULTS else self._http.taken_at
                limit.reschedule(max(limit.when() or 0.0, went_on + PROGRESS_WAIT))

        watching = asyncio.create_task(watch())
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.wait([watching])

    async def _state_meanwhile(self) -> PrinterState:
        """Return the state of a printer that takes a document: busy, unless it needs attention or cannot be reached.

        It is asked over another connection. One that takes bytes can be reached: many accept only one connection at a
        time.
        """
        asked, http = self._request(Operation.GET_PRINTER_ATTRIBUTES, _ASKED), HttpConnection(self._printer.address)
        try:
            async with asyncio.timeout(PATIENCE):
                state = printer_attributes(response(await http.posted(asked)), self._printer.dpi).state
        except (NotReachableError, TimeoutError):
            is_moving = asyncio.get_running_loop().time() - self._http.taken_at < PATIENCE
            return PrinterState.BUSY if is_moving else PrinterState.NOT_REACHABLE
        finally:
            http.close()
        return state if state in FAULTS else PrinterState.BUSY

    async def _told(self, operation: Operation, about: Sequence[Attribute]) -> Response:
        """Ask for attributes, and return the response; raises NotReachableError."""
        try:
            async with asyncio.timeout(ATTRIBUTES_WAIT):
                return response(await self._http.posted(self._request(operation, about)))
        except TimeoutError as error:
            raise NotReachableError(f"the printer reported no attributes within {ATTRIBUTES_WAIT:g} s") from error
