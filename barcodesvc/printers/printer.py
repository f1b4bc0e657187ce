"""A printer of the settings, and how a connection to it is opened.

Rule: the code for a kind of printer is loaded when the first one of that kind is reached.
"""

from __future__ import annotations

from dataclasses import dataclass

from barcodesvc.printer_addresses import PrinterAddress
from barcodesvc.printers.connection import Connection


@dataclass(frozen=True, slots=True)
class Printer:
    """A printer of the settings, with the width and height of its page or label in mm, and its dots per inch."""

    address: PrinterAddress
    media: tuple[float, float]
    dpi: int

    def with_other_media(self, loaded: str) -> str:
        """Return what is wrong if these sizes are in it, and what to do."""
        width, height = self.media
        return f"the printer has {loaded}, not {width:g}x{height:g}mm; put that in, or correct BARCODESVC_PRINTERS"


async def connect(printer: Printer) -> Connection:
    """Open a connection to a printer; raises NotReachableError."""
    if printer.address.kind == "ipp":
        from barcodesvc.printers.ipp import open_ipp  # noqa: PLC0415 - loaded where it is used

        return await open_ipp(printer.address, printer.media, printer.dpi)
    if printer.address.kind == "zpl":
        from barcodesvc.printers.zpl import open_zpl  # noqa: PLC0415 - loaded where it is used

        return await open_zpl(printer.address)
    from barcodesvc.printers.device_file import open_device  # noqa: PLC0415 - loaded where it is used

    return await open_device(printer.address)
