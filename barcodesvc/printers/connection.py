"""A printer in the settings, and the connection to it, which the queue uses without knowing its protocol.

Rule: an error says whether labels may have been printed. `NotReachableError` means that nothing went out, so that the
queue may try again; after `BrokenOffError` it must not.
"""

import asyncio
import os
import socket
import ssl
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, auto

from barcodesvc.print_jobs import PrinterState
from barcodesvc.printer_addresses import PrinterAddress

CONNECT_WAIT = 5.0
"""Seconds in which a printer must accept a connection."""
PROGRESS_WAIT = 60.0
"""Seconds without progress after which a document is given up."""


class NotReachableError(Exception):
    """The printer cannot be reached, or accepts nothing now; nothing of the document went out."""


class BrokenOffError(Exception):
    """The document broke off: none, some or all of its labels may be printed."""


class RefusedError(Exception):
    """The printer refuses the document, and would do so again; nothing of it is printed."""


def cause_of(error: Exception) -> str:
    """Return why a host cannot be reached, as the system words it."""
    if isinstance(error, ssl.SSLError):  # its numbers are not those of the system
        return f"TLS fails: {(error.reason or str(error)).lower().replace('_', ' ')}"
    number = error.errno if isinstance(error, OSError) else None
    if not number:
        return str(error)
    return os.strerror(number).lower() if number > 0 else "no host has this name"  # a gaierror has negative numbers


async def open_streams(
    address: PrinterAddress, buffer: int, tls: ssl.SSLContext | None = None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the host of an address, with buffers of about `buffer` bytes; raises NotReachableError.

    `drain` waits until all but those are taken, so that a printer that takes nothing is noticed: without a limit, the
    system takes megabytes at once for one that hangs.
    """
    try:
        async with asyncio.timeout(CONNECT_WAIT):
            reader, writer = await asyncio.open_connection(address.host, address.port, ssl=tls, limit=buffer)
    except TimeoutError as error:
        raise NotReachableError(f"the printer did not accept a connection within {CONNECT_WAIT:g} s") from error
    except ssl.SSLCertVerificationError as error:
        raise NotReachableError("the certificate of the printer is not trusted; pin it with fingerprint=") from error
    except OSError as error:
        raise NotReachableError(f"the printer cannot be reached: {cause_of(error)}") from error
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
    writer.transport.set_write_buffer_limits(high=1)  # with 0, TLS of asyncio never writes again
    return reader, writer


class Progress(Enum):
    """What a printer reports of the documents that it was sent; one that it holds waits for somebody at the printer."""

    PRINTED = auto()
    PRINTING = auto()
    HELD = auto()
    SILENT = auto()


PDF, PWG_RASTER, ZPL = "application/pdf", "image/pwg-raster", "application/vnd.zebra-zpl"
BLACK, GREY = f"{PWG_RASTER};type=black_1", f"{PWG_RASTER};type=sgray_8"
"""PWG raster with one bit, or eight bits, for each dot."""


@dataclass(frozen=True, slots=True)
class Document:
    """Some labels of a job, as bytes of a media type."""

    labels: int
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Model:
    """What a printer says it is: without a name and the dots per inch of its printhead if it does not report them."""

    name: str = ""
    dpi: int | None = None


class Connection(ABC):
    """A connection to a printer. The defaults are those of a ZPL printer that reports nothing.

    `state` is what was seen last, and may change while a document is sent. `told` is what the printer last said about
    its work on the document: another value shows that it is making progress. `media_types` are those of documents that
    it reads, the best first, and `resolutions` those of PWG raster, in dots per inch. `loaded` are the sizes that it
    says are in it, empty if it does not say; `has_other_media` is whether none of them is that of the settings.
    """

    state: PrinterState = PrinterState.UNKNOWN
    told: object = None
    media_types: tuple[str, ...] = (ZPL,)
    resolutions: tuple[int, ...] = ()
    loaded: str = ""
    has_other_media: bool = False

    @abstractmethod
    async def poll(self) -> PrinterState:
        """Return the state of the printer now, UNKNOWN if it does not report it; raises NotReachableError."""

    async def model(self) -> Model:
        """Return what the printer says it is."""
        return Model()

    @abstractmethod
    async def send(self, document: Document) -> None:
        """Send a document; raises NotReachableError, BrokenOffError and RefusedError."""

    async def progress(self) -> Progress:
        """Ask what has become of the document; raises BrokenOffError if that will never be known."""
        return Progress.SILENT

    @abstractmethod
    async def close(self) -> None:
        """Close the connection."""


@dataclass(frozen=True, slots=True)
class Printer:
    """A printer in the settings, with the width and height of its page or label in mm, and its dots per inch."""

    address: PrinterAddress
    media: tuple[float, float]
    dpi: int

    def with_other_media(self, loaded: str) -> str:
        """Return what is wrong if these sizes are in it, and what to do."""
        width, height = self.media
        return f"the printer has {loaded}, not {width:g}x{height:g}mm; put that in, or correct BARCODESVC_PRINTERS"
