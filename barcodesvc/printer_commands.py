"""The commands for printers: `printers` asks each printer in the settings what it is, `printers find` looks for others.

Rule: nothing is printed, and no setting is changed; `find` prints entries that a person may put into the setting.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from barcodesvc.commands import Finding
from barcodesvc.config import PREFIX, Settings
from barcodesvc.errors import StartError
from barcodesvc.print_jobs import FAULTS, PrinterState
from barcodesvc.printer_addresses import EXAMPLE
from barcodesvc.printers.connection import NotReachableError, Printer
from barcodesvc.printers.layouts import printer_layouts
from barcodesvc.printers.link import connect

if TYPE_CHECKING:
    from zeroconf import ServiceInfo

SEARCH_SECONDS = 5.0
_SERVICES = {"_pdl-datastream._tcp.local.": "zpl", "_ipp._tcp.local.": "ipp", "_ipps._tcp.local.": "ipps"}
"""What printers announce (DNS-SD), and the scheme of their addresses here."""
_NOT_OF_NAMES = re.compile(r"[^a-z0-9]+")
_PATH = re.compile(r"[A-Za-z0-9._/-]{1,200}")
_LONGEST_NAME = 32
_DETAILS_MILLISECONDS = 1000


async def printer_findings(settings: Settings) -> list[Finding]:
    """Ask each printer in the settings what it is, and whether it can print now; raises StartError."""
    if not settings.printers:
        message = f"none; name them, for example {PREFIX}PRINTERS='{EXAMPLE}', with the quotes in a shell"
        return [Finding("printers", message, is_right=False)]
    return await asyncio.gather(*(_finding(one.printer) for one in printer_layouts(settings).values()))


async def _finding(printer: Printer) -> Finding:
    is_right, message = await _described(printer)
    return Finding(printer.address.name, f"{printer.address}: {message}", is_right)


async def _described(printer: Printer) -> tuple[bool, str]:
    """Return whether the printer can print now, and its model, state and formats, or why not."""
    try:
        connection = await connect(printer)
        try:
            state, model = await connection.poll(), await connection.model()
        finally:
            await connection.close()
    except NotReachableError as error:
        return False, str(error)
    if model.dpi not in (None, printer.dpi):
        return False, f"{model.name}: its printhead has {model.dpi} dpi, not {printer.dpi}; write dpi={model.dpi}"
    if not connection.media_types:
        others = " and ".join(map(str, connection.resolutions))
        but = f", but raster at {others} dpi" if others else ""
        return False, f"it reads neither PDF nor PWG raster at {printer.dpi} dpi{but}"
    if connection.has_other_media:
        return False, printer.with_other_media(connection.loaded)
    told = FAULTS.get(state) or ("reports no state" if state is PrinterState.UNKNOWN else state.value)
    words = (model.name, told, f"gets {connection.media_types[0]}")
    return state not in FAULTS, ", ".join(filter(None, words))


@dataclass(frozen=True, slots=True, order=True)
class Announced:
    """A printer that announces itself on the network."""

    instance: str
    scheme: str
    host: str
    port: int
    path: str = ""

    def entry(self, taken: set[str]) -> str:
        """Return an entry of the setting, under a name that is not taken yet."""
        base = _NOT_OF_NAMES.sub("-", self.instance.lower()).strip("-")[: _LONGEST_NAME - 3].strip("-") or "printer"
        names = (base, *(f"{base}-{number}" for number in range(2, 100)))
        name = next(name for name in names if name not in taken)
        taken.add(name)
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{name}={self.scheme}://{host}:{self.port}{self.path}?label=100x50mm"


async def found_printers() -> str:
    """Return an entry for each printer that announces itself; raises StartError without the package zeroconf."""
    taken: set[str] = set()
    entries = [printer.entry(taken) for printer in sorted(await _announced())]
    return "\n".join(entries) or "no printer announces itself on this network"


async def _announced() -> list[Announced]:
    try:
        from zeroconf import IPVersion, ServiceStateChange, Zeroconf  # noqa: PLC0415 - an extra
        from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        message = "this command needs the package zeroconf; run `scripts/setup find`, or `pip install zeroconf`"
        raise StartError(message) from None
    names: set[tuple[str, str]] = set()

    def note(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:  # noqa: ARG001 - as zeroconf calls it
        names.add((service_type, name))

    async with AsyncZeroconf() as network:
        browser = AsyncServiceBrowser(network.zeroconf, list(_SERVICES), handlers=[note])
        await asyncio.sleep(SEARCH_SECONDS)
        await browser.async_cancel()
        infos = [AsyncServiceInfo(kind, name) for kind, name in sorted(names)]
        asked = (info.async_request(network.zeroconf, _DETAILS_MILLISECONDS) for info in infos)
        answered = await asyncio.gather(*asked)
    known = [info for info, has_details in zip(infos, answered, strict=True) if has_details]
    return [_printer(info, address) for info in known for address in info.parsed_addresses(IPVersion.V4Only)[:1]]


def _printer(info: ServiceInfo, address: str) -> Announced:
    """Return the printer of an announcement, which may hold anything."""
    scheme = _SERVICES[info.type]
    resource = (info.properties.get(b"rp") or b"").decode("ascii", "replace")
    path = f"/{resource}" if scheme != "zpl" and _PATH.fullmatch(resource) else ""
    return Announced(info.name.removesuffix(f".{info.type}"), scheme, address, info.port or 0, path)
