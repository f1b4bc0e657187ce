"""`barcodesvc check`: says in advance what would stop a start, or make it do without something that the settings name.

Without it an operator learns of a wrong folder at the next start, when the old release has already been stopped. Rule:
it changes nothing. It creates no database, migrates none, and leaves no file.
"""

import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from barcodesvc.api.guard.rate_limit import SharedWindows
from barcodesvc.api.resources.page_files import PAGE_FOLDER, load_page
from barcodesvc.api.server import require_address, tls_context
from barcodesvc.commands import Finding
from barcodesvc.config import Settings
from barcodesvc.drawing.faces import named_face
from barcodesvc.errors import BackupError, StartError
from barcodesvc.printers.layouts import printer_layouts
from barcodesvc.store.copying import EmptySourceError, OlderSourceError
from barcodesvc.store.engines import open_source
from barcodesvc.store.sqlite.files import why_not_created, why_not_created_anew, why_not_opened, why_not_safe


async def findings(settings: Settings) -> list[Finding]:
    """Check everything that the settings name, whatever fails."""
    found = [Finding("settings", "valid")]
    for subject, check in _CHECKS.items():
        try:
            found.append(Finding(subject, await check(settings)))
        except (StartError, BackupError) as error:
            found.append(Finding(subject, str(error), is_right=False))
    return found


async def _database(settings: Settings) -> str:
    place = settings.database
    if isinstance(place, Path):
        if why := why_not_opened(place) or why_not_created_anew(place) or why_not_safe(place):
            raise StartError(why)
        if not place.exists():
            return f"{place} does not exist; the start creates it"
    try:
        async with open_source(place):
            return f"{place} is a database of this release"
    except EmptySourceError:
        return f"{place} is empty; the start creates its tables"
    except OlderSourceError:
        return f"{place} is of an older release; the start migrates it, so back it up first"


async def _address(settings: Settings) -> str:
    await require_address(settings.host, 0)
    address = f"{settings.host}:{settings.port}"
    try:
        await require_address(settings.host, settings.port, reuse_port=settings.reuse_port)
    except StartError:
        return f"{address} is in use, by the running service or by another program"
    return f"{address} is free"


async def _temporary_files(settings: Settings) -> str:
    folder = settings.temporary_folder or Path(tempfile.gettempdir())
    if why := why_not_created(folder):
        raise StartError(f"{why}, or name another one in BARCODESVC_TEMPORARY_FOLDER")
    return f"files can be created in {folder}"


async def _https(settings: Settings) -> str:
    return "the certificate and its key match" if tls_context(settings) else "off; the service serves plain HTTP"


async def _label_font(settings: Settings) -> str:
    if settings.label_font is None:
        return "none; only scripts such as Chinese need one"
    named_face(settings.label_font)
    return f"{settings.label_font} can be used"


async def _rate_limit_store(settings: Settings) -> str:
    address = settings.rate_limit_store
    if address is None:
        return "none; the service counts requests itself"
    windows = SharedWindows(address)
    is_reached = await windows.is_reached()
    await windows.close()
    if not is_reached:
        raise StartError(f"BARCODESVC_RATE_LIMIT_STORE: {address} does not answer; is it running?")
    return f"{address} answers"


async def _web_app(_settings: Settings) -> str:
    if problem := load_page(PAGE_FOLDER).problem:
        raise StartError(problem)
    return "complete"


async def _printers(settings: Settings) -> str:
    names = list(printer_layouts(settings))
    return f"{', '.join(names)}; `barcodesvc printers` asks them" if names else "none"


_CHECKS: dict[str, Callable[[Settings], Awaitable[str]]] = {
    "address": _address,
    "database": _database,
    "temporary files": _temporary_files,
    "HTTPS": _https,
    "label font": _label_font,
    "rate limit store": _rate_limit_store,
    "web app": _web_app,
    "printers": _printers,
}
