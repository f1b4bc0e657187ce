"""What the service holds while it runs: a database, threads, processes, caches, and the places for work of each kind.

`open_service` opens all of it in one exit stack: each part after those that it needs, so that it closes before them.
Handlers reach the parts through one `Service`. Nothing here knows of HTTP.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakValueDictionary

from barcodesvc.amounts import AmountFormat
from barcodesvc.catalogue.exporting import Exporter
from barcodesvc.catalogue.importing import Importer
from barcodesvc.clock import Clock
from barcodesvc.codes.renderer import Renderer
from barcodesvc.config import Settings
from barcodesvc.errors import ExportOverload, RenderOverload, UploadOverload
from barcodesvc.labels.label_data import LabelSource
from barcodesvc.labels.sheet_queue import SheetQueue
from barcodesvc.print_jobs import PrintObserver
from barcodesvc.runtime.body_thread import BodyThread
from barcodesvc.runtime.capacity import Capacity
from barcodesvc.runtime.processes import WorkerProcesses
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.scanning.images.reader import ImageReader
from barcodesvc.scanning.resolver import Resolver
from barcodesvc.scanning.unknown_scans import UnknownScans
from barcodesvc.store.database import Database
from barcodesvc.store.engines import open_database
from barcodesvc.store.idempotency import housekeeping
from barcodesvc.store.limits import DatabaseLimits
from barcodesvc.store.print_jobs import QueueLimits

if TYPE_CHECKING:
    from barcodesvc.printers.documents import PrintDocuments
    from barcodesvc.printers.layouts import PrinterLayout
    from barcodesvc.printers.printers import Printers

_LOG = logging.getLogger(__name__)

RENDER_QUEUE = 1000
"""Codes being rendered or waiting before a 503: those of a second. More would wait longer than their clients do."""
IMAGE_QUEUE = 32
"""Images waiting before a 503: as many as are read in some seconds."""
ARRIVING_IMAGES = 16
"""Images of the largest size that may arrive at a time; each may have many megabytes."""
SHEET_QUEUE = 8
"""Label sheets under way or waiting before a 503, of few and of many labels each: one of many takes a second or two."""
PRINT_JOB_BYTES = 64 * 1024 * 1024
"""Bytes of all print jobs that are kept, so that they do not fill the database: 64 KiB for each of a thousand."""
_AGAIN = "; try again in a moment"
_TOO_MANY_EXPORTS = partial(ExportOverload, f"too many exports and full lists are in progress{_AGAIN}", retry_after=5)
_TOO_MANY_BYTES = partial(UploadOverload, f"too many bytes of uploads are in progress{_AGAIN}", retry_after=5)
_TOO_MANY_BODIES = partial(RenderOverload, f"too many large bodies are arriving{_AGAIN}", retry_after=2)


class Observer(PrintObserver, Protocol):
    """Counts what the parts do, for metrics."""

    def query_ran(self, name: str, seconds: float) -> None:
        """Note a query and its duration."""

    def rate_limited(self, limits: list[str]) -> None:
        """Note a request that was refused by these limits."""


@dataclass(frozen=True, slots=True)
class Printing:
    """The printers in the settings: their layouts by name, the documents of their jobs, their queues and the limits."""

    layouts: dict[str, PrinterLayout]
    documents: PrintDocuments
    printers: Printers
    limits: QueueLimits


@dataclass(frozen=True, slots=True)
class Service:
    """The parts of a running service.

    `imports` are those under way, including those whose clients have disconnected; each holds a thread of the
    `importer` as long as its workbook is read, while exports and uploads use `file_threads`. `uploads` are places for
    uploads, `upload_bytes` disk space for them until they are imported, `large_bodies` memory for large JSON bodies
    until they are read. `batch_locks` has a lock for each client whose batch of codes is under way.
    """

    settings: Settings
    clock: Clock
    started: float
    database: Database
    resolver: Resolver
    unknown_scans: UnknownScans
    label_source: LabelSource
    worker_processes: WorkerProcesses
    file_threads: WorkerThreads
    body_thread: BodyThread
    exporter: Exporter
    importer: Importer
    renderer: Renderer
    image_reader: ImageReader
    sheet_queue: SheetQueue
    uploads: Capacity
    upload_bytes: Capacity
    large_bodies: Capacity
    imports: set[asyncio.Task[Any]]
    batch_locks: WeakValueDictionary[str, asyncio.Lock]
    printing: Printing | None


async def open_service(stack: AsyncExitStack, settings: Settings, clock: Clock, observer: Observer) -> Service:
    """Open the parts of a service, which the stack closes; raises StartError if one cannot be opened."""
    if settings.label_font:
        from barcodesvc.drawing.faces import named_face  # noqa: PLC0415 - loaded at its first use

        named_face(settings.label_font)
    database = await _open_database(stack, settings, clock, observer)
    files = WorkerThreads("files", settings.max_concurrent_uploads + 1)
    importing = WorkerThreads("imports", settings.max_concurrent_uploads)
    bodies = BodyThread(clock.steady)
    imports: set[asyncio.Task[Any]] = set()
    renderer = Renderer(
        queue=RENDER_QUEUE,
        cache_bytes=settings.cache_bytes,
        threads=settings.render_threads,
        steady=clock.steady,
    )
    processes = WorkerProcesses()
    largest_image = max(settings.max_upload_bytes, settings.max_json_bytes)
    images = ImageReader(2 * settings.image_threads, processes, IMAGE_QUEUE, ARRIVING_IMAGES * largest_image)
    sheets = SheetQueue(settings.label_font, SHEET_QUEUE)
    ends = (files.close, importing.close, bodies.close, partial(_ended, imports))
    for end in (*ends, renderer.close, images.close, sheets.close):
        stack.push_async_callback(end)
    unknown_scans = UnknownScans(database, clock)
    await stack.enter_async_context(unknown_scans.written())
    service = Service(
        settings=settings,
        clock=clock,
        started=clock.steady(),
        database=database,
        resolver=Resolver(database, clock, settings.in_store_codes, unknown_scans.note),
        unknown_scans=unknown_scans,
        label_source=_label_source(database, settings, clock),
        worker_processes=processes,
        file_threads=files,
        body_thread=bodies,
        exporter=_exporter(database, files, settings),
        importer=Importer(database, importing, processes),
        renderer=renderer,
        image_reader=images,
        sheet_queue=sheets,
        uploads=Capacity(settings.max_concurrent_uploads, partial(_too_many_uploads, observer)),
        upload_bytes=Capacity(max(settings.max_arriving_bytes, 2 * settings.max_upload_bytes), _TOO_MANY_BYTES),
        large_bodies=Capacity(settings.max_arriving_bytes, _TOO_MANY_BODIES),
        imports=imports,
        batch_locks=WeakValueDictionary(),
        printing=None,
    )
    if not settings.printers:
        return service
    return replace(service, printing=await stack.enter_async_context(_printing(service, observer)))


async def _open_database(stack: AsyncExitStack, settings: Settings, clock: Clock, observer: Observer) -> Database:
    """Open the database, and the task that forgets old idempotency keys."""
    opening = open_database(
        settings.database,
        observe=observer.query_ran,
        slow_query=settings.slow_query,
        limits=DatabaseLimits(busy_timeout=settings.busy_timeout),
        clock=clock,
    )
    database = await stack.enter_async_context(opening)
    await stack.enter_async_context(housekeeping(database, clock, timedelta(days=settings.idempotency_days)))
    return database


def _label_source(database: Database, settings: Settings, clock: Clock) -> LabelSource:
    amounts = AmountFormat(settings.currency, settings.locale)
    return LabelSource(database, clock, settings.time_zone, settings.digital_link_domain, amounts)


def _exporter(database: Database, files: WorkerThreads, settings: Settings) -> Exporter:
    number = Capacity(settings.max_concurrent_exports, _TOO_MANY_EXPORTS)
    return Exporter(database, files, number, Capacity(settings.max_export_bytes, _TOO_MANY_EXPORTS))


@asynccontextmanager
async def _printing(service: Service, observer: Observer) -> AsyncIterator[Printing]:
    """Send the jobs of printers within the block; raises StartError for what is wrong in their options.

    Only here is the code of printers loaded: most services have none, and need no memory for it.
    """
    from barcodesvc.printers.documents import PrintDocuments  # noqa: PLC0415 - see above
    from barcodesvc.printers.layouts import printer_layouts  # noqa: PLC0415 - see above
    from barcodesvc.printers.printers import Printers  # noqa: PLC0415 - see above
    from barcodesvc.printers.queue_context import QueueContext  # noqa: PLC0415 - see above

    settings, layouts = service.settings, printer_layouts(service.settings)
    documents = PrintDocuments(layouts, service.sheet_queue, service.label_source, service.body_thread.run)
    context = QueueContext(documents, service.clock, observer, settings.print_try_hours * 3600)
    printers = Printers([one.printer for one in layouts.values()], service.database, context)
    _LOG.info("printers: %s", ", ".join(map(str, layouts.values())))
    async with printers.running(settings.print_job_days):
        yield Printing(layouts, documents, printers, QueueLimits(settings.print_jobs, PRINT_JOB_BYTES))


async def _ended(imports: set[asyncio.Task[Any]]) -> None:
    """Wait for the imports in progress; those that were still reading have been ended by then."""
    while imports:
        await asyncio.wait(imports)


def _too_many_uploads(observer: Observer) -> UploadOverload:
    observer.rate_limited(["concurrent_uploads"])
    return UploadOverload(f"too many uploads are in progress{_AGAIN}", retry_after=5)
