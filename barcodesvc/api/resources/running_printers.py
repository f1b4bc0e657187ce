"""The queues of the printers in the settings, as a part of the application.

Rule: it is loaded only if there are printers; most services have none, and need no memory for their code.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from aiohttp import web

from barcodesvc.api.keys import CLOCK, DATABASE, SETTINGS, SHEET_QUEUE
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.resources.print_documents import PrintDocuments
from barcodesvc.api.resources.printer_layouts import printer_layouts
from barcodesvc.api.resources.printers import PRINT_DOCUMENTS, PRINTER_LAYOUTS, PRINTERS
from barcodesvc.printers.printers import Printers
from barcodesvc.printers.surroundings import Surroundings
from barcodesvc.store.print_jobs import QueueLimits


def add_printers(app: web.Application) -> None:
    """Add the printers of the settings to the application; raises StartError for what is wrong in them."""
    app[PRINTER_LAYOUTS] = printer_layouts(app[SETTINGS])
    app.cleanup_ctx.append(_running)


async def _running(app: web.Application) -> AsyncIterator[None]:
    settings, layouts = app[SETTINGS], app[PRINTER_LAYOUTS]
    documents = app[PRINT_DOCUMENTS] = PrintDocuments(layouts, app[SHEET_QUEUE])
    surroundings = Surroundings(documents, app[CLOCK], app[METRICS], settings.print_try_hours * 3600)
    limits = QueueLimits(settings.print_jobs, settings.print_job_bytes)
    of_settings = [one.printer for one in layouts.values()]
    printers = app[PRINTERS] = Printers(of_settings, app[DATABASE], surroundings, limits)
    async with printers.running(settings.print_job_days):
        yield
